use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ErrorBody, GameEnd, Localized, Location, Seat, Side};

/// Filters and page of a list of games.
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
    /// Only games with moves.
    pub started: bool,
    /// Only in this folder.
    pub folder: Option<String>,
    /// Only where this occurs in names, tags, comments or moves.
    pub text: Option<String>,
    /// The page, from 0.
    pub page: usize,
    /// Games per page, at most 200; 50 if left out.
    pub per_page: Option<usize>,
}

/// A result to filter by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultFilter {
    /// The first player won.
    First,
    /// The second player won.
    Second,
    /// A draw.
    Draw,
    /// Not over yet.
    Unfinished,
}

/// A page of the library, most recently changed games first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LibraryPage {
    /// The number of matching games.
    pub total: usize,
    /// The page, from 0.
    pub page: usize,
    /// Games per page.
    pub per_page: usize,
    /// The games.
    pub games: Vec<GameSummary>,
    /// Files of the library that cannot be read.
    pub broken: Vec<BrokenFile>,
    /// The names of all folders, in order.
    pub folders: Vec<String>,
}

/// A file that cannot be read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct BrokenFile {
    /// Its path.
    pub file: String,
    /// Its error.
    pub problem: ErrorBody,
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
    /// The result; null if it is unfinished.
    pub end: Option<GameEnd>,
    /// The side to move.
    pub turn: Side,
    /// Plies up to the current node.
    pub plies: u32,
    /// The board at the current node; see `Node.cells`.
    pub cells: String,
    /// Event and date of an imported game; may be empty.
    pub event: String,
    /// Its folder; may be empty.
    pub folder: String,
    /// The name of the opening; may be empty.
    pub opening: String,
    /// Unix time.
    pub created: f64,
    /// Unix time of the last change.
    pub changed: f64,
}

/// Options of an import; the file or text is the request's body.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// The game; detected if left out.
    pub game: Option<String>,
    /// The format; detected if left out.
    pub format: Option<String>,
    /// The file's name; its extension is a hint for the format.
    pub name: Option<String>,
    /// Which games of a file with several to import: indices from 0 separated by commas, or `all`.
    pub pick: Option<String>,
}

/// The result of an import. A single game is imported at once; of several, those in `pick` (none without
/// it: choose from `records` and repeat the request).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Imported {
    /// Which game.
    pub game: String,
    /// The format's name.
    pub format: String,
    /// The number of games or positions that could be read.
    pub count: usize,
    /// The first of them (at most 500).
    pub records: Vec<RecordSummary>,
    /// The number of games or positions that could not be read.
    pub skipped: usize,
    /// The first of them (at most 500).
    pub skipped_games: Vec<SkippedGame>,
    /// The ids of the imported games.
    pub created: Vec<String>,
}

/// A game or position in a file that could not be read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SkippedGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Where the parser stopped.
    pub location: Location,
    /// What is there.
    pub found: Localized,
    /// What should be there.
    pub expected: Localized,
}

/// A game or position in a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RecordSummary {
    /// Its index among those that could be read, from 0.
    pub index: usize,
    /// The players' names; empty if unknown.
    pub players: [String; 2],
    /// The result, if known.
    pub end: Option<GameEnd>,
    /// Its length in plies; 0 for a position.
    pub plies: usize,
    /// Event and date; may be empty.
    pub event: String,
}

/// Options of an export.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// The name of a format (`GameKind.formats`); `pgn` if left out.
    pub format: Option<String>,
    /// For formats of several files (WTHOR): the extension of the companion file.
    pub companion: Option<String>,
    /// Only the line up to this node, without variations, instead of the whole tree.
    pub node: Option<u32>,
}

/// Which games of the library to export in one file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BulkExportQuery {
    /// The game's name.
    pub game: String,
    /// The name of a format (`GameKind.formats`); `pgn` if left out.
    pub format: Option<String>,
    /// For formats of several files (WTHOR): the extension of the companion file.
    pub companion: Option<String>,
    /// Only with a player whose name or line contains this.
    pub player: Option<String>,
    /// Only with this result.
    pub result: Option<ResultFilter>,
    /// Only in this folder.
    pub folder: Option<String>,
    /// Only where this occurs in names, tags, comments or moves.
    pub text: Option<String>,
}

/// The line to share.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShareQuery {
    /// The line to this node; to the current one if left out.
    pub node: Option<u32>,
}

/// A line of play as short text, for the fragment of a URL.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// `GAME~RULES~POSITION~MOVES`: an empty position is the default start, `_` is a space, moves are
    /// separated by `.`.
    pub text: String,
}

/// A new game from a node of another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The node; the new game has the moves to it.
    pub node: u32,
    /// Without the moves: the node's position is the new start.
    #[serde(default)]
    pub position_only: bool,
    /// The players; as in the old game if left out.
    #[serde(default)]
    pub players: Option<[Seat; 2]>,
}
