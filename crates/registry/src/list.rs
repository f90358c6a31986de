//! The list of games.

use std::sync::OnceLock;

use tablero_core::{AnyGame, Input, OpenResult};
use thiserror::Error;

use crate::GameEntry;

static GAMES: OnceLock<Vec<&'static dyn GameEntry>> = OnceLock::new();

/// No game has that name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no game `{requested}`; there are {}", known.join(", "))]
pub struct UnknownGame {
    /// The requested name.
    pub requested: String,
    /// The games that exist.
    pub known: Vec<&'static str>,
}

/// Installs the games of the program, once at start; later calls have no effect.
pub fn install(games: Vec<&'static dyn GameEntry>) {
    GAMES.get_or_init(|| games);
}

/// The games, in display order.
pub fn games() -> &'static [&'static dyn GameEntry] {
    GAMES.get().map_or(&[], Vec::as_slice)
}

/// The game of that name, case-insensitive.
pub fn find(name: &str) -> Result<&'static dyn GameEntry, UnknownGame> {
    let found = games().iter().find(|entry| entry.game().name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| UnknownGame {
        requested: name.into(),
        known: games().iter().map(|entry| entry.game().name()).collect(),
    })
}

/// Reads a file, a position or a list of moves. Game and format are detected unless given. Returns at least one
/// record, all of the same game, and the games that were skipped.
pub fn open(input: &Input<'_>, game: Option<AnyGame>, format: Option<&str>) -> OpenResult {
    let all: Vec<AnyGame> = games().iter().map(|entry| entry.game()).collect();
    tablero_core::open(&all, input, game, format)
}
