//! The record of a generation: a line of the job's log.

use serde::{Deserialize, Serialize};
use tablero_genomes::GenomeKind;

/// An evaluated generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Generation {
    /// Number from 1, counting those of the initial population.
    pub generation: u64,
    /// Games played in it.
    pub games: u64,
    /// Nodes searched in them.
    pub nodes: u64,
    /// Run time.
    pub seconds: f64,
    /// Best fitness.
    pub best: f64,
    /// Mean fitness.
    pub mean: f64,
    /// Worst fitness.
    pub worst: f64,
    /// Mean standard deviation of a gene in units of its scale; for genomes of variable structure, the
    /// standard deviation of their lengths.
    pub diversity: f64,
    /// Mean mutation strength, in units of the genes' scales.
    pub sigma: f64,
    /// All evaluated members, the best first.
    pub population: Vec<Member>,
}

/// A member of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its fitness.
    pub fitness: f64,
    /// The genome.
    pub genome: Vec<f64>,
    /// The generation that created it.
    pub born: u64,
}

impl Generation {
    /// The statistics of `population`, the best first, without games and time.
    pub(crate) fn new(
        kind: &dyn GenomeKind,
        generation: u64,
        sigma: f64,
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
            sigma,
            population,
        }
    }
}

fn diversity(kind: &dyn GenomeKind, population: &[Member]) -> f64 {
    let Some(genes) = kind.genes() else {
        return stddev(population.iter().map(|member| member.genome.len() as f64));
    };
    let of_gene = |index: usize| {
        stddev(population.iter().map(|member| member.genome[index])) / genes[index].scale
    };
    (0..genes.len()).map(of_gene).sum::<f64>() / genes.len().max(1) as f64
}

fn stddev(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = numbers.clone().count().max(1) as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    (numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt()
}
