//! CMA-ES, which learns from each generation in which directions genomes are worth varying.

use serde::{Deserialize, Serialize};
use tablero_genomes::{Gene, GenomeKind, Genomes, Individual};

use super::hall::Hall;
use super::{Scheme, SchemeInfo, SchemeLine, count, number, origin, rng_of};
use crate::cma::{CmaEs, Distribution};
use crate::field::Field;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    SchemeInfo {
        name: "cmaes",
        about: "CMA-ES: learns which directions are worth varying; for genomes of one length",
        options: vec![
            origin(),
            count(
                "population",
                0,
                "0",
                "genomes of a generation; 0: as many as suits their length",
            ),
            count("opponents", 1, "2", "whom each plays: fixed ones, then the hall of fame"),
            count("pairs", 1, "8", "openings against each opponent, played with both colours"),
            number("step", 0.0001, "0.3", "the first deviation, in the scale of each gene"),
            count("hall", 1, "8", "means of earlier generations in the hall of fame"),
        ],
    }
}

pub(super) struct Cmaes {
    options: Options,
    seed: u64,
    genes: Vec<Gene>,
    cma: CmaEs,
    progress: Progress,
}

struct Options {
    population: usize,
    opponents: usize,
    pairs: usize,
    hall: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    distribution: Distribution,
    progress: Progress,
}

/// What is known beside the distribution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Progress {
    generation: u64,
    hall: Hall,
    /// The mean of the distribution, and the mean score of the last generation.
    best: Individual,
    /// The last generation, the best first.
    population: Vec<Individual>,
}

impl Cmaes {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        start: Option<Genomes>,
        state: Option<State>,
    ) -> Result<Self, EvolveError> {
        let genes = kind.genes().unwrap_or_default().to_vec();
        let options = Options {
            population: match line.count("population") {
                0 => 4 + (3.0 * (genes.len() as f64).ln()) as usize,
                given => given.max(2),
            },
            opponents: line.count("opponents"),
            pairs: line.count("pairs"),
            hall: line.count("hall"),
        };
        if let Some(State { distribution, progress }) = state {
            let cma = CmaEs::resume(distribution, genes.len(), options.population);
            let cma = cma.ok_or_else(|| {
                let problem = format!("the checkpoint: genomes have {} numbers, not", genes.len());
                EvolveError::Config(format!("{problem} as many as its distribution"))
            })?;
            return Ok(Self { options, seed, genes, cma, progress });
        }
        let generation = start.as_ref().map_or(0, |genomes| genomes.past.generations);
        let by_hand = kind.by_hand().filter(|_| line.text("from") == "hand");
        let random = || kind.random(&mut rng_of(seed, 0));
        let genome = start.map(|genomes| genomes.best.genome).or(by_hand).unwrap_or_else(random);
        let mean = genes.iter().zip(&genome).map(|(gene, value)| value / gene.scale).collect();
        let cma = CmaEs::new(mean, line.number("step"), options.population);
        let progress = Progress {
            generation,
            hall: Hall::default(),
            best: Individual { fitness: 0.0, genome },
            population: Vec::new(),
        };
        Ok(Self { options, seed, genes, cma, progress })
    }

    /// The genome that a point stands for. Beyond a gene's bounds all points stand for the same genome.
    fn genome(&self, point: &[f64]) -> Vec<f64> {
        self.genes.iter().zip(point).map(|(gene, value)| gene.clamp(value * gene.scale)).collect()
    }
}

impl Scheme for Cmaes {
    fn step(&mut self, field: &mut Field<'_>) -> Result<Generation, EvolveError> {
        let Options { opponents, pairs, hall, .. } = self.options;
        let generation = self.progress.generation + 1;
        let mut rng = rng_of(self.seed, generation);
        let opponents = self.progress.hall.opponents(
            opponents,
            field.fixed_opponents(),
            std::slice::from_ref(&self.progress.best.genome),
            &mut rng,
        );
        let points = self.cma.ask(&mut rng);
        let genomes: Vec<Vec<f64>> = points.iter().map(|point| self.genome(point)).collect();
        let scores = field.scores(&genomes, &opponents, pairs, &mut rng)?;
        self.cma.tell(&points, &scores);
        let fitness = scores.iter().sum::<f64>() / scores.len() as f64;
        let genome = self.genome(self.cma.distribution().mean());
        let measured = genomes.into_iter().zip(scores);
        let mut population: Vec<Individual> =
            measured.map(|(genome, fitness)| Individual { fitness, genome }).collect();
        population.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        let progress = &mut self.progress;
        progress.hall.admit(&genome, hall, &mut rng);
        (progress.generation, progress.best) = (generation, Individual { fitness, genome });
        progress.population = population;
        let members = progress.population.iter().map(|one| Member {
            fitness: one.fitness,
            genome: one.genome.clone(),
            born: generation,
        });
        let sigma = self.cma.distribution().sigma();
        Ok(Generation::of(field.kind, generation, sigma, members.collect()))
    }

    fn state(&self) -> serde_json::Value {
        let distribution = self.cma.distribution().clone();
        let state = State { distribution, progress: self.progress.clone() };
        serde_json::to_value(state).expect("plain data")
    }

    fn population(&self) -> (Individual, Vec<Individual>) {
        (self.progress.best.clone(), self.progress.population.clone())
    }
}
