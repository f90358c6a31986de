//! Features that only some games have.

use std::path::Path;

use serde_json::Value;
use tablero_jobs::{Job, Progress};
use tablero_learn::LearnError;
use tablero_learn::generations::RunContext;

/// A learner besides networks, such as that of Othello's patterns.
pub trait CustomLearner: Send + Sync {
    /// The name in `--net NAME`.
    fn name(&self) -> &'static str;

    /// Opens or creates the run in a folder; a quick run only demonstrates the process.
    fn open(&self, folder: &Path, quick: bool, seed: Option<u64>) -> Result<Job, LearnError>;

    /// Runs or resumes until finished or cancelled.
    fn run(
        &self,
        job: Job,
        context: RunContext<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<CustomLearned, LearnError>;
}

/// The progress of a [`CustomLearner`].
#[derive(Clone, PartialEq, Debug)]
pub struct CustomLearned {
    /// The history as JSON.
    pub history: Value,
    /// The history as text, a line per generation.
    pub lines: Vec<String>,
    /// The file of the best weights in the run's folder, once there is one.
    pub best: Option<&'static str>,
}

/// Shipped weights that are neither genomes nor a network.
#[derive(Clone, PartialEq, Debug)]
pub struct CustomWeights {
    /// The name.
    pub name: &'static str,
    /// The kind of weights.
    pub kind: &'static str,
    /// A one-sentence description.
    pub about: &'static str,
    /// The number of weights.
    pub numbers: usize,
    /// The provenance as JSON.
    pub provenance: Value,
    /// Provenance and strength as text; the first line is a summary.
    pub lines: Vec<String>,
}

/// A benchmark of one game alone.
pub struct CustomBenchmark {
    /// The group it is listed in.
    pub group: BenchmarkGroup,
    /// The name.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// Prepares the benchmark; the closure runs it once and returns the amount of work.
    pub prepare: fn() -> Box<dyn FnMut() -> u64>,
}

/// The groups of `tablero bench` that a game may add to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchmarkGroup {
    /// Perft of a reference implementation, in leaves per second.
    Perft {
        /// The reference implementation.
        reference: &'static str,
    },
    /// Endgames, in nodes per second.
    Endgame,
    /// A deterministic node count.
    Signature,
}
