//! How far shallow searches are from deep ones, measured for [`ProbCut`](crate::eval::ProbCut).

use tablero_jobs::Work;

use super::brain::Brain;
use crate::Board;
use crate::eval::{Observation, Weights};

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
        let board = Board { player, opponent };
        let mut brain = Brain::new(self.weights);
        let empties = board.empties().count_ones();
        let last = self.depth.min(empties.saturating_sub(1));
        let to_the_end = (empties <= self.exact).then_some(empties);
        let depths: Vec<u32> = (0..=last).chain(to_the_end).collect();
        let values: Vec<f64> = depths.iter().map(|depth| brain.value(board, *depth)).collect();
        let mut observations = Vec::new();
        for deep in 1..depths.len() {
            for shallow in 0..deep {
                observations.push(Observation {
                    empties,
                    shallow: depths[shallow],
                    deep: depths[deep],
                    difference: values[deep] - values[shallow],
                });
            }
        }
        Ok(observations)
    }
}
