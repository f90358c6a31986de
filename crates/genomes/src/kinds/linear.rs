//! Weighted evaluations: every evaluation of the game with named weights is a genome kind.

use tablero_core::{Evaluation, EvaluationKind, GameType, Localized};

use crate::{Gene, GenomeKind, TypedGenomeKind};

/// The scale of a small weight is at least this fraction of the mean weight.
const MIN_SCALE: f64 = 0.1;

pub(super) struct Linear<G: GameType> {
    evaluation: &'static EvaluationKind<G>,
    genes: Vec<Gene>,
}

impl<G: GameType> Linear<G> {
    pub(super) fn boxed(evaluation: &'static EvaluationKind<G>) -> Box<dyn TypedGenomeKind<G>> {
        let weights = (evaluation.weights)();
        let mean =
            weights.iter().map(|weight| weight.value.abs()).sum::<f64>() / weights.len() as f64;
        let genes = weights.into_iter().map(|weight| Gene {
            scale: weight.value.abs().max(MIN_SCALE * mean).max(1e-3),
            name: weight.name,
            hand_tuned: Some(weight.value),
            min: weight.min,
            max: weight.max,
        });
        Box::new(Self { evaluation, genes: genes.collect() })
    }
}

impl<G: GameType> TypedGenomeKind<G> for Linear<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        (self.evaluation.build)(genome)
    }
}

impl<G: GameType> GenomeKind for Linear<G> {
    fn name(&self) -> &'static str {
        self.evaluation.name
    }

    fn about(&self) -> Localized {
        self.evaluation.about
    }

    fn genes(&self) -> Option<&[Gene]> {
        Some(&self.genes)
    }
}
