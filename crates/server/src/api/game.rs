use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Cell, EndReason, ErrorBody, GameEnd, LegalMove, Review, Side, Worth};

/// A game, or what changed in it.
///
/// The same shape answers every request that touches a game and comes over the WebSocket: if `since`
/// is 0 it is the whole game; otherwise it holds what changed after version `since`, to be merged
/// into a game of that version or later (an older one is fetched anew). `info` and `state` are always
/// whole.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameView {
    /// The game's id.
    pub id: String,
    /// Grows with every change.
    pub version: u64,
    /// The version that this builds upon; 0 for the whole game.
    pub since: u64,
    /// What is fixed or rarely changes.
    pub info: GameInfo,
    /// Where the game stands.
    pub state: GameState,
    /// Nodes of the tree, parents before children: all, or the new and the changed ones.
    pub nodes: Vec<Node>,
    /// Nodes that are gone.
    pub removed: Vec<u32>,
    /// What a review found; whole if it is there (null in a partial view: as before).
    pub review: Option<Review>,
}

/// What is fixed or rarely changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameInfo {
    /// `othello`, `chess`, `shobu`, `tictactoe`.
    pub game: String,
    /// The rules variant.
    pub rules: String,
    /// The two players, the first one first.
    pub players: [Seat; 2],
    /// The clock.
    pub clock: ClockSetting,
    /// Where the game started, as text (FEN and so on).
    pub start: String,
    /// Whether that is the usual start.
    pub usual_start: bool,
    /// Seconds since 1970 (UTC).
    pub created: f64,
    /// Seconds since 1970 (UTC) of the last change.
    pub changed: f64,
    /// Other facts of an imported game: event, date, ...
    pub tags: Vec<Tag>,
}

/// Who plays a side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Seat {
    /// The name to show; may be empty.
    #[serde(default)]
    pub name: String,
    /// `human`, or a player line: `level intermediate`, `alphabeta depth=4`, ...
    pub player: String,
}

/// A fact about a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Tag {
    /// Its name: `Event`, `Date`, ...
    pub name: String,
    /// Its value.
    pub value: String,
}

/// How time is limited. A clock starts with the second move of a game, and stands still while nobody
/// watches the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClockSetting {
    /// Not at all.
    #[default]
    None,
    /// So much for every move.
    PerMove {
        /// Milliseconds.
        ms: u64,
    },
    /// So much for the game, and more after every move.
    Fischer {
        /// Milliseconds at the start.
        main_ms: u64,
        /// Milliseconds added after each move.
        increment_ms: u64,
    },
}

/// Where a game stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameState {
    /// The node where play goes on.
    pub current: u32,
    /// Who is to move there.
    pub turn: Side,
    /// How the game ended at the current node, if it did (on the board, by resignation, on time, ...).
    pub end: Option<GameEnd>,
    /// The draw that the player to move may claim (`POST .../end` with `claim`).
    pub claim: Option<EndReason>,
    /// The moves at the current node; empty if the game is over.
    pub moves: Vec<LegalMove>,
    /// A machine thinks, or waits to, for this side.
    pub thinking: Option<Side>,
    /// Why a machine could not move; it tries again with `step`.
    pub fault: Option<ErrorBody>,
    /// Machines wait for `step` instead of moving by themselves.
    pub paused: bool,
    /// Machines take at least so long for a move, so that people can follow.
    pub delay_ms: u64,
    /// The clock, if there is one.
    pub clock: Option<ClockState>,
    /// Where `undo` leads to.
    pub undo: Option<u32>,
    /// Where `redo` leads to.
    pub redo: Option<u32>,
}

/// A clock at the moment of the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClockState {
    /// Milliseconds left to each side.
    pub left_ms: [u64; 2],
    /// Whose time runs.
    pub running: Option<Side>,
}

