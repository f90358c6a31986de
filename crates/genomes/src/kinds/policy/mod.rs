//! Networks that see the raw board and rate all moves, legal or not, without search: the creatures of D.
//! Moriarty and R. Miikkulainen, "Discovering Complex Othello Strategies through Evolutionary Neural
//! Networks" (Connection Science 7, 1995). The legal move with the highest rating is played.
//!
//! Input: one unit per square for the mover's pieces and one for the opponent's. Output: one unit per square.
//! A chromosome is a string of 8-bit integers; two-point crossover and sparse mutation are the operators.

pub(super) mod fixed;
pub(super) mod markers;

use tablero_core::{
    Evaluation, Explanation, ForMover, LocalizedString, NetworkView, RatedMove, Rng, Term, TermCell,
};

use super::growing::{UNITS, to_centi_units};
use crate::{Evolvable, InvalidGenome};

/// The longest chromosome.
const MAX_GENES: usize = 20_000;
/// The share of integers that a mutation of strength 1 changes; the work's rate is 0.4 %.
const MUTATION_RATE: f64 = 0.01;
/// The standard deviation of a changed integer.
const MUTATION_STEP: f64 = 40.0;
/// A weight of 1.
const WEIGHT_UNIT: f32 = 32.0;

/// Whether the board fits the 8-bit labels of a chromosome: the first two planes are the pieces of both
/// sides, and a move is a square.
pub(super) const fn fits<G: Evolvable>() -> bool {
    inputs::<G>() <= 128 && G::PLANES >= 2 && G::POLICY_PLANES == 1
}

const fn inputs<G: Evolvable>() -> usize {
    2 * G::SQUARES
}

/// A decoded network.
trait PolicyNetwork: Send + Sync + 'static {
    /// Writes the rating of every square.
    fn rate(&self, inputs: &[f32], ratings: &mut [f32]);
}

/// A network as an evaluation: the rating of the move that led to a position.
struct Policy<N>(N);

impl<N: PolicyNetwork> Policy<N> {
    fn ratings<G: Evolvable>(&self, position: &G) -> Vec<f32> {
        let mut planes = vec![0.0; G::PLANES * G::SQUARES];
        position.write_planes(0, &mut planes);
        // The last output is that of a pass, which is always forced.
        let mut ratings = vec![0.0; G::SQUARES + 1];
        self.0.rate(&planes[..inputs::<G>()], &mut ratings[..G::SQUARES]);
        ratings
    }
}

impl<G: Evolvable, N: PolicyNetwork> Evaluation<G> for Policy<N> {
    /// The rating of the best move.
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        let ratings = self.ratings(position);
        let mut best: Option<f32> = None;
        position.each_move(|m| {
            let rating = ratings[position.policy_indices(m)[0]];
            best = Some(best.map_or(rating, |best| best.max(rating)));
        });
        to_centi_units(best.unwrap_or(0.0))
    }

    fn evaluate_after(&self, before: &G, m: G::Move, _position: &G) -> ForMover<i32> {
        -to_centi_units(self.ratings(before)[before.policy_indices(m)[0]])
    }

    fn is_policy(&self) -> bool {
        true
    }

    /// The rating of the best move; the ratings of all are the policy.
    fn explain(&self, position: &G) -> Explanation {
        let ratings = self.ratings(position);
        let rate =
            |m| RatedMove::new(position, m, f64::from(ratings[position.policy_indices(m)[0]]));
        let moves = position.moves();
        let mut policy: Vec<(G::Move, RatedMove)> =
            moves.into_iter().map(|m| (m, rate(m))).collect();
        policy.sort_by(|a, b| b.1.rating.total_cmp(&a.1.rating));
        let best = policy.first().map(|(m, best)| {
            let about = LocalizedString::new(
                format!("rating of the best move, {}", best.label),
                format!("valoración de la mejor jugada, {}", best.label),
            );
            let cells = position.touched(*m).into_iter().map(|cell| TermCell { cell, value: 1.0 });
            Term::new(&best.label, about, best.rating, UNITS).on(cells.collect())
        });
        let value = Evaluation::<G>::evaluate(self, position);
        let policy = policy.into_iter().map(|(_, rated)| rated).collect();
        Explanation {
            network: Some(NetworkView { policy, ..NetworkView::default() }),
            ..Explanation::new(value, best.into_iter().collect())
        }
    }
}

/// A random chromosome.
fn random(genes: usize, rng: &mut Rng) -> Vec<f64> {
    (0..genes).map(|_| rng.below(256) as f64 - 128.0).collect()
}

/// Changes a few integers.
fn mutate(genome: &[f64], sigma: f64, rng: &mut Rng) -> Vec<f64> {
    let change = |&gene: &f64| {
        if rng.unit() >= MUTATION_RATE * sigma {
            return gene;
        }
        // Values wrap around, like those of 8-bit integers.
        let step = (MUTATION_STEP * rng.irwin_hall()).round();
        (gene + 128.0 + step).rem_euclid(256.0) - 128.0
    };
    genome.iter().map(change).collect()
}

/// Two-point crossover: the first parent with a segment of the second. The chromosome is a circle, so the
/// segment may reach over its end.
fn two_point_crossover(a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
    let genes = a.len().min(b.len()) as u64;
    let (mut child, from, length) = (a.to_vec(), rng.below(genes), rng.below(genes));
    for at in from..from + length {
        let at = (at % genes) as usize;
        child[at] = b[at];
    }
    child
}

/// Checks that all numbers are 8-bit integers.
fn check(genome: &[f64]) -> Result<(), InvalidGenome> {
    if genome.is_empty() {
        return Err(InvalidGenome::Empty);
    }
    if genome.len() > MAX_GENES {
        return Err(InvalidGenome::TooLong { numbers: genome.len(), max: MAX_GENES });
    }
    let wrong = genome.iter().find(|gene| gene.fract() != 0.0 || !(-128.0..=127.0).contains(*gene));
    wrong.map_or(Ok(()), |&value| Err(InvalidGenome::NotByte { value }))
}

fn gene_names(genome: &[f64]) -> Vec<String> {
    (1..=genome.len()).map(|number| number.to_string()).collect()
}
