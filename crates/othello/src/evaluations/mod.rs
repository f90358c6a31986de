//! Hand-made evaluations: named combinations of features, each with a weight that evolution can tune.

mod edges;
mod iago;
mod othello7;
mod squares;

use tablero_core::{Evaluation, EvaluationKind, ForMover, Weight};

use crate::Othello;

pub use othello7::{jma_features, sci_features};
pub use squares::positional_weight;

/// The evaluations there are, the strongest first.
pub(crate) const KINDS: &[EvaluationKind<Othello>] = &[
    EvaluationKind {
        name: "iago",
        about: "mobility, potential mobility, stable discs and edges, weighed by phase (after IAGO)",
        weights: iago::weights,
        build: |weights| Box::new(iago::Iago::new(weights)),
    },
    EvaluationKind {
        name: "jma",
        about: "ten terms of squares, runs from corners and liberties (Othello7's JMA)",
        weights: othello7::jma_weights,
        build: |weights| Box::new(Linear::new(jma_features, weights)),
    },
    EvaluationKind {
        name: "sci",
        about: "corners, squares next to corners, discs (Othello7's SCI)",
        weights: othello7::sci_weights,
        build: |weights| Box::new(Linear::new(sci_features, weights)),
    },
    EvaluationKind {
        name: "positional",
        about: "a weight for each kind of square (Juego de IA Othello, intermediate and hard)",
        weights: squares::positional_weights,
        build: |weights| Box::new(Linear::new(squares::positional_features, weights)),
    },
    EvaluationKind {
        name: "discs",
        about: "difference of discs (Juego de IA Othello, easy)",
        weights: || vec![weight("discs", 1.0, 10.0)],
        build: |weights| Box::new(Linear::new(squares::disc_features, weights)),
    },
];

/// A weight whose sensible range is symmetric.
fn weight(name: &str, value: f64, largest: f64) -> Weight {
    Weight { name: name.into(), value, min: -largest, max: largest }
}

/// Features times weights, and nothing else.
struct Linear<const N: usize> {
    features: fn(&Othello) -> [i32; N],
    weights: [f64; N],
}

impl<const N: usize> Linear<N> {
    /// Missing weights count nothing; there are none if the caller took them from the kind's list.
    fn new(features: fn(&Othello) -> [i32; N], weights: &[f64]) -> Self {
        debug_assert_eq!(weights.len(), N);
        Self { features, weights: std::array::from_fn(|i| weights.get(i).copied().unwrap_or(0.0)) }
    }
}

impl<const N: usize> Evaluation<Othello> for Linear<N> {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let features = (self.features)(position);
        let sum: f64 = features.iter().zip(self.weights).map(|(f, w)| f64::from(*f) * w).sum();
        ForMover(hundredths(sum))
    }
}

/// In hundredths, kept well below the worth of a won game whatever the weights are.
fn hundredths(sum: f64) -> i32 {
    const LARGEST: f64 = 900_000.0;
    // A sum that is not a number (of absurd weights) becomes 0.
    (sum * 100.0).round().clamp(-LARGEST, LARGEST) as i32
}

/// How many more squares of `set` the mover has than the other side.
fn difference(position: &Othello, set: u64) -> i32 {
    (position.mover() & set).count_ones() as i32 - (position.other() & set).count_ones() as i32
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, GameType, Rng, StandardRules};

    use super::*;

    /// The other side's view of a position is the negative of the mover's, for every evaluation
    /// that does not look at who is to move.
    #[test]
    fn views_are_opposite_and_symmetric() {
        let mut rng = Rng::seeded(11);
        let evaluations: Vec<_> = KINDS.iter().map(EvaluationKind::by_hand).collect();
        for _ in 0..200 {
            let mut position = Othello::start(StandardRules);
            for _ in 0..rng.below(55) {
                if let Some(m) = position.random_move(&mut rng) {
                    position.play(m);
                }
            }
            let swapped = Othello::from_discs(
                position.discs(tablero_core::Side::First),
                position.discs(tablero_core::Side::Second),
                !position.side(),
            )
            .expect("the same discs");
            for (kind, evaluation) in KINDS.iter().zip(&evaluations) {
                let value = evaluation.evaluate(&position);
                assert_eq!(value, -evaluation.evaluate(&swapped), "{} {position:?}", kind.name);
                for symmetry in 0..Othello::SYMMETRIES {
                    let image = position.transform(symmetry);
                    assert_eq!(evaluation.evaluate(&image), value, "{} {position:?}", kind.name);
                }
            }
        }
    }
}
