//! Bitboard move generation for all boards, directions and distances at once.
//!
//! For each vector (direction and distance, see [`VECTORS`]) there is a set of stones that can make the
//! passive move and a set that can make the aggressive move. Any pair on boards of different colour is a
//! legal turn, so turns are counted and sampled without enumerating them.

use tablero_core::Rng;

use crate::geometry::{DARK, INSIDE, LIGHT, ROTATION, SHIFTS, VECTORS, VectorShifts};
use crate::turn::Turn;

/// The possible moves of one side along each vector.
pub(crate) struct MoveGen {
    /// Stones that can make the passive move.
    pub(crate) passive: [u64; VECTORS],
    /// Stones that can make the aggressive move.
    pub(crate) aggressive: [u64; VECTORS],
    /// Number of turns.
    turns: [u64; VECTORS],
}

impl MoveGen {
    /// Generates the moves of `own` against `enemy`: passive moves on the boards `home`, aggressive
    /// moves on the boards `targets`.
    ///
    /// A single branch-free loop, counting included, so that the compiler vectorises it over the
    /// directions, even without LTO. Counting in a separate loop is 25 % slower; with an inner loop over
    /// the two distances it takes five times as long.
    #[inline(always)]
    pub(crate) fn new(own: u64, enemy: u64, home: u64, targets: u64) -> Self {
        let mut movegen =
            Self { passive: [0; VECTORS], aggressive: [0; VECTORS], turns: [0; VECTORS] };
        for d in 0..8 {
            // The stones one, two and three steps ahead, shifted back to the square they are seen from.
            let own1 = own.rotate_right(ROTATION[0][d]);
            let own2 = own.rotate_right(ROTATION[1][d]);
            let enemy1 = enemy.rotate_right(ROTATION[0][d]);
            let enemy2 = enemy.rotate_right(ROTATION[1][d]);
            let any2 = (own2 | enemy2) & INSIDE[1][d];
            let any3 = (own | enemy).rotate_right(ROTATION[2][d]) & INSIDE[2][d];

            let free1 = INSIDE[0][d] & !(own1 | enemy1);
            let free2 = free1 & INSIDE[1][d] & !any2;

            // An aggressive move crosses no own stone and at most one enemy stone, behind which is an
            // empty square or the edge.
            let attack1 = INSIDE[0][d] & !own1 & !(enemy1 & any2);
            let crowded = enemy1 & enemy2 | (enemy1 | enemy2) & any3;
            let attack2 = INSIDE[1][d] & !(own1 | own2) & !crowded;

            let (passive1, passive2) = (own & home & free1, own & home & free2);
            let (aggressive1, aggressive2) = (own & targets & attack1, own & targets & attack2);
            (movegen.passive[d], movegen.passive[8 + d]) = (passive1, passive2);
            (movegen.aggressive[d], movegen.aggressive[8 + d]) = (aggressive1, aggressive2);
            movegen.turns[d] = count_turns(passive1, aggressive1);
            movegen.turns[8 + d] = count_turns(passive2, aggressive2);
        }
        movegen
    }

    /// The stones whose aggressive move along a vector pushes an enemy stone off its board.
    #[inline]
    pub(crate) fn pushers_off(&self, vector: usize, enemy: u64) -> u64 {
        let VectorShifts { one_step, all_steps, has_beyond, .. } = SHIFTS[vector];
        let pushing = enemy.rotate_right(one_step) | enemy.rotate_right(all_steps);
        self.aggressive[vector] & pushing & !has_beyond
    }

    /// The squares that stones cross or reach along a vector.
    #[inline]
    pub(crate) fn paths(vector: usize, stones: u64) -> u64 {
        stones.rotate_left(SHIFTS[vector].one_step) | stones.rotate_left(SHIFTS[vector].all_steps)
    }

    /// The number of legal turns.
    #[inline(always)]
    pub(crate) fn count(&self) -> u64 {
        self.turns.iter().sum()
    }

    /// A uniformly random turn; `None` if there are none.
    #[inline(always)]
    pub(crate) fn random(&self, rng: &mut Rng) -> Option<Turn> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let (vector, index) = self.locate(rng.below(count));
        let (passive, aggressive) = (self.passive[vector], self.aggressive[vector]);
        let passive_is_dark = index < count_pairs(passive & DARK, aggressive & LIGHT);
        let (passive, aggressive) = if passive_is_dark {
            (passive & DARK, aggressive & LIGHT)
        } else {
            (passive & LIGHT, aggressive & DARK)
        };
        Some(Turn::from_parts(random_bit(passive, rng), random_bit(aggressive, rng), vector))
    }

    /// The vector of turn `index`, counted vector by vector, and the turn's index within it.
    ///
    /// Compares with all vectors instead of stopping early: a random exit is an unpredictable branch.
    #[inline(always)]
    fn locate(&self, index: u64) -> (usize, u64) {
        let mut before = [0; VECTORS];
        for vector in 1..VECTORS {
            before[vector] = before[vector - 1] + self.turns[vector - 1];
        }
        let vector = before[1..].iter().map(|&turns| usize::from(turns <= index)).sum::<usize>();
        // Always in range; the mask elides the bounds check.
        let vector = vector & (VECTORS - 1);
        (vector, index - before[vector])
    }
}

/// The number of turns of two sets of stones: pairs on boards of different colour.
#[inline(always)]
fn count_turns(passive: u64, aggressive: u64) -> u64 {
    count_pairs(passive & DARK, aggressive & LIGHT)
        + count_pairs(passive & LIGHT, aggressive & DARK)
}

#[inline(always)]
fn count_pairs(a: u64, b: u64) -> u64 {
    u64::from(a.count_ones()) * u64::from(b.count_ones())
}

/// The index of a random bit of a non-empty set.
#[inline(always)]
fn random_bit(set: u64, rng: &mut Rng) -> u32 {
    nth_bit(set, rng.below(u64::from(set.count_ones())) as u32)
}

/// The index of the `n`-th set bit, counted from 0 at the lowest (a *select* operation by `PDEP`).
///
/// Branch-free: 15 % more random playouts per second than the loop.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
fn nth_bit(set: u64, n: u32) -> u32 {
    // SAFETY: compiled only for targets with BMI2.
    unsafe { std::arch::x86_64::_pdep_u64(1 << n, set) }.trailing_zeros()
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use nth_bit_portable as nth_bit;

/// Portable version of [`nth_bit`].
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
fn nth_bit_portable(mut set: u64, n: u32) -> u32 {
    for _ in 0..n {
        set &= set - 1;
    }
    set.trailing_zeros()
}

/// Visits the index of each bit of `set`.
#[inline(always)]
pub(crate) fn each_bit(mut set: u64, mut visit: impl FnMut(u32)) {
    while set != 0 {
        visit(set.trailing_zeros());
        set &= set - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nth_bit_agrees_with_iteration() {
        let mut rng = Rng::seeded(1);
        for _ in 0..1000 {
            let set = rng.bits() & rng.bits();
            let mut n = 0;
            each_bit(set, |index| {
                assert_eq!(nth_bit(set, n), index);
                assert_eq!(nth_bit_portable(set, n), index);
                n += 1;
            });
            assert_eq!(n, set.count_ones());
        }
    }
}
