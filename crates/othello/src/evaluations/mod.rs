//! Static evaluations: linear combinations of features with named, tunable weights.
//!
//! `iago` follows P. Rosenbloom's IAGO (1982): mobility, potential mobility, stable discs and an edge
//! table, with weights interpolated by game phase. `jma` and `sci` are the polynomials of Othello7,
//! `positional` and `discs` the evaluations of "Juego de IA Othello". `bill` is learned from games: the quadratic
//! discriminant of BILL.

mod bill;
mod broad;
mod edges;
mod feature;
mod iago;
mod lines;
mod othello7;
mod phases;
mod squares;

use tablero_core::{Evaluation, EvaluationKind, Explanation, ForMover, Localized, Weight};

use self::feature::Feature;
use crate::Othello;

pub use bill::{Bill, BillFit};
pub use othello7::{jma_features, sci_features};
pub use squares::positional_weight;

/// All evaluations, the default one first.
pub(crate) const KINDS: &[EvaluationKind<Othello>] = &[
    EvaluationKind {
        name: "iago",
        about: Localized::new(
            "mobility, potential mobility, stable discs and edges, weighted by game phase (after \
             IAGO)",
            "movilidad, movilidad potencial, fichas estables y bordes, ponderados según la fase \
             (como IAGO)",
        ),
        weights: iago::weights,
        build: |weights| Box::new(iago::build(weights)),
    },
    EvaluationKind {
        name: "jma",
        about: Localized::new(
            "ten terms: squares, runs from corners, liberties (JMA of Othello7)",
            "diez términos: casillas, hileras desde las esquinas y libertades (JMA de Othello7)",
        ),
        weights: othello7::jma_weights,
        build: |weights| Box::new(Linear::new(jma_features, &othello7::JMA_FEATURES, weights)),
    },
    EvaluationKind {
        name: "sci",
        about: Localized::new(
            "corners, squares next to corners, discs (SCI of Othello7)",
            "esquinas, casillas contiguas a las esquinas y fichas (SCI de Othello7)",
        ),
        weights: othello7::sci_weights,
        build: |weights| Box::new(Linear::new(sci_features, &othello7::SCI_FEATURES, weights)),
    },
    EvaluationKind {
        name: "positional",
        about: Localized::new(
            "piece-square weights (Juego de IA Othello, intermediate and hard)",
            "un peso por clase de casilla (Juego de IA Othello, intermedio y difícil)",
        ),
        weights: squares::positional_weights,
        build: |weights| {
            let terms = &squares::POSITIONAL_FEATURES;
            Box::new(Linear::new(squares::positional_features, terms, weights))
        },
    },
    EvaluationKind {
        name: "discs",
        about: Localized::new(
            "disc difference (Juego de IA Othello, easy)",
            "diferencia de fichas (Juego de IA Othello, fácil)",
        ),
        weights: || vec![weight("discs", 1.0, 10.0)],
        build: |weights| Box::new(Linear::new(squares::disc_features, &[feature::DISCS], weights)),
    },
    EvaluationKind {
        name: "broad",
        about: Localized::new(
            "IAGO's features and fifteen more in five phases: as iago until it is evolved",
            "las características de IAGO y quince más en cinco fases: como iago hasta que \
             evoluciona",
        ),
        weights: broad::weights,
        build: |weights| Box::new(broad::build(weights)),
    },
    EvaluationKind {
        name: "bill",
        about: Localized::new(
            "pattern features combined by a quadratic discriminant into the probability of winning, \
             learned from games (after BILL)",
            "características de patrones combinadas por un discriminante cuadrático en la \
             probabilidad de ganar, aprendido de partidas (como BILL)",
        ),
        weights: bill::weights,
        build: |weights| Box::new(bill::Bill::new(weights)),
    },
];

/// A weight with a symmetric range.
fn weight(name: &str, value: f64, largest: f64) -> Weight {
    Weight { name: name.into(), value, min: -largest, max: largest }
}

/// A linear evaluation: the dot product of features and weights.
struct Linear<const N: usize> {
    features: fn(&Othello) -> [i32; N],
    descriptions: &'static [Feature; N],
    weights: [f64; N],
}

impl<const N: usize> Linear<N> {
    /// `weights` in the order of the kind's list; missing ones count as 0.
    fn new(
        features: fn(&Othello) -> [i32; N],
        descriptions: &'static [Feature; N],
        weights: &[f64],
    ) -> Self {
        debug_assert_eq!(weights.len(), N);
        let weights = std::array::from_fn(|i| weights.get(i).copied().unwrap_or(0.0));
        Self { features, descriptions, weights }
    }
}

impl<const N: usize> Evaluation<Othello> for Linear<N> {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let features = (self.features)(position);
        let sum: f64 = features.iter().zip(self.weights).map(|(f, w)| f64::from(*f) * w).sum();
        ForMover(to_centi_discs(sum))
    }

    fn explain(&self, position: &Othello) -> Explanation {
        let values = (self.features)(position).map(f64::from);
        let terms = feature::terms(position, self.descriptions, &values, &self.weights);
        Explanation::new(self.evaluate(position), terms)
    }
}

/// Converts discs to centi-discs, clamped below the score of a won game. NaN becomes 0.
fn to_centi_discs(sum: f64) -> i32 {
    const MAX: f64 = 900_000.0;
    (sum * 100.0).round().clamp(-MAX, MAX) as i32
}

/// The disc difference on the squares of `set`, for the side to move.
fn difference(position: &Othello, set: u64) -> i32 {
    (position.mover() & set).count_ones() as i32 - (position.other() & set).count_ones() as i32
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, GameType, Rng, StandardRules};

    use super::*;

    /// None but `bill`, which learns what the move is worth, depends on the side to move, so swapping it
    /// negates the score.
    #[test]
    fn evaluations_are_antisymmetric_and_invariant_under_symmetries() {
        let mut rng = Rng::seeded(11);
        let evaluations: Vec<_> = KINDS.iter().map(EvaluationKind::hand_tuned).collect();
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
                let is_antisymmetric = value == -evaluation.evaluate(&swapped);
                assert!(is_antisymmetric || kind.name == "bill", "{} {position:?}", kind.name);
                for symmetry in 0..Othello::SYMMETRIES {
                    let image = position.transform(symmetry);
                    assert_eq!(evaluation.evaluate(&image), value, "{} {position:?}", kind.name);
                }
            }
        }
    }
}
