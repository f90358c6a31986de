use std::fmt;

use crate::{ForFirst, Side};

/// How a game came out, with its margin.
///
/// The margin is in the game's own unit (discs in Othello, empty squares counted for the winner) or
/// 1 where a game knows only win, draw and loss.
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

/// Win, draw or loss for one named side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Wdl {
    /// That side lost.
    Loss,
    /// Nobody won.
    Draw,
    /// That side won.
    Win,
}

impl Outcome {
    /// Nobody won.
    pub const DRAW: Self = Self { margin: ForFirst(0) };

    /// A win where only the winner counts.
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

    /// Who won, if anybody.
    #[inline]
    pub const fn winner(self) -> Option<Side> {
        match self.margin.0 {
            0 => None,
            m if m > 0 => Some(Side::First),
            _ => Some(Side::Second),
        }
    }

    /// What this outcome is for `side`.
    #[inline]
    pub fn wdl(self, side: Side) -> Wdl {
        match self.winner() {
            None => Wdl::Draw,
            Some(winner) if winner == side => Wdl::Win,
            Some(_) => Wdl::Loss,
        }
    }
}

/// Why a game was drawn although moves remained.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// The same position came too often.
    Repetition,
    /// Too many moves, or too many without progress.
    MoveLimit,
    /// Neither side can win any more.
    DeadPosition,
}

/// A draw that the rules declare, or let a player claim, although moves remain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Draw {
    /// Why.
    pub reason: DrawReason,
    /// The game is over; otherwise the player to move may claim the draw or go on.
    pub forced: bool,
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// Played to its end on the board.
    Played,
    /// A draw by a rule outside the board.
    Drawn(DrawReason),
    /// Both players agreed on a draw.
    Agreed,
    /// The loser gave up.
    Resigned,
    /// The loser ran out of time.
    Time,
    /// The loser played an illegal move or crashed.
    Forfeit,
    /// Decided by an arbiter.
    Adjudicated,
    /// Nobody wrote down what ended it.
    Unknown,
}

/// The end of a game: how it came out, and why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GameEnd {
    /// Who won, by how much.
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
    /// The ending that [`fmt::Display`] wrote as `text`, if any.
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
