use crate::{Encoding, NetKind};

/// What a network must know about a game: how large its inputs and outputs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dims {
    /// The game's name.
    pub game: &'static str,
    /// The version of the encoding.
    pub version: u32,
    /// Columns of a plane.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Numbers for each square that describe a position.
    pub planes: usize,
    /// Further planes, of what is attacked; 0 if the game has none.
    pub attack_planes: usize,
    /// Whether a network may ask to see the planes from the mover's side.
    pub turns: bool,
    /// Whether squares have owners in the end.
    pub owned: bool,
    /// Outputs for each square that describe moves.
    pub move_planes: usize,
    /// Numbers that describe a position in the game's table form; 0 if it has none.
    pub table: usize,
    /// The version of the table form.
    pub table_version: u32,
}

impl Dims {
    /// Those of a game.
    pub const fn of<G: Encoding>() -> Self {
        Self {
            game: G::NAME,
            version: G::VERSION,
            width: G::WIDTH,
            height: G::HEIGHT,
            planes: G::PLANES,
            attack_planes: G::ATTACK_PLANES,
            turns: G::TURNS,
            owned: G::OWNED,
            move_planes: G::MOVE_PLANES,
            table: G::TABLE,
            table_version: G::TABLE_VERSION,
        }
    }

    /// The version of what a network of this kind sees.
    pub fn version_for(&self, kind: &NetKind) -> u32 {
        if kind.reads_table(self) { self.table_version } else { self.version }
    }

    /// Squares of the board.
    pub const fn squares(&self) -> usize {
        self.width * self.height
    }

    /// Numbers in all planes together.
    pub const fn inputs(&self) -> usize {
        self.planes * self.squares()
    }

    /// Outputs for moves; the output of this number itself is the one that is always 0.
    pub const fn outputs(&self) -> usize {
        self.move_planes * self.squares()
    }
}
