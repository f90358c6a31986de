use std::sync::OnceLock;

use tablero_core::{AnyGame, AnyRecord, Input, OpenError};
use thiserror::Error;

use crate::GameEntry;

static GAMES: OnceLock<Vec<&'static dyn GameEntry>> = OnceLock::new();

/// A name that no game has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no game `{asked}`; there are {}", known.join(", "))]
pub struct NoSuchGame {
    /// What was asked for.
    pub asked: String,
    /// The games that there are.
    pub known: Vec<&'static str>,
}

/// Says which games this program has; called once, at start. Later calls change nothing.
pub fn install(games: Vec<&'static dyn GameEntry>) {
    GAMES.get_or_init(|| games);
}

/// The games, in the order in which they are shown.
pub fn games() -> &'static [&'static dyn GameEntry] {
    GAMES.get().map_or(&[], Vec::as_slice)
}

/// The game of that name, in any case.
pub fn find(name: &str) -> Result<&'static dyn GameEntry, NoSuchGame> {
    let found = games().iter().find(|entry| entry.game().name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| NoSuchGame {
        asked: name.into(),
        known: games().iter().map(|entry| entry.game().name()).collect(),
    })
}

/// Reads a file, a position or a list of moves, whatever its game and format, which are detected;
/// `game` and `format` say which if it is known. The records are at least one, all of the same game.
pub fn open(
    input: &Input<'_>,
    game: Option<AnyGame>,
    format: Option<&str>,
) -> Result<(Vec<AnyRecord>, &'static str), OpenError> {
    let all: Vec<AnyGame> = games().iter().map(|entry| entry.game()).collect();
    tablero_core::open(&all, input, game, format)
}
