use tablero_core::{PlayerLineError, ReadError, UnknownRules};
use tablero_jobs::JobError;
use thiserror::Error;

use crate::stats::SprtError;

/// Why a match or tournament cannot be played.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// A match of 0 games.
    #[error("a match has at least 1 game")]
    NoGames,
    /// A tournament of fewer than two players.
    #[error("a tournament has at least 2 players, not {found}")]
    TooFewPlayers {
        /// The number of players.
        found: usize,
    },
    /// The settings are for another game.
    #[error("the match is one of {found}, not {expected}")]
    WrongGame {
        /// The game of the settings.
        found: String,
        /// The game that the players play.
        expected: &'static str,
    },
    /// The game has no such rules.
    #[error(transparent)]
    Rules(#[from] UnknownRules),
    /// The openings are invalid.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The hypotheses of the test are invalid.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A player could not be built.
    #[error("player `{line}`: {error}")]
    Player {
        /// The player line.
        line: String,
        /// What is wrong with it.
        error: PlayerLineError,
    },
    /// A game in the job's log is damaged.
    #[error("game record: {0}")]
    Record(ReadError),
    /// The watcher failed (full disk, closed pipe).
    #[error("{0}")]
    Watcher(String),
    /// Tasks or files failed.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// Why there are no openings.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpeningsError {
    /// The text names no kind of openings.
    #[error("`{text}` is not start, random=PLIES, book, book=PLIES or balanced")]
    Syntax {
        /// The text.
        text: String,
    },
    /// The game has no opening book.
    #[error("{game} has no opening book")]
    NoBook {
        /// The game.
        game: &'static str,
    },
    /// A line of the book has an illegal move.
    #[error("opening {name}: {text}: {error}")]
    BookMove {
        /// The opening's name.
        name: &'static str,
        /// The move.
        text: String,
        /// What is wrong with it.
        error: ReadError,
    },
    /// The list of given openings is empty.
    #[error("there is no opening to start from")]
    Empty,
    /// A given opening cannot be read.
    #[error("opening: {0}")]
    Record(ReadError),
    /// No sequence of that many random plies leaves a game to play.
    #[error("every opening of {plies} plies ends the game")]
    TooLong {
        /// The number of random plies.
        plies: usize,
    },
}

/// Text that is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` is not a time control: seconds, or seconds+increment such as 10+0.1")]
pub struct TimeControlError {
    /// The text.
    pub text: String,
}
