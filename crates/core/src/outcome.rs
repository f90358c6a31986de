use std::fmt;

use crate::{ForFirst, Side};

/// The outcome of a game, with its margin.
///
/// The margin is in the game's own unit (in Othello discs, with empty squares counted for the winner),
/// or 1 where there is only win, draw and loss.
///
/// ```
/// use tablero_core::{ForFirst, Outcome, Side, Wdl};
/// let outcome = Outcome::by_margin(ForFirst(-6));
/// assert_eq!(outcome.winner(), Some(Side::Second));
/// assert_eq!(outcome.wdl(Side::First), Wdl::Loss);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    margin: ForFirst<i16>,
}

/// Win, draw or loss for one side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Wdl {
    /// The side lost.
    Loss,
    /// A draw.
    Draw,
    /// The side won.
    Win,
}

impl Outcome {
    /// A draw.
    pub const DRAW: Self = Self { margin: ForFirst(0) };

    /// A win without a margin.
    #[inline]
    pub const fn win(side: Side) -> Self {
        match side {
            Side::First => Self { margin: ForFirst(1) },
            Side::Second => Self { margin: ForFirst(-1) },
        }
    }

    /// The side with the positive margin won; zero is a draw.
    #[inline]
    pub const fn by_margin(margin: ForFirst<i16>) -> Self {
        Self { margin }
    }

    /// The margin, positive if the first player won.
    #[inline]
    pub const fn margin(self) -> ForFirst<i16> {
        self.margin
    }

    /// The winner; `None` for a draw.
    #[inline]
    pub const fn winner(self) -> Option<Side> {
        match self.margin.0 {
            0 => None,
            m if m > 0 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// The outcome from the point of view of `side`.
    #[inline]
    pub fn wdl(self, side: Side) -> Wdl {
        match self.winner() {
            None => Wdl::Draw,
            Some(winner) if winner == side => Wdl::Win,
            Some(_) => Wdl::Loss,
        }
    }
}

/// The rule by which a game was drawn although moves remained.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// Repetition of a position.
    Repetition,
    /// A limit on moves, or on moves without progress (the fifty-move rule).
    MoveLimit,
    /// Neither side can win.
    DeadPosition,
}

/// A draw that the rules declare, or allow to claim, although moves remain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Draw {
    /// The rule.
    pub reason: DrawReason,
    /// Whether the game is over; otherwise the side to move may claim the draw or play on.
    pub forced: bool,
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Played to its end on the board.
    Played,
    /// Drawn by rule although moves remained.
    Drawn(DrawReason),
    /// Both players agreed on a draw.
    Agreed,
    /// The loser resigned.
    Resigned,
    /// The loser ran out of time.
    Time,
    /// The loser played an illegal move or crashed.
    Forfeit,
    /// Adjudicated.
    Adjudicated,
    /// Not recorded.
    Unknown,
}

/// The outcome of a game, and what ended it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GameEnd {
    /// Winner and margin.
    pub outcome: Outcome,
    /// What ended it.
    pub ending: Ending,
}

impl fmt::Display for DrawReason {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Repetition => "repetition",
            Self::MoveLimit => "move limit",
            Self::DeadPosition => "dead position",
        })
    }
}

impl fmt::Display for Ending {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played => f.write_str("normal"),
            Self::Drawn(reason) => reason.fmt(f),
            Self::Agreed => f.write_str("agreement"),
            Self::Resigned => f.write_str("resignation"),
            Self::Time => f.write_str("time forfeit"),
            Self::Forfeit => f.write_str("rules infraction"),
            Self::Adjudicated => f.write_str("adjudication"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

impl Ending {
    /// Parses what [`fmt::Display`] wrote.
    #[inline]
    pub fn from_text(text: &str) -> Option<Self> {
        use DrawReason::{DeadPosition, MoveLimit, Repetition};
        [
            Self::Played,
            Self::Drawn(Repetition),
            Self::Drawn(MoveLimit),
            Self::Drawn(DeadPosition),
            Self::Agreed,
            Self::Resigned,
            Self::Time,
            Self::Forfeit,
            Self::Adjudicated,
            Self::Unknown,
        ]
        .into_iter()
        .find(|ending| ending.to_string() == text)
    }
}
