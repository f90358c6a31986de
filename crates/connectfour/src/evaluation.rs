//! Evaluations: linear combinations of features, each with a weight that can be tuned.

use tablero_core::{Evaluation, EvaluationKind, ForMover, Game, Side, Weight};

use crate::bits::{COLUMNS, Column, ODD_ROWS, open_lines, winning_cells};
use crate::position::ConnectFour;

pub(crate) const KINDS: &[EvaluationKind<ConnectFour>] = &[
    EvaluationKind {
        name: "threats",
        about: "open lines, cells that would complete four, and who profits from them by zugzwang",
        weights: || THREAT_WEIGHTS.map(weight).to_vec(),
        build: |weights| Box::new(Threats(std::array::from_fn(|index| weights[index]))),
    },
    EvaluationKind {
        name: "lines",
        about: "the lines of four that a side can still complete, by how far it has come",
        weights: || LINE_WEIGHTS.map(weight).to_vec(),
        build: |weights| Box::new(Lines(std::array::from_fn(|index| weights[index]))),
    },
];

const LINE_WEIGHTS: [(&str, f64); 3] = [("one", 2.0), ("two", 10.0), ("three", 40.0)];

// ANCHOR: weights
const THREAT_WEIGHTS: [(&str, f64); FEATURES + 1] = [
    ("one", 5.0),
    ("two", 15.0),
    ("centre", 3.0),
    ("threat", 20.0),
    ("zugzwang", 60.0),
    ("stacked", 150.0),
    ("decided", 2000.0),
];
// ANCHOR_END: weights

/// Features of one side.
const FEATURES: usize = 6;

fn weight((name, value): (&str, f64)) -> Weight {
    Weight { name: name.into(), value, min: 0.0, max: 4000.0 }
}

/// What an open line is worth, for one, two and three own stones on it.
struct Lines([f64; 3]);

impl Evaluation<ConnectFour> for Lines {
    fn evaluate(&self, position: &ConnectFour) -> ForMover<i32> {
        let (own, other) = (position.mover(), position.other());
        let worth = |[_, counts @ ..]: [u32; 4]| dot(&self.0, counts.map(f64::from));
        ForMover((worth(open_lines(own, other)) - worth(open_lines(other, own))).round() as i32)
    }
}

// ANCHOR: evaluation
/// The weights of each side's features, then what a win on the next move is worth.
struct Threats([f64; FEATURES + 1]);

impl Evaluation<ConnectFour> for Threats {
    fn evaluate(&self, position: &ConnectFour) -> ForMover<i32> {
        let [weights @ .., decided] = &self.0;
        let worth = |side| dot(weights, features(position, side));
        let difference = worth(position.side()) - worth(!position.side());
        ForMover((difference + decided * f64::from(next_win(position))).round() as i32)
    }
}

/// 1 if the side to move wins at once, -1 if it cannot stop the other from doing so.
fn next_win(position: &ConnectFour) -> i8 {
    if position.wins() != 0 {
        return 1;
    }
    if position.threats().count_ones() > 1 { -1 } else { 0 }
}

/// One side's features, in the order of their weights.
fn features(position: &ConnectFour, side: Side) -> [f64; FEATURES] {
    let (own, other) = (position.stones(side), position.stones(!side));
    let [_, one, two, _] = open_lines(own, other);
    let threats = winning_cells(own, position.free());
    // When nobody wants to move first in the columns that are left, the first player gets the odd
    // rows and the second the even ones: a threat there decides the game in the end.
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

/// The sum over all stones of how far they are from the edge.
fn centrality(stones: u64) -> u32 {
    let weighed = |column: Column| {
        let from_edge = column.index().min(COLUMNS - 1 - column.index()) as u32;
        from_edge * (stones & column.cells()).count_ones()
    };
    Column::ALL.into_iter().map(weighed).sum()
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
    fn lines_are_counted_for_the_mover() {
        let lines = KINDS[1].by_hand();
        let worth = |text| lines.evaluate(&read(text)).0;
        // Seven lines run through the middle of the bottom row, three through its corner.
        assert_eq!(worth("4"), -7 * 2);
        assert_eq!(worth("1"), -3 * 2);
        // The corner takes one line away: 1234. 4 itself is on none of the corner's others.
        assert_eq!(worth("41"), 6 * 2 - 2 * 2);
    }

    #[test]
    fn mirrored_positions_are_worth_the_same() {
        let mut rng = Rng::seeded(5);
        for kind in KINDS {
            let evaluation = kind.by_hand();
            let mut position = ConnectFour::start(StandardRules);
            while let Some(m) = position.random_move(&mut rng) {
                let image = position.transform(1);
                assert_eq!(evaluation.evaluate(&position), evaluation.evaluate(&image));
                position.play(m);
            }
        }
    }

    #[test]
    fn features_by_hand() {
        // Red has three in the bottom row with both ends free, and yellow must move.
        let position = read("22334");
        assert_eq!(next_win(&position), -1);
        let [_, _, centre, threats, zugzwang, stacked] = features(&position, Side::First);
        assert_eq!([centre, threats, zugzwang, stacked], [6.0, 2.0, 0.0, 0.0]);
        // Yellow has the same, and is to move.
        assert_eq!(next_win(&read("1314757")), 1);
        assert_eq!(next_win(&read("4")), 0);
    }

    #[test]
    fn odd_threats_are_for_the_first_player() {
        // Red completes four with the third cell of column 3, which nobody can reach yet; then with
        // the fourth one.
        for (text, expected) in [("14444226", 1.0), ("47644553", 0.0)] {
            let [.., threats, zugzwang, _] = features(&read(text), Side::First);
            assert_eq!((threats, zugzwang), (1.0, expected), "{text}");
        }
    }
}
