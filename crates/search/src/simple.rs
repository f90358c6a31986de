//! Players that hardly look ahead.

use std::time::Instant;

use tablero_core::{
    Choice, Control, Evaluation, GameType, Info, Limits, Line, Match, Player, PlayerError, Rng,
};

use crate::repetition::RepetitionHistory;
use crate::{candidates, score};

/// Plays any legal move, each as likely as the other.
pub struct Random {
    rng: Rng,
}

impl Random {
    /// The player that `seed` names.
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::seeded(seed) }
    }
}

impl<G: GameType> Player<G> for Random {
    fn choose(
        &mut self,
        game: &Match<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let moves = candidates(game, control);
        let &m = self.rng.pick(&moves).ok_or(PlayerError::GameOver)?;
        let info = Info::default();
        Ok(Choice { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

/// Plays the move after which the position looks best; of equals, any.
pub struct Greedy<G: GameType> {
    evaluation: Box<dyn Evaluation<G>>,
    rng: Rng,
}

impl<G: GameType> Greedy<G> {
    /// A player that judges positions by `evaluation`, and decides between equals by `seed`.
    pub fn new(evaluation: Box<dyn Evaluation<G>>, seed: u64) -> Self {
        Self { evaluation, rng: Rng::seeded(seed) }
    }
}

impl<G: GameType> Player<G> for Greedy<G> {
    fn choose(
        &mut self,
        game: &Match<G>,
        _limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let start = Instant::now();
        let (position, repetition, moves) =
            (game.position(), RepetitionHistory::new(game), candidates(game, control));
        let value = |m| {
            let child = position.after(m);
            let over = child.outcome();
            let drawn = || repetition.draw(&child, child.key(), 1);
            -over
                .map(|outcome| score::of_outcome::<G>(outcome, child.side(), 1))
                .or_else(drawn)
                .unwrap_or_else(|| {
                    score::of_evaluation(&*self.evaluation, &child, Some((position, m)))
                })
        };
        let values: Vec<(G::Move, i32)> = moves.iter().map(|&m| (m, value(m))).collect();
        let best = values.iter().map(|&(_, value)| value).max();
        let best = best.ok_or(PlayerError::GameOver)?;
        let equal: Vec<G::Move> =
            values.iter().filter(|&&(_, value)| value == best).map(|&(m, _)| m).collect();
        let &m = self.rng.pick(&equal).ok_or(PlayerError::GameOver)?;
        let info = Info {
            depth: 1,
            deepest: 1,
            nodes: values.len() as u64,
            time: start.elapsed(),
            lines: vec![Line { value: score::to_value::<G>(best), moves: vec![m] }],
            ..Info::default()
        };
        control.report(&info);
        Ok(Choice { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}
