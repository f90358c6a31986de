use tablero_core::{Evaluation, EvaluationKind, ForFirst, ForMover, Game, Side, Tactics, Weight};

use crate::{LINES, TicTacToe};

impl Tactics for TicTacToe {
    const HISTORY_SLOTS: usize = 9;

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        &[EvaluationKind {
            name: "lines",
            about: "the lines that a side can still complete, by how far it has come",
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

/// What a line without enemy marks is worth, for each number of own marks on it.
struct Lines([f64; 3]);

impl Lines {
    #[inline]
    fn worth(&self, position: &TicTacToe, side: Side) -> f64 {
        let (own, other) = (position.squares[side.index()], position.squares[(!side).index()]);
        let open = LINES.iter().filter(|&line| line & other == 0);
        // A line of three is a game that is over; it is nobody's to evaluate.
        open.filter_map(|line| self.0.get((line & own).count_ones() as usize)).sum()
    }
}

impl Evaluation<TicTacToe> for Lines {
    #[inline]
    fn evaluate(&self, position: &TicTacToe) -> ForMover<i32> {
        let difference = self.worth(position, Side::First) - self.worth(position, Side::Second);
        ForFirst(difference.round() as i32).for_mover(position.side())
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, StandardRules};

    use super::*;

    #[test]
    fn lines_are_counted_for_the_mover() {
        let evaluation = TicTacToe::evaluations()[0].by_hand();
        let worth = |text| {
            let position = TicTacToe::parse_position(text, StandardRules).expect("a position");
            evaluation.evaluate(&position).0
        };
        assert_eq!(worth("x ... ... ..."), 0);
        // Four lines with one mark and four without, against the four that do not cross the centre.
        assert_eq!(worth("o ... .x. ..."), -(4 * 4 + 4 - 4));
        assert_eq!(worth("x xx. ... oo."), worth("o xx. ... oo."));
    }
}
