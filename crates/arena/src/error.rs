use tablero_jobs::JobError;
use thiserror::Error;

/// Why a match or tournament could not be played.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Config(String),
    /// A player could not be made.
    #[error("player `{line}`: {problem}")]
    Player {
        /// As it was written.
        line: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Whoever watched the games could not go on (a full disk, a closed pipe).
    #[error("{0}")]
    Watcher(String),
    /// Tasks or files failed.
    #[error(transparent)]
    Job(#[from] JobError),
}
