//! The games of a program as objects.
//!
//! [`GameEntry`] is what a game offers beside its rules: players, perft, evolution, learning, a solver.
//! It is object-safe, so that command line, server, experiments and cluster tasks are compiled once and
//! name no game; the crate `catalog` implements it for every game's type. The program
//! [installs](install) its list of games at start, and everybody else [finds](find) them by name.

mod entry;
mod list;
mod own;
mod solver;

pub use entry::{EvaluationInfo, GameEntry, PlayoutCount};
pub use list::{NoSuchGame, find, games, install, open};
pub use own::{BenchmarkGroup, OwnBenchmark, OwnLearned, OwnLearner, OwnWeights};
pub use solver::{Solution, SolveLimits, Solver};
