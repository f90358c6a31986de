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

/// Plays the move with the best static evaluation one ply ahead; ties are broken at random.
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
