//! Static evaluations: linear combinations of features with named, tunable weights.
//!
//! `lines` counts open lines. `threats` adds odd and even threats (V. Allis, "A Knowledge-based
//! Approach of Connect-Four", 1988): when the second player answers every move in the same column
//! (follow-up), it gets the even rows and the first player the odd ones, so the parity of a threat's
//! row decides who profits from zugzwang.

use tablero_core::{
    Evaluation, EvaluationKind, Explanation, ForMover, Game, Localized, Side, Term, TermCell,
    Weight,
};

use crate::bitboard::{COLUMNS, Column, ODD_ROWS, ROWS, cell as bit_at, open_lines, winning_cells};
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

    fn explain(&self, position: &ConnectFour) -> Explanation {
        let (own, other) = (position.mover(), position.other());
        let [[_, own @ ..], [_, other @ ..]] = [open_lines(own, other), open_lines(other, own)];
        let values =
            own.into_iter().zip(other).map(|(own, other)| f64::from(own) - f64::from(other));
        let terms = LINE_WEIGHTS.iter().zip(LINE_TEXTS).zip(values.zip(self.0));
        let term =
            |((&(name, _), about), (value, weight))| Term::new(name, about, value, weight / 100.0);
        Explanation::new(self.evaluate(position), terms.map(term).collect())
    }
}

const LINE_TEXTS: [Localized; 3] = [
    Localized::new("open lines with one stone", "líneas abiertas con una ficha"),
    Localized::new("open lines with two stones", "líneas abiertas con dos fichas"),
    Localized::new("open lines with three stones", "líneas abiertas con tres fichas"),
];

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

    fn explain(&self, position: &ConnectFour) -> Explanation {
        let [own, other] = [position.side(), !position.side()].map(|side| features(position, side));
        let values = own.iter().zip(other).map(|(own, other)| own - other);
        let values = values.chain([f64::from(immediate_result(position))]);
        let named = THREAT_WEIGHTS.iter().zip(THREAT_TEXTS).zip(THREAT_CELLS);
        let terms =
            named.zip(values.zip(self.0)).map(|(((&(name, _), about), set), (value, weight))| {
                Term::new(name, about, value, weight / 100.0).on(cells(position, set))
            });
        Explanation::new(self.evaluate(position), terms.collect())
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
    let threats = threats(position, side);
    // A threat of the own parity wins by zugzwang.
    let rows = parity_rows(side);
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

/// What the features measure.
const THREAT_TEXTS: [Localized; SIDE_FEATURES + 1] = [
    LINE_TEXTS[0],
    LINE_TEXTS[1],
    Localized::new("distance from the edge columns", "distancia a las columnas de los bordes"),
    Localized::new("cells that complete four", "casillas que completan cuatro"),
    Localized::new("threats that win by zugzwang", "amenazas que ganan por zugzwang"),
    Localized::new("threats one above the other", "amenazas una sobre otra"),
    Localized::new("an immediate win, or two threats", "victoria inmediata, o doble amenaza"),
];

/// The cells that one side's features come from.
type Cells = fn(&ConnectFour, Side) -> u64;
const THREAT_CELLS: [Cells; SIDE_FEATURES + 1] = [
    |_, _| 0,
    |_, _| 0,
    |position, side| position.stones(side),
    threats,
    |position, side| threats(position, side) & parity_rows(side) & !position.landing_cells(),
    |position, side| {
        let threats = threats(position, side);
        let upper = threats & threats << 1;
        upper | upper >> 1
    },
    |position, side| threats(position, side) & position.landing_cells(),
];

fn threats(position: &ConnectFour, side: Side) -> u64 {
    winning_cells(position.stones(side), position.empty())
}

/// The rows that a side gets under follow-up play: the first player the odd ones, the second the even ones.
const fn parity_rows(side: Side) -> u64 {
    match side {
        Side::First => ODD_ROWS,
        Side::Second => !ODD_ROWS,
    }
}

/// The diagram cells of both sides' sets: 1 for the side to move's, -1 for the opponent's.
fn cells(position: &ConnectFour, set: Cells) -> Vec<TermCell> {
    let [own, other] = [position.side(), !position.side()].map(|side| set(position, side));
    let value = |cell: usize| {
        let bit = bit_at(cell % COLUMNS, ROWS - 1 - cell / COLUMNS);
        f64::from(u8::from(own & bit != 0)) - f64::from(u8::from(other & bit != 0))
    };
    let all = (0..COLUMNS * ROWS).map(|cell| TermCell { cell, value: value(cell) });
    all.filter(|cell| cell.value != 0.0).collect()
}

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
