//! How far shallow searches are from deep ones, measured for [`ProbCut`](crate::eval::ProbCut).

use tablero_jobs::Work;

use super::brain::Brain;
use crate::eval::{DISC, Observation, Weights};

/// Searches positions to growing depths.
pub(super) struct Measure<'w> {
    pub(super) weights: &'w Weights,
    /// The deepest search that ends in evaluations.
    pub(super) depth: u32,
    /// Positions with so many empty squares or fewer are searched to the end, too.
    pub(super) exact: u32,
}

impl Work for Measure<'_> {
    const KIND: &'static str = "othello-patterns-measure";
    /// The discs of the side to move, and of the other side.
    type Task = (u64, u64);
    type Output = Vec<Observation>;

    fn run(&self, &(player, opponent): &(u64, u64)) -> Result<Vec<Observation>, String> {
        let mut brain = Brain::new(self.weights);
        let empties = (!(player | opponent)).count_ones();
        let deepest = self.depth.min(empties.saturating_sub(1));
        let mut values: Vec<(u32, i32)> = (0..=deepest)
            .map(|depth| (depth, brain.search(player, opponent, depth).value))
            .collect();
        if empties <= self.exact {
            values.push((empties, brain.solve(player, opponent).value));
        }
        let mut observations = Vec::new();
        for (index, &(deep, deep_value)) in values.iter().enumerate() {
            for &(shallow, shallow_value) in &values[..index] {
                let difference = f64::from(deep_value - shallow_value) / f64::from(DISC);
                observations.push(Observation { empties, shallow, deep, difference });
            }
        }
        Ok(observations)
    }
}
