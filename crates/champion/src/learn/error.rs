use std::path::PathBuf;

use tablero_jobs::JobError;
use tablero_report::ReportError;
use thiserror::Error;

use crate::eval::WeightsError;

/// Why learning cannot go on.
#[derive(Debug, Error)]
pub enum LearnError {
    /// The run's configuration makes no sense.
    #[error("the learning run cannot be: {0}")]
    Config(String),
    /// A file of the run is damaged.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of weights is damaged.
    #[error("{}: {problem}", path.display())]
    Weights {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        problem: WeightsError,
    },
    /// The job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}
