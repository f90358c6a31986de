use serde::{Deserialize, Serialize};
use tablero_core::{DrawReason, Ending, ForFirst, Outcome};
use utoipa::ToSchema;

/// A side: `first` moves first from the default start (Black in Othello and Shōbu, White in chess, X in
/// tic-tac-toe).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first from the default start.
    First,
    /// The other side.
    Second,
}

impl From<tablero_core::Side> for Side {
    fn from(side: tablero_core::Side) -> Self {
        match side {
            tablero_core::Side::First => Self::First,
            tablero_core::Side::Second => Self::Second,
        }
    }
}

impl From<Side> for tablero_core::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::First => Self::First,
            Side::Second => Self::Second,
        }
    }
}

impl Side {
    /// 0 or 1, for arrays with one entry per side.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A score, always from the first side's point of view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Score {
    /// As text: `+0.35` (pawns, discs, stones), `#3` if the first side wins in three moves, `#-2` if the
    /// second side wins in two.
    pub text: String,
    /// As a number in the game's unit; a forced win in n moves is 10000 - n.
    pub points: f64,
    /// The win probability of the first side, from 0 to 1 (a draw counts half).
    pub win_probability: f64,
}

/// The result of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameEnd {
    /// The winner; null for a draw.
    pub winner: Option<Side>,
    /// The margin, positive if the first side won (`GameKind.margin`); null if the game has none.
    pub margin: Option<i16>,
    /// The reason.
    pub reason: EndReason,
}

/// The reason of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Played to the end on the board: mate, stalemate, no moves left, ...
    Played,
    /// Repetition of positions.
    Repetition,
    /// Too many moves, or too many without progress.
    MoveLimit,
    /// Neither side can win.
    DeadPosition,
    /// Agreed draw.
    Agreement,
    /// The loser resigned.
    Resignation,
    /// The loser ran out of time.
    Time,
    /// The loser made an illegal move or crashed.
    Forfeit,
    /// Adjudicated.
    Adjudication,
    /// Not recorded.
    Unknown,
}

impl From<DrawReason> for EndReason {
    fn from(reason: DrawReason) -> Self {
        match reason {
            DrawReason::Repetition => Self::Repetition,
            DrawReason::MoveLimit => Self::MoveLimit,
            DrawReason::DeadPosition => Self::DeadPosition,
        }
    }
}

impl From<Ending> for EndReason {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Played => Self::Played,
            Ending::Drawn(reason) => reason.into(),
            Ending::Agreed => Self::Agreement,
            Ending::Resigned => Self::Resignation,
            Ending::Time => Self::Time,
            Ending::Forfeit => Self::Forfeit,
            Ending::Adjudicated => Self::Adjudication,
            Ending::Unknown => Self::Unknown,
        }
    }
}

impl From<EndReason> for Ending {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::Played => Self::Played,
            EndReason::Repetition => Self::Drawn(DrawReason::Repetition),
            EndReason::MoveLimit => Self::Drawn(DrawReason::MoveLimit),
            EndReason::DeadPosition => Self::Drawn(DrawReason::DeadPosition),
            EndReason::Agreement => Self::Agreed,
            EndReason::Resignation => Self::Resigned,
            EndReason::Time => Self::Time,
            EndReason::Forfeit => Self::Forfeit,
            EndReason::Adjudication => Self::Adjudicated,
            EndReason::Unknown => Self::Unknown,
        }
    }
}

impl GameEnd {
    /// From core; the margin only where the game has one.
    pub fn new(end: tablero_core::GameEnd, has_margin: bool) -> Self {
        Self {
            winner: end.outcome.winner().map(Into::into),
            margin: has_margin.then(|| end.outcome.margin().0),
            reason: end.ending.into(),
        }
    }

    /// A result off the board: a win of `winner`, or a draw.
    pub const fn off_board(winner: Option<Side>, reason: EndReason) -> Self {
        Self { winner, margin: None, reason }
    }

    /// To core, for records.
    pub fn to_core(&self) -> tablero_core::GameEnd {
        let by_winner = match self.winner {
            Some(winner) => Outcome::win(winner.into()),
            None => Outcome::DRAW,
        };
        let outcome = self.margin.map_or(by_winner, |margin| Outcome::by_margin(ForFirst(margin)));
        tablero_core::GameEnd { outcome, ending: self.reason.into() }
    }
}
