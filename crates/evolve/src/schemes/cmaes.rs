//! CMA-ES over genomes of fixed length; see [`cma`](crate::cma).
//!
//! The search point of a genome has each gene in units of its scale. Offspring play the fixed opponents and a
//! hall of fame of earlier means; the result is the mean of the distribution.

use serde::{Deserialize, Serialize};
use tablero_core::Localized;
use tablero_genomes::{Gene, GenomeKind, Genomes, Individual};

use super::hall_of_fame::HallOfFame;
use super::{Scheme, SchemeInfo, SchemeLine, count, generation_rng, number, origin};
use crate::cma::{CmaEs, Distribution};
use crate::fitness::FitnessEvaluator;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    SchemeInfo {
        name: "cmaes",
        about: Localized::new(
            "CMA-ES: adapts the covariance of its mutations; for genomes of fixed length",
            "CMA-ES: adapta la covarianza de sus mutaciones; para genomas de longitud fija",
        ),
        options: vec![
            origin(),
            count(
                "lambda",
                0,
                "0",
                Localized::new(
                    "children per generation; 0: 4 + 3 ln n for genomes of length n",
                    "hijos por generación; 0: 4 + 3 ln n para genomas de longitud n",
                ),
            ),
            count(
                "opponents",
                1,
                "2",
                Localized::new(
                    "opponents of each individual: the fixed ones, then the hall of fame",
                    "rivales de cada individuo: los fijos y luego el salón de la fama",
                ),
            ),
            count(
                "pairs",
                1,
                "8",
                Localized::new(
                    "openings per opponent, each played with both colours",
                    "aperturas por rival, cada una con ambos colores",
                ),
            ),
            number(
                "sigma",
                0.0001,
                "0.3",
                Localized::new(
                    "initial step size, in units of each gene's scale",
                    "paso inicial, en la escala de cada gen",
                ),
            ),
            count(
                "hall",
                1,
                "8",
                Localized::new(
                    "means of earlier generations in the hall of fame",
                    "medias de generaciones anteriores en el salón de la fama",
                ),
            ),
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
    lambda: usize,
    opponents: usize,
    pairs: usize,
    hall: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    distribution: Distribution,
    progress: Progress,
}

/// The state besides the distribution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Progress {
    generation: u64,
    hall: HallOfFame,
    /// The mean of the distribution, with the mean score of the last generation.
    best: Individual,
    /// The last generation, the best first.
    population: Vec<Individual>,
}

impl Cmaes {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        initial: Option<Genomes>,
        state: Option<State>,
    ) -> Result<Self, EvolveError> {
        let genes = kind.genes().unwrap_or_default().to_vec();
        let options = Options {
            lambda: match line.count("lambda") {
                0 => 4 + (3.0 * (genes.len() as f64).ln()) as usize,
                given => given.max(2),
            },
            opponents: line.count("opponents"),
            pairs: line.count("pairs"),
            hall: line.count("hall"),
        };
        if let Some(State { distribution, progress }) = state {
            let cma = CmaEs::resume(distribution, genes.len(), options.lambda);
            let cma = cma.ok_or(EvolveError::CheckpointDimension { genes: genes.len() })?;
            return Ok(Self { options, seed, genes, cma, progress });
        }
        let generation = initial.as_ref().map_or(0, |genomes| genomes.provenance.generations);
        let hand_tuned = kind.hand_tuned().filter(|_| line.text("from") == "hand");
        let random = || kind.random(&mut generation_rng(seed, 0));
        let genome =
            initial.map(|genomes| genomes.best.genome).or(hand_tuned).unwrap_or_else(random);
        let mean = genes.iter().zip(&genome).map(|(gene, value)| value / gene.scale).collect();
        let cma = CmaEs::new(mean, line.number("sigma"), options.lambda);
        let progress = Progress {
            generation,
            hall: HallOfFame::default(),
            best: Individual { fitness: 0.0, genome },
            population: Vec::new(),
        };
        Ok(Self { options, seed, genes, cma, progress })
    }

    /// The genome of a search point, clamped to the bounds of the genes.
    fn genome(&self, point: &[f64]) -> Vec<f64> {
        self.genes.iter().zip(point).map(|(gene, value)| gene.clamp(value * gene.scale)).collect()
    }
}

impl Scheme for Cmaes {
    fn step(&mut self, evaluator: &mut FitnessEvaluator<'_>) -> Result<Generation, EvolveError> {
        let Options { opponents, pairs, hall, .. } = self.options;
        let generation = self.progress.generation + 1;
        let mut rng = generation_rng(self.seed, generation);
        let opponents = self.progress.hall.opponents(
            opponents,
            evaluator.fixed_opponents(),
            std::slice::from_ref(&self.progress.best.genome),
            &mut rng,
        );
        let points = self.cma.ask(&mut rng);
        let genomes: Vec<Vec<f64>> = points.iter().map(|point| self.genome(point)).collect();
        let scores = evaluator.evaluate(&genomes, &opponents, pairs, &mut rng)?;
        self.cma.tell(&points, &scores);
        let fitness = scores.iter().sum::<f64>() / scores.len() as f64;
        let genome = self.genome(self.cma.distribution().mean());
        let evaluated = genomes.into_iter().zip(scores);
        let mut population: Vec<Individual> =
            evaluated.map(|(genome, fitness)| Individual { fitness, genome }).collect();
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
        Ok(Generation::new(evaluator.kind, generation, sigma, members.collect()))
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
