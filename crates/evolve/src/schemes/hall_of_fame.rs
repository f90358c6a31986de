//! The hall of fame.

use serde::{Deserialize, Serialize};
use tablero_core::Rng;

use crate::games::Contestant;

/// A hall of fame (Rosin and Belew 1997): the best of earlier generations as opponents, so that an evolution
/// does not cycle through strategies that beat only the present ones.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct HallOfFame(Vec<Vec<f64>>);

impl HallOfFame {
    /// Adds a genome; if the hall is full it replaces a random one.
    pub(super) fn admit(&mut self, genome: &[f64], capacity: usize, rng: &mut Rng) {
        if self.0.last().is_some_and(|newest| newest == genome) {
            return;
        }
        if self.0.len() >= capacity.max(1) {
            self.0.remove(rng.below(self.0.len() as u64) as usize);
        }
        self.0.push(genome.to_vec());
    }

    /// The genomes, the newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.0.iter().rev()
    }

    /// Up to `count` opponents: all fixed ones, the newest genome, older ones at random, and then those of
    /// `fallback`.
    pub(super) fn opponents(
        &self,
        count: usize,
        fixed: Vec<Contestant>,
        fallback: &[Vec<f64>],
        rng: &mut Rng,
    ) -> Vec<Contestant> {
        let mut older: Vec<&Vec<f64>> = self.0.iter().rev().skip(1).collect();
        rng.shuffle(&mut older);
        let genomes = self.0.iter().rev().take(1).chain(older).chain(fallback);
        let genomes = genomes.map(|genome| Contestant::Genome(genome.clone()));
        let fixed_count = fixed.len();
        fixed.into_iter().chain(genomes).take(count.max(fixed_count).max(1)).collect()
    }
}
