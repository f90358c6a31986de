use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::samples::positions;

/// Plain negamax.
fn exact(board: Board) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        let next = board.pass();
        return if next.moves() == 0 { board.margin() } else { -exact(next) };
    }
    let value = |square: tablero_othello::Square| {
        let square = square.index() as u8;
        -exact(board.play(square, board.flips(square)))
    };
    tablero_othello::bits::squares(moves).map(value).max().expect("a move")
}

#[test]
fn every_answer_is_on_the_right_side_of_alpha() {
    let stop = AtomicBool::new(false);
    let (mut table, watch) = (small_table(), Watch::new(&stop, None));
    let mut endgame = Endgame::new(table.get(), &watch);
    for (empties, count) in
        [(1, 100), (2, 200), (3, 300), (4, 500), (5, 300), (6, 200), (7, 60), (8, 15)]
    {
        for board in positions(empties, count, empties.into()).iter().map(Board::from) {
            let truth = exact(board);
            for alpha in (-64..64).step_by(if empties < 7 { 1 } else { 3 }) {
                let value = endgame.solve(board, alpha);
                if truth > alpha {
                    assert!(value > alpha && value <= truth, "{board:?} {alpha} {value} {truth}");
                } else {
                    assert!(value <= alpha && value >= truth, "{board:?} {alpha} {value} {truth}");
                }
            }
        }
    }
}

#[test]
fn breaks_off_when_told_and_keeps_no_false_values() {
    let stop = AtomicBool::new(true);
    let (mut table, watch) = (small_table(), Watch::new(&stop, None));
    let board = Board::from(&positions(14, 1, 3)[0]);
    let mut endgame = Endgame::new(table.get(), &watch);
    endgame.solve(board, 0);
    assert!(endgame.halted && endgame.nodes < 100);
    stop.store(false, Ordering::Relaxed);
    let again = Watch::new(&stop, None);
    let (mut fresh, mut warm) = (small_table(), Endgame::new(table.get(), &again));
    assert_eq!(warm.solve(board, 0), Endgame::new(fresh.get(), &again).solve(board, 0));
}
