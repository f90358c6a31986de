use std::path::PathBuf;

use tablero_arena::ArenaError;
use tablero_core::UnknownRules;
use tablero_jobs::JobError;
use tablero_registry::UnknownGame;
use tablero_report::ReportError;
use thiserror::Error;

/// Why an experiment failed.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// Unknown experiment.
    #[error("unknown experiment `{name}`; known experiments: {known}")]
    Unknown {
        /// Requested name.
        name: String,
        /// Known names.
        known: String,
    },
    /// Unknown template.
    #[error("unknown template `{name}`; known templates: {known}")]
    UnknownTemplate {
        /// Requested name.
        name: String,
        /// Known names.
        known: String,
    },
    /// Invalid plan.
    #[error("experiment: {0}")]
    Plan(String),
    /// A file cannot be read, or its plan is invalid.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Unknown game.
    #[error("experiment: {0}")]
    Game(#[from] UnknownGame),
    /// Unknown rules.
    #[error("experiment: {0}")]
    Rules(#[from] UnknownRules),
    /// The report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A match failed.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// An evolution failed.
    #[error(transparent)]
    Evolve(#[from] tablero_evolve::EvolveError),
    /// Training failed.
    #[error(transparent)]
    Learn(#[from] tablero_learn::LearnError),
    /// A network file cannot be read or written.
    #[error(transparent)]
    Net(#[from] tablero_nets::NetError),
    /// A task or file of the job failed.
    #[error(transparent)]
    Job(#[from] JobError),
}
