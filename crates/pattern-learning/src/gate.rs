//! Whether new weights play better than the best ones before: pairs of games from random openings,
//! each with colours swapped.

use serde::{Deserialize, Serialize};
use tablero_champion::eval::Weights;
use tablero_core::{Game, Rng, Side, Wdl};
use tablero_jobs::Work;
use tablero_othello::Othello;

use crate::games::{pass_if_needed, random_opening};
use crate::searcher::Searcher;
use crate::weights_cache::{UsesWeights, WeightsCache};

/// Random moves at the start.
const OPENING: usize = 10;

/// Plays pairs of games.
#[derive(Default)]
pub struct Gate {
    cache: WeightsCache,
}

/// A pair of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GateTask {
    /// The file of the new weights.
    pub new: String,
    /// That of the best before; none for those that know nothing.
    pub best: Option<String>,
    /// Plies to look ahead.
    pub depth: u32,
    /// Exact from so many empty squares on.
    pub exact: u32,
    /// The seed of all pairs.
    pub seed: u64,
    /// The number of this one.
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

/// What came out of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PairResult {
    /// Half points of the new weights, of four.
    pub half_points: usize,
}

impl Work for Gate {
    const KIND: &'static str = "othello-patterns-gate";
    type Task = GateTask;
    type Output = PairResult;

    fn run(&self, task: &GateTask) -> Result<PairResult, String> {
        let new = self.cache.get(Some(&task.new))?;
        let best = self.cache.get(task.best.as_deref())?;
        let (start, _) = random_opening(OPENING, &mut Rng::for_part(task.seed, task.pair));
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
            position.play(searcher.best(&position, self.depth, self.exact).best);
        }
        let outcome = position.outcome().expect("the game is over");
        match outcome.wdl(side) {
            Wdl::Win => 2,
            Wdl::Draw => 1,
            Wdl::Loss => 0,
        }
    }
}
