//! What only some games have.

use std::path::Path;

use serde_json::Value;
use tablero_jobs::{Job, Progress};
use tablero_learn::LearnError;
use tablero_learn::generations::Place;

/// A learner that only one game has: Othello's pattern tables.
pub trait OwnLearner: Send + Sync {
    /// Its name, as in `--net NAME`.
    fn name(&self) -> &'static str;

    /// The run in a folder, or a new one there; a quick one shows how it goes on but learns little.
    fn open(&self, folder: &Path, quick: bool, seed: Option<u64>) -> Result<Job, LearnError>;

    /// Runs it, or resumes it, until it is finished or stopped.
    fn run(
        &self,
        job: Job,
        place: Place<'_>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<OwnLearned, LearnError>;
}

/// What an [`OwnLearner`] has learned so far.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnLearned {
    /// Its history, for machines.
    pub history: Value,
    /// Its history, a line a generation.
    pub lines: Vec<String>,
    /// The name of the file of the best weights in the run's folder, if there are any yet.
    pub best: Option<&'static str>,
}

/// Trained weights that come with the program and are neither genomes nor a network.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnWeights {
    /// Their name.
    pub name: &'static str,
    /// What they are.
    pub kind: &'static str,
    /// What they are for, in a sentence.
    pub about: &'static str,
    /// How many numbers.
    pub numbers: usize,
    /// How they came about, for machines.
    pub provenance: Value,
    /// How they came about and how strong they are, for people; the first line is a summary in a few
    /// words.
    pub lines: Vec<String>,
}

/// A figure that only one game's benchmark has.
pub struct OwnBenchmark {
    /// Beside which figures it stands.
    pub group: BenchmarkGroup,
    /// Its name.
    pub name: &'static str,
    /// What it counts.
    pub unit: &'static str,
    /// Prepares the work; what it gives does it once and tells how much that was.
    pub prepare: fn() -> Box<dyn FnMut() -> u64>,
}

/// The groups of `tablero bench` that a game may add to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchmarkGroup {
    /// Another implementation's perft, to compare ours with: leaves a second.
    Perft {
        /// Whose it is.
        reference: &'static str,
    },
    /// Endgames: nodes a second.
    Endgame,
    /// A node count that is the same on every machine.
    Signature,
}
