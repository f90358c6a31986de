use crate::{Notation, Side};

/// How positions and moves of a game look to a network.
///
/// A position is a stack of feature planes, one number a square; where possible it is seen from the
/// side to move, so that one network plays both sides. The policy head answers with planes of logits:
/// a move's logit is the sum of one or two of them, and what is not needed points to the
/// output that is always 0. (Two, because a turn of Shōbu is two moves.)
///
/// Planes follow one another, each row by row: the number of `square` in `plane` has the index
/// `plane * WIDTH * HEIGHT + square`, and outputs are numbered in the same way.
///
/// The defaults fit games of one kind of piece in which a move puts a piece on a cell: the mover's
/// pieces, the opponent's, and ones, which show where the board ends; the policy is one plane.
pub trait Encoding: Notation {
    /// Networks of another version see something else and cannot be used.
    const VERSION: u32 = 1;
    /// Columns of a plane.
    const WIDTH: usize;
    /// Rows of a plane.
    const HEIGHT: usize;
    /// Planes of a position.
    const PLANES: usize = 3;
    /// Planes of the policy.
    const MOVE_PLANES: usize = 1;
    /// Numbers in the [table form](Self::write_table); 0 if there is none.
    const TABLE: usize = 0;
    /// Networks that read another version of the table form cannot be used.
    const TABLE_VERSION: u32 = 1;

    /// Whether planes are the same whoever is to move, so that a network may ask for them
    /// [turned](Self::write_turned); in all other games they are seen from the mover's side anyway.
    const TURNS: bool = false;

    /// Further planes for networks that ask for them: what each side
    /// [attacks](Self::write_attacks).
    const ATTACK_PLANES: usize = 0;

    /// Whether squares have owners in the end, so that a network may have an ownership head.
    const OWNED: bool = false;

    /// Squares of a plane.
    const SQUARES: usize = Self::WIDTH * Self::HEIGHT;
    /// The output that is always 0.
    const NOTHING: usize = Self::MOVE_PLANES * Self::SQUARES;

    /// Writes the position, which has been on the board `seen` times before, into `planes`, which
    /// are all 0.
    fn write_planes(&self, seen: u32, planes: &mut [f32]) {
        let _ = seen;
        let (pieces, ones) = planes.split_at_mut(2 * Self::SQUARES);
        for (square, cell) in self.diagram().cells.iter().enumerate() {
            if let Some(piece) = cell.piece {
                let plane = usize::from(piece.side != self.side());
                pieces[plane * Self::SQUARES + square] = 1.0;
            }
        }
        ones.fill(1.0);
    }

    /// The two outputs whose sum is the logit of `m`; no other legal move has the same two.
    fn outputs_of(&self, m: Self::Move) -> [usize; 2] {
        [self.touched(m).last().copied().unwrap_or(Self::NOTHING), Self::NOTHING]
    }

    /// Like [`write_planes`](Self::write_planes), but always as if the first player were to move: for
    /// the second one, the board is turned and the colours are exchanged.
    fn write_turned(&self, seen: u32, planes: &mut [f32]) {
        self.write_planes(seen, planes);
    }

    /// The outputs of `m` in [turned](Self::write_turned) planes.
    fn turned_outputs_of(&self, m: Self::Move) -> [usize; 2] {
        self.outputs_of(m)
    }

    /// Writes what is attacked, [turned](Self::write_turned), into `planes`, which are all 0.
    fn write_attacks(&self, _planes: &mut [f32]) {}

    /// Writes for every square of this position, with which a game ended, whose it is: 1 if `side`'s,
    /// -1 if the opponent's, 0 if nobody's.
    fn write_owners(&self, _side: Side, _owners: &mut [f32]) {}

    /// Writes the position as a flat list of whole numbers, seen from the mover's side, as earlier
    /// works did.
    fn write_table(&self, _table: &mut [f32]) {}

    /// The legal move with these outputs.
    fn move_of(&self, outputs: [usize; 2]) -> Option<Self::Move> {
        self.moves().into_iter().find(|&m| self.outputs_of(m) == outputs)
    }
}

/// Writes 1 for every square of a set, whose bits are numbered as the plane's squares.
pub fn write_bitboard(plane: &mut [f32], mut set: u64) {
    while set != 0 {
        plane[set.trailing_zeros() as usize] = 1.0;
        set &= set - 1;
    }
}
