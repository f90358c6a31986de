//! CMA-ES, which learns from each generation in which directions genomes are worth varying.
//!
//! The algorithm is that of the crate `cmaes`; here it is only fed. It asks for one genome at a time
//! and waits for its score, so it runs in a thread of its own. It cannot be saved; but it always asks
//! the same when it is told the same, so an evolution that goes on tells it again what was measured.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use cmaes::{CMAESOptions, DVector, Mode, TerminationReason};
use serde::{Deserialize, Serialize};
use tablero_catalog::Catalogued;
use tablero_genomes::{Gene, Genomes, Individual, Kind};

use super::hall::Hall;
use super::{Scheme, SchemeInfo, SchemeLine, count, number, origin, rng_of};
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
    sampler: Sampler,
    state: State,
    /// The last generation, the best first.
    population: Vec<Individual>,
}

struct Options {
    population: usize,
    opponents: usize,
    pairs: usize,
    hall: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    generation: u64,
    /// What the sampler was told, generation by generation.
    told: Vec<Vec<f64>>,
    hall: Hall,
    /// The mean of the distribution, and the mean score of the last generation.
    best: Individual,
}

impl Cmaes {
    pub(super) fn new<G: Catalogued>(
        line: &SchemeLine,
        kind: &dyn Kind<G>,
        seed: u64,
        start: Option<Genomes>,
        state: Option<State>,
    ) -> Result<Self, EvolveError> {
        let genes = kind.genes().unwrap_or_default().to_vec();
        let suitable = 4 + (3.0 * (genes.len() as f64).ln()) as usize;
        let options = Options {
            population: match line.count("population") {
                0 => suitable,
                given => given.max(2),
            },
            opponents: line.count("opponents"),
            pairs: line.count("pairs"),
            hall: line.count("hall"),
        };
        let generation = start.as_ref().map_or(0, |genomes| genomes.past.generations);
        let by_hand = kind.by_hand().filter(|_| line.text("from") == "hand");
        let random = || kind.random(&mut rng_of(seed, 0));
        let first = start.map(|genomes| genomes.best.genome).or(by_hand).unwrap_or_else(random);
        let scaled = genes.iter().zip(&first).map(|(gene, value)| value / gene.scale).collect();
        let sampler = Sampler::start(scaled, line.number("step"), options.population, seed);
        let new = State {
            generation,
            told: Vec::new(),
            hall: Hall::default(),
            best: Individual { fitness: 0.0, genome: first },
        };
        let state = state.unwrap_or(new);
        let mut scheme = Self { options, seed, genes, sampler, state, population: Vec::new() };
        scheme.tell_again()?;
        Ok(scheme)
    }

    /// Brings a new sampler to where the old one was.
    fn tell_again(&mut self) -> Result<(), EvolveError> {
        for scores in self.state.told.clone() {
            let mut asked = Vec::new();
            for score in &scores {
                asked.push(self.unscaled(&self.sampler.ask()?));
                self.sampler.tell(*score);
            }
            self.sampler.end_of_generation()?;
            self.population = ranked(asked, &scores);
        }
        Ok(())
    }

    /// The genome that a point stands for.
    fn unscaled(&self, point: &[f64]) -> Vec<f64> {
        self.genes.iter().zip(point).map(|(gene, value)| gene.clamp(value * gene.scale)).collect()
    }
}

fn ranked(genomes: Vec<Vec<f64>>, scores: &[f64]) -> Vec<Individual> {
    let pairs = genomes.into_iter().zip(scores);
    let mut individuals: Vec<Individual> =
        pairs.map(|(genome, &fitness)| Individual { fitness, genome }).collect();
    individuals.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
    individuals
}

