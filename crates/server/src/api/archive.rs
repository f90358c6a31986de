use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GameEnd, ResultFilter, Side};

/// Filters and page of a search in the archive; all filters apply. Names match where they contain the text.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ArchiveQuery {
    /// Only this game.
    pub game: Option<String>,
    /// Only with this player.
    pub player: Option<String>,
    /// The side of that player.
    pub side: Option<Side>,
    /// Only against this player.
    pub opponent: Option<String>,
    /// From this year.
    pub from: Option<u16>,
    /// To this year.
    pub to: Option<u16>,
    /// Only of this event.
    pub event: Option<String>,
    /// Only with this opening.
    pub opening: Option<String>,
    /// Only with this result.
    pub result: Option<ResultFilter>,
    /// The rules variant of `position`.
    pub rules: Option<String>,
    /// Only games that reach this position (`start moves ...`), up to symmetry; needs `game`.
    pub position: Option<String>,
    /// The page, from 0.
    pub page: usize,
    /// Games per page, at most 200; 50 if left out.
    pub per_page: Option<usize>,
}

/// A page of games of the archive, those that were added last first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArchivePage {
    /// The number of matching games.
    pub total: u64,
    /// The page, from 0.
    pub page: usize,
    /// Games per page.
    pub per_page: usize,
    /// The games.
    pub games: Vec<ArchivedGame>,
}

/// A game of the archive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArchivedGame {
    /// Its number.
    pub id: i64,
    /// Which game.
    pub game: String,
    /// The players; empty if unknown.
    pub players: [String; 2],
    /// The event; may be empty.
    pub event: String,
    /// The date, `2024.05.??`; may be empty.
    pub date: String,
    /// The opening; may be empty.
    pub opening: String,
    /// The result; null if unknown.
    pub end: Option<GameEnd>,
    /// Its length.
    pub plies: usize,
}

/// A position to explore.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExploreQuery {
    /// Which game.
    pub game: String,
    /// The rules variant; the standard one if left out.
    pub rules: Option<String>,
    /// `start` or a position, optionally followed by `moves` and moves.
    pub position: String,
}

/// What was played in a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Exploration {
    /// The last named opening of the line.
    pub opening: Option<String>,
    /// The games that reached the position, up to symmetry.
    pub games: u64,
    /// The moves played, most frequent first.
    pub moves: Vec<ExploredMove>,
    /// The players of the side to move with most games, among the latest `players_of`.
    pub players: Vec<ExploredPlayer>,
    /// The number of games that `players` are taken from.
    pub players_of: u64,
    /// The latest games.
    pub latest: Vec<ArchivedGame>,
}

/// A move played in a position, with the results of its games for the side to move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExploredMove {
    /// The move as the API names it.
    pub name: String,
    /// The move as people write it.
    pub label: String,
    /// Games; more than the sum of the results if some are unknown.
    pub games: u64,
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
}

/// A player's score in a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExploredPlayer {
    /// The player.
    pub name: String,
    /// The games.
    pub games: u64,
    /// Won games, and half of the drawn ones.
    pub score: f64,
}

/// What the archive holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArchiveStats {
    /// All games.
    pub games: u64,
    /// Players.
    pub players: u64,
    /// Events.
    pub events: u64,
    /// The size of the file.
    pub bytes: u64,
    /// By game; those without any are left out.
    pub by_game: Vec<ArchiveGameStats>,
}

/// The games of one kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArchiveGameStats {
    /// Which game.
    pub game: String,
    /// Its games.
    pub games: u64,
}

/// A file of an import.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// The import.
    pub import: String,
    /// The file's name.
    pub name: String,
}

/// An import of files into the archive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArchiveImport {
    /// Its id.
    pub id: String,
    /// What it does.
    pub state: ImportState,
    /// Games read.
    pub done: u64,
    /// Games of the files so far, estimated.
    pub total: u64,
    /// The current file.
    pub file: String,
    /// New games.
    pub games: u64,
    /// Games that were there already.
    pub duplicates: u64,
    /// Games that cannot be read.
    pub skipped: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// The first of the skipped games.
    pub problems: Vec<ImportProblem>,
}

/// The state of an import.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ImportState {
    /// Files are being sent.
    Uploading,
    /// Waiting for another import.
    Waiting,
    /// Running.
    Running,
    /// Done.
    Finished,
    /// Stopped; the games so far are in the archive.
    Cancelled,
    /// It failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// A game, or a whole file, that was skipped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ImportProblem {
    /// The file.
    pub file: String,
    /// The number of the game, from 1; null if it is the whole file.
    pub game: Option<u64>,
    /// Why, in English.
    pub reason: String,
}

/// A named opening.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpeningView {
    /// Its name.
    pub name: String,
    /// Its moves as the API names them.
    pub moves: Vec<String>,
    /// Its moves as people write them.
    pub labels: Vec<String>,
    /// The board after them; see `Node.cells`.
    pub cells: String,
}
