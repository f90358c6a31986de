use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::test_positions::positions;

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
    tablero_othello::bitboard::squares(moves).map(value).max().expect("a move")
}

#[test]
fn null_window_results_are_correct_bounds() {
    let stop = AtomicBool::new(false);
    let (mut table, stop_signal) = (endgame_table(), StopSignal::new(&stop, None));
    let mut endgame = Endgame::new(table.get(), &stop_signal);
    for (empties, count) in
        [(1, 100), (2, 200), (3, 300), (4, 500), (5, 300), (6, 200), (7, 60), (8, 15)]
    {
        for board in positions(empties, count, empties.into()).iter().map(Board::from) {
            let exact_value = exact(board);
            for alpha in (-64..64).step_by(if empties < 7 { 1 } else { 3 }) {
                let value = endgame.solve(board, alpha);
                if exact_value > alpha {
                    assert!(
                        value > alpha && value <= exact_value,
                        "{board:?} {alpha} {value} {exact_value}"
                    );
                } else {
                    assert!(
                        value <= alpha && value >= exact_value,
                        "{board:?} {alpha} {value} {exact_value}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_stopped_search_stores_no_invalid_values() {
    let stop = AtomicBool::new(true);
    let (mut table, stop_signal) = (endgame_table(), StopSignal::new(&stop, None));
    let board = Board::from(&positions(14, 1, 3)[0]);
    let mut endgame = Endgame::new(table.get(), &stop_signal);
    endgame.solve(board, 0);
    assert!(endgame.stopped && endgame.nodes < 100);
    stop.store(false, Ordering::Relaxed);
    let again = StopSignal::new(&stop, None);
    let (mut fresh, mut warm) = (endgame_table(), Endgame::new(table.get(), &again));
    assert_eq!(warm.solve(board, 0), Endgame::new(fresh.get(), &again).solve(board, 0));
}
