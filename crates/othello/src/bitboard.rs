//! Bitboards: move generation, flips and iteration over sets of squares.
//!
//! Both [`moves`] and [`flips`] need the *runs* of opposing discs that start next to a square, in
//! each of the eight directions. A run that starts next to an own disc and ends next to an empty
//! square makes that square a legal move; a run that starts next to the square played and ends next
//! to an own disc is flipped.
//!
//! Runs are computed by a Kogge-Stone parallel-prefix fill, cut short as in Edax (R. Delorme): one
//! disc, two, then by pairs four and six, the longest run that fits between two squares of a line.
//! The `avx2` version fills along all four axes at once; `portable` is its twin for other
//! processors. The choice is made at compile time.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2;
pub mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::{flips, moves};
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use portable::{flips, moves};

use crate::Square;

/// The four axes (rows, columns, the two diagonals): shift distance, and the squares where a disc can
/// be flipped along the axis. The mask also stops shifts from wrapping between the a- and h-columns:
/// no disc there is ever flanked along a row or diagonal.
const AXES: [(u32, u64); 4] = [(1, INNER), (8, !0), (7, INNER), (9, INNER)];

/// Columns b to g.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// Masks that keep shifts from wrapping around the a- and h-columns.
pub(crate) const NOT_A: u64 = !0x0101_0101_0101_0101;
pub(crate) const NOT_H: u64 = !0x8080_8080_8080_8080;

/// The set dilated by one square in all directions.
#[inline]
pub(crate) const fn dilate(set: u64) -> u64 {
    let row = set | (set & NOT_H) << 1 | (set & NOT_A) >> 1;
    row | row << 8 | row >> 8
}

/// Column a as a byte, row 1 lowest, gathered by multiplication.
#[inline]
pub(crate) const fn column_a(set: u64) -> u8 {
    ((set & !NOT_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Iterates over the squares of a set, lowest first.
///
/// ```
/// use tablero_othello::bitboard;
/// let names: Vec<String> = bitboard::squares(0x8000_0000_0000_0201).map(|s| s.to_string()).collect();
/// assert_eq!(names, ["a1", "b2", "h8"]);
/// ```
#[inline]
pub fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = Square::first_of(set);
            set &= set - 1;
            lowest
        })
    })
}

/// The set with only the `n`-th square of `set`, counted from 0; empty if there is none (a *select*
/// operation: one `PDEP` where the processor has BMI2).
#[inline]
pub fn nth(set: u64, n: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: compiled only for targets with BMI2.
    return unsafe { std::arch::x86_64::_pdep_u64(1u64.checked_shl(n).unwrap_or(0), set) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    portable::nth(set, n)
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    /// Random sets of varying density.
    fn random_set(rng: &mut Rng) -> u64 {
        match rng.below(5) {
            0 => rng.bits() & rng.bits() & rng.bits(),
            1 => rng.bits() & rng.bits(),
            2 => rng.bits(),
            3 => rng.bits() | rng.bits(),
            _ => rng.bits() | rng.bits() | rng.bits(),
        }
    }

    #[test]
    fn avx2_and_portable_versions_agree() {
        let mut rng = Rng::seeded(1);
        let check = |mover: u64, other: u64| {
            assert_eq!(moves(mover, other), portable::moves(mover, other), "{mover:x} {other:x}");
            for index in 0..=64 {
                let square = Square::new(index).unwrap_or(Square::PASS);
                assert_eq!(
                    flips(mover, other, square),
                    portable::flips(mover, other, square),
                    "{mover:x} {other:x} {square}"
                );
            }
        };
        for _ in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let (mover, other) = (random_set(&mut rng), random_set(&mut rng));
            check(mover & !other, other);
            check(mover, !mover);
            // Overlapping sets occur in no position, but must not make the versions differ.
            check(mover, other);
        }
        for (mover, other) in [(0, 0), (0, !0), (!0, 0), (!0, !0), (1, !1), (1 << 63, !(1 << 63))] {
            check(mover, other);
        }
    }

    #[test]
    fn nth_agrees_with_iteration() {
        let mut rng = Rng::seeded(2);
        for _ in 0..if cfg!(miri) { 5 } else { 2_000 } {
            let set = random_set(&mut rng);
            let walked: Vec<u64> = squares(set).map(Square::bit).collect();
            assert_eq!(walked.len() as u32, set.count_ones());
            for n in 0..=65 {
                let expected = walked.get(n as usize).copied().unwrap_or(0);
                assert_eq!(nth(set, n), expected, "{n} of {set:x}");
                assert_eq!(portable::nth(set, n), expected, "{n} of {set:x}");
            }
        }
    }
}
