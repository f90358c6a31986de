//! What a move turns, as fast as this processor can tell: the innermost question of the endgame.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd;

mod last;

pub(crate) use last::count_last;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) use simd::flips;

/// The discs that `player` turns by playing on the empty square `square`.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline]
pub(crate) fn flips(player: u64, opponent: u64, square: u8) -> u64 {
    let square = tablero_othello::Square::new(square).unwrap_or(tablero_othello::Square::PASS);
    tablero_othello::bits::flips(player, opponent, square)
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;
    use tablero_othello::{Square, bits};

    use super::*;

    #[test]
    fn flips_are_those_of_the_rules() {
        let mut rng = Rng::seeded(1);
        for _ in 0..50_000 {
            let (a, b, c) = (rng.bits(), rng.bits(), rng.bits());
            for (player, opponent) in [(a & b, !a & c), (a, !a), (a & b & c, !a | !c)] {
                let empties = !(player | opponent);
                for square in bits::squares(empties) {
                    let expected = bits::portable::flips(player, opponent, square);
                    assert_eq!(flips(player, opponent, square.index() as u8), expected);
                }
            }
        }
    }

    #[test]
    fn the_last_move_turns_as_many_as_the_rules_say() {
        let mut rng = Rng::seeded(2);
        for _ in 0..20_000 {
            let sets = [rng.bits(), rng.bits() & rng.bits(), rng.bits() | rng.bits()];
            for (square, set) in (0..64).flat_map(|square| sets.map(|set| (square, set))) {
                let at = Square::new(square).expect("below 64");
                let player = set & !at.bit();
                let turned = bits::portable::flips(player, !(player | at.bit()), at);
                assert_eq!(count_last(player, square), turned.count_ones());
            }
        }
    }
}
