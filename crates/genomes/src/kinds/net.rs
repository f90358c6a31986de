//! A small network with one hidden layer that looks at a position through its game's features.

use std::marker::PhantomData;

use tablero_core::{Evaluation, ForMover, MAX_FEATURES};

use super::growing::{judged, squash};
use crate::{Gene, Genetic, GenomeKind, Kind};

/// Hidden neurons.
const HIDDEN: usize = 8;

pub(super) struct Net<G> {
    genes: Vec<Gene>,
    game: PhantomData<fn() -> G>,
}

/// The numbers, in order: for every hidden neuron a weight for each sense, one for "always on" and
/// one for its way to the output; then from each sense straight to the output, and the output's own.
const fn hidden_size(senses: usize) -> usize {
    senses + 2
}

impl<G: Genetic> Net<G> {
    pub(super) fn boxed() -> Box<dyn Kind<G>> {
        let gene = |name: String| Gene { name, by_hand: None, min: -50.0, max: 50.0, scale: 1.0 };
        let hidden = |neuron: usize| {
            let senses = G::FEATURES.iter().copied().chain(["always", "out"]);
            senses.map(move |sense| gene(format!("n{}-{sense}", neuron + 1)))
        };
        let direct =
            G::FEATURES.iter().copied().chain(["always"]).map(|sense| gene(format!("out-{sense}")));
        let genes = (0..HIDDEN).flat_map(hidden).chain(direct).collect();
        Box::new(Self { genes, game: PhantomData })
    }
}

impl<G: Genetic> Kind<G> for Net<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        Box::new(Built { numbers: genome.iter().map(|&number| number as f32).collect() })
    }
}

impl<G: Genetic> GenomeKind for Net<G> {
    fn name(&self) -> &'static str {
        "net"
    }

    fn about(&self) -> &'static str {
        "a network of 8 hidden neurons over what the game lets it see"
    }

    fn genes(&self) -> Option<&[Gene]> {
        Some(&self.genes)
    }
}

struct Built {
    numbers: Vec<f32>,
}

impl<G: Genetic> Evaluation<G> for Built {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        let senses = G::FEATURES.len();
        let mut seen = [0.0; MAX_FEATURES];
        position.write_features(&mut seen[..senses]);
        let sum = |weights: &[f32]| {
            let products = seen[..senses].iter().zip(weights).map(|(input, weight)| input * weight);
            products.sum::<f32>() + weights[senses]
        };
        let (hidden, direct) = self.numbers.split_at(HIDDEN * hidden_size(senses));
        let neurons = hidden.chunks_exact(hidden_size(senses));
        let out: f32 = neurons.map(|neuron| squash(sum(neuron)) * neuron[senses + 1]).sum();
        judged(out + sum(direct))
    }
}