/// A node of the game's tree: a position and the move that led to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Node {
    /// Its number; 0 is the start. A number is never used again.
    pub id: u32,
    /// The node before; null for the start.
    pub parent: Option<u32>,
    /// The nodes after it, the main line first.
    pub children: Vec<u32>,
    /// Plies from the start.
    pub ply: u32,
    /// The move that led here, as in requests; null for the start.
    #[serde(rename = "move")]
    pub name: Option<String>,
    /// The move for people (SAN in chess); null for the start.
    pub label: Option<String>,
    /// The number of the move as people count them, and who made it; null for the start.
    pub number: Option<MoveNumber>,
    /// What stands on each cell, one character each, `.` for nothing; see `BoardKind.pieces`.
    pub cells: String,
    /// The position as text (FEN and so on).
    pub position: String,
    /// Cells that the last move touched: where it started and ended.
    pub touched: Vec<Cell>,
    /// Who is to move here.
    pub turn: Side,
    /// How many pieces each side has on the board.
    pub pieces: [u32; 2],
    /// In Shōbu, how many stones each side has on each board: top left, top right, bottom left,
    /// bottom right. Otherwise empty.
    pub boards: Vec<[u32; 2]>,
    /// The pieces that each side has taken or pushed off since the start, one character each.
    pub captured: [String; 2],
    /// In chess, the cell of the king that is in check.
    pub check: Option<Cell>,
    /// How the rules say that the game is over here.
    pub end: Option<GameEnd>,
    /// Remarks after the move (for the start: before the first).
    pub comment: String,
    /// Numeric annotation glyphs: 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, ...
    pub glyphs: Vec<u8>,
    /// What the player or a review thought of the position.
    pub value: Option<Worth>,
    /// How long the player thought, in milliseconds.
    pub time_ms: Option<u64>,
    /// What the clocks showed after the move, in milliseconds.
    pub clock_ms: Option<[u64; 2]>,
}

/// Which move it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MoveNumber {
    /// Counted as people do: both sides' plies are one move in chess.
    pub number: u32,
    /// Who made it.
    pub by: Side,
}

/// A game to start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// `othello`, `chess`, `shobu`, `tictactoe`.
    pub game: String,
    /// The rules variant; the usual one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// Where to start: a position as text, with `moves ...` after it if you like; the usual start if
    /// left out.
    #[serde(default)]
    pub position: Option<String>,
    /// The number of one of the starts that the rules have, instead of a position (`RulesKind.starts`).
    #[serde(default)]
    pub start_number: Option<u32>,
    /// Who plays, the first player first; two people if left out.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
    /// The clock; none if left out.
    #[serde(default)]
    pub clock: ClockSetting,
    /// Machines wait for `step`.
    #[serde(default)]
    pub paused: bool,
    /// Machines take at least so long for a move.
    #[serde(default)]
    pub delay_ms: u64,
}

/// What can be changed in a game; what is left out stays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameChange {
    /// Who plays.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
    /// Machines wait for `step`.
    #[serde(default)]
    pub paused: Option<bool>,
    /// Machines take at least so long for a move.
    #[serde(default)]
    pub delay_ms: Option<u64>,
}

/// A move to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayMove {
    /// Where; the current node if left out. The move's node becomes the current one; a move that is
    /// in the tree already is gone to, another becomes a variation.
    #[serde(default)]
    pub node: Option<u32>,
    /// The move, in any notation that players of the game use.
    #[serde(rename = "move")]
    pub name: String,
}

/// A node to go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoTo {
    /// Which one.
    pub node: u32,
}

/// Who makes the next move.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRequest {
    /// A player line; whoever plays the side to move if left out (for a person: the machine that plays
    /// the other side, or the usual level).
    #[serde(default)]
    pub player: Option<String>,
}

/// How a player ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndGame {
    /// In which way.
    pub how: EndHow,
    /// Who; the side to move if left out.
    #[serde(default)]
    pub side: Option<Side>,
}

/// Ways in which players end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndHow {
    /// The side gives up.
    Resign,
    /// Both agree on a draw (two people).
    Agree,
    /// The player to move claims the draw that `GameState.claim` names.
    Claim,
}

/// What to change at a node; what is left out stays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeChange {
    /// Remarks.
    #[serde(default)]
    pub comment: Option<String>,
    /// Numeric annotation glyphs.
    #[serde(default)]
    pub glyphs: Option<Vec<u8>>,
}
