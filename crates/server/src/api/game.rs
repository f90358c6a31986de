use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Cell, EndReason, ErrorBody, GameEnd, LegalMove, RemoteState, Review, Score, Side};

/// A game, or what changed in it.
///
/// Responses and WebSocket messages share this type. If `since` is 0 it is the whole game; otherwise it has
/// the changes after version `since`, to be merged into a copy of that version or later (an older copy is
/// fetched again). `info` and `state` are always complete.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameView {
    /// The game's id.
    pub id: String,
    /// Increases with every change.
    pub version: u64,
    /// The version that this is a change of; 0 for the whole game.
    pub since: u64,
    /// Data that rarely changes.
    pub info: GameInfo,
    /// The current state.
    pub state: GameState,
    /// Nodes of the tree, parents before children: all, or new and changed ones.
    pub nodes: Vec<Node>,
    /// Removed nodes.
    pub removed: Vec<u32>,
    /// The review; null in a partial view means unchanged.
    pub review: Option<Review>,
}

/// Data of a game that rarely changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameInfo {
    /// The game's name: `othello`, `chess`, ...
    pub game: String,
    /// The rules variant.
    pub rules: String,
    /// The players, first side first.
    pub players: [Seat; 2],
    /// The clock.
    pub clock: ClockSetting,
    /// The start position as text (FEN in chess).
    pub start: String,
    /// Whether that is the default start position.
    pub is_default_start: bool,
    /// Unix time.
    pub created: f64,
    /// Unix time of the last change.
    pub changed: f64,
    /// Tags of an imported game: event, date, ...
    pub tags: Vec<Tag>,
}

/// A side's player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Seat {
    /// The display name; may be empty.
    #[serde(default)]
    pub name: String,
    /// `human`, or a player line: `level intermediate`, `alphabeta depth=4`, ...
    pub player: String,
}

/// A tag of a game, as in PGN.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Tag {
    /// Its name: `Event`, `Date`, ...
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A time control. The clock starts with the second move of a game, and stops while the game has no
/// subscribers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClockSetting {
    /// No clock.
    #[default]
    None,
    /// Fixed time per move.
    PerMove {
        /// Milliseconds.
        ms: u64,
    },
    /// Time for the game plus an increment per move.
    Fischer {
        /// Milliseconds at the start.
        main_ms: u64,
        /// Milliseconds added after each move.
        increment_ms: u64,
    },
}

/// The current state of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameState {
    /// The current node.
    pub current: u32,
    /// The side to move.
    pub turn: Side,
    /// The result, if the game is over at the current node (on the board, by resignation, on time, ...).
    pub end: Option<GameEnd>,
    /// The node at which the game ended, which need not be the current one.
    pub ended: Option<u32>,
    /// The result at that node.
    pub result: Option<GameEnd>,
    /// The draw that the side to move may claim (`POST .../end` with `claim_draw`).
    pub claim: Option<EndReason>,
    /// The legal moves; empty if the game is over.
    pub moves: Vec<LegalMove>,
    /// The side whose engine is searching, or queued to.
    pub thinking: Option<Side>,
    /// Why the engine could not move; `step` retries.
    pub engine_error: Option<ErrorBody>,
    /// Whether engines wait for `step`.
    pub paused: bool,
    /// The minimum time of an engine's move.
    pub delay_ms: u64,
    /// The clock, if there is one.
    pub clock: Option<ClockState>,
    /// The node that `undo` goes to.
    pub undo: Option<u32>,
    /// The node that `redo` goes to.
    pub redo: Option<u32>,
    /// The players of a game that has an invitation; null otherwise.
    pub remote: Option<RemoteState>,
}

/// A clock at the moment of the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClockState {
    /// Milliseconds left to each side.
    pub left_ms: [u64; 2],
    /// The side whose clock is running.
    pub running: Option<Side>,
}

