//! The two evaluation polynomials of Othello7: SCI with three terms, JMA with ten.

use tablero_core::Weight;

use super::feature::{Feature, discs_on};
use super::squares::sets;
use super::{difference, weight};
use crate::Othello;
use crate::bitboard::{NOT_A, NOT_H, column_a};

/// Disc differences on corners, on X- and C-squares, and on the whole board.
pub fn sci_features(position: &Othello) -> [i32; 3] {
    [sets::CORNERS, sets::X | sets::C, u64::MAX].map(|set| difference(position, set))
}

pub(super) fn sci_weights() -> Vec<Weight> {
    vec![weight("x1", 50.0, 1000.0), weight("x2", -25.0, 1000.0), weight("x3", 1.0, 1000.0)]
}

/// What the variables of SCI measure.
pub(super) const SCI_FEATURES: [Feature; 3] = [
    Feature::new("x1", "corners", "esquinas", |p| discs_on(p, sets::CORNERS)),
    Feature::new("x2", "squares next to corners", "casillas contiguas a las esquinas", |p| {
        discs_on(p, sets::X | sets::C)
    }),
    Feature::new("x3", "discs", "fichas", |p| discs_on(p, u64::MAX)),
];

/// What the variables of JMA measure.
pub(super) const JMA_FEATURES: [Feature; 10] = [
    Feature::new("x1", "corners", "esquinas", |p| discs_on(p, sets::CORNERS)),
    Feature::new("x2", "X-squares", "casillas X", |p| discs_on(p, sets::X)),
    Feature::new("x3", "C-squares", "casillas C", |p| discs_on(p, sets::C)),
    Feature::new("x4", "A-squares", "casillas A", |p| discs_on(p, sets::A)),
    Feature::new("x5", "centre", "centro", |p| discs_on(p, sets::CENTRE)),
    Feature::new("x6", "B-squares", "casillas B", |p| discs_on(p, sets::B)),
    Feature::new("x7", "sides of the inner square", "lados del cuadrado interior", |p| {
        discs_on(p, sets::INNER_EDGES)
    }),
    Feature::new("x8", "corners of the inner square", "esquinas del cuadrado interior", |p| {
        discs_on(p, sets::INNER_CORNERS)
    }),
    Feature::new("x9", "edge runs from own corners", "hileras desde las esquinas propias", |p| {
        [p.mover(), p.other()].map(run_squares)
    }),
    Feature::new("x10", "liberties: empty neighbours", "libertades: vecinas vacías", |p| {
        // Those with empty neighbours.
        let next_to_empty = crate::bitboard::dilate(p.empties());
        discs_on(p, next_to_empty)
    }),
];

/// The discs of the edge runs anchored at own corners.
fn run_squares(own: u64) -> u64 {
    let ends = |edge: u8| {
        let (low, high) = (edge.trailing_ones(), edge.leading_ones());
        let mask = |count: u32| (1u16 << count) - 1;
        (mask(low) | mask(high) << (8 - high)) as u8
    };
    let column = |set: u8, file: u32| {
        (0..8).filter(|row| set >> row & 1 == 1).map(|row| 1u64 << (8 * row + file)).sum::<u64>()
    };
    u64::from(ends(own as u8))
        | u64::from(ends((own >> 56) as u8)) << 56
        | column(ends(column_a(own)), 0)
        | column(ends(column_a(own >> 7)), 7)
}

/// The ten variables of JMA: eight classes of squares, edge runs anchored at corners, liberties.
pub fn jma_features(position: &Othello) -> [i32; 10] {
    let squares = [
        sets::CORNERS,
        sets::X,
        sets::C,
        sets::A,
        sets::CENTRE,
        sets::B,
        sets::INNER_EDGES,
        sets::INNER_CORNERS,
    ];
    let mut features = [0; 10];
    for (feature, set) in features.iter_mut().zip(squares) {
        *feature = difference(position, set);
    }
    let (mover, other) = (position.mover(), position.other());
    features[8] = runs_from_corners(mover) - runs_from_corners(other);
    let empty = !(mover | other);
    features[9] = liberties(mover, empty) - liberties(other, empty);
    features
}

pub(super) fn jma_weights() -> Vec<Weight> {
    [500.0, -250.0, -150.0, 30.0, 16.0, 10.0, 2.0, 1.0, 30.0, -8.0]
        .iter()
        .zip(1..)
        .map(|(value, number)| weight(&format!("x{number}"), *value, 1000.0))
        .collect()
}