impl<G: Catalogued> Scheme<G> for Cmaes {
    fn step(&mut self, field: &mut Field<'_, G>) -> Result<Generation, EvolveError> {
        let generation = self.state.generation + 1;
        let mut rng = rng_of(self.seed, generation);
        let opponents = self.state.hall.opponents(
            self.options.opponents,
            field.fixed_opponents(),
            std::slice::from_ref(&self.state.best.genome),
            &mut rng,
        );
        let (mut asked, mut scores) = (Vec::new(), Vec::new());
        for _ in 0..self.options.population {
            let genome = self.unscaled(&self.sampler.ask()?);
            // Everyone plays the same games: a copy of the generator each time.
            let (one, rng) = (std::slice::from_ref(&genome), &mut rng.clone());
            let score = field.scores(one, &opponents, self.options.pairs, rng)?[0];
            self.sampler.tell(score);
            asked.push(genome);
            scores.push(score);
        }
        let (mean, step) = self.sampler.end_of_generation()?;
        let fitness = scores.iter().sum::<f64>() / scores.len() as f64;
        self.state.best = Individual { fitness, genome: self.unscaled(&mean) };
        self.population = ranked(asked, &scores);
        self.state.told.push(scores);
        self.state.hall.admit(&self.state.best.genome, self.options.hall, &mut rng);
        self.state.generation = generation;
        let members = self.population.iter().map(|one| Member {
            fitness: one.fitness,
            genome: one.genome.clone(),
            born: generation,
        });
        Ok(Generation::of(field.kind, generation, step, members.collect()))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).expect("plain data")
    }

    fn population(&self) -> (Individual, Vec<Individual>) {
        (self.state.best.clone(), self.population.clone())
    }
}

/// The algorithm in its thread, which ends when this is dropped.
struct Sampler {
    asked: Receiver<Asked>,
    tell: Sender<f64>,
}

enum Asked {
    /// What is this point worth?
    Point(Vec<f64>),
    /// A generation is over: mean and deviation of the next.
    End(Vec<f64>, f64),
    /// The algorithm cannot go on.
    Failed(String),
}

impl Sampler {
    fn start(mean: Vec<f64>, step: f64, population: usize, seed: u64) -> Self {
        let (ask, asked) = channel();
        let (tell, told) = channel::<f64>();
        let points = ask.clone();
        let objective = move |point: &DVector<f64>| {
            // If nobody listens any more, what is not a number ends the algorithm.
            let heard = points.send(Asked::Point(point.iter().copied().collect()));
            heard.ok().and_then(|()| told.recv().ok()).unwrap_or(f64::NAN)
        };
        let options = CMAESOptions::new(mean, step)
            .mode(Mode::Maximize)
            .population_size(population)
            .seed(seed);
        thread::spawn(move || {
            let failed = |problem: String| ask.send(Asked::Failed(problem)).is_ok();
            let mut algorithm = match options.build(objective) {
                Ok(algorithm) => algorithm,
                Err(error) => return failed(format!("{error:?}")),
            };
            loop {
                // Others than these only say that little is left to gain, which noise says too.
                let fatal = [TerminationReason::PosDefCov, TerminationReason::InvalidFunctionValue];
                let reasons = algorithm.next().map(|end| end.reasons).unwrap_or_default();
                if let Some(reason) = reasons.into_iter().find(|reason| fatal.contains(reason)) {
                    return failed(reason.to_string());
                }
                let mean = algorithm.mean().iter().copied().collect();
                if ask.send(Asked::End(mean, algorithm.sigma())).is_err() {
                    return false;
                }
            }
        });
        Self { asked, tell }
    }

    fn ask(&self) -> Result<Vec<f64>, EvolveError> {
        match self.asked.recv() {
            Ok(Asked::Point(point)) => Ok(point),
            Ok(Asked::Failed(problem)) => Err(EvolveError::Config(format!("cmaes: {problem}"))),
            _ => Err(EvolveError::Config("cmaes ended before its time".into())),
        }
    }

    fn tell(&self, score: f64) {
        // If it does not listen any more, the next question fails.
        let _ = self.tell.send(score);
    }

    fn end_of_generation(&self) -> Result<(Vec<f64>, f64), EvolveError> {
        match self.asked.recv() {
            Ok(Asked::End(mean, step)) => Ok((mean, step)),
            Ok(Asked::Failed(problem)) => Err(EvolveError::Config(format!("cmaes: {problem}"))),
            _ => Err(EvolveError::Config("cmaes ended before its time".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the top of a hill, and asks the same when it is told the same.
    #[test]
    fn climbs() {
        let run = || {
            let sampler = Sampler::start(vec![3.0, -2.0], 0.5, 8, 7);
            let (mut points, mut mean) = (Vec::new(), Vec::new());
            for _ in 0..40 {
                for _ in 0..8 {
                    let point = sampler.ask().expect("a point");
                    sampler.tell(-point[0].powi(2) - 10.0 * (point[1] - 1.0).powi(2));
                    points.push(point);
                }
                mean = sampler.end_of_generation().expect("a mean").0;
            }
            (points, mean)
        };
        let (points, mean) = run();
        assert!(mean[0].abs() < 0.05 && (mean[1] - 1.0).abs() < 0.05, "{mean:?}");
        assert_eq!(run(), (points, mean));
    }
}
