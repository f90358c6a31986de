//! Static evaluations: linear combinations of features with named, tunable weights.
//!
//! `lines` counts open lines. `threats` adds odd and even threats (V. Allis, "A Knowledge-based
//! Approach of Connect-Four", 1988): when the second player answers every move in the same column
//! (follow-up), it gets the even rows and the first player the odd ones, so the parity of a threat's
//! row decides who profits from zugzwang.

use tablero_core::{Evaluation, EvaluationKind, ForMover, Game, Localized, Side, Weight};

use crate::bitboard::{COLUMNS, Column, ODD_ROWS, open_lines, winning_cells};
use crate::position::ConnectFour;

pub(crate) const KINDS: &[EvaluationKind<ConnectFour>] = &[
    EvaluationKind {
        name: "threats",
        about: Localized::new(
            "open lines, cells that complete four, and whom they favour by zugzwang",
            "líneas abiertas, casillas que completan cuatro y a quién favorecen por zugzwang",
        ),
        weights: || THREAT_WEIGHTS.map(weight).to_vec(),
        build: |weights| Box::new(Threats(std::array::from_fn(|index| weights[index]))),
    },
    EvaluationKind {
        name: "lines",
        about: Localized::new(
            "lines of four that a side can still complete, by pieces already in them",
            "líneas de cuatro que un bando aún puede completar, según las fichas que ya tienen",
        ),
        weights: || LINE_WEIGHTS.map(weight).to_vec(),
        build: |weights| Box::new(Lines(std::array::from_fn(|index| weights[index]))),
    },
];

const LINE_WEIGHTS: [(&str, f64); 3] = [("one", 2.0), ("two", 10.0), ("three", 40.0)];

// ANCHOR: weights
const THREAT_WEIGHTS: [(&str, f64); SIDE_FEATURES + 1] = [
    ("one", 5.0),
    ("two", 15.0),
    ("centre", 3.0),
    ("threat", 20.0),
    ("zugzwang", 60.0),
    ("stacked", 150.0),
    ("decided", 2000.0),
];
// ANCHOR_END: weights

/// Number of features per side.
const SIDE_FEATURES: usize = 6;

fn weight((name, value): (&str, f64)) -> Weight {
    Weight { name: name.into(), value, min: 0.0, max: 4000.0 }
}

/// The score of an open line with one, two and three own stones.
struct Lines([f64; 3]);

impl Evaluation<ConnectFour> for Lines {
    fn evaluate(&self, position: &ConnectFour) -> ForMover<i32> {
        let (own, other) = (position.mover(), position.other());
        let score = |[_, counts @ ..]: [u32; 4]| dot(&self.0, counts.map(f64::from));
        ForMover((score(open_lines(own, other)) - score(open_lines(other, own))).round() as i32)
    }
}

// ANCHOR: evaluation
/// The weights of each side's features, then the score of an immediate win.
struct Threats([f64; SIDE_FEATURES + 1]);

impl Evaluation<ConnectFour> for Threats {
    fn evaluate(&self, position: &ConnectFour) -> ForMover<i32> {
        let [weights @ .., decided] = &self.0;
        let score = |side| dot(weights, features(position, side));
        let difference = score(position.side()) - score(!position.side());
        ForMover((difference + decided * f64::from(immediate_result(position))).round() as i32)
    }
}

/// 1 if the side to move wins at once, -1 if it cannot block all immediate threats.
fn immediate_result(position: &ConnectFour) -> i8 {
    if position.immediate_wins() != 0 {
        return 1;
    }
    if position.immediate_threats().count_ones() > 1 { -1 } else { 0 }
}

/// One side's features, in the order of their weights.
fn features(position: &ConnectFour, side: Side) -> [f64; SIDE_FEATURES] {
    let (own, other) = (position.stones(side), position.stones(!side));
    let [_, one, two, _] = open_lines(own, other);
    let threats = winning_cells(own, position.empty());
    // Under follow-up play the first player gets the odd rows, the second the even ones: a threat of
    // that parity wins by zugzwang.
    let rows = if side == Side::First { ODD_ROWS } else { !ODD_ROWS };
    [
        one,
        two,
        centrality(own),
        threats.count_ones(),
        (threats & rows & !position.landing_cells()).count_ones(),
        (threats & threats << 1).count_ones(),
    ]
    .map(f64::from)
}
// ANCHOR_END: evaluation

/// The sum of the stones' distances from the nearer edge column.
fn centrality(stones: u64) -> u32 {
    let column_sum = |column: Column| {
        let from_edge = column.index().min(COLUMNS - 1 - column.index()) as u32;
        from_edge * (stones & column.mask()).count_ones()
    };
    Column::ALL.into_iter().map(column_sum).sum()
}

fn dot<const N: usize>(weights: &[f64; N], features: [f64; N]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, Rng, StandardRules};

    use super::*;

    fn read(text: &str) -> ConnectFour {
        ConnectFour::parse_position(text, StandardRules).expect("a position")
    }

    #[test]
    fn line_scores_are_relative_to_the_side_to_move() {
        let lines = KINDS[1].hand_tuned();
        let eval = |text| lines.evaluate(&read(text)).0;
        // Seven lines run through the middle of the bottom row, three through its corner.
        assert_eq!(eval("4"), -7 * 2);
        assert_eq!(eval("1"), -3 * 2);
        // The corner stone blocks one line, 1234; the centre stone blocks none of the corner's others.
        assert_eq!(eval("41"), 6 * 2 - 2 * 2);
    }

    #[test]
    fn evaluations_are_symmetric() {
        let mut rng = Rng::seeded(5);
        for kind in KINDS {
            let evaluation = kind.hand_tuned();
            let mut position = ConnectFour::start(StandardRules);
            while let Some(m) = position.random_move(&mut rng) {
                let image = position.transform(1);
                assert_eq!(evaluation.evaluate(&position), evaluation.evaluate(&image));
                position.play(m);
            }
        }
    }

    #[test]
    fn features_of_known_positions() {
        // Red has three in the bottom row with both ends free, and yellow must move.
        let position = read("22334");
        assert_eq!(immediate_result(&position), -1);
        let [_, _, centre, threats, zugzwang, stacked] = features(&position, Side::First);
        assert_eq!([centre, threats, zugzwang, stacked], [6.0, 2.0, 0.0, 0.0]);
        // Yellow has the same, and is to move.
        assert_eq!(immediate_result(&read("1314757")), 1);
        assert_eq!(immediate_result(&read("4")), 0);
    }

    #[test]
    fn only_odd_threats_count_as_zugzwang_for_the_first_player() {
        // Red's threat is in row 3 of column 3, not yet playable; in the second position in row 4.
        for (text, expected) in [("14444226", 1.0), ("47644553", 0.0)] {
            let [.., threats, zugzwang, _] = features(&read(text), Side::First);
            assert_eq!((threats, zugzwang), (1.0, expected), "{text}");
        }
    }
}
