use std::path::PathBuf;

use tablero_arena::ArenaError;
use tablero_jobs::JobError;
use tablero_nets::NetError;
use tablero_report::ReportError;
use thiserror::Error;

/// Why learning cannot go on.
#[derive(Debug, Error)]
pub enum LearnError {
    /// The run's configuration makes no sense.
    #[error("the learning run cannot be: {0}")]
    Config(String),
    /// A file is damaged.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The history cannot be kept.
    #[error("the history of the run cannot be written: {0}")]
    History(String),
    /// A network could not be read or written.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A match could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}
