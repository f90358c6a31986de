//! The evaluation window by window, for people.

use std::borrow::Borrow;

use tablero_core::{Evaluation, Explanation, ForMover, Localized, LocalizedString, Term, TermCell};
use tablero_othello::{Othello, Square};

use super::patterns::{LANES, PATTERNS, Window, window};
use super::terms::{NAMES, terms};
use super::weights::ACTIVE;
use super::{DISC, Features, PHASES, Parameters, Weights, phase_of};

/// The patterns' names in Spanish, and what the terms measure.
const SPANISH: [&str; PATTERNS.len()] = [
    "esquina 3x3",
    "borde + 2X",
    "triángulo",
    "bloque del borde",
    "esquina 2x5",
    "flecha",
    "fila 2",
    "fila 3",
    "fila 4",
    "diagonal 8",
    "diagonal 7",
    "diagonal 6",
    "diagonal 5",
];
const TERM_TEXTS: [Localized; NAMES.len()] = [
    Localized::new("mobility", "movilidad"),
    Localized::new("opponent's mobility", "movilidad del rival"),
    Localized::new("potential mobility", "movilidad potencial"),
    Localized::new("opponent's potential mobility", "movilidad potencial del rival"),
    Localized::new("parity of quadrants", "paridad de los cuadrantes"),
];

/// Patterns with these weights as a static evaluation of Othello.
pub struct Patterns<W>(pub W);

impl<W: Borrow<Weights> + Send + Sync + 'static> Evaluation<Othello> for Patterns<W> {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        ForMover(centi_discs(self.0.borrow(), position))
    }

    fn explain(&self, position: &Othello) -> Explanation {
        self.0.borrow().explain(position)
    }
}

impl Weights {
    /// The evaluation term by term: a window is worth the weight of its configuration.
    pub fn explain(&self, position: &Othello) -> Explanation {
        let (player, opponent) = (position.mover(), position.other());
        let phase = phase_of(position.empties().count_ones());
        let active = Parameters::active(player, opponent);
        let values = terms(player, opponent);
        let discs = |place: usize| {
            f64::from(self.parameters().0[phase][active[place] as usize]) / f64::from(DISC)
        };
        let term = |place: usize| match place.checked_sub(LANES) {
            None => window_term(&window(place), discs(place), player, opponent),
            // A table has a weight for every value: the value itself has none.
            Some(term) => {
                let text = TERM_TEXTS[term];
                let about = LocalizedString::new(
                    format!("{}: {}", text.en, values[term]),
                    format!("{}: {}", text.es, values[term]),
                );
                Term::new(NAMES[term], about, 1.0, discs(place))
            }
        };
        let all = (0..ACTIVE).map(term).collect();
        let mut explanation = Explanation::new(ForMover(centi_discs(self, position)), all);
        explanation.facts.push(LocalizedString::new(
            format!("weights of phase {} of {PHASES}", phase + 1),
            format!("pesos de la fase {} de {PHASES}", phase + 1),
        ));
        explanation
    }
}

/// A window's weight counts once.
fn window_term(window: &Window, weight: f64, player: u64, opponent: u64) -> Term {
    let name = |&square: &u8| Square::new(square).map_or_else(String::new, |at| at.to_string());
    let squares = window.squares.iter().map(name).collect::<Vec<_>>().join(" ");
    let pattern = PATTERNS[window.pattern].name;
    let about = LocalizedString::new(
        format!("{pattern}: {squares}"),
        format!("{}: {squares}", SPANISH[window.pattern]),
    );
    // The whole window matters, its empty squares included.
    let value = |square: u8| match (player >> square & 1, opponent >> square & 1) {
        (1, _) => 1.0,
        (_, 1) => -1.0,
        _ => 0.0,
    };
    let cells = window.squares.iter();
    let cells = cells.map(|&square| TermCell { cell: square.into(), value: value(square) });
    // Its ends name a window of a pattern.
    let ends = [window.squares.first(), window.squares.last()];
    let [first, last] = ends.map(|square| square.map_or_else(String::new, name));
    Term::new(format!("{pattern} {first}-{last}"), about, 1.0, weight).on(cells.collect())
}

fn centi_discs(weights: &Weights, position: &Othello) -> i32 {
    let (player, opponent) = (position.mover(), position.other());
    let value = weights.evaluate(&Features::of(player, opponent), player, opponent);
    (f64::from(value) * 100.0 / f64::from(DISC)).round() as i32
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Rng, StandardRules};

    use super::*;

    #[test]
    fn windows_sum_to_the_evaluation() {
        let weights = Weights::embedded();
        for game in 0..20 {
            let mut rng = Rng::for_stream(21, game);
            let mut position = Othello::start(StandardRules);
            while let Some(square) = position.random_move(&mut rng) {
                let explanation = weights.explain(&position);
                let value = f64::from(weights.evaluate(
                    &Features::of(position.mover(), position.other()),
                    position.mover(),
                    position.other(),
                ));
                assert!((explanation.value - value / f64::from(DISC)).abs() < 0.006);
                assert!((explanation.sum() - explanation.value).abs() < 1e-9, "{explanation:?}");
                let is_limited = explanation.terms.iter().any(|term| term.name == "limit");
                assert!(!is_limited || explanation.value.abs() >= 63.0);
                position.play(square);
            }
        }
    }

    #[test]
    fn windows_are_named_by_their_squares() {
        let explanation = Weights::embedded().explain(&Othello::start(StandardRules));
        let first = &explanation.terms[0];
        assert_eq!(first.name, "corner 3x3 a1-c3");
        assert_eq!(first.about.en, "corner 3x3: a1 b1 c1 a2 b2 c2 a3 b3 c3");
        let cells: Vec<usize> = first.cells.iter().map(|cell| cell.cell).collect();
        assert_eq!(cells, [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        let names: std::collections::BTreeSet<_> =
            explanation.terms.iter().map(|term| &term.name).collect();
        assert_eq!(names.len(), explanation.terms.len(), "no two windows are the same");
    }
}
