use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Side;

/// The players of a game between people on different machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RemoteState {
    /// Whether the game is going on: then only its players change it.
    pub running: bool,
    /// Whether each player has opened the game once. The clock waits for both.
    pub joined: [bool; 2],
    /// Whether each player is connected.
    pub present: [bool; 2],
    /// The side that offers a draw.
    pub draw_offer: Option<Side>,
    /// The side that asks to take back its last move.
    pub takeback: Option<Side>,
}

/// An invitation to create.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvitation {
    /// The side of the one who invites.
    pub side: Side,
}

/// The caller's place in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SeatView {
    /// The side that the caller plays in a game with an invitation; null for watchers.
    pub side: Option<Side>,
    /// The links of the invitation; only for the server's owner.
    pub links: Option<InvitationLinks>,
}

/// The links of an invitation, as paths on the server. Whoever opens one gets its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct InvitationLinks {
    /// The seat of each side.
    pub seats: [String; 2],
    /// To watch only.
    pub watch: String,
}

/// A step of taking back a move by consent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TakebackAction {
    /// Asks the opponent to take back the own last move.
    Request,
    /// Agrees to the opponent's request.
    Accept,
    /// Refuses the opponent's request, or withdraws the own one.
    Decline,
}

/// A request about taking back a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Takeback {
    /// The step.
    pub action: TakebackAction,
}

/// The name of the caller's seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatName {
    /// The display name; may be empty.
    pub name: String,
}
