use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A cell of the board: its index, row by row from the top left (as the first player sees it in
/// chess and Shōbu; a1 is the top left in Othello). Shōbu's four boards are one grid of 8 x 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Cell(pub u8);

/// A legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LegalMove {
    /// Its name in requests: `f5`, `pass`, `e2e4`, `a1f5NE2`.
    #[serde(rename = "move")]
    pub name: String,
    /// The move in the game's notation: SAN in chess.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
}

/// What a move does on the board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MoveShape {
    /// Places a disc or mark on a cell.
    Place {
        /// The cell.
        to: Cell,
        /// Flipped discs.
        flips: Vec<Cell>,
    },
    /// Passes: there is no other legal move.
    Pass,
    /// A piece moves.
    Slide {
        /// From where.
        from: Cell,
        /// To where; when castling, the king's target cell (in Chess960 the rook's cell).
        to: Cell,
        /// The letter of the promoted piece: `q`, `r`, `b`, `n`.
        promotion: Option<String>,
        /// The cell of the captured piece; differs from `to` en passant.
        takes: Option<Cell>,
    },
    /// A turn of Shōbu: two stones move by the same vector.
    Turn {
        /// The move on a home board.
        passive: Step,
        /// The move on a board of the other colour.
        aggressive: Step,
        /// The pushed stone.
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

/// A pushed stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Push {
    /// Where it stood.
    pub from: Cell,
    /// Where it is pushed to; null if it leaves its board.
    pub to: Option<Cell>,
}

/// The legal moves of a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LegalMoves {
    /// The node.
    pub node: u32,
    /// Its moves; empty if the game is over there.
    pub moves: Vec<LegalMove>,
}
