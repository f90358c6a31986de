use serde::{Deserialize, Serialize};
use tablero_core::Rng;

use crate::meeting::Contestant;

/// The best of earlier generations: who beats only the newest is not yet better.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hall(Vec<Vec<f64>>);

impl Hall {
    /// Takes a genome in; in a full hall one of the others goes, but never the newest.
    pub(super) fn admit(&mut self, genome: &[f64], most: usize, rng: &mut Rng) {
        if self.0.last().is_some_and(|newest| newest == genome) {
            return;
        }
        if self.0.len() >= most.max(1) {
            self.0.remove(rng.below(self.0.len() as u64) as usize);
        }
        self.0.push(genome.to_vec());
    }

    /// The newest genomes, the newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.0.iter().rev()
    }

    /// So many opponents: the fixed ones, the newest of the hall, others of the hall at random, and
    /// if that is not enough those `instead`.
    pub(super) fn opponents(
        &self,
        count: usize,
        fixed: Vec<Contestant>,
        instead: &[Vec<f64>],
        rng: &mut Rng,
    ) -> Vec<Contestant> {
        let mut older: Vec<&Vec<f64>> = self.0.iter().rev().skip(1).collect();
        rng.shuffle(&mut older);
        let genomes = self.0.iter().rev().take(1).chain(older).chain(instead);
        let genomes = genomes.map(|genome| Contestant::Genome(genome.clone()));
        let fixed_count = fixed.len();
        fixed.into_iter().chain(genomes).take(count.max(fixed_count).max(1)).collect()
    }
}
