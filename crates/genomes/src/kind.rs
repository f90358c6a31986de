//! Genome kinds: how a vector of numbers varies and becomes an evaluation.

use tablero_core::{Evaluation, GameType, Localized, Rng};

use crate::InvalidGenome;

/// A number of a genome with fixed structure.
#[derive(Clone, PartialEq, Debug)]
pub struct Gene {
    /// The name of the weight.
    pub name: String,
    /// The hand-tuned value, if any.
    pub hand_tuned: Option<f64>,
    /// Lower bound.
    pub min: f64,
    /// Upper bound.
    pub max: f64,
    /// The unit of mutations: the size of a significant change.
    pub scale: f64,
}

/// A genome kind whose genomes are evaluations of game `G`.
pub trait TypedGenomeKind<G: GameType>: GenomeKind {
    /// The evaluation of a genome that passed [`check`](GenomeKind::check).
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>>;
}

/// A genome kind, independent of the game: names, validation and the genetic operators.
///
/// A kind with fixed structure only lists its [`genes`](Self::genes) and inherits the operators; one with
/// variable structure implements them.
pub trait GenomeKind: Send + Sync {
    /// The name in files and on the command line.
    fn name(&self) -> &'static str;

    /// A one-sentence description.
    fn about(&self) -> Localized;

    /// The genes, if the structure is fixed.
    fn genes(&self) -> Option<&[Gene]>;

    /// Validates a genome.
    fn check(&self, genome: &[f64]) -> Result<(), InvalidGenome> {
        let genes = self.genes().unwrap_or_default();
        if genome.len() != genes.len() {
            let (kind, found, expected) = (self.name().into(), genome.len(), genes.len());
            return Err(InvalidGenome::Length { kind, found, expected });
        }
        let invalid = genome.iter().zip(genes).find(|(value, _)| !value.is_finite());
        invalid.map_or(Ok(()), |(&value, gene)| {
            Err(InvalidGenome::NotFinite { gene: gene.name.clone(), value })
        })
    }

    /// The names of a genome's numbers.
    fn gene_names(&self, _genome: &[f64]) -> Vec<String> {
        self.genes().unwrap_or_default().iter().map(|gene| gene.name.clone()).collect()
    }

    /// The hand-tuned genome, if any.
    fn hand_tuned(&self) -> Option<Vec<f64>> {
        self.genes()?.iter().map(|gene| gene.hand_tuned).collect()
    }

    /// A random genome.
    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        let genes = self.genes().unwrap_or_default();
        genes.iter().map(|gene| gene.clamp(gene.scale * rng.irwin_hall())).collect()
    }

    /// Gaussian mutation with standard deviation `sigma`, in units of each gene's scale.
    fn mutate(&self, genome: &[f64], sigma: f64, rng: &mut Rng) -> Vec<f64> {
        let genes = self.genes().unwrap_or_default().iter();
        let change = |(gene, value): (&Gene, &f64)| {
            gene.clamp(value + sigma * gene.scale * rng.irwin_hall())
        };
        genes.zip(genome).map(change).collect()
    }

    /// Uniform or intermediate (averaging) recombination, with equal probability.
    fn crossover(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        let blend = rng.below(2) == 0;
        let number = |(a, b): (&f64, &f64)| match rng.below(2) {
            _ if blend => (a + b) / 2.0,
            0 => *a,
            _ => *b,
        };
        a.iter().zip(b).map(number).collect()
    }
}

impl Gene {
    /// The nearest value within the bounds.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }
}
