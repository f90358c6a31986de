use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GameEnd, Seat, Side};

/// Which games to list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LibraryQuery {
    /// Only this game.
    pub game: Option<String>,
    /// Only with a player whose name or line contains this.
    pub player: Option<String>,
    /// Only with this result.
    pub result: Option<ResultFilter>,
    /// Only those in which somebody has moved.
    pub started: bool,
    /// Only where this occurs in names, tags, comments or moves.
    pub text: Option<String>,
    /// Which page, from 0.
    pub page: usize,
    /// Games on a page, at most 200; 50 if left out.
    pub per_page: Option<usize>,
}

/// A result to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultFilter {
    /// The first player won.
    First,
    /// The second player won.
    Second,
    /// Nobody won.
    Draw,
    /// Not over yet.
    Unfinished,
}

/// Games of the library, the last changed first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LibraryPage {
    /// How many match in all.
    pub total: usize,
    /// Which page this is, from 0.
    pub page: usize,
    /// Games on a page.
    pub per_page: usize,
    /// The games.
    pub games: Vec<GameSummary>,
    /// Files of the library that cannot be read, and why.
    pub broken: Vec<String>,
}

/// A game in a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameSummary {
    /// The game's id.
    pub id: String,
    /// Which game.
    pub game: String,
    /// The rules variant.
    pub rules: String,
    /// The players.
    pub players: [Seat; 2],
    /// How it ended; null if it is unfinished.
    pub end: Option<GameEnd>,
    /// Whose turn it is.
    pub turn: Side,
    /// Plies up to the current node.
    pub plies: u32,
    /// The board at the current node; see `Node.cells`.
    pub cells: String,
    /// Event and date of an imported game; may be empty.
    pub event: String,
    /// Seconds since 1970 (UTC).
    pub created: f64,
    /// Seconds since 1970 (UTC) of the last change.
    pub changed: f64,
}

/// How to import a file or text, which is the request's body as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// The game, if it is known; otherwise it is recognised.
    pub game: Option<String>,
    /// The format, if it is known; otherwise it is recognised.
    pub format: Option<String>,
    /// The file's name, whose extension helps to recognise the format.
    pub name: Option<String>,
    /// Of a file with several games, which to take: numbers from 0 separated by commas, or `all`.
    pub pick: Option<String>,
}

/// What a file or text holds. One game is imported at once; of several, those that `pick` names, and
/// without it none: show `records` and ask again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Imported {
    /// Which game.
    pub game: String,
    /// The format's name.
    pub format: String,
    /// How many games or positions there are.
    pub count: usize,
    /// The first of them (at most 500).
    pub records: Vec<RecordSummary>,
    /// The ids of the games that were put into the library.
    pub created: Vec<String>,
}

/// A game or position in a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RecordSummary {
    /// Its number in the file, from 0.
    pub index: usize,
    /// The players' names; empty if unknown.
    pub players: [String; 2],
    /// How it ended, if that is known.
    pub end: Option<GameEnd>,
    /// How many plies it has; 0 for a position.
    pub plies: usize,
    /// Event and date; may be empty.
    pub event: String,
}

/// How to export a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// The name of a format (`GameKind.formats`); `pgn` if left out.
    pub format: Option<String>,
    /// Formats that are several files (wthor): the extension of the one beside the main file.
    pub beside: Option<String>,
    /// Only the line up to this node, without variations, instead of the whole tree.
    pub node: Option<u32>,
}

/// Which line to share.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShareQuery {
    /// The line up to this node; up to the current one if left out.
    pub node: Option<u32>,
}

/// A line of play as short text that can stand in the fragment of an address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// `GAME~RULES~POSITION~MOVES`: an empty position is the usual start, `_` stands for a blank,
    /// moves are separated by `.`.
    pub text: String,
}

/// Where to go on with a game of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The node; its line so far belongs to the new game.
    pub node: u32,
    /// Leave the moves so far out: the node's position is the start.
    #[serde(default)]
    pub position_only: bool,
    /// Who plays; as in the old game if left out.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
}
