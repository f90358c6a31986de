//! Input features of small evolved networks: disc differences by square class, mobility, frontier,
//! corners, disc count and game phase.

use tablero_core::{Features, Localized};

use crate::Othello;
use crate::bitboard::{dilate, moves};

/// The ten classes of squares that are equivalent under the board's symmetries.
pub(crate) const SQUARE_CLASSES: [u64; 10] = [
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
const CORNERS: u64 = SQUARE_CLASSES[0];

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

    const FEATURE_TEXTS: &'static [Localized] = &[
        Localized::new("corners", "esquinas"),
        Localized::new("squares like b1", "casillas como b1"),
        Localized::new("squares like c1", "casillas como c1"),
        Localized::new("squares like d1", "casillas como d1"),
        Localized::new("squares like b2", "casillas como b2"),
        Localized::new("squares like c2", "casillas como c2"),
        Localized::new("squares like d2", "casillas como d2"),
        Localized::new("squares like c3", "casillas como c3"),
        Localized::new("squares like d3", "casillas como d3"),
        Localized::new("squares like d4", "casillas como d4"),
        Localized::new("mobility", "movilidad"),
        Localized::new("frontier: potential mobility", "frontera: movilidad potencial"),
        Localized::new("moves to corners", "jugadas a las esquinas"),
        Localized::new("discs", "fichas"),
        Localized::new("progress of the game", "avance de la partida"),
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let (own, other) = (self.mover(), self.other());
        let count = |set: u64| set.count_ones() as f32;
        let difference = |set: u64| count(own & set) - count(other & set);
        for (number, set) in numbers.iter_mut().zip(SQUARE_CLASSES) {
            *number = difference(set) / 4.0;
        }
        let [own_moves, other_moves] = [moves(own, other), moves(other, own)];
        let empty = self.empties();
        let ratio = |a: u64, b: u64| 2.0 * (count(a) - count(b)) / (count(a) + count(b) + 2.0);
        let corners = count(own_moves & CORNERS) - count(other_moves & CORNERS);
        numbers[10..].copy_from_slice(&[
            ratio(own_moves, other_moves),
            // Potential mobility: empty squares next to the opponent's frontier discs.
            ratio(dilate(other) & empty, dilate(own) & empty),
            corners,
            difference(u64::MAX) / 16.0,
            1.0 - count(empty) / 30.0,
        ]);
    }
}

#[cfg(test)]
mod tests {

    use tablero_core::{Game, GameType, Rng, StandardRules};

    use super::*;

    #[test]
    fn square_classes_partition_the_board_and_features_are_symmetric() {
        assert_eq!(SQUARE_CLASSES.iter().fold(0, |all, set| all | set), u64::MAX);
        assert_eq!(SQUARE_CLASSES.iter().map(|set| set.count_ones()).sum::<u32>(), 64);
        let mut rng = Rng::seeded(2);
        let mut position = Othello::start(StandardRules);
        for _ in 0..30 {
            position.play(position.random_move(&mut rng).expect("a move"));
        }
        let features = |position: Othello| {
            let mut numbers = [0.0; Othello::FEATURES.len()];
            position.write_features(&mut numbers);
            numbers
        };
        for symmetry in 0..Othello::SYMMETRIES {
            assert_eq!(features(position), features(position.transform(symmetry)));
        }
    }
}
