//! The evolution of Othello7, reproduced exactly.
//!
//! 15 random genomes; adding a Gaussian number to every coefficient of each gives 15 children. Each of the 30
//! plays one game with the first side against 5 random others: a win adds 1, a loss subtracts 2, a draw 0, and
//! fitness accumulates over a lifetime. The best 15 survive (truncation selection); their mutants, with fitness
//! 0, replace the rest. The best ever is recorded as number 31.
//!
//! Coefficients are rounded to the six decimals of the file, so that an evolution resumed from its file
//! continues exactly. The thesis does not state the mutation strength; `sigma` is estimated from parents and
//! children in its printed population (1.57).

use serde::{Deserialize, Serialize};
use tablero_core::{Localized, Rng};
use tablero_genomes::{GenomeKind, Genomes, Individual, evl};

use super::{Scheme, SchemeInfo, SchemeLine, count, generation_rng, number};
use crate::fitness::{FitnessEvaluator, Pairing};
use crate::games::Contestant;
use crate::{EvolveError, Generation, Member};

pub(super) fn info() -> SchemeInfo {
    SchemeInfo {
        name: "othello7",
        about: Localized::new(
            "parents and mutants play a few random pairings; points accumulate over a lifetime \
             (as in Othello7)",
            "padres y mutantes juegan unos pocos emparejamientos al azar; los puntos se acumulan \
             de por vida (como en Othello7)",
        ),
        options: vec![
            count(
                "population",
                2,
                "15",
                Localized::new(
                    "parents, and the same number of children",
                    "padres, y el mismo número de hijos",
                ),
            ),
            count(
                "opponents",
                1,
                "5",
                Localized::new(
                    "games that each individual starts per generation",
                    "partidas que empieza cada individuo por generación",
                ),
            ),
            number(
                "win",
                -1000.0,
                "1",
                Localized::new("fitness for a win", "aptitud por victoria"),
            ),
            number(
                "draw",
                -1000.0,
                "0",
                Localized::new("fitness for a draw", "aptitud por empate"),
            ),
            number(
                "loss",
                -1000.0,
                "-2",
                Localized::new("fitness for a loss", "aptitud por derrota"),
            ),
            number(
                "sigma",
                0.0,
                "1.5",
                Localized::new(
                    "standard deviation of a mutation",
                    "desviación típica de una mutación",
                ),
            ),
            number(
                "range",
                0.0,
                "10",
                Localized::new(
                    "initial coefficients are uniform in [-range, range]",
                    "los coeficientes iniciales son uniformes en [-range, range]",
                ),
            ),
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
    /// Fitness for a loss, a draw and a win.
    points: [f64; 3],
    sigma: f64,
    range: f64,
}

/// The content of a file, and the generation of each member.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    generation: u64,
    members: Vec<Member>,
    /// The best ever (number 31), from the first generation on.
    best: Option<Individual>,
}

impl Othello7 {
    pub(super) fn new(
        line: &SchemeLine,
        kind: &dyn GenomeKind,
        seed: u64,
        initial: Option<Genomes>,
        state: Option<State>,
    ) -> Self {
        let options = Options {
            population: line.count("population"),
            opponents: line.count("opponents"),
            points: ["loss", "draw", "win"].map(|name| line.number(name)),
            sigma: line.number("sigma"),
            range: line.number("range"),
        };
        let state = state.unwrap_or_else(|| match initial {
            Some(genomes) => options.resume(kind, genomes, seed),
            None => options.initialize(kind, seed),
        });
        Self { options, seed, state }
    }
}

impl Options {
    fn initialize(&self, kind: &dyn GenomeKind, seed: u64) -> State {
        let mut rng = generation_rng(seed, 0);
        let random = |rng: &mut Rng| match kind.genes() {
            Some(genes) => genes.iter().map(|_| uniform(self.range, rng)).collect(),
            None => kind.random(rng),
        };
        let parents = (0..self.population).map(|_| new_member(random(&mut rng), 0)).collect();
        self.with_children(kind, State { generation: 0, members: parents, best: None }, &mut rng)
    }

    fn resume(&self, kind: &dyn GenomeKind, genomes: Genomes, seed: u64) -> State {
        let generation = genomes.provenance.generations;
        let members: Vec<Member> = genomes.population.iter().map(to_member).collect();
        let best = Some(genomes.best);
        let mut state = State { generation, members, best };
        if state.members.len() == 2 * self.population {
            return state;
        }
        // A population of another size: its best become the parents.
        let mut rng = generation_rng(seed, 0);
        let best: Vec<Member> = state.best.iter().map(to_member).collect();
        let enough = state.members.iter().chain(&best).cycle().take(self.population);
        state.members = enough.cloned().collect();
        self.with_children(kind, state, &mut rng)
    }

    /// Truncates the population to the parents and adds a mutant of each.
    fn with_children(&self, kind: &dyn GenomeKind, mut state: State, rng: &mut Rng) -> State {
        state.members.truncate(self.population);
        let mutant = |parent: &Member| {
            let genome = match kind.genes() {
                Some(_) => parent
                    .genome
                    .iter()
                    .map(|c| evl::round(c + self.sigma * rng.irwin_hall()))
                    .collect(),
                None => kind.mutate(&parent.genome, self.sigma, rng),
            };
            new_member(genome, state.generation)
        };
        let children: Vec<Member> = state.members.iter().map(mutant).collect();
        state.members.extend(children);
        state
    }
}

const fn new_member(genome: Vec<f64>, generation: u64) -> Member {
    Member { fitness: 0.0, genome, born: generation }
}

fn to_member(individual: &Individual) -> Member {
    Member { fitness: individual.fitness, genome: individual.genome.clone(), born: 0 }
}

fn uniform(range: f64, rng: &mut Rng) -> f64 {
    evl::round(range * (2.0 * rng.unit() - 1.0))
}

impl Scheme for Othello7 {
    fn step(&mut self, evaluator: &mut FitnessEvaluator<'_>) -> Result<Generation, EvolveError> {
        let mut state = self.state.clone();
        state.generation += 1;
        let mut rng = generation_rng(self.seed, state.generation);
        let count = state.members.len() as u64;
        let mut games = Vec::new();
        for first in 0..count {
            for _ in 0..self.options.opponents {
                // Any other member.
                let second = (first + 1 + rng.below(count - 1)) % count;
                games.push([first as usize, second as usize]);
            }
        }
        let pairing = |members: &[usize; 2]| Pairing {
            contestants: members
                .map(|index| Contestant::Genome(state.members[index].genome.clone())),
            opening: String::new(),
            both_colours: false,
        };
        let outputs = evaluator.play(games.iter().map(pairing).collect(), rng.bits())?;
        for ([first, second], output) in games.into_iter().zip(outputs) {
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
        let evaluated = state.members.clone();
        self.state = self.options.with_children(evaluator.kind, state, &mut rng);
        let sigma = self.options.sigma;
        Ok(Generation::new(evaluator.kind, self.state.generation, sigma, evaluated))
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
