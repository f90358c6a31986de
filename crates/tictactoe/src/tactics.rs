//! Search knowledge: history slots and a line-counting evaluation.

use tablero_core::{
    Evaluation, EvaluationKind, ForFirst, ForMover, Game, Localized, Side, Tactics, Weight,
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
