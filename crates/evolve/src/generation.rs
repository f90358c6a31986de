//! What is told about a generation: the lines of the job's log, from which curves are drawn.

use serde::{Deserialize, Serialize};
use tablero_genomes::GenomeKind;

/// One generation, as measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// Which, counted from 1 (those of a population that it started from included).
    pub generation: u64,
    /// Games played in it.
    pub games: u64,
    /// Positions looked at in them.
    pub nodes: u64,
    /// How long it took.
    pub seconds: f64,
    /// The fitness of the best.
    pub best: f64,
    /// The mean fitness.
    pub mean: f64,
    /// The fitness of the worst.
    pub worst: f64,
    /// How different the genomes are: the mean deviation of a gene in its scale; of genomes whose
    /// structure varies, the deviation of their lengths.
    pub diversity: f64,
    /// The mean size of mutations, in the genes' scale.
    pub step: f64,
    /// All who were measured, the best first.
    pub population: Vec<Member>,
}

/// A genome as it was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// How well it did.
    pub fitness: f64,
    /// The genome.
    pub genome: Vec<f64>,
    /// The generation in which it was born.
    pub born: u64,
}

impl Generation {
    /// What `population`, the best first, says about itself; games and times are left to others.
    pub(crate) fn of(
        kind: &dyn GenomeKind,
        generation: u64,
        step: f64,
        population: Vec<Member>,
    ) -> Self {
        let fitness = |member: &Member| member.fitness;
        let count = population.len().max(1) as f64;
        Self {
            generation,
            games: 0,
            nodes: 0,
            seconds: 0.0,
            best: population.first().map_or(0.0, fitness),
            mean: population.iter().map(fitness).sum::<f64>() / count,
            worst: population.last().map_or(0.0, fitness),
            diversity: diversity(kind, &population),
            step,
            population,
        }
    }
}

fn diversity(kind: &dyn GenomeKind, population: &[Member]) -> f64 {
    let Some(genes) = kind.genes() else {
        return deviation(population.iter().map(|member| member.genome.len() as f64));
    };
    let of_gene = |place: usize| {
        deviation(population.iter().map(|member| member.genome[place])) / genes[place].scale
    };
    (0..genes.len()).map(of_gene).sum::<f64>() / genes.len().max(1) as f64
}

fn deviation(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = numbers.clone().count().max(1) as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    (numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt()
}
