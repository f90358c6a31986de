//! What networks see.

use tablero_core::{Encoding, Side, write_bitboard};

use crate::{Othello, Square, bits};

/// Planes: the mover's discs; the other's; where the mover may play; ones, which show where the
/// board ends. Outputs: 64 squares, and the pass, which is never a choice and so always 0.
///
/// The table form has the 65 numbers of Otelo's, seen from the mover's side: 64 squares (0 empty, 1 the
/// mover's, -1 the other's), then who is to move (always 1). Otelo's own numbers (1 black, 2 white, and who
/// is to move) have to be learned for each colour anew, and white is not the opposite of black in them:
/// with 150 games its networks learned next to nothing.
impl Encoding for Othello {
    const WIDTH: usize = 8;
    const HEIGHT: usize = 8;
    const PLANES: usize = 4;
    const MOVE_PLANES: usize = 1;
    const OWNED: bool = true;
    const TABLE: usize = 65;
    const TABLE_VERSION: u32 = 2;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        write_bitboard(&mut planes[..64], self.mover());
        write_bitboard(&mut planes[64..128], self.other());
        write_bitboard(&mut planes[128..192], bits::moves(self.mover(), self.other()));
        planes[192..256].fill(1.0);
    }

    fn outputs_of(&self, m: Square) -> [usize; 2] {
        // The pass has the number 64, which is the output that is always 0.
        [m.index(), Self::NOTHING]
    }

    fn write_owners(&self, side: Side, owners: &mut [f32]) {
        write_difference(owners, self.discs(side), self.discs(!side));
    }

    fn write_table(&self, table: &mut [f32]) {
        write_difference(&mut table[..64], self.mover(), self.other());
        table[64] = 1.0;
    }
}

/// Writes 1 for squares of one set, -1 for those of the other.
fn write_difference(cells: &mut [f32], first: u64, second: u64) {
    for (square, cell) in cells.iter_mut().enumerate() {
        *cell = ((first >> square & 1) as i32 - (second >> square & 1) as i32) as f32;
    }
}
