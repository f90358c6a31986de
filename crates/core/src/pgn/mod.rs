//! Games as text, in the manner of PGN: tags in brackets, then numbered moves with comments,
//! annotation glyphs and variations. Chess files are plain PGN; the other games have the same shape
//! with a tag `Game` that names them.
//!
//! Time and value of a move are kept in its comment as `[%emt 0:00:01.250]` and `[%eval +0.35]`,
//! the value from the first player's point of view. Other commands, such as `[%clk 0:10:00]`, stay in
//! the comment's text.

mod read;
mod write;

pub use read::{peek_tag, read, read_one};
pub use write::write;

use crate::{AnyGame, Ending, Outcome, Side};

/// Tags that every file has, with what stands for "unknown".
const ROSTER: [(&str, &str); 4] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?")];

/// The outcome as files state it: 1-0 if the first player won.
pub fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(Outcome::winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side::First)) => "1-0",
        Some(Some(Side::Second)) => "0-1",
    }
}

/// `White` for the side called `white`.
fn player_tag(game: AnyGame, side: Side) -> String {
    let name = game.info().sides[side.index()];
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// Characters that the name of a tag may have.
fn is_tag_char(c: char) -> bool {
    !c.is_whitespace() && !"[]\"".contains(c)
}

/// The ending that a tag `Termination` states, if it is one that the board does not show.
fn stated_ending(termination: &str) -> Option<Ending> {
    Ending::from_text(&termination.to_lowercase()).filter(|ending| says_ending(*ending))
}

/// Endings that cannot be seen on the board, and so are written down.
fn says_ending(ending: Ending) -> bool {
    !matches!(ending, Ending::Played | Ending::Drawn(_) | Ending::Unknown)
}

/// The text with one blank wherever it has blanks or line ends.
fn fold_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
