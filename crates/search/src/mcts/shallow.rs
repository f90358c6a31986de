//! Leaves valued by a shallow search, as in hybrids of MCTS and minimax (Baier and Winands 2013): tactics
//! that a tree of averages sees late.

use std::sync::Arc;

use tablero_core::{Evaluation, ForMover, GameType, Rng, Simulation, Tactics};

use crate::score;

/// A fixed-depth alpha-beta search of the leaf, its value as an expected result, instead of a playout.
pub struct ShallowSearch<G: GameType> {
    evaluation: Arc<dyn Evaluation<G>>,
    plies: u32,
    /// Scored moves, by remaining plies.
    moves: Vec<Vec<(i32, G::Move)>>,
}

impl<G: GameType> ShallowSearch<G> {
    /// Leaves are searched `plies` deep and evaluated there.
    pub fn new(evaluation: Arc<dyn Evaluation<G>>, plies: u32) -> Self {
        Self { evaluation, plies, moves: (0..=plies).map(|_| Vec::new()).collect() }
    }
}

impl<G: GameType> Clone for ShallowSearch<G> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.evaluation), self.plies)
    }
}

impl<G: Tactics> ShallowSearch<G> {
    /// Fail-soft value of a position that is not over.
    fn search(
        &mut self,
        position: &G,
        parent: Option<(&G, G::Move)>,
        plies: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        if plies == 0 {
            return score::static_eval(&*self.evaluation, position, parent);
        }
        let mut moves = std::mem::take(&mut self.moves[plies as usize]);
        moves.clear();
        position.each_distinct_move(|m| moves.push((-position.move_order_score(m), m)));
        moves.sort_by_key(|&(score, _)| score);
        let mut best = -score::INFINITE;
        for &(_, m) in &moves {
            let child = position.after(m);
            let distance = (self.plies - plies + 1) as usize;
            let value = match child.outcome() {
                Some(outcome) => -score::from_outcome::<G>(outcome, child.side(), distance),
                None if child.draw().is_some() => 0,
                None => -self.search(&child, Some((position, m)), plies - 1, -beta, -alpha),
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.moves[plies as usize] = moves;
        best
    }
}

impl<G: Tactics> Simulation<G> for ShallowSearch<G> {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        let value = self.search(position, None, self.plies, -score::INFINITE, score::INFINITE);
        score::to_reward::<G>(value)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, GameHistory, StandardRules};
    use tablero_othello::Othello;

    use super::*;
    use crate::minimax::minimax;

    #[test]
    fn the_value_is_that_of_minimax() {
        let evaluation = || Othello::evaluations()[0].hand_tuned();
        let mut rng = Rng::seeded(8);
        for plies in 1..4 {
            let mut game = GameHistory::new(Othello::start(StandardRules));
            for _ in 0..20 {
                let m = game.position().random_move(&mut rng).expect("not over");
                game.play(m).expect("legal");
            }
            let position = game.position();
            let moves = position.moves().into_iter();
            let expected = moves.map(|m| minimax(&game, m, plies, &*evaluation())).max();
            let mut search = ShallowSearch::new(evaluation().into(), plies);
            let found = search.search(position, None, plies, -score::INFINITE, score::INFINITE);
            assert_eq!(Some(found), expected);
        }
    }
}
