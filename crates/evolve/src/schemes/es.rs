//! A (mu + lambda) evolution strategy with crossover and self-adaptive mutation.
//!
//! Every generation evaluates mu parents and lambda children on the same openings (each with both colours)
//! against the same opponents: the fixed ones and a hall of fame. Fitness is noisy, so only the advantage
//! over the mean of the same generation counts; a parent's earlier measurements are discounted but kept, and
//! few measurements are shrunk towards the mean. Parents are chosen by binary tournament, survivors by
//! truncation. Each individual has its own mutation strength sigma, which mutates log-normally. At the end
//! parents and hall of fame meet in a playoff.

use serde::{Deserialize, Serialize};
use tablero_core::{Localized, OptionValues, Rng};
use tablero_genomes::{GenomeKind, Genomes, Individual};

use super::hall_of_fame::HallOfFame;
use super::{Scheme, SchemeInfo, SchemeLine, count, generation_rng, number, option, origin};
use crate::fitness::FitnessEvaluator;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    let fraction = || OptionValues::Number { min: 0.0, max: 1.0 };
    SchemeInfo {
        name: "es",
        about: Localized::new(
            "(mu + lambda) evolution strategy: paired openings, crossover, self-adaptive mutation, \
             hall of fame",
            "estrategia evolutiva (mu + lambda): aperturas por pares, cruce, mutación \
             autoadaptativa y salón de la fama",
        ),
        options: vec![
            origin(),
            count(
                "mu",
                2,
                "8",
                Localized::new(
                    "parents that survive each generation",
                    "padres que sobreviven a cada generación",
                ),
            ),
            count(
                "lambda",
                1,
                "16",
                Localized::new("children per generation", "hijos por generación"),
            ),
            count(
                "opponents",
                1,
                "3",
                Localized::new(
                    "opponents of each individual: the fixed ones, then the hall of fame",
                    "rivales de cada individuo: los fijos y luego el salón de la fama",
                ),
            ),
            count(
                "pairs",
                1,
                "4",
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
                    "initial mutation strength, in units of each gene's scale",
                    "fuerza inicial de las mutaciones, en la escala de cada gen",
                ),
            ),
            option(
                "crossover",
                fraction(),
                "0.7",
                Localized::new("crossover probability", "probabilidad de cruce"),
            ),
            option(
                "discount",
                fraction(),
                "0.5",
                Localized::new(
                    "discount of earlier fitness measurements per generation",
                    "descuento por generación de las medidas de aptitud anteriores",
                ),
            ),
            count(
                "hall",
                1,
                "16",
                Localized::new("size of the hall of fame", "tamaño del salón de la fama"),
            ),
            count(
                "playoff",
                1,
                "32",
                Localized::new(
                    "openings per opponent in the final playoff",
                    "aperturas por rival en el desempate final",
                ),
            ),
        ],
    }
}

/// Bounds of the mutation strength.
const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 0.005..=3.0;
/// Members of the hall of fame in the playoff.
const FINALISTS: usize = 4;

pub(super) struct EvolutionStrategy {
    options: Options,
    seed: u64,
    state: State,
}

struct Options {
    mu: usize,
    lambda: usize,
    opponents: usize,
    pairs: usize,
    crossover: f64,
    discount: f64,
    hall: usize,
    playoff: usize,
    /// Learning rate of self-adaptation.
    tau: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    generation: u64,
    /// The best first.
    parents: Vec<Candidate>,
    hall: HallOfFame,
    /// The winner of the playoff.
    winner: Option<Individual>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Candidate {
    genome: Vec<f64>,
    /// Its mutation strength.
    sigma: f64,
    /// The last measured score.
    score: f64,
    /// Discounted mean advantage over the generation's mean score.
    advantage: f64,
    /// Discounted number of measurements.
    weight: f64,
    born: u64,
}

impl Candidate {
    const fn new(genome: Vec<f64>, sigma: f64, born: u64) -> Self {
        Self { genome, sigma, score: 0.0, advantage: 0.0, weight: 0.0, born }
    }

    /// The advantage, shrunk towards 0 if there are few measurements.
    fn shrunk_advantage(&self) -> f64 {
        self.advantage * self.weight / (self.weight + 1.0)
    }

    fn member(&self) -> Member {
        Member { fitness: self.score, genome: self.genome.clone(), born: self.born }
    }
}

impl EvolutionStrategy {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        initial: Option<Genomes>,
        state: Option<State>,
    ) -> Self {
        let genes = kind.genes().map_or(20, <[_]>::len).max(1) as f64;
        let options = Options {
            mu: line.count("mu"),
            lambda: line.count("lambda"),
            opponents: line.count("opponents"),
            pairs: line.count("pairs"),
            crossover: line.number("crossover"),
            discount: line.number("discount"),
            hall: line.count("hall"),
            playoff: line.count("playoff"),
            tau: (1.0 / genes.sqrt()).max(0.15),
        };
        let hand_tuned = kind.hand_tuned().filter(|_| line.text("from") == "hand");
        let first = || {
            let mut rng = generation_rng(seed, 0);
            let generation = initial.as_ref().map_or(0, |genomes| genomes.provenance.generations);
            let known: Vec<Vec<f64>> = match initial {
                Some(genomes) => {
                    let all = std::iter::once(genomes.best).chain(genomes.population);
                    all.map(|individual| individual.genome).collect()
                }
                None => hand_tuned.into_iter().collect(),
            };
            let sigma = line.number("sigma");
            let genome = |index: usize, rng: &mut Rng| match known.first() {
                _ if index < known.len() => known[index].clone(),
                Some(ancestor) => kind.mutate(ancestor, sigma, rng),
                None => kind.random(rng),
            };
            let parents = (0..options.mu)
                .map(|index| Candidate::new(genome(index, &mut rng), sigma, generation))
                .collect();
            State { generation, parents, hall: HallOfFame::default(), winner: None }
        };
        let state = state.unwrap_or_else(first);
        Self { options, seed, state }
    }

