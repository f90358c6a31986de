//! Baseline players: uniformly random, and greedy (one-ply search).

use std::time::Instant;

use tablero_core::{
    Control, Evaluation, GameHistory, GameType, Info, Limits, Player, PlayerError, Pv, Rng,
    SearchResult,
};

use crate::repetition::RepetitionHistory;
use crate::{root_moves, score};

/// Plays uniformly random legal moves.
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A player with this random seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::seeded(seed) }
    }
}

impl<G: GameType> Player<G> for Random {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let moves = root_moves(game, control);
        let &m = self.rng.pick(&moves).ok_or(PlayerError::GameOver)?;
        let info = Info::default();
        Ok(SearchResult { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

/// Plays the move with the best static evaluation one ply ahead, or that a policy rates best; ties are
/// broken at random.
pub struct Greedy<G: GameType> {
    evaluation: Box<dyn Evaluation<G>>,
    rng: Rng,
}

impl<G: GameType> Greedy<G> {
    /// A player with this evaluation, and a seed for breaking ties.
    pub fn new(evaluation: Box<dyn Evaluation<G>>, seed: u64) -> Self {
        Self { evaluation, rng: Rng::seeded(seed) }
    }
}

impl<G: GameType> Player<G> for Greedy<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let start = Instant::now();
        let (position, repetition, moves) =
            (game.position(), RepetitionHistory::new(game), root_moves(game, control));
        let value = |m| {
            let child = position.after(m);
            if self.evaluation.is_policy() {
                return -self.evaluation.evaluate_after(position, m, &child).0;
            }
            let outcome = child.outcome();
            let draw = || repetition.draw_score(&child, child.key(), 1);
            -outcome
                .map(|outcome| score::from_outcome::<G>(outcome, child.side(), 1))
                .or_else(draw)
                .unwrap_or_else(|| {
                    score::static_eval(&*self.evaluation, &child, Some((position, m)))
                })
        };
        let values: Vec<(G::Move, i32)> = moves.iter().map(|&m| (m, value(m))).collect();
        let best = values.iter().map(|&(_, value)| value).max();
        let best = best.ok_or(PlayerError::GameOver)?;
        let ties: Vec<G::Move> =
            values.iter().filter(|&&(_, value)| value == best).map(|&(m, _)| m).collect();
        let &m = self.rng.pick(&ties).ok_or(PlayerError::GameOver)?;
        let info = Info {
            depth: 1,
            seldepth: 1,
            nodes: values.len() as u64,
            time: start.elapsed(),
            lines: vec![Pv { value: score::to_value::<G>(best), moves: vec![m] }],
            ..Info::default()
        };
        control.report(&info);
        Ok(SearchResult { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tablero_core::{ForMover, Game, StandardRules};
    use tablero_tictactoe::TicTacToe;

    use super::*;

    /// Rates squares by their number.
    struct ByNumber {
        is_policy: bool,
    }

    impl Evaluation<TicTacToe> for ByNumber {
        fn evaluate(&self, _: &TicTacToe) -> ForMover<i32> {
            ForMover(0)
        }

        fn evaluate_after(&self, _: &TicTacToe, square: u8, _: &TicTacToe) -> ForMover<i32> {
            ForMover(-i32::from(square))
        }

        fn is_policy(&self) -> bool {
            self.is_policy
        }
    }

    /// X has a1 and b1 and wins with c1; a policy knows only that the last square is rated best.
    #[test]
    fn a_policy_is_played_without_a_look_ahead() {
        let position =
            [0, 4, 1, 5].into_iter().fold(TicTacToe::start(StandardRules), |p, m| p.after(m));
        let (game, stop) = (GameHistory::new(position), AtomicBool::new(false));
        let chosen = |is_policy: bool| {
            let mut ignore = |_: &_| {};
            let mut control = Control::new(&stop, &mut ignore);
            let mut player = Greedy::new(Box::new(ByNumber { is_policy }), 0);
            player.choose(&game, &Limits::default(), &mut control).expect("a move").m
        };
        assert_eq!([chosen(true), chosen(false)], [8, 2]);
    }
}
