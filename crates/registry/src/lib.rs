//! The registry of games: every game of the program as an object.
//!
//! A [`GameEntry`] is a game with its features: players, perft, evolution, learning, solver. It is object-safe:
//! command line, server, experiments and cluster tasks are compiled once and name no game. The crate `catalog`
//! implements it for every game; the program [installs](install) the list at start, and other crates
//! [`find`] games by name.
//!
//! ```
//! let error = tablero_registry::find("ludo").unwrap_err();
//! assert_eq!(error.requested, "ludo");
//! ```

mod batch;
mod custom;
mod entry;
mod evaluators;
mod explainer;
mod learning;
mod list;
mod solver;
mod tuning;

pub use batch::{IllegalAction, LegalActions, Playout, PositionBatch};
pub use custom::{BenchmarkGroup, CustomBenchmark, CustomLearned, CustomLearner, CustomWeights};
pub use entry::{EvaluationInfo, GameEntry, PlayoutCount};
pub use evaluators::{BatchEvaluation, BatchPolicyValue, NetSource, PolicyValues};
pub use explainer::{
    Explainable, Explained, Explainer, ExplanationSummary, NetworkSummary, PlaneSummary,
    RatingSummary, SquareSummary, TermSummary,
};
pub use learning::{Learned, LearningRun, RunRequest};
pub use list::{UnknownGame, find, games, install, open};
pub use solver::{Solution, SolveLimits, Solver};
pub use tuning::{TuneOptions, Tuned, tune};