    fn offspring(&self, kind: &dyn GenomeKind, generation: u64, rng: &mut Rng) -> Candidate {
        let parents = &self.state.parents;
        // Binary tournament selection: parents are sorted, the best first.
        let count = parents.len() as u64;
        let mut select = || rng.below(count).min(rng.below(count)) as usize;
        let (a, b) = (&parents[select()], &parents[select()]);
        let (genome, sigma) = if rng.unit() < self.options.crossover {
            (kind.crossover(&a.genome, &b.genome, rng), (a.sigma * b.sigma).sqrt())
        } else {
            (a.genome.clone(), a.sigma)
        };
        let sigma = sigma * (self.options.tau * rng.irwin_hall()).exp();
        let sigma = sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end());
        Candidate::new(kind.mutate(&genome, sigma, rng), sigma, generation)
    }

    fn genomes(&self) -> Vec<Vec<f64>> {
        self.state.parents.iter().map(|parent| parent.genome.clone()).collect()
    }
}

impl Scheme for EvolutionStrategy {
    fn step(&mut self, evaluator: &mut FitnessEvaluator<'_>) -> Result<Generation, EvolveError> {
        let options = &self.options;
        let generation = self.state.generation + 1;
        let mut rng = generation_rng(self.seed, generation);
        let children =
            (0..options.lambda).map(|_| self.offspring(evaluator.kind, generation, &mut rng));
        let children: Vec<Candidate> = children.collect();
        let mut all: Vec<Candidate> = self.state.parents.iter().cloned().chain(children).collect();
        let opponents = self.state.hall.opponents(
            options.opponents,
            evaluator.fixed_opponents(),
            &self.genomes(),
            &mut rng,
        );
        let genomes: Vec<Vec<f64>> = all.iter().map(|candidate| candidate.genome.clone()).collect();
        let scores = evaluator.evaluate(&genomes, &opponents, options.pairs, &mut rng)?;
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        // Deterministic fitness needs no averaging.
        let discount = if evaluator.is_deterministic() { 0.0 } else { options.discount };
        for (candidate, score) in all.iter_mut().zip(scores) {
            let old = candidate.weight * discount;
            candidate.advantage = (old * candidate.advantage + score - mean) / (old + 1.0);
            candidate.weight = old + 1.0;
            candidate.score = score;
        }
        all.sort_by(|a, b| b.shrunk_advantage().total_cmp(&a.shrunk_advantage()));
        let sigma = all.iter().map(|candidate| candidate.sigma).sum::<f64>() / all.len() as f64;
        let mut evaluated: Vec<Member> = all.iter().map(Candidate::member).collect();
        evaluated.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        all.truncate(options.mu);
        self.state.hall.admit(&all[0].genome, options.hall, &mut rng);
        (self.state.parents, self.state.generation) = (all, generation);
        Ok(Generation::new(evaluator.kind, generation, sigma, evaluated))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).expect("plain data")
    }

    fn population(&self) -> (Individual, Vec<Individual>) {
        let individual = |candidate: &Candidate| Individual {
            fitness: candidate.score,
            genome: candidate.genome.clone(),
        };
        let population: Vec<Individual> = self.state.parents.iter().map(individual).collect();
        let best = self.state.winner.clone().unwrap_or_else(|| population[0].clone());
        (best, population)
    }

    fn finish(&mut self, evaluator: &mut FitnessEvaluator<'_>) -> Result<(), EvolveError> {
        if evaluator.is_deterministic() {
            return Ok(());
        }
        let mut rng = generation_rng(!self.seed, self.state.generation);
        let mut pool = self.genomes();
        for genome in self.state.hall.newest().take(FINALISTS) {
            if !pool.contains(genome) {
                pool.push(genome.clone());
            }
        }
        let opponents = self.state.hall.opponents(
            self.options.opponents,
            evaluator.fixed_opponents(),
            &pool,
            &mut rng,
        );
        let scores = evaluator.evaluate(&pool, &opponents, self.options.playoff, &mut rng)?;
        let ranked = scores.into_iter().zip(pool).max_by(|a, b| a.0.total_cmp(&b.0));
        self.state.winner = ranked.map(|(fitness, genome)| Individual { fitness, genome });
        Ok(())
    }
}
