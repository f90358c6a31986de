//! What only one game has: engines, solvers, learners and benchmarks of its own.

mod champion_tasks;
mod othello;

pub use othello::OthelloExtras;

use tablero_chess::Chess;
use tablero_core::{Playable, PlayerKind};
use tablero_jobs::TaskKind;
use tablero_registry::{BenchmarkGroup, OwnBenchmark, OwnLearner, OwnWeights, Solver};

/// What a game has beside what every game has.
pub trait Extras<G: Playable>: 'static {
    /// Further kinds of players.
    fn player_kinds() -> Vec<PlayerKind> {
        Vec::new()
    }

    /// What solves its endgames, with so many megabytes and threads.
    fn solver(_hash_mb: usize, _threads: usize) -> Option<Box<dyn Solver>> {
        None
    }

    /// Learners of its own.
    fn learners() -> Vec<&'static dyn OwnLearner> {
        Vec::new()
    }

    /// Weights of its own.
    fn weights() -> Vec<OwnWeights> {
        Vec::new()
    }

    /// Benchmarks of its own.
    fn benchmarks() -> Vec<OwnBenchmark> {
        Vec::new()
    }

    /// Kinds of cluster tasks of its own.
    fn task_kinds() -> Vec<Box<dyn TaskKind>> {
        Vec::new()
    }
}

/// Nothing beside what every game has.
pub struct Plain;

impl<G: Playable> Extras<G> for Plain {}

/// Chess is measured against the crate that its rules come from.
pub struct ChessExtras;

impl Extras<Chess> for ChessExtras {
    fn benchmarks() -> Vec<OwnBenchmark> {
        vec![OwnBenchmark {
            group: BenchmarkGroup::Perft { reference: "cozy-chess" },
            name: "perft 6 chess, cozy-chess called directly",
            unit: "leaves/s",
            prepare: || Box::new(|| tablero_chess::reference_perft(6)),
        }]
    }
}