/// The lengths of the edge runs anchored at own corners; a corner counts once per edge.
fn runs_from_corners(own: u64) -> i32 {
    if own & sets::CORNERS == 0 {
        return 0;
    }
    let edges = [own as u8, (own >> 56) as u8, column_a(own), column_a(own >> 7)];
    let both_ends = |edge: u8| edge.trailing_ones() + edge.leading_ones();
    edges.map(both_ends).iter().sum::<u32>() as i32
}

/// The sum of the empty neighbours of every disc of `own`.
fn liberties(own: u64, empty: u64) -> i32 {
    let towards = [
        (own & NOT_H) << 1,
        (own & NOT_A) >> 1,
        own << 8,
        own >> 8,
        (own & NOT_H) << 9,
        (own & NOT_A) >> 9,
        (own & NOT_A) << 7,
        (own & NOT_H) >> 7,
    ];
    towards.iter().map(|set| (set & empty).count_ones()).sum::<u32>() as i32
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Notation, Side, StandardRules};

    use super::*;
    use crate::Square;

    fn set(names: &str) -> u64 {
        names.split(' ').map(|name| Square::from_name(name).expect("a square").bit()).sum()
    }

    fn position(own: &str, other: &str) -> Othello {
        Othello::from_discs(set(own), set(other), Side::First).expect("different squares")
    }

    /// The examples of Othello7's report: corner h8 with h7 and h6 gives x9 = 3 + 1, and three discs a
    /// side with 3 + 6 + 4 against 6 + 4 + 5 empty neighbours give x10 = -2.
    #[test]
    fn agrees_with_published_examples() {
        // In the report letters are rows: H8, H7 and H6 lie along one edge.
        let example = position("h8 g8 f8", "d4 e5");
        assert_eq!(jma_features(&example)[8], 4);
        assert_eq!(jma_features(&position("d4", "h8 g8 f8"))[8], -4);

        let example = example_of_liberties();
        let empty = !(example.mover() | example.other());
        assert_eq!(liberties(example.mover(), empty), 3 + 6 + 4);
        assert_eq!(liberties(example.other(), empty), 6 + 4 + 5);
        assert_eq!(jma_features(&example)[9], -2);
    }

    /// The position after f5 d6: up to symmetry the only one after two moves with three discs a side
    /// and the empty neighbours counted in the report.
    fn example_of_liberties() -> Othello {
        let start = Othello::start(StandardRules);
        ["f5", "d6"]
            .iter()
            .fold(start, |position, name| position.after(position.parse_move(name).expect("legal")))
    }

    #[test]
    fn square_classes_match_the_published_table() {
        #[rustfmt::skip]
        let table = [
            [1, 3, 4, 6, 6, 4, 3, 1],
            [3, 2, 0, 0, 0, 0, 2, 3],
            [4, 0, 8, 7, 7, 8, 0, 4],
            [6, 0, 7, 5, 5, 7, 0, 6],
            [6, 0, 7, 5, 5, 7, 0, 6],
            [4, 0, 8, 7, 7, 8, 0, 4],
            [3, 2, 0, 0, 0, 0, 2, 3],
            [1, 3, 4, 6, 6, 4, 3, 1],
        ];
        for square in 0..64 {
            let position = Othello::from_discs(1 << square, 0, Side::First).expect("one disc");
            let features = jma_features(&position);
            let variable = table[square / 8][square % 8];
            for (index, feature) in features[..8].iter().enumerate() {
                assert_eq!(*feature, i32::from(variable == index + 1), "x{} {square}", index + 1);
            }
        }
    }

    #[test]
    fn runs_are_marked_disc_by_disc() {
        assert_eq!(run_squares(set("h8 g8 f8 d8")), set("h8 g8 f8"));
        assert_eq!(run_squares(set("a1 a2 a3 b1 c3")), set("a1 a2 a3 b1"));
        assert_eq!(run_squares(set("b1 c1")), 0);
        assert_eq!(run_squares(0xff), 0xff);
    }

    #[test]
    fn sci_features_of_known_positions() {
        assert_eq!(sci_features(&position("e4 d5", "d4 e5")), [0, 0, 0]);
        assert_eq!(sci_features(&position("a1 b1 b2 a2 h8", "h1")), [1, 3, 4]);
    }
}
