//! The eight symmetries of the board. Bit 0 of a symmetry's number mirrors left and right, bit 1 top
//! and bottom, bit 2 then swaps rows and columns.

use crate::Square;

/// How many symmetries the board has.
pub const COUNT: usize = 8;

/// A set of squares seen through a symmetry below [`COUNT`].
///
/// ```
/// use tablero_othello::symmetry;
/// let top_row = 0xff;
/// assert_eq!(symmetry::image(top_row, 2), 0xff << 56);
/// assert_eq!(symmetry::image(top_row, 4), 0x0101_0101_0101_0101);
/// ```
#[inline]
pub fn image(mut set: u64, symmetry: usize) -> u64 {
    if symmetry & 1 != 0 {
        set = mirror_columns(set);
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes();
    }
    if symmetry & 4 != 0 {
        set = swap_rows_and_columns(set);
    }
    set
}

/// Where a square lands; the pass stays the pass.
#[inline]
pub fn square_image(square: Square, symmetry: usize) -> Square {
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

/// Reverses each row: neighbours, then pairs, then halves change places.
#[inline]
fn mirror_columns(set: u64) -> u64 {
    let set = exchange(set, 1, 0x5555_5555_5555_5555);
    let set = exchange(set, 2, 0x3333_3333_3333_3333);
    exchange(set, 4, 0x0f0f_0f0f_0f0f_0f0f)
}

/// Mirrors at the diagonal a1-h8: in blocks of 2x2, 4x4 and 8x8 squares the upper right and the lower
/// left quarter change places.
#[inline]
fn swap_rows_and_columns(set: u64) -> u64 {
    let set = exchange(set, 7, 0x00aa_00aa_00aa_00aa);
    let set = exchange(set, 14, 0x0000_cccc_0000_cccc);
    exchange(set, 28, 0x0000_0000_f0f0_f0f0)
}

/// Each square of `lower` changes places with the one `distance` further.
#[inline]
fn exchange(set: u64, distance: u32, lower: u64) -> u64 {
    let differing = (set ^ set >> distance) & lower;
    set ^ differing ^ differing << distance
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;
    use crate::bits;

    #[test]
    fn sets_and_squares_move_alike() {
        let mut rng = Rng::seeded(1);
        for symmetry in 0..COUNT {
            for _ in 0..200 {
                let set = rng.bits();
                let images = bits::squares(set).map(|square| square_image(square, symmetry).bit());
                assert_eq!(image(set, symmetry), images.sum::<u64>(), "{symmetry} of {set:x}");
            }
            assert_eq!(square_image(Square::PASS, symmetry), Square::PASS);
        }
    }

    #[test]
    fn all_are_different() {
        let mut images: Vec<u64> = (0..COUNT).map(|symmetry| image(0b10, symmetry)).collect();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), COUNT);
    }
}
