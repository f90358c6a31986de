//! How far shallow searches are from deep ones, measured for [`ProbCut`](tablero_champion::eval::ProbCut).

use serde::{Deserialize, Serialize};
use tablero_champion::Board;
use tablero_champion::eval::Observation;
use tablero_jobs::Work;

use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// Searches positions to growing depths.
#[derive(Default)]
pub struct Measure {
    cache: WeightsCache,
}

/// A position to search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MeasureTask {
    /// The file of the weights.
    pub weights: String,
    /// The deepest search that ends in evaluations.
    pub depth: u32,
    /// Positions with so many empty squares or fewer are searched to the end, too.
    pub exact: u32,
    /// The discs of the side to move.
    pub player: u64,
    /// Those of the other side.
    pub opponent: u64,
}

impl UsesWeights for MeasureTask {
    fn files(&mut self) -> Vec<&mut String> {
        vec![&mut self.weights]
    }

    fn games(&self) -> u64 {
        0
    }
}

impl Work for Measure {
    const KIND: &'static str = "othello-patterns-measure";
    type Task = MeasureTask;
    type Output = Vec<Observation>;

    fn run(&self, task: &MeasureTask) -> Result<Vec<Observation>, String> {
        let board = Board { player: task.player, opponent: task.opponent };
        if board.player & board.opponent != 0 {
            return Err("a square has two discs".into());
        }
        let weights = self.cache.get(Some(&task.weights))?;
        let mut searcher = Searcher::new(&weights);
        let empties = board.empties().count_ones();
        let last = task.depth.min(empties.saturating_sub(1));
        let to_the_end = (empties <= task.exact).then_some(empties);
        let depths: Vec<u32> = (0..=last).chain(to_the_end).collect();
        let values: Vec<f64> = depths.iter().map(|depth| searcher.value(board, *depth)).collect();
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
