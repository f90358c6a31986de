use std::fmt;

use tablero_core::{AnyGame, AnyMove, ForFirst, ForMover, Side, Value};

/// What a review says about a move.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// Who played it.
    pub side: Side,
    /// The move.
    pub played: AnyMove,
    /// The best line from the position in which it was played.
    pub best: Vec<AnyMove>,
    /// What the position was worth before the move, with best play.
    pub before: ForFirst<Value>,
    /// What it was worth after the move.
    pub after: ForFirst<Value>,
    /// What the move lost.
    pub loss: Loss,
    /// Whether that is the truth and not an estimate: both values are those of perfect play.
    pub exact: bool,
    /// How bad that is.
    pub verdict: Verdict,
    /// There was no other legal move.
    pub forced: bool,
}

/// What a move lost against the best one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Loss {
    /// Of the points to expect from the game: 1 throws a sure win away.
    pub chance: f64,
    /// In the game's unit: discs, pawns, stones. None where a sure win or loss is involved that
    /// has no size.
    pub units: Option<f64>,
}

/// How bad a move is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The best, or as good.
    Best,
    /// Hardly worse.
    Good,
    /// A little worse.
    Inaccuracy,
    /// Clearly worse.
    Mistake,
    /// Much worse.
    Blunder,
}

/// Losses from which a move is an inaccuracy, a mistake, a blunder: of the points to expect, and of
/// the final margin in games that have one.
const CHANCE_STEPS: [f64; 3] = [0.10, 0.20, 0.30];
const MARGIN_STEPS: [f64; 3] = [2.0, 4.0, 8.0];
/// Losses that count as none: a value has only so many digits.
const NOTHING: f64 = 0.005;
/// A loss that makes a move e times less accurate.
const CHANCE_SCALE: f64 = 0.25;
const MARGIN_SCALE: f64 = 10.0;

impl Loss {
    /// What was lost between two values, both as the player who moved sees them.
    pub(crate) fn between(game: AnyGame, before: ForMover<Value>, after: ForMover<Value>) -> Self {
        let chances = game.chances();
        let chance = chances.expected(before.0) - chances.expected(after.0);
        let units = match (before.0, after.0) {
            (Value::Hundredths(before), Value::Hundredths(after)) => {
                Some((f64::from(before) - f64::from(after)).max(0.0) / 100.0)
            }
            _ => None,
        };
        Self { chance: chance.max(0.0), units }
    }

    /// How bad the loss is. Where games are won by a margin, the margin is what counts.
    pub(crate) fn verdict(self, game: AnyGame) -> Verdict {
        let (lost, steps) = match self.margin(game) {
            Some(units) => (units, MARGIN_STEPS),
            None => (self.chance, CHANCE_STEPS),
        };
        match steps.iter().filter(|step| lost >= **step).count() {
            0 if lost < NOTHING => Verdict::Best,
            0 => Verdict::Good,
            1 => Verdict::Inaccuracy,
            2 => Verdict::Mistake,
            _ => Verdict::Blunder,
        }
    }

    /// 100 for a move that lost nothing, and less the more it lost.
    pub(crate) fn accuracy(self, game: AnyGame) -> f64 {
        let lost = match self.margin(game) {
            Some(units) => units / MARGIN_SCALE,
            None => self.chance / CHANCE_SCALE,
        };
        100.0 * (-lost).exp()
    }

    fn margin(self, game: AnyGame) -> Option<f64> {
        self.units.filter(|_| game.info().margin.is_some())
    }
}

impl Verdict {
    /// All of them, the best first.
    pub const ALL: [Self; 5] =
        [Self::Best, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The numeric annotation glyph that files use for it, if any: ?!, ?, ??.
    pub const fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }

    /// The sign behind the move: `?!`, `?`, `??` or nothing.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Best | Self::Good => "",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        })
    }
}
