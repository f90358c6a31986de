//! A feed-forward network over the game's features: one hidden layer of softsign neurons, plus direct
//! connections from the features to the output.

use std::marker::PhantomData;

use tablero_core::{Evaluation, Explanation, ForMover, Localized, MAX_FEATURES, Term};

use super::growing::{UNITS, bias_text, neuron_text, softsign, to_centi_units};
use crate::{Evolvable, Gene, GenomeKind, TypedGenomeKind};

/// Hidden neurons.
const HIDDEN: usize = 8;

pub(super) struct Net<G> {
    genes: Vec<Gene>,
    game: PhantomData<fn() -> G>,
}

/// The genes of a hidden neuron: the weights of the features, its bias and its output weight. After those of
/// all neurons follow the direct weights of the features and the output's bias.
const fn neuron_size(features: usize) -> usize {
    features + 2
}

impl<G: Evolvable> Net<G> {
    pub(super) fn boxed() -> Box<dyn TypedGenomeKind<G>> {
        let gene =
            |name: String| Gene { name, hand_tuned: None, min: -50.0, max: 50.0, scale: 1.0 };
        let hidden = |neuron: usize| {
            let inputs = G::FEATURES.iter().copied().chain(["bias", "out"]);
            inputs.map(move |input| gene(format!("n{}-{input}", neuron + 1)))
        };
        let direct =
            G::FEATURES.iter().copied().chain(["bias"]).map(|input| gene(format!("out-{input}")));
        let genes = (0..HIDDEN).flat_map(hidden).chain(direct).collect();
        Box::new(Self { genes, game: PhantomData })
    }
}

impl<G: Evolvable> TypedGenomeKind<G> for Net<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        Box::new(NetEvaluation { weights: genome.iter().map(|&weight| weight as f32).collect() })
    }
}

impl<G: Evolvable> GenomeKind for Net<G> {
    fn name(&self) -> &'static str {
        "net"
    }

    fn about(&self) -> Localized {
        Localized::new(
            "a network with 8 hidden neurons over the game's features",
            "una red con 8 neuronas ocultas sobre las características del juego",
        )
    }

    fn genes(&self) -> Option<&[Gene]> {
        Some(&self.genes)
    }
}

struct NetEvaluation {
    weights: Vec<f32>,
}

impl<G: Evolvable> Evaluation<G> for NetEvaluation {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        let count = G::FEATURES.len();
        let mut features = [0.0; MAX_FEATURES];
        position.write_features(&mut features[..count]);
        let sum = |weights: &[f32]| {
            let products = features[..count].iter().zip(weights).map(|(x, weight)| x * weight);
            products.sum::<f32>() + weights[count]
        };
        let (hidden, direct) = self.weights.split_at(HIDDEN * neuron_size(count));
        let neurons = hidden.chunks_exact(neuron_size(count));
        let out: f32 = neurons.map(|neuron| softsign(sum(neuron)) * neuron[count + 1]).sum();
        to_centi_units(out + sum(direct))
    }

    /// The inputs of the output: features directly, then neurons.
    fn explain(&self, position: &G) -> Explanation {
        let count = G::FEATURES.len();
        let mut features = [0.0; MAX_FEATURES];
        position.write_features(&mut features[..count]);
        let (hidden, direct) = self.weights.split_at(HIDDEN * neuron_size(count));
        let term = |name: String, about, value: f32, weight: f32| {
            Term::new(name, about, f64::from(value), UNITS * f64::from(weight))
        };
        let mut terms: Vec<Term> = (0..count)
            .map(|i| term(G::FEATURES[i].into(), G::feature_text(i), features[i], direct[i]))
            .collect();
        terms.push(term("bias".into(), bias_text(), 1.0, direct[count]));
        for (number, neuron) in (1..).zip(hidden.chunks_exact(neuron_size(count))) {
            let products = features[..count].iter().zip(neuron).map(|(x, weight)| x * weight);
            let value = softsign(products.sum::<f32>() + neuron[count]);
            terms.push(term(format!("n{number}"), neuron_text(number), value, neuron[count + 1]));
        }
        Explanation::new(Evaluation::<G>::evaluate(self, position), terms)
    }
}
