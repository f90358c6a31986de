use tablero_core::{Game, Rng, StandardRules};
use tablero_othello::Othello;

use super::*;

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

/// Positions with so many empty squares, from random games.
fn positions(empties: u32, count: usize, seed: u64) -> Vec<Board> {
    let mut rng = Rng::seeded(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Othello::start(StandardRules);
        while position.empties().count_ones() > empties {
            let Some(m) = position.random_move(&mut rng) else { break };
            position.play(m);
        }
        if position.empties().count_ones() == empties {
            found.push(Board::from(&position));
        }
    }
    found
}

#[test]
fn every_answer_is_on_the_right_side_of_alpha() {
    let mut endgame = Endgame::new();
    for (empties, count) in
        [(1, 100), (2, 200), (3, 300), (4, 500), (5, 300), (6, 200), (7, 60), (8, 15)]
    {
        for board in positions(empties, count, empties.into()) {
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
