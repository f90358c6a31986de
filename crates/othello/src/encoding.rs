//! Input planes, policy indices, ownership targets and table inputs of neural networks.

use tablero_core::{Encoding, Game, LocalizedString, Side, write_bitboard};

use crate::{Othello, Square, bitboard};

/// Planes: own discs, opponent's discs, legal moves, all ones (which mark the board's edge under zero
/// padding). Policy: 64 squares; the pass is always forced, so its logit is constant 0.
///
/// The table input has the 65 numbers of Otelo, but from the side to move's point of view: 64 squares
/// (1 own, -1 opponent's, 0 empty) and the side to move (always 1). Otelo's original colour-absolute
/// coding (1 black, 2 white), the absolute input, has to be learned separately for each colour and is not
/// antisymmetric; with 150 games its networks learned next to nothing.
impl Encoding for Othello {
    const WIDTH: usize = 8;
    const HEIGHT: usize = 8;
    const PLANES: usize = 4;
    const POLICY_PLANES: usize = 1;
    const HAS_OWNERSHIP: bool = true;
    const FLAT_SIZE: usize = 65;
    const FLAT_VERSION: u32 = 2;
    const ABSOLUTE_SIZE: usize = 65;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        write_bitboard(&mut planes[..64], self.mover());
        write_bitboard(&mut planes[64..128], self.other());
        write_bitboard(&mut planes[128..192], bitboard::moves(self.mover(), self.other()));
        planes[192..256].fill(1.0);
    }

    fn policy_indices(&self, m: Square) -> [usize; 2] {
        // The pass has index 64, the constant logit.
        [m.index(), Self::ZERO_LOGIT]
    }

    fn write_ownership(&self, side: Side, owners: &mut [f32]) {
        write_difference(owners, self.discs(side), self.discs(!side));
    }

    fn write_flat(&self, table: &mut [f32]) {
        write_difference(&mut table[..64], self.mover(), self.other());
        table[64] = 1.0;
    }

    fn write_absolute(&self, table: &mut [f32]) {
        let [black, white] = Side::BOTH.map(|side| self.discs(side));
        for (square, cell) in table[..64].iter_mut().enumerate() {
            *cell = ((black >> square & 1) + 2 * (white >> square & 1)) as f32;
        }
        table[64] = 1.0 + (!self.side()).index() as f32;
    }

    fn plane_name(plane: usize) -> LocalizedString {
        let (en, es) = match plane {
            0 => ("own discs", "fichas propias"),
            1 => ("opponent's discs", "fichas del rival"),
            2 => ("legal moves", "jugadas legales"),
            _ => ("ones", "unos"),
        };
        LocalizedString::new(en, es)
    }
}

/// Writes 1 for the squares of `first`, -1 for those of `second`, 0 elsewhere.
fn write_difference(cells: &mut [f32], first: u64, second: u64) {
    for (square, cell) in cells.iter_mut().enumerate() {
        *cell = ((first >> square & 1) as i32 - (second >> square & 1) as i32) as f32;
    }
}
