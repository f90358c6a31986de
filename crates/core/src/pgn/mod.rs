//! PGN for any game: tag pairs, then numbered moves with comments, numeric annotation glyphs and
//! variations. Chess files are standard PGN; those of other games add a tag `Game`.
//!
//! Time and score of a move are embedded commands of its comment, `[%emt 0:00:01.250]` and
//! `[%eval +0.35]`, the score from the first player's point of view. Other commands, such as
//! `[%clk 0:10:00]`, stay in the comment's text.
//!
//! ```
//! use tablero_core::{AnyGame, pgn};
//! use tablero_tictactoe::TicTacToe;
//!
//! let text = "[Game \"tictactoe\"]\n\n1. b2 a1 2. b1 a2 3. b3 1-0\n";
//! let record = pgn::read_one(AnyGame::of::<TicTacToe>(), text)?;
//! assert_eq!(pgn::result_text(record.end.map(|end| end.outcome)), "1-0");
//! assert!(pgn::write(&record).ends_with("1. b2 a1 2. b1 a2 3. b3 1-0\n\n"));
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

mod boundaries;
mod read;
mod write;

pub use read::{peek_tag, read, read_one};
pub use write::write;

use crate::{AnyGame, Ending, Outcome, Side};

/// The seven tag roster without players and result, with its values for "unknown".
const ROSTER: [(&str, &str); 4] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?")];

/// The result token: `1-0` if the first player won.
pub fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(Outcome::winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side::First)) => "1-0",
        Some(Some(Side::Second)) => "0-1",
    }
}

/// The player tag of a side: `White` for `white`.
fn player_tag(game: AnyGame, side: Side) -> String {
    let name = game.info().sides[side.index()];
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// Whether `c` may occur in a tag name.
fn is_tag_char(c: char) -> bool {
    !c.is_whitespace() && !"[]\"".contains(c)
}

/// The ending in a tag `Termination`, if it cannot be derived from the board.
fn stated_ending(termination: &str) -> Option<Ending> {
    Ending::from_text(&termination.to_lowercase()).filter(|ending| is_explicit(*ending))
}

/// Whether an ending cannot be derived from the board, and so is written.
fn is_explicit(ending: Ending) -> bool {
    !matches!(ending, Ending::Played | Ending::Drawn(_) | Ending::Unknown)
}

/// Collapses runs of whitespace to single spaces.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
