//! Evolution exactly as in Othello7.
//!
//! 15 random genomes; every coefficient of each plus a Gaussian number gives 15 children. Each of the
//! 30 plays 5 random others, once, with the first move: the winner gains 1, the loser loses 2, a draw
//! changes nothing, and what was gained is kept from generation to generation. They are sorted; the
//! best 15 stay, and their mutants, with fitness 0, replace the others. The best ever is kept as
//! number 31, whatever happens to it.
//!
//! Numbers have the six decimals of the file, so that an evolution continued from its file goes on as
//! if it had never ended. The work does not say how large its random numbers are: `sigma` is the
//! deviation between parents and children in the population that it prints (1.57).

use serde::{Deserialize, Serialize};
use tablero_core::Rng;
use tablero_genomes::{GenomeKind, Genomes, Individual, evl};

use super::{Scheme, SchemeInfo, SchemeLine, count, number, rng_of};
use crate::field::{Field, Pairing};
use crate::meeting::Contestant;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    SchemeInfo {
        name: "othello7",
        about: "parents and mutants play some random games; points are kept for life (as in Othello7)",
        options: vec![
            count("population", 2, "15", "parents; there are as many children"),
            count("opponents", 1, "5", "games that each begins in a generation"),
            number("win", -1000.0, "1", "what a win adds to the fitness"),
            number("draw", -1000.0, "0", "what a draw adds"),
            number("loss", -1000.0, "-2", "what a loss adds"),
            number("sigma", 0.0, "1.5", "the deviation of a mutation"),
            number("range", 0.0, "10", "first coefficients lie between minus this and this"),
        ],
    }
}

pub(super) struct Othello7 {
    options: Options,
    seed: u64,
    state: State,
}

struct Options {
    population: usize,
    opponents: usize,
    /// For loss, draw, win.
    points: [f64; 3],
    sigma: f64,
    range: f64,
}

/// Everything that a file holds, and when each was born.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    generation: u64,
    members: Vec<Member>,
    /// Number 31, from the first generation on.
    best: Option<Individual>,
}

impl Othello7 {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        start: Option<Genomes>,
        state: Option<State>,
    ) -> Self {
        let options = Options {
            population: line.count("population"),
            opponents: line.count("opponents"),
            points: ["loss", "draw", "win"].map(|name| line.number(name)),
            sigma: line.number("sigma"),
            range: line.number("range"),
        };
        let state = state.unwrap_or_else(|| match start {
            Some(genomes) => options.continued(kind, genomes, seed),
            None => options.first(kind, seed),
        });
        Self { options, seed, state }
    }
}

impl Options {
    fn first(&self, kind: &dyn GenomeKind, seed: u64) -> State {
        let mut rng = rng_of(seed, 0);
        let random = |rng: &mut Rng| match kind.genes() {
            Some(genes) => genes.iter().map(|_| number_within(self.range, rng)).collect(),
            None => kind.random(rng),
        };
        let parents = (0..self.population).map(|_| newborn(random(&mut rng), 0)).collect();
        self.with_children(kind, State { generation: 0, members: parents, best: None }, &mut rng)
    }

    fn continued(&self, kind: &dyn GenomeKind, genomes: Genomes, seed: u64) -> State {
        let generation = genomes.past.generations;
        let members: Vec<Member> = genomes.population.iter().map(known).collect();
        let best = Some(genomes.best);
        let mut state = State { generation, members, best };
        if state.members.len() == 2 * self.population {
            return state;
        }
        // A file of another size: its best become the parents.
        let mut rng = rng_of(seed, 0);
        let best: Vec<Member> = state.best.iter().map(known).collect();
        let enough = state.members.iter().chain(&best).cycle().take(self.population);
        state.members = enough.cloned().collect();
        self.with_children(kind, state, &mut rng)
    }

    /// The state with only the best left, and a mutant of each.
    fn with_children(&self, kind: &dyn GenomeKind, mut state: State, rng: &mut Rng) -> State {
        state.members.truncate(self.population);
        let mutant = |parent: &Member| {
            let genome = match kind.genes() {
                Some(_) => parent
                    .genome
                    .iter()
                    .map(|c| evl::rounded(c + self.sigma * rng.irwin_hall()))
                    .collect(),
                None => kind.mutate(&parent.genome, self.sigma, rng),
            };
            newborn(genome, state.generation)
        };
        let children: Vec<Member> = state.members.iter().map(mutant).collect();
        state.members.extend(children);
        state
    }
}

const fn newborn(genome: Vec<f64>, generation: u64) -> Member {
    Member { fitness: 0.0, genome, born: generation }
}

fn known(individual: &Individual) -> Member {
    Member { fitness: individual.fitness, genome: individual.genome.clone(), born: 0 }
}

fn number_within(range: f64, rng: &mut Rng) -> f64 {
    evl::rounded(range * (2.0 * rng.unit() - 1.0))
}

impl Scheme for Othello7 {
    fn step(&mut self, field: &mut Field<'_>) -> Result<Generation, EvolveError> {
        let mut state = self.state.clone();
        state.generation += 1;
        let mut rng = rng_of(self.seed, state.generation);
        let count = state.members.len() as u64;
        let mut meetings = Vec::new();
        for first in 0..count {
            for _ in 0..self.options.opponents {
                // Anybody else.
                let second = (first + 1 + rng.below(count - 1)) % count;
                meetings.push([first as usize, second as usize]);
            }
        }
        let pairing = |seats: &[usize; 2]| Pairing {
            contestants: seats.map(|seat| Contestant::Genome(state.members[seat].genome.clone())),
            opening: String::new(),
            both_colours: false,
        };
        let outputs = field.play(meetings.iter().map(pairing).collect(), rng.bits())?;
        for ([first, second], output) in meetings.into_iter().zip(outputs) {
            for margin in output.margins {
                let points = |margin: i16| self.options.points[(1 + margin.signum()) as usize];
                state.members[first].fitness += points(margin);
                state.members[second].fitness += points(-margin);
            }
        }
        state.members.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        let first = &state.members[0];
        if state.best.as_ref().is_none_or(|best| first.fitness > best.fitness) {
            state.best = Some(Individual { fitness: first.fitness, genome: first.genome.clone() });
        }
        let measured = state.members.clone();
        self.state = self.options.with_children(field.kind, state, &mut rng);
        let step = self.options.sigma;
        Ok(Generation::of(field.kind, self.state.generation, step, measured))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::to_value(&self.state).expect("plain data")
    }

    fn population(&self) -> (Individual, Vec<Individual>) {
        let members = self.state.members.iter();
        let population: Vec<Individual> = members
            .map(|member| Individual { fitness: member.fitness, genome: member.genome.clone() })
            .collect();
        let best = self.state.best.clone().unwrap_or_else(|| population[0].clone());
        (best, population)
    }
}
