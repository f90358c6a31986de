//! Evolution that holds up statistically.
//!
//! Every generation measures parents and children anew, all of them by the same openings (each with
//! both colours) against the same opponents: the fixed ones, the newest of the hall of fame, and older
//! ones of it so that nothing once learned is lost. Only differences between those who were measured
//! together count; what a parent showed in earlier generations counts for less with time. Children
//! come from two parents and carry their own size of mutation, which evolves with them. At the end
//! parents and hall play for the first place.

use serde::{Deserialize, Serialize};
use tablero_core::{OptionValues, Rng};
use tablero_genomes::{GenomeKind, Genomes, Individual};

use super::hall::Hall;
use super::{Scheme, SchemeInfo, SchemeLine, count, number, option, origin, rng_of};
use crate::field::Field;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    let share = || OptionValues::Number { min: 0.0, max: 1.0 };
    SchemeInfo {
        name: "modern",
        about: "all are measured anew by the same paired openings, with crossover, mutations whose size \
                evolves, and a hall of fame",
        options: vec![
            origin(),
            count("parents", 2, "8", "who stay after each generation"),
            count("children", 1, "16", "who are born in each generation"),
            count("opponents", 1, "3", "whom each plays: fixed ones, then the hall of fame"),
            count("pairs", 1, "4", "openings against each opponent, played with both colours"),
            number("step", 0.0001, "0.3", "the first size of mutations, in the scale of each gene"),
            option("crossover", share(), "0.7", "how likely a child has two parents"),
            option(
                "memory",
                share(),
                "0.5",
                "how much of an older measurement counts in the next generation",
            ),
            count("hall", 1, "16", "genomes in the hall of fame"),
            count(
                "playoff",
                1,
                "32",
                "openings against each opponent when the first place is decided",
            ),
        ],
    }
}

/// Mutations do not get smaller or larger than this.
const STEPS: std::ops::RangeInclusive<f64> = 0.005..=3.0;
/// How many of the hall play for the first place.
const FINALISTS: usize = 4;

pub(super) struct Modern {
    options: Options,
    seed: u64,
    state: State,
}

struct Options {
    parents: usize,
    children: usize,
    opponents: usize,
    pairs: usize,
    crossover: f64,
    memory: f64,
    hall: usize,
    playoff: usize,
    /// How quickly mutation sizes change.
    learning_rate: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    generation: u64,
    /// The best first.
    parents: Vec<Parent>,
    hall: Hall,
    /// Who won the first place, when that is decided.
    first: Option<Individual>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Parent {
    genome: Vec<f64>,
    step: f64,
    /// The score of the last measurement.
    score: f64,
    /// How much better than the mean of those measured with it.
    merit: f64,
    /// How many measurements that comes from, older ones counting less.
    weight: f64,
    born: u64,
}

impl Parent {
    const fn newborn(genome: Vec<f64>, step: f64, born: u64) -> Self {
        Self { genome, step, score: 0.0, merit: 0.0, weight: 0.0, born }
    }

    /// What to believe of its merit: the fewer measurements, the less.
    fn belief(&self) -> f64 {
        self.merit * self.weight / (self.weight + 1.0)
    }

    fn member(&self) -> Member {
        Member { fitness: self.score, genome: self.genome.clone(), born: self.born }
    }
}

impl Modern {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        start: Option<Genomes>,
        state: Option<State>,
    ) -> Self {
        let genes = kind.genes().map_or(20, <[_]>::len).max(1) as f64;
        let options = Options {
            parents: line.count("parents"),
            children: line.count("children"),
            opponents: line.count("opponents"),
            pairs: line.count("pairs"),
            crossover: line.number("crossover"),
            memory: line.number("memory"),
            hall: line.count("hall"),
            playoff: line.count("playoff"),
            learning_rate: (1.0 / genes.sqrt()).max(0.15),
        };
        let by_hand = kind.by_hand().filter(|_| line.text("from") == "hand");
        let first = || {
            let mut rng = rng_of(seed, 0);
            let generation = start.as_ref().map_or(0, |genomes| genomes.past.generations);
            let known: Vec<Vec<f64>> = match start {
                Some(genomes) => {
                    let all = std::iter::once(genomes.best).chain(genomes.population);
                    all.map(|individual| individual.genome).collect()
                }
                None => by_hand.into_iter().collect(),
            };
            let step = line.number("step");
            let genome = |place: usize, rng: &mut Rng| match known.first() {
                _ if place < known.len() => known[place].clone(),
                Some(ancestor) => kind.mutate(ancestor, step, rng),
                None => kind.random(rng),
            };
            let parents = (0..options.parents)
                .map(|place| Parent::newborn(genome(place, &mut rng), step, generation))
                .collect();
            State { generation, parents, hall: Hall::default(), first: None }
        };
        let state = state.unwrap_or_else(first);
        Self { options, seed, state }
    }

