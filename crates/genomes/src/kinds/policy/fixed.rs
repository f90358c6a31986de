//! Fixed structure: one fully connected hidden layer, about as many integers as a marker-based chromosome.

use std::marker::PhantomData;

use tablero_core::{Evaluation, Localized, Rng};

use super::super::growing::softsign;
use super::{Policy, PolicyNetwork, WEIGHT_UNIT, inputs};
use crate::{Evolvable, Gene, GenomeKind, InvalidGenome, TypedGenomeKind};

/// Hidden neurons.
const HIDDEN: usize = 24;

pub(in super::super) struct Fixed<G>(PhantomData<fn() -> G>);

impl<G: Evolvable> Fixed<G> {
    pub(in super::super) fn boxed() -> Box<dyn TypedGenomeKind<G>> {
        Box::new(Self(PhantomData))
    }

    /// Per hidden neuron: its bias, the weights of the inputs and those to the outputs.
    const GENES: usize = HIDDEN * (1 + inputs::<G>() + G::SQUARES);
}

impl<G: Evolvable> TypedGenomeKind<G> for Fixed<G> {
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>> {
        let weights = genome.iter().map(|&gene| gene as f32 / WEIGHT_UNIT).collect();
        Box::new(Policy(Layers { inputs: inputs::<G>(), weights }))
    }
}

impl<G: Evolvable> GenomeKind for Fixed<G> {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn about(&self) -> Localized {
        Localized::new(
            "a network of fixed structure (24 hidden neurons) that sees the raw board and rates \
             moves; use it with greedy",
            "una red de estructura fija (24 neuronas ocultas) que ve el tablero y puntúa las \
             jugadas; úsese con greedy",
        )
    }

    fn genes(&self) -> Option<&[Gene]> {
        None
    }

    fn check(&self, genome: &[f64]) -> Result<(), InvalidGenome> {
        super::check(genome)?;
        if genome.len() == Self::GENES {
            return Ok(());
        }
        let (kind, found, expected) = (self.name().into(), genome.len(), Self::GENES);
        Err(InvalidGenome::Length { kind, found, expected })
    }

    fn gene_names(&self, genome: &[f64]) -> Vec<String> {
        super::gene_names(genome)
    }

    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        super::random(Self::GENES, rng)
    }

    fn mutate(&self, genome: &[f64], sigma: f64, rng: &mut Rng) -> Vec<f64> {
        super::mutate(genome, sigma, rng)
    }

    fn crossover(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        super::two_point_crossover(a, b, rng)
    }
}

struct Layers {
    inputs: usize,
    weights: Vec<f32>,
}

impl PolicyNetwork for Layers {
    fn rate(&self, inputs: &[f32], ratings: &mut [f32]) {
        for neuron in self.weights.chunks_exact(1 + self.inputs + ratings.len()) {
            let (own, outgoing) = neuron.split_at(1 + self.inputs);
            let products = own[1..].iter().zip(inputs).map(|(weight, input)| weight * input);
            let value = softsign(own[0] + products.sum::<f32>());
            for (rating, weight) in ratings.iter_mut().zip(outgoing) {
                *rating += value * weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{ForMover, Game, StandardRules};
    use tablero_tictactoe::TicTacToe;

    use super::*;

    /// One neuron looks at the opponent's piece in the centre and recommends the first corner.
    #[test]
    fn rates_moves_by_hand() {
        let kind = Fixed::<TicTacToe>(PhantomData);
        let mut genome = vec![0.0; Fixed::<TicTacToe>::GENES];
        genome[1 + 9 + 4] = 32.0;
        genome[1 + 18] = 64.0;
        assert_eq!(kind.check(&genome), Ok(()));
        let evaluation = kind.build(&genome);
        let before = TicTacToe::start(StandardRules).after(4);
        // softsign(1) * 2 = 1, for the side that moved.
        assert_eq!(evaluation.evaluate_after(&before, 0, &before.after(0)), ForMover(-1000));
        assert_eq!(evaluation.evaluate_after(&before, 1, &before.after(1)), ForMover(0));
        assert_eq!(evaluation.evaluate(&before), ForMover(1000));
        assert!(evaluation.is_policy());
        genome.pop();
        assert!(matches!(kind.check(&genome), Err(InvalidGenome::Length { .. })));
    }
}
