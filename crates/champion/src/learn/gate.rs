//! Whether new weights play better than the best ones before: pairs of games from random openings,
//! each with colours swapped.

use serde::{Deserialize, Serialize};
use tablero_core::{Game, Rng, Side, Wdl};
use tablero_jobs::Work;
use tablero_othello::Othello;

use super::brain::Brain;
use super::games::{pass_if_needed, random_opening};
use crate::eval::Weights;

/// Random moves at the start.
const OPENING: usize = 10;

/// Plays pairs of games.
pub(super) struct Gate<'w> {
    pub(super) new: &'w Weights,
    pub(super) best: &'w Weights,
    pub(super) depth: u32,
    pub(super) exact: u32,
    pub(super) seed: u64,
}

/// What came out of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct PairResult {
    /// Half points of the new weights, of four.
    pub(super) half_points: usize,
}

impl Work for Gate<'_> {
    const KIND: &'static str = "othello-patterns-gate";
    /// The number of the pair.
    type Task = u64;
    type Output = PairResult;

    fn run(&self, pair: &u64) -> Result<PairResult, String> {
        let (start, _) = random_opening(OPENING, &mut Rng::for_part(self.seed, *pair));
        let half_points = [Side::First, Side::Second].map(|side| self.play(start, side));
        Ok(PairResult { half_points: half_points.into_iter().sum() })
    }
}

impl Gate<'_> {
    /// Half points of the new weights, playing `side`.
    fn play(&self, start: Othello, side: Side) -> usize {
        let (mut new, mut best) = (Brain::new(self.new), Brain::new(self.best));
        let mut position = start;
        while pass_if_needed(&mut position) {
            let brain = if position.side() == side { &mut new } else { &mut best };
            position.play(brain.best(&position, self.depth, self.exact).best);
        }
        let outcome = position.outcome().expect("the game is over");
        match outcome.wdl(side) {
            Wdl::Win => 2,
            Wdl::Draw => 1,
            Wdl::Loss => 0,
        }
    }
}
