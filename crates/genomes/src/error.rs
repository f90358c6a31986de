use std::io;
use std::path::PathBuf;

use tablero_core::ReadError;
use thiserror::Error;

/// Why there is no evaluation, or no file.
#[derive(Debug, Error)]
pub enum GenomeError {
    /// Neither a name that we know nor a file.
    #[error("there is no evaluation or file `{name}`; {game} knows {known}")]
    Unknown {
        /// As it was asked for.
        name: String,
        /// For which game.
        game: &'static str,
        /// The names there are.
        known: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {problem}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        problem: io::Error,
    },
    /// A file of Othello7's with something wrong in it.
    #[error("not a right .evl file: {0}")]
    Evl(ReadError),
    /// A file of ours with something wrong in it.
    #[error("not a right file of genomes: {0}")]
    Content(String),
    /// Genomes of another game.
    #[error("these genomes play {found}, not {wanted}")]
    OtherGame {
        /// What they play.
        found: String,
        /// What they are wanted for.
        wanted: String,
    },
    /// Genomes of another kind.
    #[error("these genomes are of kind `{found}`, not `{wanted}`")]
    OtherKind {
        /// What they are.
        found: String,
        /// What was wanted.
        wanted: String,
    },
    /// The game has no such kind.
    #[error("{game} has no genomes of kind `{kind}`; it has {known}")]
    NoKind {
        /// Which game.
        game: &'static str,
        /// As it was asked for.
        kind: String,
        /// Those that there are.
        known: String,
    },
    /// There are not so many individuals.
    #[error("there is no individual {number}; there are {count} (1 to {count}), and `best`")]
    NoIndividual {
        /// As it was asked for.
        number: String,
        /// How many there are.
        count: usize,
    },
    /// The format cannot hold this.
    #[error("{0}")]
    Unwritable(String),
}

impl From<ReadError> for GenomeError {
    // Not as a source: the message says it already.
    fn from(error: ReadError) -> Self {
        Self::Evl(error)
    }
}
