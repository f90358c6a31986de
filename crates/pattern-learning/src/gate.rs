//! The gating match: new weights against the best so far, in game pairs with colors swapped from
//! random openings.

use serde::{Deserialize, Serialize};
use tablero_champion::eval::Weights;
use tablero_core::{Game, Rng, Side, Wdl};
use tablero_jobs::Work;
use tablero_othello::Othello;

use crate::games::{pass_if_needed, random_opening};
use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// Random plies of an opening.
const OPENING_PLIES: usize = 10;

/// Plays game pairs.
#[derive(Default)]
pub struct Gate {
    cache: WeightsCache,
}

/// A game pair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GateTask {
    /// File of the new weights.
    pub new: String,
    /// File of the best weights; zero weights if none.
    pub best: Option<String>,
    /// Search depth.
    pub depth: u32,
    /// Maximum empties for exact searches.
    pub exact_empties: u32,
    /// Seed of the match.
    pub seed: u64,
    /// Number of this pair.
    pub pair: u64,
}

impl UsesWeights for GateTask {
    fn files(&mut self) -> Vec<&mut String> {
        [&mut self.new].into_iter().chain(&mut self.best).collect()
    }

    fn games(&self) -> u64 {
        2
    }
}

/// Result of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PairResult {
    /// Half points of the new weights, out of four.
    pub half_points: usize,
}

impl Work for Gate {
    const KIND: &'static str = "othello-patterns-gate";
    type Task = GateTask;
    type Output = PairResult;

    fn run(&self, task: &GateTask) -> Result<PairResult, String> {
        let new = self.cache.get(Some(&task.new))?;
        let best = self.cache.get(task.best.as_deref())?;
        let (start, _) = random_opening(OPENING_PLIES, &mut Rng::for_stream(task.seed, task.pair));
        let play = |side| task.play(&new, &best, start, side);
        let half_points = [Side::First, Side::Second].map(play);
        Ok(PairResult { half_points: half_points.into_iter().sum() })
    }
}

impl GateTask {
    /// Half points of the new weights, playing `side`.
    fn play(&self, new: &Weights, best: &Weights, start: Othello, side: Side) -> usize {
        let (mut new, mut best) = (Searcher::new(new), Searcher::new(best));
        let mut position = start;
        while pass_if_needed(&mut position) {
            let searcher = if position.side() == side { &mut new } else { &mut best };
            position.play(searcher.best_move(&position, self.depth, self.exact_empties).best_move);
        }
        let outcome = position.outcome().expect("the game is over");
        match outcome.wdl(side) {
            Wdl::Win => 2,
            Wdl::Draw => 1,
            Wdl::Loss => 0,
        }
    }
}
