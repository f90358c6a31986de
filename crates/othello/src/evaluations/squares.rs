//! Evaluations by square weights and disc count alone.

use tablero_core::Weight;

use super::feature::{Feature, discs_on};
use super::{difference, weight};
use crate::Othello;

/// Classes of squares, by their usual names: X-squares are diagonally adjacent to a corner; on the
/// edge, the corner is followed by a C-, an A- and a B-square.
pub(super) mod sets {
    pub(crate) const CORNERS: u64 = 0x8100_0000_0000_0081;
    /// b2, g2, b7, g7.
    pub(crate) const X: u64 = 0x0042_0000_0000_4200;
    /// a2, b1, ...
    pub(crate) const C: u64 = 0x4281_0000_0000_8142;
    /// a3, c1, ...
    pub(crate) const A: u64 = 0x2400_8100_0081_0024;
    /// a4, d1, ...
    pub(crate) const B: u64 = 0x1800_0081_8100_0018;
    /// c3, c6, f3, f6.
    pub(crate) const INNER_CORNERS: u64 = 0x0000_2400_0024_0000;
    /// c4, c5, d3, e3, d6, e6, f4, f5.
    pub(crate) const INNER_EDGES: u64 = 0x0000_1824_2418_0000;
    /// d4, d5, e4, e5.
    pub(crate) const CENTRE: u64 = 0x0000_0018_1800_0000;
}

pub(super) fn disc_features(position: &Othello) -> [i32; 1] {
    [difference(position, u64::MAX)]
}

const REST: u64 = !(sets::CORNERS | sets::X | sets::C | sets::A | sets::B);

pub(super) fn positional_features(position: &Othello) -> [i32; 6] {
    [sets::CORNERS, sets::X, sets::C, sets::A, sets::B, REST].map(|set| difference(position, set))
}

/// What they measure.
pub(super) const POSITIONAL_FEATURES: [Feature; 6] = [
    Feature::new("corner", "corners", "esquinas", |p| discs_on(p, sets::CORNERS)),
    Feature::new("x", "X-squares", "casillas X", |p| discs_on(p, sets::X)),
    Feature::new("c", "C-squares", "casillas C", |p| discs_on(p, sets::C)),
    Feature::new("a", "A-squares", "casillas A", |p| discs_on(p, sets::A)),
    Feature::new("b", "B-squares", "casillas B", |p| discs_on(p, sets::B)),
    Feature::new("other", "other squares", "las demás casillas", |p| discs_on(p, REST)),
];

pub(super) fn positional_weights() -> Vec<Weight> {
    vec![
        weight("corner", 50.0, 100.0),
        weight("x", -5.0, 100.0),
        weight("c", -1.0, 100.0),
        weight("a", 5.0, 100.0),
        weight("b", 2.0, 100.0),
        weight("other", 1.0, 100.0),
    ]
}

/// The hand-tuned positional weight of a square, by its index.
pub fn positional_weight(square: usize) -> i32 {
    match 1u64 << square {
        bit if bit & sets::CORNERS != 0 => 50,
        bit if bit & sets::X != 0 => -5,
        bit if bit & sets::C != 0 => -1,
        bit if bit & sets::A != 0 => 5,
        bit if bit & sets::B != 0 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table printed in "Juego de IA Othello", with its two misprints corrected from the text.
    #[test]
    fn positional_weights_match_the_published_table() {
        #[rustfmt::skip]
        let quarter = [
            50, -1, 5, 2,
            -1, -5, 1, 1,
             5,  1, 1, 1,
             2,  1, 1, 1,
        ];
        for square in 0..64 {
            let fold = |at: usize| at.min(7 - at);
            let expected = quarter[4 * fold(square / 8) + fold(square % 8)];
            assert_eq!(positional_weight(square), expected, "square {square}");
        }
    }

    #[test]
    fn square_classes_partition_the_board() {
        let all = [sets::CORNERS, sets::X, sets::C, sets::A, sets::B, REST];
        assert_eq!(all.iter().map(|set| set.count_ones()).sum::<u32>(), 64);
        assert_eq!(all.iter().fold(0, |union, set| union | set), u64::MAX);
        // REST contains these and the twelve squares that Othello7 ignores.
        let inner = sets::INNER_CORNERS | sets::INNER_EDGES | sets::CENTRE;
        assert_eq!((REST & inner).count_ones(), 16);
    }
}
