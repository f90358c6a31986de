//! How the Othello champion's pattern tables are learned from nothing, in the
//! [generation loop](tablero_learn::generations): games against itself, regression, a measurement of how far the
//! search can be trusted, a match against the best weights before, and again.
//!
//! A run is a job in a folder of its own. Beside the files of every job it has
//! - `games-N.jsonl`: the games of generation N,
//! - `generation-N.weights`: what was learned from them (and from some generations before),
//! - `best.weights`: the best so far,
//! - `candidate-N.weights`: those of generation N while they are measured,
//! - `report.md` with its plots.

mod config;
mod games;
mod gate;
mod measure;
mod regression;
mod report;
mod run;
mod samples;
mod searcher;
mod trainee;
mod weights_cache;

pub use config::{LearnConfig, Plan};
pub use games::{GameRecord, SelfPlay, SelfPlayTask, Style};
pub use gate::{Gate, GateTask};
pub use measure::{Measure, MeasureTask};
pub use trainee::{BEST, LEARN, Learned, open_run, run_learning};
pub use weights_cache::UsesWeights;
