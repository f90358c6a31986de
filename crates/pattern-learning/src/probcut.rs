//! Differences between shallow and deep searches, to which
//! [`ProbCut`](tablero_champion::eval::ProbCut) is fitted.

use serde::{Deserialize, Serialize};
use tablero_champion::Board;
use tablero_champion::eval::ProbCutSample;
use tablero_jobs::Work;

use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// Searches positions to all depths.
#[derive(Default)]
pub struct ProbCutMeasurement {
    cache: WeightsCache,
}

/// A position to search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProbCutTask {
    /// Weights file.
    pub weights: String,
    /// Maximum depth of midgame searches.
    pub depth: u32,
    /// Maximum empties for an additional exact search.
    pub exact_empties: u32,
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the opponent.
    pub opponent: u64,
}

impl UsesWeights for ProbCutTask {
    fn files(&mut self) -> Vec<&mut String> {
        vec![&mut self.weights]
    }

    fn games(&self) -> u64 {
        0
    }
}

impl Work for ProbCutMeasurement {
    const KIND: &'static str = "othello-patterns-probcut";
    type Task = ProbCutTask;
    type Output = Vec<ProbCutSample>;

    fn run(&self, task: &ProbCutTask) -> Result<Vec<ProbCutSample>, String> {
        let board = Board { player: task.player, opponent: task.opponent };
        if board.player & board.opponent != 0 {
            return Err("overlapping discs".into());
        }
        let weights = self.cache.get(Some(&task.weights))?;
        let mut searcher = Searcher::new(&weights);
        let empties = board.empties().count_ones();
        let last = task.depth.min(empties.saturating_sub(1));
        let to_the_end = (empties <= task.exact_empties).then_some(empties);
        let depths: Vec<u32> = (0..=last).chain(to_the_end).collect();
        let values: Vec<f64> = depths.iter().map(|depth| searcher.value(board, *depth)).collect();
        let mut probcut_samples = Vec::new();
        for deep in 1..depths.len() {
            for shallow in 0..deep {
                probcut_samples.push(ProbCutSample {
                    empties,
                    shallow: depths[shallow],
                    deep: depths[deep],
                    difference: values[deep] - values[shallow],
                });
            }
        }
        Ok(probcut_samples)
    }
}