    fn child(&self, kind: &dyn GenomeKind, generation: u64, rng: &mut Rng) -> Parent {
        let parents = &self.state.parents;
        // Of two at random the better, which comes first.
        let count = parents.len() as u64;
        let mut choose = || rng.below(count).min(rng.below(count)) as usize;
        let (a, b) = (&parents[choose()], &parents[choose()]);
        let (genome, step) = if rng.unit() < self.options.crossover {
            (kind.cross(&a.genome, &b.genome, rng), (a.step * b.step).sqrt())
        } else {
            (a.genome.clone(), a.step)
        };
        let step = step * (self.options.learning_rate * rng.irwin_hall()).exp();
        let step = step.clamp(*STEPS.start(), *STEPS.end());
        Parent::newborn(kind.mutate(&genome, step, rng), step, generation)
    }

    fn genomes(&self) -> Vec<Vec<f64>> {
        self.state.parents.iter().map(|parent| parent.genome.clone()).collect()
    }
}

impl Scheme for Modern {
    fn step(&mut self, field: &mut Field<'_>) -> Result<Generation, EvolveError> {
        let options = &self.options;
        let generation = self.state.generation + 1;
        let mut rng = rng_of(self.seed, generation);
        let born = (0..options.children).map(|_| self.child(field.kind, generation, &mut rng));
        let born: Vec<Parent> = born.collect();
        let mut all: Vec<Parent> = self.state.parents.iter().cloned().chain(born).collect();
        let opponents = self.state.hall.opponents(
            options.opponents,
            field.fixed_opponents(),
            &self.genomes(),
            &mut rng,
        );
        let genomes: Vec<Vec<f64>> = all.iter().map(|one| one.genome.clone()).collect();
        let scores = field.scores(&genomes, &opponents, options.pairs, &mut rng)?;
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        // What is measured without chance needs no second look.
        let memory = if field.is_exact() { 0.0 } else { options.memory };
        for (one, score) in all.iter_mut().zip(scores) {
            let old = one.weight * memory;
            one.merit = (old * one.merit + score - mean) / (old + 1.0);
            one.weight = old + 1.0;
            one.score = score;
        }
        all.sort_by(|a, b| b.belief().total_cmp(&a.belief()));
        let step = all.iter().map(|one| one.step).sum::<f64>() / all.len() as f64;
        let mut measured: Vec<Member> = all.iter().map(Parent::member).collect();
        measured.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        all.truncate(options.parents);
        self.state.hall.admit(&all[0].genome, options.hall, &mut rng);
        (self.state.parents, self.state.generation) = (all, generation);
        Ok(Generation::of(field.kind, generation, step, measured))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).expect("plain data")
    }

    fn population(&self) -> (Individual, Vec<Individual>) {
        let individual =
            |one: &Parent| Individual { fitness: one.score, genome: one.genome.clone() };
        let population: Vec<Individual> = self.state.parents.iter().map(individual).collect();
        let best = self.state.first.clone().unwrap_or_else(|| population[0].clone());
        (best, population)
    }

    fn finish(&mut self, field: &mut Field<'_>) -> Result<(), EvolveError> {
        if field.is_exact() {
            return Ok(());
        }
        let mut rng = rng_of(!self.seed, self.state.generation);
        let mut pool = self.genomes();
        for genome in self.state.hall.newest().take(FINALISTS) {
            if !pool.contains(genome) {
                pool.push(genome.clone());
            }
        }
        let opponents = self.state.hall.opponents(
            self.options.opponents,
            field.fixed_opponents(),
            &pool,
            &mut rng,
        );
        let scores = field.scores(&pool, &opponents, self.options.playoff, &mut rng)?;
        let ranked = scores.into_iter().zip(pool).max_by(|a, b| a.0.total_cmp(&b.0));
        self.state.first = ranked.map(|(fitness, genome)| Individual { fitness, genome });
        Ok(())
    }
}
