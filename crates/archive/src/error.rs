use std::path::PathBuf;

use tablero_core::{AnyGame, OpenError};
use thiserror::Error;

/// Why an archive cannot be used.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The database failed.
    #[error("the games database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file cannot be read.
    #[error("cannot read {path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its error.
        error: std::io::Error,
    },
    /// A file to import is in no known format.
    #[error("{name}: {error}")]
    Open {
        /// The file.
        name: String,
        /// Its error.
        error: OpenError,
    },
    /// The file was written by a newer program.
    #[error(
        "{path} has version {found} of the format, this program knows {known}: use a newer program",
        path = path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// The content contradicts itself.
    #[error("the games database is damaged: {0}")]
    Damaged(&'static str),
    /// No game has that id.
    #[error("there is no game {0} in the archive")]
    NoGame(i64),
    /// The import was cancelled; what was committed stays.
    #[error("the import was cancelled")]
    Cancelled,
    /// The archive was made for games that this program does not have.
    #[error("the archive has no games of {0}")]
    UnknownGame(AnyGame),
}
