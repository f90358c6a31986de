use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A cell of the board: its index, row by row from the top left (as the first player sees it in
/// chess and Shōbu; a1 is the top left in Othello). Shōbu's four boards are one grid of 8 x 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Cell(pub u8);

/// A move that may be played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LegalMove {
    /// Its name in requests: `f5`, `pass`, `e2e4`, `a1f5NE2`.
    #[serde(rename = "move")]
    pub name: String,
    /// Its name for people: SAN in chess; otherwise the same.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
}

/// What a move does on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MoveShape {
    /// Puts a disc or mark on a cell.
    Place {
        /// Where.
        to: Cell,
        /// Discs that turn over.
        flips: Vec<Cell>,
    },
    /// No move is possible: the turn goes to the other side.
    Pass,
    /// A piece moves.
    Slide {
        /// From where.
        from: Cell,
        /// To where; when castling, the cell that the king goes to (in Chess960 the rook's cell).
        to: Cell,
        /// The letter of the piece that a pawn becomes: `q`, `r`, `b`, `n`.
        promotion: Option<String>,
        /// Where a piece is taken, if any; differs from `to` en passant.
        takes: Option<Cell>,
    },
    /// A turn of Shōbu: both stones move in the same way.
    Turn {
        /// The move on a home board.
        passive: Step,
        /// The move on a board of the other colour.
        aggressive: Step,
        /// The enemy stone that is pushed.
        push: Option<Push>,
    },
}

/// A stone's move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// From where.
    pub from: Cell,
    /// To where.
    pub to: Cell,
}

/// A stone that is pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Push {
    /// Where it stood.
    pub from: Cell,
    /// Where it comes to stand; null if it leaves its board.
    pub to: Option<Cell>,
}

/// The moves of one node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LegalMoves {
    /// Which node.
    pub node: u32,
    /// Empty if the game is over there.
    pub moves: Vec<LegalMove>,
}
