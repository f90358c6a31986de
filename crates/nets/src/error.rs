use std::io;
use std::path::PathBuf;

use tablero_jobs::JobError;
use thiserror::Error;

/// Why there is no network.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] JobError),
    /// The file, or a part of it, is not what it should be.
    #[error("{0}")]
    Content(String),
    /// A network of another game.
    #[error("the network plays {found}, not {wanted}")]
    WrongGame {
        /// What it plays.
        found: String,
        /// What was asked for.
        wanted: &'static str,
    },
    /// A description that no network has.
    #[error("`{text}` is no network: {expected}")]
    Kind {
        /// What was written.
        text: String,
        /// What would be right.
        expected: String,
    },
}
