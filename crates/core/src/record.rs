use std::fmt;
use std::ops::Neg;
use std::time::Duration;

use crate::{ForFirst, Game, GameEnd, GameHistory, IllegalMove, Side};

/// A recorded game: players, starting position, annotated moves with variations, result and tags.
/// Every file format reads and writes records.
///
/// ```
/// use tablero_core::{AnyGame, Side, Value, pgn};
/// use tablero_tictactoe::TicTacToe;
///
/// let text = "[Game \"tictactoe\"]\n[X \"Ada\"]\n\n1. b2 {[%eval +0.50]} a1 (1... b1?) *";
/// let record = pgn::read_one(AnyGame::of::<TicTacToe>(), text)?;
/// assert_eq!((record.player(Side::First), record.plies.len()), ("Ada", 2));
/// assert_eq!(record.plies[0].value.map(|value| value.0), Some(Value::Centi(50)));
/// assert_eq!(record.plies[1].variations.len(), 1);
/// let game = record.replay().expect("legal moves");
/// assert_eq!(game.position().position_text(), "x o.. .x. ...");
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Record<G: Game> {
    /// The players' names, the first player's first; empty if unknown.
    pub players: [String; 2],
    /// The starting position, which carries its rules variant.
    pub start: G,
    /// The moves of the main line.
    pub plies: Vec<Ply<G>>,
    /// How the game ended; `None` if unfinished or unknown.
    pub end: Option<GameEnd>,
    /// The comment before the first move.
    pub comment: String,
    /// All other tags (event, site, date, ratings, ...), in file order.
    pub tags: Vec<(String, String)>,
}

/// One move of a [`Record`].
#[derive(Clone, PartialEq, Debug)]
pub struct Ply<G: Game> {
    /// The move.
    pub m: G::Move,
    /// Time spent on the move.
    pub time: Option<Duration>,
    /// The score of the position after the move, by the player or an analysis.
    pub value: Option<ForFirst<Value>>,
    /// The comment after the move.
    pub comment: String,
    /// Numeric annotation glyphs (NAGs): 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, ...
    pub glyphs: Vec<u8>,
    /// Alternatives to this move, each a line that starts in its place.
    pub variations: Vec<Vec<Ply<G>>>,
}

/// A score, as stored in files and shown to people.
///
/// ```
/// use tablero_core::Value;
/// assert_eq!(Value::Centi(-35).to_string(), "-0.35");
/// assert_eq!(Value::from_text("#3"), Some(Value::WinIn(3)));
/// assert_eq!(-Value::WinIn(3), Value::LossIn(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Centi-units: hundredths of the game's unit (pawns, discs, stones). Centipawns in chess.
    Centi(i32),
    /// A proven win in this many of the winner's moves (mate in N).
    WinIn(u32),
    /// A proven loss in this many of the winner's moves.
    LossIn(u32),
}

impl<G: Game> Record<G> {
    /// An empty record from `start`.
    pub const fn new(start: G) -> Self {
        Self {
            players: [String::new(), String::new()],
            start,
            plies: Vec::new(),
            end: None,
            comment: String::new(),
            tags: Vec::new(),
        }
    }

    /// The moves of `game`, and how it ended by the rules.
    pub fn from_history(game: &GameHistory<G>) -> Self {
        let mut record = Self::new(game.start().clone());
        record.plies = game.played().map(Ply::new).collect();
        record.end = game.end();
        record
    }

    /// Replays the main line; an error holds the index of the first illegal move. Moves after a draw
    /// by rule are allowed ([`GameHistory::play_on`]).
    pub fn replay(&self) -> Result<GameHistory<G>, (usize, IllegalMove)> {
        let mut game = GameHistory::new(self.start.clone());
        for (index, ply) in self.plies.iter().enumerate() {
            game.play_on(ply.m).map_err(|error| (index, error))?;
        }
        Ok(game)
    }

    /// The name of the player of `side`.
    pub fn player(&self, side: Side) -> &str {
        &self.players[side.index()]
    }

    /// The value of tag `name`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Sets tag `name`.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }
}

impl<G: Game> Ply<G> {
    /// A move without annotations.
    pub const fn new(m: G::Move) -> Self {
        Self {
            m,
            time: None,
            value: None,
            comment: String::new(),
            glyphs: Vec::new(),
            variations: Vec::new(),
        }
    }
}

impl Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Centi(n) => Self::Centi(-n),
            Self::WinIn(moves) => Self::LossIn(moves),
            Self::LossIn(moves) => Self::WinIn(moves),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centi(n) => {
                let sign = if *n < 0 { '-' } else { '+' };
                write!(f, "{sign}{}.{:02}", n.unsigned_abs() / 100, n.unsigned_abs() % 100)
            }
            Self::WinIn(moves) => write!(f, "#{moves}"),
            Self::LossIn(moves) => write!(f, "#-{moves}"),
        }
    }
}

impl Value {
    /// A comparable number: units of the game, a win in n moves as 10000 - n.
    pub fn score(self) -> f64 {
        const WIN: f64 = 10_000.0;
        match self {
            Self::Centi(n) => f64::from(n) / 100.0,
            Self::WinIn(moves) => WIN - f64::from(moves),
            Self::LossIn(moves) => f64::from(moves) - WIN,
        }
    }

    /// Parses `+0.35`, `-1`, `#3` or `#-2`, as [`fmt::Display`] and other programs write scores.
    pub fn from_text(text: &str) -> Option<Self> {
        if let Some(mate) = text.strip_prefix('#') {
            return match mate.strip_prefix('-') {
                Some(moves) => moves.parse().ok().map(Self::LossIn),
                None => mate.parse().ok().map(Self::WinIn),
            };
        }
        let number: f64 = text.parse().ok()?;
        let centi = (number * 100.0).round();
        // Beyond i32 it is not a score.
        (centi.abs() <= f64::from(i32::MAX)).then_some(Self::Centi(centi as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn values_round_trip() {
        for value in [Value::Centi(-5), Value::Centi(1234), Value::WinIn(3), Value::LossIn(0)] {
            assert_eq!(Value::from_text(&value.to_string()), Some(value));
        }
        assert_eq!(Value::from_text("1e300"), None);
        assert_eq!(Value::from_text("NaN"), None);
    }
}
