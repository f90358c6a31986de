//! Flip generation: the hottest function of the endgame, with AVX2 where available.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd;

mod count_last_flip;

pub(crate) use count_last_flip::count_last_flip;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) use simd::flips;

/// The discs that `player` flips by playing on the empty square `square`.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline]
pub(crate) fn flips(player: u64, opponent: u64, square: u8) -> u64 {
    let square = tablero_othello::Square::new(square).unwrap_or(tablero_othello::Square::PASS);
    tablero_othello::bitboard::flips(player, opponent, square)
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;
    use tablero_othello::{Square, bitboard};

    use super::*;

    #[test]
    fn flips_agree_with_the_portable_version() {
        let mut rng = Rng::seeded(1);
        for _ in 0..if cfg!(miri) { 20 } else { 50_000 } {
            let (a, b, c) = (rng.bits(), rng.bits(), rng.bits());
            for (player, opponent) in [(a & b, !a & c), (a, !a), (a & b & c, !a | !c)] {
                let empties = !(player | opponent);
                for square in bitboard::squares(empties) {
                    let expected = bitboard::portable::flips(player, opponent, square);
                    assert_eq!(flips(player, opponent, square.index() as u8), expected);
                }
            }
        }
    }

    #[test]
    fn count_last_flip_agrees_with_flips() {
        let mut rng = Rng::seeded(2);
        for _ in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let sets = [rng.bits(), rng.bits() & rng.bits(), rng.bits() | rng.bits()];
            for (square, set) in (0..64).flat_map(|square| sets.map(|set| (square, set))) {
                let at = Square::new(square).expect("below 64");
                let player = set & !at.bit();
                let flipped = bitboard::portable::flips(player, !(player | at.bit()), at);
                assert_eq!(count_last_flip(player, square), flipped.count_ones());
            }
        }
    }
}
