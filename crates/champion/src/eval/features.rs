//! Features: the configuration index of every pattern instance, updated incrementally.
//!
//! An index is a number in balanced ternary: own disc 1, empty 0, opponent's disc -1. Passing the
//! move changes the sign, and a new or flipped disc adds a constant of its square. With AVX2 all
//! indices stay in four registers.

use super::patterns::{PADDED_LANES, increments};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use avx2::play;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
use portable::play;

/// The configurations of all pattern instances, from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Features(pub(super) [i16; PADDED_LANES]);

impl Features {
    /// The features of a position, from scratch.
    pub fn of(player: u64, opponent: u64) -> Self {
        let mut lanes = [0i16; PADDED_LANES];
        for square in 0..64u8 {
            let disc = (player >> square & 1) as i16 - (opponent >> square & 1) as i16;
            if disc != 0 {
                for (lane, increment) in lanes.iter_mut().zip(increments(square)) {
                    *lane += disc * increment;
                }
            }
        }
        Self(lanes)
    }

    /// The features after a move on `square` that flips `flips`, for the opponent to move.
    #[inline]
    #[must_use]
    pub fn play(&self, square: u8, flips: u64) -> Self {
        play(self, square, flips)
    }

    /// The features after a pass.
    #[inline]
    #[must_use]
    pub fn pass(&self) -> Self {
        Self(self.0.map(i16::wrapping_neg))
    }
}

/// The portable version.
pub mod portable {
    use super::{Features, increments};

    /// See [`Features::play`].
    #[inline]
    pub fn play(before: &Features, square: u8, flips: u64) -> Features {
        let mut lanes = before.0;
        let mut add = |square: u8, times: i16| {
            for (lane, increment) in lanes.iter_mut().zip(increments(square)) {
                *lane = lane.wrapping_add(increment.wrapping_mul(times));
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

/// The AVX2 version: all lanes stay in four registers.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub mod avx2 {
    use std::arch::x86_64::*;

    use super::{Features, PADDED_LANES, increments};

    const REGISTERS: usize = PADDED_LANES / 16;

    /// See [`Features::play`].
    #[inline]
    pub fn play(before: &Features, square: u8, flips: u64) -> Features {
        // SAFETY: this module is compiled only for processors that have AVX2.
        unsafe { play_avx2(before, square, flips) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn play_avx2(before: &Features, square: u8, flips: u64) -> Features {
        let lanes = load(&before.0);
        let disc = load(increments(square));
        let mut flipped = [_mm256_setzero_si256(); REGISTERS];
        let mut left = flips;
        while left != 0 {
            let more = load(increments(left.trailing_zeros() as u8));
            for register in 0..REGISTERS {
                flipped[register] = _mm256_add_epi16(flipped[register], more[register]);
            }
            left &= left - 1;
        }
        let mut after = Features([0; PADDED_LANES]);
        for register in 0..REGISTERS {
            // -(before + disc + 2 * flipped): the sign changes with the side to move.
            let twice = _mm256_add_epi16(flipped[register], flipped[register]);
            let sum = _mm256_add_epi16(_mm256_add_epi16(lanes[register], disc[register]), twice);
            let sum = _mm256_sub_epi16(_mm256_setzero_si256(), sum);
            let part = &mut after.0[16 * register..16 * register + 16];
            // SAFETY: an unaligned access to exactly the 32 bytes of the part.
            unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), sum) };
        }
        after
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(lanes: &[i16; PADDED_LANES]) -> [__m256i; REGISTERS] {
        let mut registers = [_mm256_setzero_si256(); REGISTERS];
        for (register, part) in registers.iter_mut().zip(lanes.chunks_exact(16)) {
            // SAFETY: an unaligned access to exactly the 32 bytes of the part.
            *register = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
        }
        registers
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};
    use tablero_othello::{Othello, bitboard};

    use super::*;

    /// Random games, each position with the move that is played.
    fn each_move(games: u64, mut visit: impl FnMut(&Othello, tablero_othello::Square)) {
        for game in 0..games {
            let mut rng = Rng::for_stream(5, game);
            let mut position = Othello::start(StandardRules);
            while let Some(square) = position.random_move(&mut rng) {
                visit(&position, square);
                position.play(square);
            }
        }
    }

    #[test]
    fn incremental_updates_agree_with_recomputation() {
        each_move(100, |position, square| {
            let before = Features::of(position.mover(), position.other());
            let mut after = *position;
            after.play(square);
            let expected = Features::of(after.mover(), after.other());
            if square.is_pass() {
                assert_eq!(before.pass(), expected);
                return;
            }
            let flips = bitboard::flips(position.mover(), position.other(), square);
            assert_eq!(before.play(square.index() as u8, flips), expected);
        });
    }

    #[test]
    fn the_avx2_version_agrees_with_the_portable_one() {
        let mut rng = Rng::seeded(6);
        for _ in 0..2_000 {
            let player = rng.bits();
            let features = Features::of(player, rng.bits() & !player);
            let (square, flips) = (rng.below(64) as u8, rng.bits() & rng.bits() & rng.bits());
            assert_eq!(play(&features, square, flips), portable::play(&features, square, flips));
        }
    }
}
