//! Sets of squares, one bit a square: where a side may play, what it turns, and how to walk a set.
//!
//! Both questions have the same core: the *runs* of the other side's discs that begin next to a
//! square, in each of the eight directions. A run that begins next to an own disc and ends next to
//! an empty square makes that square a move; a run that begins next to the square played and ends
//! next to an own disc is turned. Runs are found by doubling: all those of one disc, then of two,
//! four and six, which is the longest that fits between two squares of a line.
//!
//! [`moves`] and [`flips`] are the faster of the two versions below that this build has.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2;
pub mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::{flips, moves};
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use portable::{flips, moves};

use crate::Square;

/// The four axes: how far apart neighbours are along each (rows, columns, the two diagonals), and
/// where a disc can be turned along it. A step sideways from column a or h would wrap around to the
/// next row, but no disc there is ever between two others of its line, so leaving them out is enough.
const AXES: [(u32, u64); 4] = [(1, INNER), (8, !0), (7, INNER), (9, INNER)];

/// Columns b to g.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares of a set, in order.
///
/// ```
/// use tablero_othello::bits;
/// let names: Vec<String> = bits::squares(0x8000_0000_0000_0201).map(|s| s.to_string()).collect();
/// assert_eq!(names, ["a1", "b2", "h8"]);
/// ```
#[inline]
pub fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let first = Square::first_of(set);
            set &= set - 1;
            first
        })
    })
}

/// The set with only the `n`-th square of `set`, counted from 0; empty if it has not so many.
#[inline]
pub fn nth(set: u64, n: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: this line is compiled only for processors that have BMI2.
    return unsafe { std::arch::x86_64::_pdep_u64(1u64.checked_shl(n).unwrap_or(0), set) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    portable::nth(set, n)
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    /// Sets from nearly empty to nearly full.
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
    fn the_fast_version_is_the_portable_one() {
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
        for _ in 0..20_000 {
            let (mover, other) = (random_set(&mut rng), random_set(&mut rng));
            check(mover & !other, other);
            check(mover, !mover);
            // No position has two discs on a square, but that must not tell the versions apart.
            check(mover, other);
        }
        for (mover, other) in [(0, 0), (0, !0), (!0, 0), (!0, !0), (1, !1), (1 << 63, !(1 << 63))] {
            check(mover, other);
        }
    }

    #[test]
    fn nth_walks_through_the_set() {
        let mut rng = Rng::seeded(2);
        for _ in 0..2_000 {
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
