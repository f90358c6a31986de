use std::fmt;
use std::ops::Neg;
use std::time::Duration;

use crate::{ForFirst, Game, GameEnd, IllegalMove, Match, Side};

/// A game as it is kept: who played, by which rules, from where, every move with what is known
/// about it, and how it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Record<G: Game> {
    /// The two players' names, the first player's first; empty if unknown.
    pub players: [String; 2],
    /// The position from which the game started; it knows its rules.
    pub start: G,
    /// The moves of the main line.
    pub plies: Vec<Ply<G>>,
    /// How the game ended; none if it is unfinished or nobody knows.
    pub end: Option<GameEnd>,
    /// A remark before the first move.
    pub comment: String,
    /// All other facts (event, place, date, ratings, ...) by name, in the order in which they came.
    pub tags: Vec<(String, String)>,
}

/// One move of a [`Record`].
#[derive(Clone, PartialEq, Debug)]
pub struct Ply<G: Game> {
    /// The move.
    pub m: G::Move,
    /// How long the player thought.
    pub time: Option<Duration>,
    /// What the player, or an analysis, thought of the position after the move.
    pub value: Option<ForFirst<Value>>,
    /// Remarks after the move.
    pub comment: String,
    /// Numeric annotation glyphs: 1 good (!), 2 mistake (?), 3 brilliant, 4 blunder, ...
    pub glyphs: Vec<u8>,
    /// Other lines that could have been played instead of this move, each from this move on.
    pub variations: Vec<Vec<Ply<G>>>,
}

/// What a position is worth, as kept in files and shown to people.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Hundredths of the game's unit: pawns, discs, stones.
    Hundredths(i32),
    /// A sure win in so many of the winner's moves.
    WinIn(u32),
    /// A sure loss in so many of the winner's moves.
    LossIn(u32),
}

impl<G: Game> Record<G> {
    /// A game without moves, from `start`.
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

    /// What was played in `game`, and how it ended by the rules.
    pub fn of_match(game: &Match<G>) -> Self {
        let mut record = Self::new(game.start().clone());
        record.plies = game.played().map(Ply::new).collect();
        record.end = game.end();
        record
    }

    /// The match at its last move; an error names the index of the first move that is not legal.
    ///
    /// Players sometimes go on after the rules have declared a draw; so does this.
    pub fn replay(&self) -> Result<Match<G>, (usize, IllegalMove)> {
        let mut game = Match::new(self.start.clone());
        for (index, ply) in self.plies.iter().enumerate() {
            game.play_on(ply.m).map_err(|error| (index, error))?;
        }
        Ok(game)
    }

    /// The name of the player of `side`.
    pub fn player(&self, side: Side) -> &str {
        &self.players[side.index()]
    }

    /// The fact called `name`, if known.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Sets the fact called `name`.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }
}

impl<G: Game> Ply<G> {
    /// A move about which nothing else is known.
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
            Self::Hundredths(n) => Self::Hundredths(-n),
            Self::WinIn(moves) => Self::LossIn(moves),
            Self::LossIn(moves) => Self::WinIn(moves),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hundredths(n) => {
                let sign = if *n < 0 { '-' } else { '+' };
                write!(f, "{sign}{}.{:02}", n.unsigned_abs() / 100, n.unsigned_abs() % 100)
            }
            Self::WinIn(moves) => write!(f, "#{moves}"),
            Self::LossIn(moves) => write!(f, "#-{moves}"),
        }
    }
}

impl Value {
    /// The value that [`fmt::Display`] (or another program) wrote as `text`: `+0.35`, `-1`, `#3`,
    /// `#-2`.
    pub fn from_text(text: &str) -> Option<Self> {
        if let Some(mate) = text.strip_prefix('#') {
            return match mate.strip_prefix('-') {
                Some(moves) => moves.parse().ok().map(Self::LossIn),
                None => mate.parse().ok().map(Self::WinIn),
            };
        }
        let number: f64 = text.parse().ok()?;
        let hundredths = (number * 100.0).round();
        // A number beyond i32 is no score of any game.
        (hundredths.abs() <= f64::from(i32::MAX)).then_some(Self::Hundredths(hundredths as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn values_round_trip() {
        for value in
            [Value::Hundredths(-5), Value::Hundredths(1234), Value::WinIn(3), Value::LossIn(0)]
        {
            assert_eq!(Value::from_text(&value.to_string()), Some(value));
        }
        assert_eq!(Value::from_text("1e300"), None);
        assert_eq!(Value::from_text("NaN"), None);
    }
}
