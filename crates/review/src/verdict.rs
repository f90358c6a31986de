use std::fmt;

use tablero_core::{AnyGame, AnyMove, ForFirst, ForMover, Side, Value};

/// The review of one move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReview {
    /// The side that played it.
    pub side: Side,
    /// The move.
    pub played: AnyMove,
    /// The principal variation of the position before the move.
    pub best: Vec<AnyMove>,
    /// The score before the move.
    pub before: ForFirst<Value>,
    /// The score after the move.
    pub after: ForFirst<Value>,
    /// What the move lost.
    pub loss: Loss,
    /// Whether both scores are exact, so that the loss is a fact and not an estimate.
    pub exact: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it was the only legal move.
    pub forced: bool,
}

/// The loss of a move compared with the best one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Loss {
    /// In expected score: 1 turns a certain win into a loss.
    pub expected_score: f64,
    /// In the game's unit (discs, pawns, stones); `None` if a score is a proven win or loss without a
    /// margin.
    pub units: Option<f64>,
}

/// The quality of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The best move, or an equal one.
    Best,
    /// A negligible loss.
    Good,
    /// A small loss.
    Inaccuracy,
    /// A clear loss.
    Mistake,
    /// A decisive loss.
    Blunder,
}

/// Minimum losses of an inaccuracy, a mistake and a blunder: in expected score, and in units of the margin in
/// games that have one.
const SCORE_THRESHOLDS: [f64; 3] = [0.10, 0.20, 0.30];
const MARGIN_THRESHOLDS: [f64; 3] = [2.0, 4.0, 8.0];
/// Losses below this are rounding errors.
const NEGLIGIBLE: f64 = 0.005;
/// The loss that divides the accuracy of a move by e.
const SCORE_SCALE: f64 = 0.25;
const MARGIN_SCALE: f64 = 10.0;

impl Loss {
    /// The loss between two scores, both from the mover's point of view.
    pub(crate) fn between(game: AnyGame, before: ForMover<Value>, after: ForMover<Value>) -> Self {
        let model = game.wdl_model();
        let chance = model.expected_score(before.0) - model.expected_score(after.0);
        let units = match (before.0, after.0) {
            (Value::Centi(before), Value::Centi(after)) => {
                Some((f64::from(before) - f64::from(after)).max(0.0) / 100.0)
            }
            _ => None,
        };
        Self { expected_score: chance.max(0.0), units }
    }

    /// The verdict on the loss: by margin in games that have one, otherwise by expected score.
    pub(crate) fn verdict(self, game: AnyGame) -> Verdict {
        let (lost, steps) = match self.margin(game) {
            Some(units) => (units, MARGIN_THRESHOLDS),
            None => (self.expected_score, SCORE_THRESHOLDS),
        };
        match steps.iter().filter(|step| lost >= **step).count() {
            0 if lost < NEGLIGIBLE => Verdict::Best,
            0 => Verdict::Good,
            1 => Verdict::Inaccuracy,
            2 => Verdict::Mistake,
            _ => Verdict::Blunder,
        }
    }

    /// The accuracy: 100 without a loss, decreasing exponentially.
    pub(crate) fn accuracy(self, game: AnyGame) -> f64 {
        let lost = match self.margin(game) {
            Some(units) => units / MARGIN_SCALE,
            None => self.expected_score / SCORE_SCALE,
        };
        100.0 * (-lost).exp()
    }

    fn margin(self, game: AnyGame) -> Option<f64> {
        self.units.filter(|_| game.info().margin.is_some())
    }
}

impl Verdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 5] =
        [Self::Best, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The numeric annotation glyph, if any: 6 (`?!`), 2 (`?`) or 4 (`??`).
    pub const fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }

    /// The annotation symbol: `?!`, `?`, `??` or empty.
    pub const fn symbol(self) -> &'static str {
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
