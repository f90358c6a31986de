use tablero_core::{Match, Notation, ReadError};
use thiserror::Error;

/// A position, given as people type it, that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The position itself.
    #[error("position: {0}")]
    Position(ReadError),
    /// A move after `moves`.
    #[error("move {number} after `moves`: {error}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        error: ReadError,
    },
}

/// The match that `text` describes: `start` (or `startpos`) or a position in any notation of the game,
/// then, if you like, `moves` and moves.
///
/// ```
/// use tablero_core::{Game, StandardRules};
/// use tablero_tictactoe::TicTacToe;
/// let game = tablero_catalog::parse_match::<TicTacToe>("start moves b2 a1", StandardRules).unwrap();
/// assert_eq!(game.plies(), 2);
/// ```
pub fn parse_match<G: Notation>(text: &str, rules: G::Rules) -> Result<Match<G>, PositionError> {
    let (position, moves) = split_moves(text);
    let start = match position.trim() {
        "start" | "startpos" | "" => G::start(rules),
        position => G::parse_position(position, rules).map_err(PositionError::Position)?,
    };
    let mut game = Match::new(start);
    for (number, word) in (1..).zip(moves.split_whitespace()) {
        let at_move = |error| PositionError::Move { number, error };
        let m = game.position().parse_move(word).map_err(at_move)?;
        game.play_on(m).map_err(|_| at_move(ReadError::at(word, 0, "a legal move")))?;
    }
    Ok(game)
}

/// The text before and after the word `moves`.
fn split_moves(text: &str) -> (&str, &str) {
    let is_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + "moves".len()..].chars().next();
        before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    };
    match text.match_indices("moves").find(|(at, _)| is_word(*at)) {
        Some((at, word)) => (&text[..at], &text[at + word.len()..]),
        None => (text, ""),
    }
}
