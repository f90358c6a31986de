//! What a move turns, as fast as this processor can tell: the innermost question of the endgame.
//!
//! From the square played, eight rays lead to the edges of the board: four towards higher squares
//! ("up") and four towards lower ones ("down"). On each ray the nearest square that is not the other
//! side's decides: if it has an own disc, everything before it is turned. Going up it is the lowest bit
//! of a set, going down the highest.

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

/// The squares of the rays from each square: up and down along rows, columns and both diagonals, in
/// one cache line.
#[repr(align(64))]
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

/// Column and row steps of the four rays that lead to higher squares.
const UP: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];

static RAYS: [Rays; 64] = {
    const NONE: Rays = Rays { up: [0; 4], down: [0; 4] };
    let mut rays = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let mut axis = 0;
        while axis < 4 {
            let (dx, dy) = UP[axis];
            rays[square].up[axis] = ray(square as i32, dx, dy);
            rays[square].down[axis] = ray(square as i32, -dx, -dy);
            axis += 1;
        }
        square += 1;
    }
    rays
};

/// The squares beyond `square` in a direction.
const fn ray(square: i32, dx: i32, dy: i32) -> u64 {
    let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
    let mut set = 0;
    while x >= 0 && x < 8 && y >= 0 && y < 8 {
        set |= 1 << (8 * y + x);
        x += dx;
        y += dy;
    }
    set
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
