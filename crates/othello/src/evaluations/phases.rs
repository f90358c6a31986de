//! Weights interpolated between game phases.

use tablero_core::{Evaluation, Explanation, ForMover, LocalizedString, Weight};

use super::feature::{self, Feature};
use super::to_centi_discs;
use crate::Othello;

/// A linear evaluation whose weights depend on the number of empty squares: given at equally spaced phases from
/// 60 empty squares to none, and interpolated in between.
pub(super) struct Phased<const N: usize> {
    features: fn(&Othello) -> [f64; N],
    descriptions: Vec<Feature>,
    by_empties: Vec<[f64; N]>,
}

impl<const N: usize> Phased<N> {
    /// `weights` phase by phase; missing ones count as 0.
    pub(super) fn new(
        features: fn(&Othello) -> [f64; N],
        descriptions: Vec<Feature>,
        phases: usize,
        weights: &[f64],
    ) -> Self {
        debug_assert_eq!(descriptions.len(), N);
        let at =
            |phase: usize, feature: usize| weights.get(phase * N + feature).copied().unwrap_or(0.0);
        let interpolated = |empties: usize| {
            let progress = (60 - empties.min(60)) as f64 * (phases - 1) as f64 / 60.0;
            let phase = (progress as usize).min(phases - 2);
            let fraction = progress - phase as f64;
            std::array::from_fn(|feature| {
                at(phase, feature) * (1.0 - fraction) + at(phase + 1, feature) * fraction
            })
        };
        Self { features, descriptions, by_empties: (0..=64).map(interpolated).collect() }
    }
}

impl<const N: usize> Evaluation<Othello> for Phased<N> {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let weights = &self.by_empties[position.empties().count_ones() as usize];
        let features = (self.features)(position);
        let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        ForMover(to_centi_discs(sum))
    }

    fn explain(&self, position: &Othello) -> Explanation {
        let empties = position.empties().count_ones();
        let (values, weights) = ((self.features)(position), &self.by_empties[empties as usize]);
        let terms = feature::terms(position, &self.descriptions, &values, weights);
        let mut explanation = Explanation::new(self.evaluate(position), terms);
        explanation.facts.push(LocalizedString::new(
            format!("weights interpolated for {empties} empty squares"),
            format!("pesos interpolados para {empties} casillas vacías"),
        ));
        explanation
    }
}

/// The weights of all phases, named `PHASE-FEATURE`.
pub(super) fn weights(
    phases: &[&str],
    features: &[&str],
    value: impl Fn(usize, usize) -> f64,
) -> Vec<Weight> {
    let mut weights = Vec::new();
    for (phase, phase_name) in phases.iter().enumerate() {
        for (feature, name) in features.iter().enumerate() {
            let name = format!("{phase_name}-{name}");
            weights.push(Weight { name, value: value(phase, feature), min: -50.0, max: 50.0 });
        }
    }
    weights
}
