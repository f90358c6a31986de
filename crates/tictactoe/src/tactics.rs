//! Search knowledge: history slots and a line-counting evaluation.

use tablero_core::{
    Evaluation, EvaluationKind, Explanation, ForFirst, ForMover, Game, Localized, Side, Tactics,
    Term, TermCell, Weight,
};

use crate::{LINES, TicTacToe};

impl Tactics for TicTacToe {
    const HISTORY_SLOTS: usize = 9;

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        &[EvaluationKind {
            name: "lines",
            about: Localized {
                en: "lines that a side can still complete, by marks already in them",
                es: "líneas que un bando aún puede completar, según las marcas que ya tienen",
            },
            weights: || {
                ["empty", "one", "two"].into_iter().zip([1.0, 4.0, 16.0]).map(weight).collect()
            },
            build: |weights| Box::new(Lines(std::array::from_fn(|count| weights[count]))),
        }]
    }

    #[inline]
    fn history_slot(&self, square: u8) -> usize {
        usize::from(square)
    }
}

#[inline]
fn weight((name, value): (&str, f64)) -> Weight {
    Weight { name: name.into(), value, min: 0.0, max: 100.0 }
}

/// The score of a line without opposing marks, by the number of own marks on it.
struct Lines([f64; 3]);

impl Lines {
    #[inline]
    fn side_score(&self, position: &TicTacToe, side: Side) -> f64 {
        let (own, other) = (position.squares[side.index()], position.squares[(!side).index()]);
        let open = LINES.iter().filter(|&line| line & other == 0);
        // A completed line has no entry: finished games are never evaluated.
        open.filter_map(|line| self.0.get((line & own).count_ones() as usize)).sum()
    }
}

impl Evaluation<TicTacToe> for Lines {
    #[inline]
    fn evaluate(&self, position: &TicTacToe) -> ForMover<i32> {
        let difference =
            self.side_score(position, Side::First) - self.side_score(position, Side::Second);
        ForFirst(difference.round() as i32).for_mover(position.side())
    }

    fn explain(&self, position: &TicTacToe) -> Explanation {
        let terms =
            TERMS.iter().zip(self.0).enumerate().map(|(count, (&(name, about), weight))| {
                let [own, other] = [position.side(), !position.side()]
                    .map(|side| open_lines(position, side, count));
                let mut cells = [0.0; 9];
                for (lines, sign) in [(&own, 1.0), (&other, -1.0)] {
                    for line in lines {
                        (0..9)
                            .filter(|cell| line >> cell & 1 == 1)
                            .for_each(|cell| cells[cell] += sign);
                    }
                }
                let cells = cells.into_iter().enumerate().filter(|(_, value)| *value != 0.0);
                let cells = cells.map(|(cell, value)| TermCell { cell, value }).collect();
                let value = own.len() as f64 - other.len() as f64;
                Term::new(name, about, value, weight / 100.0).on(cells)
            });
        Explanation::new(self.evaluate(position), terms.collect())
    }
}

const TERMS: [(&str, Localized); 3] = [
    ("empty", Localized::new("lines without marks", "líneas sin marcas")),
    ("one", Localized::new("open lines with one mark", "líneas abiertas con una marca")),
    ("two", Localized::new("open lines with two marks", "líneas abiertas con dos marcas")),
];

/// The lines without opposing marks that have so many own ones.
fn open_lines(position: &TicTacToe, side: Side, count: usize) -> Vec<u16> {
    let (own, other) = (position.squares[side.index()], position.squares[(!side).index()]);
    let open = LINES.iter().copied().filter(|line| line & other == 0);
    open.filter(|line| (line & own).count_ones() as usize == count).collect()
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, StandardRules};

    use super::*;

    #[test]
    fn scores_are_relative_to_the_side_to_move() {
        let evaluation = TicTacToe::evaluations()[0].hand_tuned();
        let eval = |text| {
            let position = TicTacToe::parse_position(text, StandardRules).expect("a position");
            evaluation.evaluate(&position).0
        };
        assert_eq!(eval("x ... ... ..."), 0);
        // Four lines with one mark and four without, against the four that do not cross the centre.
        assert_eq!(eval("o ... .x. ..."), -(4 * 4 + 4 - 4));
        assert_eq!(eval("x xx. ... oo."), eval("o xx. ... oo."));
    }
}
