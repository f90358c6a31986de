//! PUCT without a network: policy and value from a static evaluation.

use std::sync::Arc;

use tablero_core::{Evaluation, ForMover, GameType, IncrementalEvaluation, PolicyValue, Tactics};

use crate::score;

/// Looks one ply ahead: the priors are the softmax of the moves' values, the value is that of the best move.
pub struct EvaluationPolicy<G: GameType> {
    evaluation: Arc<dyn Evaluation<G>>,
    incremental: Option<Box<dyn IncrementalEvaluation<G>>>,
}

impl<G: GameType> EvaluationPolicy<G> {
    /// Moves are valued by this evaluation.
    pub fn new(evaluation: Arc<dyn Evaluation<G>>) -> Self {
        let incremental = evaluation.incremental();
        Self { evaluation, incremental }
    }

    /// The value of a move for the player who makes it.
    fn value_of_move(&mut self, position: &G, m: G::Move) -> i32 {
        let child = position.after(m);
        if let Some(outcome) = child.outcome() {
            return -score::from_outcome::<G>(outcome, child.side(), 1);
        }
        if child.draw().is_some() {
            return 0;
        }
        -match &mut self.incremental {
            Some(evaluation) => score::clamp(evaluation.evaluate(&child, 1)),
            None => score::static_eval(&*self.evaluation, &child, Some((position, m))),
        }
    }
}

impl<G: GameType> Clone for EvaluationPolicy<G> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.evaluation))
    }
}

impl<G: Tactics> PolicyValue<G> for EvaluationPolicy<G> {
    fn evaluate(
        &mut self,
        position: &G,
        _seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32> {
        if let Some(evaluation) = &mut self.incremental {
            // The moves' positions are computed from it.
            evaluation.evaluate(position, 0);
        }
        let mut best = -score::INFINITE;
        for (&m, prior) in moves.iter().zip(&mut *priors) {
            let value = self.value_of_move(position, m);
            best = best.max(value);
            *prior = value as f32;
        }
        // The odds of a logistic model.
        for prior in priors {
            *prior = ((*prior - best as f32) / G::WDL_MODEL.scale as f32).exp();
        }
        score::to_reward::<G>(best)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, GameHistory, Notation, Rng, StandardRules, Value};
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::minimax::minimax;

    fn evaluate<G: Tactics>(position: &G) -> (Vec<G::Move>, Vec<f32>, f32) {
        let moves = position.moves().to_vec();
        let mut priors = vec![0.0; moves.len()];
        let mut policy = EvaluationPolicy::new(G::evaluations()[0].hand_tuned().into());
        let ForMover(value) = policy.evaluate(position, 0, &moves, &mut priors);
        (moves, priors, value)
    }

    #[test]
    fn the_value_is_that_of_one_ply_and_better_moves_have_larger_priors() {
        let mut rng = Rng::seeded(4);
        let mut game = GameHistory::new(Othello::start(StandardRules));
        for _ in 0..40 {
            let (moves, priors, value) = evaluate(game.position());
            let evaluation = Othello::evaluations()[0].hand_tuned();
            let values: Vec<i32> =
                moves.iter().map(|&m| minimax(&game, m, 1, &*evaluation)).collect();
            let best = *values.iter().max().expect("not over");
            let expected = Othello::WDL_MODEL.expected_score(Value::Centi(best));
            assert!((f64::from(value) - (2.0 * expected - 1.0)).abs() < 1e-6);
            for (a, prior_a) in values.iter().zip(&priors) {
                assert_eq!(*prior_a == 1.0, *a == best);
                assert!(values.iter().zip(&priors).all(|(b, prior_b)| a > b || prior_a <= prior_b));
            }
            let m = game.position().random_move(&mut rng).expect("not over");
            game.play(m).expect("legal");
        }
    }

    #[test]
    fn a_winning_move_is_certain() {
        let position = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("valid");
        let (moves, priors, value) = evaluate(&position);
        let sum: f32 = priors.iter().sum();
        let of = |m: u8| priors[moves.iter().position(|&other| other == m).expect("legal")] / sum;
        assert!(of(2) > 0.999, "{priors:?}");
        assert_eq!(value, 1.0);
    }
}
