//! Which stones can make which move: for all boards, directions and distances at once.
//!
//! For each way (direction and distance, see [`WAYS`]) there is a set of stones that can make the
//! passive move and a set that can make the aggressive one. Any pair of the two on boards of
//! different colour is a turn, so turns can be counted, and one be drawn, without listing them.

use tablero_core::Rng;

use crate::geometry::{DARK, INSIDE, LIGHT, ROTATION, WAY, WAYS, Way};
use crate::turn::Turn;

/// What the stones of the side to move can do along each way.
pub(crate) struct Reach {
    /// Stones that can make the passive move.
    pub(crate) passive: [u64; WAYS],
    /// Stones that can make the aggressive move.
    pub(crate) aggressive: [u64; WAYS],
    /// How many turns they make together.
    turns: [u64; WAYS],
}

impl Reach {
    /// What the stones `own` can do against `enemy`: passive moves on the boards `home`, aggressive
    /// ones on the boards `targets`.
    ///
    /// One loop without branches or loops in it does everything, the counting included: the compiler
    /// turns it into vectors of directions, even without link-time optimisation. With a loop of its own
    /// for the counting, counting takes a quarter longer; with one over the two distances, five times.
    #[inline(always)]
    pub(crate) fn new(own: u64, enemy: u64, home: u64, targets: u64) -> Self {
        let mut reach = Self { passive: [0; WAYS], aggressive: [0; WAYS], turns: [0; WAYS] };
        for d in 0..8 {
            // The stones one, two and three steps on, each brought back to the square that sees it.
            let own1 = own.rotate_right(ROTATION[0][d]);
            let own2 = own.rotate_right(ROTATION[1][d]);
            let enemy1 = enemy.rotate_right(ROTATION[0][d]);
            let enemy2 = enemy.rotate_right(ROTATION[1][d]);
            let any2 = (own2 | enemy2) & INSIDE[1][d];
            let any3 = (own | enemy).rotate_right(ROTATION[2][d]) & INSIDE[2][d];

            let free1 = INSIDE[0][d] & !(own1 | enemy1);
            let free2 = free1 & INSIDE[1][d] & !any2;

            // An aggressive stone crosses no own stone, and behind the one enemy stone that it
            // pushes there is an empty square or the edge.
            let attack1 = INSIDE[0][d] & !own1 & !(enemy1 & any2);
            let crowded = enemy1 & enemy2 | (enemy1 | enemy2) & any3;
            let attack2 = INSIDE[1][d] & !(own1 | own2) & !crowded;

            let (passive1, passive2) = (own & home & free1, own & home & free2);
            let (aggressive1, aggressive2) = (own & targets & attack1, own & targets & attack2);
            (reach.passive[d], reach.passive[8 + d]) = (passive1, passive2);
            (reach.aggressive[d], reach.aggressive[8 + d]) = (aggressive1, aggressive2);
            reach.turns[d] = count_turns(passive1, aggressive1);
            reach.turns[8 + d] = count_turns(passive2, aggressive2);
        }
        reach
    }

    /// Of the stones that can be aggressive along a way, those that push an enemy stone off its board.
    #[inline]
    pub(crate) fn pushers_off(&self, way: usize, enemy: u64) -> u64 {
        let Way { one_step, all_steps, has_beyond, .. } = WAY[way];
        let pushing = enemy.rotate_right(one_step) | enemy.rotate_right(all_steps);
        self.aggressive[way] & pushing & !has_beyond
    }

    /// The squares that stones move over and onto along a way.
    #[inline]
    pub(crate) fn paths(way: usize, stones: u64) -> u64 {
        stones.rotate_left(WAY[way].one_step) | stones.rotate_left(WAY[way].all_steps)
    }

    /// How many turns there are.
    #[inline(always)]
    pub(crate) fn count(&self) -> u64 {
        self.turns.iter().sum()
    }

    /// One of the turns, all equally likely; none if there are none.
    #[inline(always)]
    pub(crate) fn random(&self, rng: &mut Rng) -> Option<Turn> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let (way, index) = self.find_way(rng.below(count));
        let (passive, aggressive) = (self.passive[way], self.aggressive[way]);
        let passive_is_dark = index < count_pairs(passive & DARK, aggressive & LIGHT);
        let (passive, aggressive) = if passive_is_dark {
            (passive & DARK, aggressive & LIGHT)
        } else {
            (passive & LIGHT, aggressive & DARK)
        };
        Some(Turn::on_way(random_bit(passive, rng), random_bit(aggressive, rng), way))
    }

    /// The way of turn number `index` (counted way by way), and the turn's number on that way.
    ///
    /// Compares with all ways instead of stopping at the right one: a random stop is a branch that
    /// cannot be predicted.
    #[inline(always)]
    fn find_way(&self, index: u64) -> (usize, u64) {
        let mut before = [0; WAYS];
        for way in 1..WAYS {
            before[way] = before[way - 1] + self.turns[way - 1];
        }
        let way = before[1..].iter().map(|&turns| usize::from(turns <= index)).sum::<usize>();
        // Never more than the last way; the mask spares a bounds check.
        let way = way & (WAYS - 1);
        (way, index - before[way])
    }
}

/// How many turns the stones of two sets make together: pairs on boards of different colour.
#[inline(always)]
fn count_turns(passive: u64, aggressive: u64) -> u64 {
    count_pairs(passive & DARK, aggressive & LIGHT)
        + count_pairs(passive & LIGHT, aggressive & DARK)
}

#[inline(always)]
fn count_pairs(a: u64, b: u64) -> u64 {
    u64::from(a.count_ones()) * u64::from(b.count_ones())
}

/// The index of a random bit of `set`, which is not empty.
#[inline(always)]
fn random_bit(set: u64, rng: &mut Rng) -> u32 {
    nth_bit(set, rng.below(u64::from(set.count_ones())) as u32)
}

/// The index of bit number `n` of `set`, counted from the lowest, which is number 0.
///
/// Without a loop that stops at random places: 15 % more random games a second.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
fn nth_bit(set: u64, n: u32) -> u32 {
    // SAFETY: only compiled for processors that have BMI2.
    unsafe { std::arch::x86_64::_pdep_u64(1 << n, set) }.trailing_zeros()
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use nth_bit_portable as nth_bit;

/// [`nth_bit`] for all processors.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
fn nth_bit_portable(mut set: u64, n: u32) -> u32 {
    for _ in 0..n {
        set &= set - 1;
    }
    set.trailing_zeros()
}

/// Shows the index of each bit of `set` to `visit`.
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
    fn bits_are_numbered_from_the_lowest() {
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
