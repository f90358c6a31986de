use std::sync::atomic::AtomicBool;

use tablero_core::{Game, Rng, StandardRules};
use tablero_othello::Othello;

use crate::engine::{Engine, Iteration, Request};
use crate::eval::Weights;
use crate::{Board, Selectivity};

/// Node counts of fixed single-threaded searches: to depth 8 with 50, 40 and 30 empties, and
/// exactly with 18.
///
/// The counts are the same on every machine. A change that is not meant to affect the search must
/// not change them; new weights do.
pub fn signature() -> Vec<u64> {
    let mut engine = Engine::new(Weights::embedded(), 1 << 20, 1);
    let mut nodes = |empties: u32, depth: u32| {
        engine.clear();
        let stop = AtomicBool::new(false);
        let selectivity =
            if depth < empties { Selectivity::LOWEST_CONFIDENCE } else { Selectivity::NONE };
        let goal = Iteration { depth, selectivity };
        engine.search(&Request::new(position(empties), goal, &stop), &mut |_| {}).nodes
    };
    [(50, 8), (40, 8), (30, 8), (18, 18)].map(|(empties, depth)| nodes(empties, depth)).to_vec()
}

/// A position with this many empties, by random moves.
fn position(empties: u32) -> Board {
    (0..)
        .find_map(|seed| {
            let mut rng = Rng::for_stream(1, seed);
            let mut position = Othello::start(StandardRules);
            while position.empties().count_ones() > empties {
                position.play(position.random_move(&mut rng)?);
            }
            let board = Board::from(&position);
            (board.moves() != 0).then_some(board)
        })
        .expect("some random game lasts long enough")
}
