//! Extras of single games: engines, solvers, learners, benchmarks.

mod champion_tasks;
mod connectfour;
mod othello;

pub use connectfour::ConnectFourExtras;
pub use othello::OthelloExtras;

use tablero_chess::Chess;
use tablero_core::{Evaluation, Playable, PlayerKind, PlayerLine, PlayerLineError, PlayerSetup};
use tablero_jobs::TaskKind;
use tablero_registry::{
    BenchmarkGroup, CustomBenchmark, CustomLearner, CustomWeights, Explainable, Solver,
};

/// What a game has beyond the common features.
pub trait Extras<G: Playable>: 'static {
    /// Additional player kinds.
    fn player_kinds() -> Vec<PlayerKind> {
        Vec::new()
    }

    /// The evaluation of a validated line of one of these kinds, if it has one.
    fn evaluation(
        _line: &PlayerLine,
        _setup: &PlayerSetup,
    ) -> Option<Result<Box<dyn Evaluation<G>>, PlayerLineError>> {
        None
    }

    /// The shipped evaluations of these kinds.
    fn explainable() -> Vec<Explainable> {
        Vec::new()
    }

    /// The endgame solver, with a transposition table of `hash_mb` megabytes.
    fn solver(_hash_mb: usize, _threads: usize) -> Option<Box<dyn Solver>> {
        None
    }

    /// Whether the solver solves a position in about a millisecond: self-play ends there exactly. None without a
    /// solver.
    const IS_ENDGAME: Option<fn(&G) -> bool> = None;

    /// Learners besides networks.
    fn learners() -> Vec<&'static dyn CustomLearner> {
        Vec::new()
    }

    /// Shipped weights besides genomes and networks.
    fn weights() -> Vec<CustomWeights> {
        Vec::new()
    }

    /// Additional benchmarks.
    fn benchmarks() -> Vec<CustomBenchmark> {
        Vec::new()
    }

    /// Additional kinds of cluster tasks.
    fn task_kinds() -> Vec<Box<dyn TaskKind>> {
        Vec::new()
    }
}

/// No extras.
pub struct NoExtras;

impl<G: Playable> Extras<G> for NoExtras {}

/// Chess: its perft is compared with cozy-chess, the crate of its move generator.
pub struct ChessExtras;

impl Extras<Chess> for ChessExtras {
    fn benchmarks() -> Vec<CustomBenchmark> {
        vec![CustomBenchmark {
            group: BenchmarkGroup::Perft { reference: "cozy-chess" },
            name: "perft 6 chess, cozy-chess called directly",
            unit: "leaves/s",
            prepare: || Box::new(|| tablero_chess::reference_perft(6)),
        }]
    }
}
