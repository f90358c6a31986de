//! What small evolved networks see.

use tablero_core::Features;

use crate::Othello;
use crate::bits::moves;

/// The squares of a board that are alike when it is turned or mirrored, by one of each.
const ALIKE: [u64; 10] = [
    0x8100_0000_0000_0081, // a1
    0x4281_0000_0000_8142, // b1
    0x2400_8100_0081_0024, // c1
    0x1800_0081_8100_0018, // d1
    0x0042_0000_0000_4200, // b2
    0x0024_4200_0042_2400, // c2
    0x0018_0042_4200_1800, // d2
    0x0000_2400_0024_0000, // c3
    0x0000_1824_2418_0000, // d3
    0x0000_0018_1800_0000, // d4
];
const CORNERS: u64 = ALIKE[0];

impl Features for Othello {
    const FEATURES: &'static [&'static str] = &[
        "a1",
        "b1",
        "c1",
        "d1",
        "b2",
        "c2",
        "d2",
        "c3",
        "d3",
        "d4",
        "moves",
        "frontier",
        "corner-moves",
        "discs",
        "progress",
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let (own, other) = (self.mover(), self.other());
        let count = |set: u64| set.count_ones() as f32;
        let more = |set: u64| count(own & set) - count(other & set);
        for (number, set) in numbers.iter_mut().zip(ALIKE) {
            *number = more(set) / 4.0;
        }
        let [own_moves, other_moves] = [moves(own, other), moves(other, own)];
        let empty = self.empties();
        let ratio = |a: u64, b: u64| 2.0 * (count(a) - count(b)) / (count(a) + count(b) + 2.0);
        let corners = count(own_moves & CORNERS) - count(other_moves & CORNERS);
        numbers[10..].copy_from_slice(&[
            ratio(own_moves, other_moves),
            // Empty squares next to the other's discs are moves to come.
            ratio(around(other) & empty, around(own) & empty),
            corners,
            more(u64::MAX) / 16.0,
            1.0 - count(empty) / 30.0,
        ]);
    }
}

/// Every square next to a square of the set, and the set.
const fn around(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let row = set | (set & NOT_H) << 1 | (set & NOT_A) >> 1;
    row | row << 8 | row >> 8
}

#[cfg(test)]
mod tests {

    use tablero_core::{Game, GameType, Rng, StandardRules};

    use super::*;

    #[test]
    fn every_square_is_seen_once_and_turned_boards_look_alike() {
        assert_eq!(ALIKE.iter().fold(0, |all, set| all | set), u64::MAX);
        assert_eq!(ALIKE.iter().map(|set| set.count_ones()).sum::<u32>(), 64);
        let mut rng = Rng::seeded(2);
        let mut position = Othello::start(StandardRules);
        for _ in 0..30 {
            position.play(position.random_move(&mut rng).expect("a move"));
        }
        let seen = |position: Othello| {
            let mut numbers = [0.0; Othello::FEATURES.len()];
            position.write_features(&mut numbers);
            numbers
        };
        for symmetry in 0..Othello::SYMMETRIES {
            assert_eq!(seen(position), seen(position.transform(symmetry)));
        }
    }
}
