use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Cell, Localized, MoveShape, Side};

/// An evaluation that can be explained.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct EvaluationView {
    /// Its name: `jma`.
    pub name: String,
    /// A player line that uses it: `greedy eval=jma`.
    pub player: String,
    /// A one-sentence description.
    pub about: Localized,
}

/// A position to explain, and the evaluation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplanationRequest {
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The position as text; the default start if left out.
    #[serde(default)]
    pub position: Option<String>,
    /// Moves from there, in any notation of the game.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The player line whose evaluation or network is explained.
    pub player: String,
}

/// An evaluation of a position, term by term.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExplanationView {
    /// The board; see `Node.cells`.
    pub cells: String,
    /// The side to move.
    pub turn: Side,
    /// The evaluation for the side to move; the contributions of the terms sum to it.
    pub value: f64,
    /// The unit of value and contributions.
    pub unit: ExplanationUnit,
    /// The terms, in the order of the evaluation.
    pub terms: Vec<TermView>,
    /// What else the evaluation depends on.
    pub facts: Vec<Localized>,
    /// What a network sees and says; null for other evaluations.
    pub network: Option<NetworkInsight>,
}

/// The unit of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplanationUnit {
    /// Units of the game: pawns, discs, stones.
    Points,
    /// From -1 (lost) to 1 (won).
    Result,
}

/// A term of an evaluation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct TermView {
    /// Its short name: `x1`.
    pub name: String,
    /// What it measures.
    pub about: Localized,
    /// The value of the feature, for the side to move.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// Value times weight.
    pub contribution: f64,
    /// Where it comes from.
    pub cells: Vec<CellValue>,
}

/// A number on a cell; positive for the side to move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct CellValue {
    /// The cell.
    pub cell: Cell,
    /// The number.
    pub value: f64,
}

/// What a network sees and says besides its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct NetworkInsight {
    /// The input planes.
    pub planes: Vec<PlaneView>,
    /// The legal moves with the highest ratings, highest first.
    pub policy: Vec<RatedMoveView>,
    /// Who is expected to own each cell at the end: 1 the side to move, -1 its opponent; empty without that head.
    pub ownership: Vec<CellValue>,
}

/// An input plane.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlaneView {
    /// What it shows.
    pub about: Localized,
    /// The number on all squares, if it is the same; otherwise null.
    pub constant: Option<f64>,
    /// The numbers other than 0, unless all are the same.
    pub cells: Vec<CellValue>,
}

/// A move as a network rates it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RatedMoveView {
    /// The move, as in requests.
    #[serde(rename = "move")]
    pub name: String,
    /// The move in the game's notation.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
    /// The policy's probability; of evolved networks that rate moves, the rating.
    pub rating: f64,
}
