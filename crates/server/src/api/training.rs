use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Cell, LegalMove, Side};

/// Which game to train.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TrainingQuery {
    /// The game.
    pub game: String,
}

/// A position to show and play in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BoardQuery {
    /// The game.
    pub game: String,
    /// The rules variant; the standard one if left out.
    pub rules: Option<String>,
    /// `start` or a position, optionally followed by `moves` and moves.
    pub position: String,
}

/// A board with its legal moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct BoardView {
    /// The position as text.
    pub position: String,
    /// The cells; see `Node.cells`.
    pub cells: String,
    /// The side to move.
    pub turn: Side,
    /// The legal moves.
    pub moves: Vec<LegalMove>,
    /// In chess, the cell of the king in check.
    pub check: Option<Cell>,
    /// The last named opening of the line.
    pub opening: Option<String>,
}

/// A puzzle to solve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PuzzleView {
    /// Its id.
    pub id: i64,
    /// The game.
    pub game: String,
    /// The rules variant.
    pub rules: String,
    /// The board.
    pub board: BoardView,
    /// Its rating.
    pub rating: f64,
    /// Where it comes from.
    pub source: PuzzleSource,
    /// The game, file or players it comes from; may be empty.
    pub origin: String,
    /// Whether it was tried before.
    pub is_repeated: bool,
}

/// Where a puzzle comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PuzzleSource {
    /// A mistake of one's own.
    Mistake,
    /// A game of the archive.
    Archive,
    /// A test suite.
    Suite,
}

/// A move that should solve a puzzle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PuzzleAttempt {
    /// Its name; empty to give up.
    #[serde(rename = "move")]
    pub name: String,
}

/// Whether a puzzle is solved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PuzzleResult {
    /// Whether the move solves it.
    pub solved: bool,
    /// The moves that solve it, in the game's notation.
    pub solutions: Vec<String>,
    /// The best line, in the game's notation; may be empty.
    pub line: Vec<String>,
    /// The person's rating before and after.
    pub ratings: [f64; 2],
    /// The standard deviation of the rating.
    pub deviation: f64,
    /// Days until the puzzle comes back.
    pub days: f64,
}

/// The puzzles of a game, and a person's results with them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PuzzlesSummary {
    /// All puzzles.
    pub total: u64,
    /// Never tried.
    pub new: u64,
    /// Tried before and due again.
    pub due: u64,
    /// From own mistakes, from the archive, from test suites.
    pub by_source: [u64; 3],
    /// Attempts, and solved ones.
    pub attempts: [u64; 2],
    /// The person's rating.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The rating after each of the latest attempts.
    pub history: Vec<f64>,
    /// The search for new puzzles, if one is running or ended.
    pub making: Option<PuzzleMaking>,
}

/// Puzzles to make.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MakePuzzles {
    /// The game.
    pub game: String,
    /// From where: own mistakes, or the archive.
    pub source: PuzzleSource,
    /// How many to find in the archive, at most 500.
    #[serde(default)]
    pub count: u32,
}

/// A search for puzzles.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PuzzleMaking {
    /// The game.
    pub game: String,
    /// Positions looked at.
    pub tried: u64,
    /// Puzzles found.
    pub found: u64,
    /// Puzzles wanted.
    pub wanted: u64,
    /// Whether it is still running.
    pub running: bool,
}

/// New puzzles.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PuzzlesMade {
    /// Added.
    pub added: u64,
    /// Positions without a solution, or that were there already.
    pub skipped: u64,
}

/// A file of puzzles.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PuzzleFileQuery {
    /// The file's name.
    pub name: Option<String>,
}

/// A person's progress in a game, from the library.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressView {
    /// The game.
    pub game: String,
    /// Finished games against levels.
    pub games: u64,
    /// The rating by these games; null without any.
    pub rating: Option<RatingEstimate>,
    /// The level that is about as strong.
    pub level: u32,
    /// The rating over the last 30 games, after each game.
    pub history: Vec<ProgressPoint>,
    /// The accuracy in reviewed games, oldest first.
    pub accuracy: Vec<ProgressPoint>,
    /// Inaccuracies, mistakes and blunders in reviewed games, in the opening, middle and end of games.
    pub mistakes: [[u64; 3]; 3],
    /// Moves in reviewed games, in the opening, middle and end.
    pub moves: [u64; 3],
}

/// A rating with its error.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RatingEstimate {
    /// The rating on the game's scale.
    pub rating: f64,
    /// Its standard error.
    pub error: f64,
}

/// A number at a time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressPoint {
    /// Unix time.
    pub at: f64,
    /// The number.
    pub value: f64,
    /// The game's id.
    pub id: String,
}