/// A node of the move tree: a position and the move that led to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Node {
    /// Its id; 0 is the root. Ids are never reused.
    pub id: u32,
    /// The parent; null for the root.
    pub parent: Option<u32>,
    /// The children, main line first.
    pub children: Vec<u32>,
    /// Plies from the root.
    pub ply: u32,
    /// The move that led here, as in requests; null for the root.
    #[serde(rename = "move")]
    pub name: Option<String>,
    /// The move in the game's notation (SAN in chess); null for the root.
    pub label: Option<String>,
    /// The move's number and side; null for the root.
    pub number: Option<MoveNumber>,
    /// The board: one character per cell, `.` if empty; see `BoardKind.pieces`.
    pub cells: String,
    /// The position as text (FEN in chess).
    pub position: String,
    /// From and to cells of the last move.
    pub touched: Vec<Cell>,
    /// The side to move.
    pub turn: Side,
    /// The number of pieces of each side.
    pub pieces: [u32; 2],
    /// In Shōbu, the number of stones of each side on each board: top left, top right, bottom left, bottom
    /// right. Otherwise empty.
    pub boards: Vec<[u32; 2]>,
    /// The pieces that each side has captured since the root, one character each.
    pub captured: [String; 2],
    /// In chess, the cell of the king in check.
    pub check: Option<Cell>,
    /// The result, if the game is over here by the rules.
    pub end: Option<GameEnd>,
    /// The comment after the move (for the root: before the first).
    pub comment: String,
    /// Numeric annotation glyphs (NAG): 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, ...
    pub glyphs: Vec<u8>,
    /// The score by the player or a review.
    pub score: Option<Score>,
    /// The time of the move, in milliseconds.
    pub time_ms: Option<u64>,
    /// Both clocks after the move, in milliseconds.
    pub clock_ms: Option<[u64; 2]>,
}

/// The number of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MoveNumber {
    /// As in the game's notation: in chess, the plies of both sides are one move.
    pub number: u32,
    /// The side that moved.
    pub by: Side,
}

/// A game to start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The game's name: `othello`, `chess`, ...
    pub game: String,
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The start position as text, optionally followed by `moves ...`; the default start if left out.
    #[serde(default)]
    pub position: Option<String>,
    /// A numbered start position (`Variant.starts`), instead of `position`.
    #[serde(default)]
    pub start_number: Option<u32>,
    /// The players, first side first; two humans if left out.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
    /// The clock; none if left out.
    #[serde(default)]
    pub clock: ClockSetting,
    /// Whether engines wait for `step`.
    #[serde(default)]
    pub paused: bool,
    /// The minimum time of an engine's move.
    #[serde(default)]
    pub delay_ms: u64,
}

/// Changes of a game; what is left out stays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameChange {
    /// The players.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
    /// Whether engines wait for `step`.
    #[serde(default)]
    pub paused: Option<bool>,
    /// The minimum time of an engine's move.
    #[serde(default)]
    pub delay_ms: Option<u64>,
    /// The folder in the library; empty for none.
    #[serde(default)]
    pub folder: Option<String>,
}

/// A move to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayMove {
    /// The node to play at; the current node if left out. The move's node becomes the current one: an
    /// existing child, or a new variation.
    #[serde(default)]
    pub node: Option<u32>,
    /// The move, in any notation of the game.
    #[serde(rename = "move")]
    pub name: String,
}

/// A node to go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoTo {
    /// The node.
    pub node: u32,
}

/// The engine that makes the next move.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRequest {
    /// A player line; if left out, the engine of the side to move, else the opponent's, else the default
    /// level.
    #[serde(default)]
    pub player: Option<String>,
}

/// A player's action that ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndGame {
    /// The action.
    pub action: EndAction,
    /// The player; the side to move if left out.
    #[serde(default)]
    pub side: Option<Side>,
}

/// Actions that end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndAction {
    /// The side resigns.
    Resign,
    /// Two humans agree on a draw; in a game with an invitation, the side accepts the opponent's offer.
    AgreeDraw,
    /// The side to move claims the draw of `GameState.claim`.
    ClaimDraw,
    /// The side offers a draw: to an engine, which accepts or declines at once, or in a game with an
    /// invitation to the opponent.
    OfferDraw,
    /// In a game with an invitation, the side declines the opponent's offer.
    DeclineDraw,
}

/// Changes of a node; what is left out stays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeChange {
    /// The comment.
    #[serde(default)]
    pub comment: Option<String>,
    /// Numeric annotation glyphs.
    #[serde(default)]
    pub glyphs: Option<Vec<u8>>,
}
