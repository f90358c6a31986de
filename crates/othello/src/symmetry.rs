//! The eight symmetries of the board. Bit 0 of a symmetry's index mirrors left and right, bit 1 top
//! and bottom, bit 2 then flips along the diagonal a1-h8.

use crate::Square;

/// Number of symmetries.
pub const COUNT: usize = 8;

/// The image of a set of squares under a symmetry below [`COUNT`].
///
/// ```
/// use tablero_othello::symmetry;
/// let top_row = 0xff;
/// assert_eq!(symmetry::transform(top_row, 2), 0xff << 56);
/// assert_eq!(symmetry::transform(top_row, 4), 0x0101_0101_0101_0101);
/// ```
#[inline]
pub fn transform(mut set: u64, symmetry: usize) -> u64 {
    if symmetry & 1 != 0 {
        set = mirror_horizontal(set);
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes();
    }
    if symmetry & 4 != 0 {
        set = flip_diagonal(set);
    }
    set
}

/// The image of a square; the pass stays the pass.
#[inline]
pub fn transform_square(square: Square, symmetry: usize) -> Square {
    let mut index = square.index() as u8;
    if symmetry & 1 != 0 {
        index ^= 0b000_111;
    }
    if symmetry & 2 != 0 {
        index ^= 0b111_000;
    }
    if symmetry & 4 != 0 {
        index = index >> 3 | (index & 0b000_111) << 3;
    }
    if square.is_pass() { square } else { Square::first_of(1 << index) }
}

/// Reverses the bits of each row by three delta swaps: neighbours, pairs, halves.
#[inline]
fn mirror_horizontal(set: u64) -> u64 {
    let set = delta_swap(set, 1, 0x5555_5555_5555_5555);
    let set = delta_swap(set, 2, 0x3333_3333_3333_3333);
    delta_swap(set, 4, 0x0f0f_0f0f_0f0f_0f0f)
}

/// Transposes the board along the diagonal a1-h8 by three delta swaps of off-diagonal blocks.
#[inline]
fn flip_diagonal(set: u64) -> u64 {
    let set = delta_swap(set, 7, 0x00aa_00aa_00aa_00aa);
    let set = delta_swap(set, 14, 0x0000_cccc_0000_cccc);
    delta_swap(set, 28, 0x0000_0000_f0f0_f0f0)
}

/// Swaps each bit of `lower` with the bit `distance` above it (delta swap; Knuth, TAOCP 7.1.3).
#[inline]
fn delta_swap(set: u64, distance: u32, lower: u64) -> u64 {
    let differing = (set ^ set >> distance) & lower;
    set ^ differing ^ differing << distance
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;
    use crate::bitboard;

    #[test]
    fn set_and_square_transforms_agree() {
        let mut rng = Rng::seeded(1);
        for symmetry in 0..COUNT {
            for _ in 0..200 {
                let set = rng.bits();
                let images =
                    bitboard::squares(set).map(|square| transform_square(square, symmetry).bit());
                assert_eq!(transform(set, symmetry), images.sum::<u64>(), "{symmetry} of {set:x}");
            }
            assert_eq!(transform_square(Square::PASS, symmetry), Square::PASS);
        }
    }

    #[test]
    fn symmetries_are_distinct() {
        let mut images: Vec<u64> = (0..COUNT).map(|symmetry| transform(0b10, symmetry)).collect();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), COUNT);
    }
}
