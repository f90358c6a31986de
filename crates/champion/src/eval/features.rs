//! What stands on the squares of every pattern, kept up to date move by move.
//!
//! A lane's number has one digit to the base of three for every square: own disc 1, empty 0, disc of
//! the other side -1. So a change of the side to move is a change of sign, and an own disc or a
//! turned one adds a constant for its square.

use super::shapes::{ROOM, effect};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use avx2::played;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
use portable::played;

/// The contents of all patterns, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Features(pub(super) [i16; ROOM]);

impl Features {
    /// The features of a position, from scratch.
    pub fn of(player: u64, opponent: u64) -> Self {
        let mut lanes = [0i16; ROOM];
        for square in 0..64u8 {
            let disc = (player >> square & 1) as i16 - (opponent >> square & 1) as i16;
            if disc != 0 {
                for (lane, effect) in lanes.iter_mut().zip(effect(square)) {
                    *lane += disc * effect;
                }
            }
        }
        Self(lanes)
    }

    /// The features after the side to move plays on `square` and turns `flips`; the other side is then
    /// to move.
    #[inline]
    #[must_use]
    pub fn play(&self, square: u8, flips: u64) -> Self {
        played(self, square, flips)
    }

    /// The features when the side to move passes.
    #[inline]
    #[must_use]
    pub fn pass(&self) -> Self {
        Self(self.0.map(i16::wrapping_neg))
    }
}

/// For any processor.
pub mod portable {
    use super::{Features, effect};

    /// See [`Features::play`].
    #[inline]
    pub fn played(before: &Features, square: u8, flips: u64) -> Features {
        let mut lanes = before.0;
        let mut add = |square: u8, times: i16| {
            for (lane, effect) in lanes.iter_mut().zip(effect(square)) {
                *lane = lane.wrapping_add(effect.wrapping_mul(times));
            }
        };
        add(square, 1);
        let mut left = flips;
        while left != 0 {
            // From -1 to 1.
            add(left.trailing_zeros() as u8, 2);
            left &= left - 1;
        }
        Features(lanes).pass()
    }
}

/// For processors with AVX2: all lanes stay in four registers while discs are turned.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2 {
    use std::arch::x86_64::*;

    use super::{Features, ROOM, effect};

    const REGISTERS: usize = ROOM / 16;

    /// See [`Features::play`].
    #[inline]
    pub fn played(before: &Features, square: u8, flips: u64) -> Features {
        // SAFETY: this module is compiled only for processors that have AVX2.
        unsafe { played_with_avx2(before, square, flips) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn played_with_avx2(before: &Features, square: u8, flips: u64) -> Features {
        let lanes = load(&before.0);
        let disc = load(effect(square));
        let mut turned = [_mm256_setzero_si256(); REGISTERS];
        let mut left = flips;
        while left != 0 {
            let more = load(effect(left.trailing_zeros() as u8));
            for register in 0..REGISTERS {
                turned[register] = _mm256_add_epi16(turned[register], more[register]);
            }
            left &= left - 1;
        }
        let mut after = Features([0; ROOM]);
        for register in 0..REGISTERS {
            // 0 - before - disc - 2 turned: the sign changes with the side to move.
            let twice = _mm256_add_epi16(turned[register], turned[register]);
            let sum = _mm256_add_epi16(_mm256_add_epi16(lanes[register], disc[register]), twice);
            let sum = _mm256_sub_epi16(_mm256_setzero_si256(), sum);
            let part = &mut after.0[16 * register..16 * register + 16];
            // SAFETY: the part has the 32 bytes that are written; no alignment is asked for.
            unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), sum) };
        }
        after
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(lanes: &[i16; ROOM]) -> [__m256i; REGISTERS] {
        let mut registers = [_mm256_setzero_si256(); REGISTERS];
        for (register, part) in registers.iter_mut().zip(lanes.chunks_exact(16)) {
            // SAFETY: the part has the 32 bytes that are read; no alignment is asked for.
            *register = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
        }
        registers
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};
    use tablero_othello::{Othello, bits};

    use super::*;

    /// Random games, each position with the move that is played.
    fn each_move(games: u64, mut visit: impl FnMut(&Othello, tablero_othello::Square)) {
        for game in 0..games {
            let mut rng = Rng::for_part(5, game);
            let mut position = Othello::start(StandardRules);
            while let Some(square) = position.random_move(&mut rng) {
                visit(&position, square);
                position.play(square);
            }
        }
    }

    #[test]
    fn step_by_step_is_from_scratch() {
        each_move(100, |position, square| {
            let before = Features::of(position.mover(), position.other());
            let mut after = *position;
            after.play(square);
            let expected = Features::of(after.mover(), after.other());
            if square.is_pass() {
                assert_eq!(before.pass(), expected);
                return;
            }
            let flips = bits::flips(position.mover(), position.other(), square);
            assert_eq!(before.play(square.index() as u8, flips), expected);
        });
    }

    #[test]
    fn the_fast_version_is_the_portable_one() {
        let mut rng = Rng::seeded(6);
        for _ in 0..2_000 {
            let player = rng.bits();
            let features = Features::of(player, rng.bits() & !player);
            let (square, flips) = (rng.below(64) as u8, rng.bits() & rng.bits() & rng.bits());
            assert_eq!(
                played(&features, square, flips),
                portable::played(&features, square, flips)
            );
        }
    }
}
