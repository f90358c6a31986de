use std::sync::Arc;

use tablero_core::{
    Evaluation, ForMover, GameType, Outcome, Rng, Side, Simulation, Tactics, Wdl, random_playout,
};

use crate::score;

/// A random playout to the end of the game: 1 for a win, 0 for a draw, -1 for a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlayout;

impl<G: GameType> Simulation<G> for RandomPlayout {
    #[inline]
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32> {
        let (outcome, _) = random_playout(position.clone(), plies_left, rng);
        reward(outcome, position.side())
    }
}

/// How a [`HeuristicPlayout`] chooses moves by their scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayoutPolicy {
    /// The best one, but a random one in a tenth of the plies: without them every playout from a
    /// position would be the same game.
    Greedy,
    /// Sampled by the softmax of the scores: in proportion to the odds of winning, if they are evaluations.
    Weighted,
}

/// The share of random moves in greedy playouts.
const EPSILON: f64 = 0.1;

/// A playout whose moves follow a simple strategy. A move's score is the static evaluation of the position after it,
/// or without an evaluation the [estimate for move ordering](Tactics::move_order_score), which costs little.
pub struct HeuristicPlayout<G: GameType> {
    policy: PlayoutPolicy,
    evaluation: Option<Arc<dyn Evaluation<G>>>,
    moves: Vec<G::Move>,
    scores: Vec<i32>,
    weights: Vec<f64>,
}

impl<G: Tactics> HeuristicPlayout<G> {
    /// Playouts with this evaluation, or without one.
    pub fn new(policy: PlayoutPolicy, evaluation: Option<Arc<dyn Evaluation<G>>>) -> Self {
        let (moves, scores, weights) = (Vec::new(), Vec::new(), Vec::new());
        Self { policy, evaluation, moves, scores, weights }
    }

    /// A move of a position that has some.
    fn choose(&mut self, position: &G, rng: &mut Rng) -> Option<G::Move> {
        let is_random = self.policy == PlayoutPolicy::Greedy && rng.unit() < EPSILON;
        if is_random {
            return position.random_move(rng);
        }
        self.moves.clear();
        position.each_distinct_move(|m| self.moves.push(m));
        let Self { evaluation, moves, scores, weights, .. } = self;
        scores.clear();
        scores.extend(moves.iter().map(|&m| {
            let Some(evaluation) = evaluation else { return position.move_order_score(m) };
            let child = position.after(m);
            let over = child.outcome();
            -over.map_or_else(
                || score::static_eval(&**evaluation, &child, Some((position, m))),
                |outcome| score::from_outcome::<G>(outcome, child.side(), 1),
            )
        }));
        let best = *scores.iter().max()?;
        weights.clear();
        weights.extend(scores.iter().map(|&score| match self.policy {
            PlayoutPolicy::Greedy => f64::from(u8::from(score == best)),
            // The odds of a logistic model.
            PlayoutPolicy::Weighted => (f64::from(score - best) / G::WDL_MODEL.scale).exp(),
        }));
        rng.weighted_index(weights).map(|index| moves[index])
    }
}

impl<G: GameType> Clone for HeuristicPlayout<G> {
    fn clone(&self) -> Self {
        let evaluation = self.evaluation.clone();
        let (moves, scores, weights) = (Vec::new(), Vec::new(), Vec::new());
        Self { policy: self.policy, evaluation, moves, scores, weights }
    }
}

impl<G: Tactics> Simulation<G> for HeuristicPlayout<G> {
    fn value(&mut self, start: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32> {
        let mut position = start.clone();
        for _ in 0..plies_left {
            let Some(m) = self.choose(&position, rng) else { break };
            position.play(m);
            if position.draw().is_some_and(|draw| draw.forced) {
                break;
            }
        }
        reward(position.outcome().unwrap_or(Outcome::DRAW), start.side())
    }
}

/// The static evaluation of the leaf as an expected result, instead of a playout.
pub struct StaticEvaluation<G: GameType>(Arc<dyn Evaluation<G>>);

impl<G: GameType> StaticEvaluation<G> {
    /// Leaves are valued by this evaluation.
    pub const fn new(evaluation: Arc<dyn Evaluation<G>>) -> Self {
        Self(evaluation)
    }
}

impl<G: GameType> Clone for StaticEvaluation<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G: Tactics> Simulation<G> for StaticEvaluation<G> {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        score::to_reward::<G>(score::static_eval(&*self.0, position, None))
    }
}

/// The reward of an outcome for `mover`.
pub(super) fn reward(outcome: Outcome, mover: Side) -> ForMover<f32> {
    ForMover(match outcome.wdl(mover) {
        Wdl::Loss => -1.0,
        Wdl::Draw => 0.0,
        Wdl::Win => 1.0,
    })
}
