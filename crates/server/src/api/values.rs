use serde::{Deserialize, Serialize};
use tablero_core::{DrawReason, Ending, ForFirst, Outcome};
use utoipa::ToSchema;

/// One of the two players: `first` is who moves first from the usual start (Black in Othello and
/// Shōbu, White in chess, X in tic-tac-toe).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first from the usual start.
    First,
    /// The other player.
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
    /// 0 or 1: for arrays with one entry a side.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a position is worth, always from the first player's point of view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Worth {
    /// For people: `+0.35` (pawns, discs, stones), `#3` the first player wins in three moves, `#-2`
    /// the second player wins in two.
    pub text: String,
    /// As a number for graphs, in the game's unit; a sure win in n moves is 10000 - n.
    pub points: f64,
    /// How likely the first player wins, from 0 to 1 (a draw counts a half).
    pub chance: f64,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameEnd {
    /// Who won; nobody if it is a draw.
    pub winner: Option<Side>,
    /// By how much, positive if the first player won, in the game's unit (`GameKind.margin`); null
    /// where only the winner counts.
    pub margin: Option<i16>,
    /// What ended it.
    pub reason: EndReason,
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Played to its end on the board: mate, stalemate, no move left, ...
    Played,
    /// The same position came too often.
    Repetition,
    /// Too many moves, or too many without progress.
    MoveLimit,
    /// Neither side can win any more.
    DeadPosition,
    /// Both players agreed on a draw.
    Agreement,
    /// The loser gave up.
    Resignation,
    /// The loser ran out of time.
    Time,
    /// The loser played an illegal move or crashed.
    Forfeit,
    /// Decided by an arbiter.
    Adjudication,
    /// Nobody wrote down what ended it.
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
    /// The same for the API; the margin only where the game counts one.
    pub fn new(end: tablero_core::GameEnd, has_margin: bool) -> Self {
        Self {
            winner: end.outcome.winner().map(Into::into),
            margin: has_margin.then(|| end.outcome.margin().0),
            reason: end.ending.into(),
        }
    }

    /// A win of `winner`, or a draw, by something that is not on the board.
    pub const fn off_board(winner: Option<Side>, reason: EndReason) -> Self {
        Self { winner, margin: None, reason }
    }

    /// The same for records.
    pub fn to_core(&self) -> tablero_core::GameEnd {
        let by_winner = match self.winner {
            Some(winner) => Outcome::win(winner.into()),
            None => Outcome::DRAW,
        };
        let outcome = self.margin.map_or(by_winner, |margin| Outcome::by_margin(ForFirst(margin)));
        tablero_core::GameEnd { outcome, ending: self.reason.into() }
    }
}
