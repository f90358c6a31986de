//! Minimax in the plainest way: no window, no table, no order. It is what every other search is
//! compared with, in tests and in experiments.

use tablero_core::{
    Choice, Control, Evaluation, GameType, Info, Limits, Line, Match, Player, PlayerError, Rng,
};

use crate::budget::Budget;
use crate::candidates;
use crate::repetition::RepetitionHistory;
use crate::score;

/// Looks at every line of a fixed number of plies.
pub struct Minimax<G: GameType> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    dropping: Dropping,
}

/// Leaves moves out at random, which makes the tree smaller and the player blind to some of it.
struct Dropping {
    /// How likely a move is left out.
    share: f64,
    rng: Rng,
}

/// No search goes deeper.
const MAX_DEPTH: u32 = 100;

impl<G: GameType> Minimax<G> {
    /// A player that looks `depth` plies ahead, at least one, and judges what it then sees by
    /// `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        let dropping = Dropping { share: 0.0, rng: Rng::seeded(0) };
        Self { depth, evaluation, dropping }
    }

    /// Leaves every move of every position out with probability `share`, as "Shobu minimax" does. A
    /// position that loses all of its moves so is judged as it stands; at the root all are kept then.
    #[must_use]
    pub fn dropping(mut self, share: f64) -> Self {
        self.dropping.share = share;
        self
    }
}

impl Dropping {
    fn keeps(&mut self) -> bool {
        self.share == 0.0 || self.rng.unit() >= self.share
    }
}

/// A search under way.
struct Search<'a, 'c, G: GameType> {
    evaluation: &'a dyn Evaluation<G>,
    dropping: &'a mut Dropping,
    repetition: RepetitionHistory<G>,
    budget: Budget,
    nodes: u64,
    control: &'a Control<'c, G>,
}

impl<G: GameType> Search<'_, '_, G> {
    /// The value of `m` in the position `before`, for who makes it; none if the search must end.
    fn value(&mut self, before: &G, m: G::Move, depth: u32, ply: usize) -> Option<i32> {
        self.value_after((before, m), &before.after(m), depth - 1, ply + 1).map(|value| -value)
    }

    /// The value of `position`, which a move has just led to, for the side to move there.
    fn value_after(
        &mut self,
        from: (&G, G::Move),
        position: &G,
        depth: u32,
        ply: usize,
    ) -> Option<i32> {
        if self.is_over() {
            return None;
        }
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return Some(score::of_outcome::<G>(outcome, position.side(), ply));
        }
        let key = position.key();
        if let Some(value) = self.repetition.draw(position, key, ply) {
            return Some(value);
        }
        if depth == 0 {
            return Some(score::of_evaluation(self.evaluation, position, Some(from)));
        }
        self.repetition.push(key);
        let mut best = Some(-score::INFINITE);
        position.each_move(|m| {
            if let Some(so_far) = best
                && self.dropping.keeps()
            {
                best = self.value(position, m, depth, ply).map(|value| so_far.max(value));
            }
        });
        self.repetition.pop();
        if best == Some(-score::INFINITE) {
            return Some(score::of_evaluation(self.evaluation, position, Some(from)));
        }
        best
    }

    fn is_over(&self) -> bool {
        /// Positions from one look at the clock to the next.
        const LOOK: u64 = 256;
        let late = || {
            self.nodes.is_multiple_of(LOOK) && self.budget.time.is_spent(self.budget.time.elapsed())
        };
        self.control.stopped() || self.nodes >= self.budget.nodes || late()
    }
}

impl<G: GameType> Player<G> for Minimax<G> {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let moves = candidates(game, control);
        let &first = moves.first().ok_or(PlayerError::GameOver)?;
        let kept: Vec<G::Move> = moves.iter().copied().filter(|_| self.dropping.keeps()).collect();
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut search = Search {
            evaluation: &*self.evaluation,
            dropping: &mut self.dropping,
            repetition: RepetitionHistory::new(game),
            budget: Budget::new(&own.and(*limits), MAX_DEPTH),
            nodes: 0,
            control,
        };
        let depth = search.budget.depth;
        let mut best: Option<(i32, G::Move)> = None;
        for m in if kept.is_empty() { moves } else { kept } {
            let Some(value) = search.value(game.position(), m, depth, 0) else {
                break;
            };
            if best.is_none_or(|(so_far, _)| value > so_far) {
                best = Some((value, m));
            }
        }
        let info = Info {
            depth,
            deepest: depth,
            nodes: search.nodes,
            time: search.budget.time.elapsed(),
            lines: Vec::from_iter(
                best.map(|(value, m)| Line { value: score::to_value::<G>(value), moves: vec![m] }),
            ),
            ..Info::default()
        };
        control.report(&info);
        Ok(Choice { m: best.map_or(first, |(_, m)| m), info })
    }

    /// It remembers nothing; only what it drops is left to chance.
    fn new_game(&mut self, seed: u64) {
        self.dropping.rng = Rng::seeded(seed);
    }
}

/// The value of `m` that minimax finds, as searches calculate.
#[cfg(test)]
pub(crate) fn minimax<G: GameType>(
    game: &Match<G>,
    m: G::Move,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
) -> i32 {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut ignore = |_: &_| {};
    let mut search = Search {
        evaluation,
        dropping: &mut Dropping { share: 0.0, rng: Rng::seeded(0) },
        repetition: RepetitionHistory::new(game),
        budget: Budget::new(&Limits::default(), MAX_DEPTH),
        nodes: 0,
        control: &Control::new(&stop, &mut ignore),
    };
    search.value(game.position(), m, depth, 0).expect("nothing stops it")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tablero_core::{Game, StandardRules, Tactics};
    use tablero_othello::Othello;

    use super::*;

    fn nodes(player: &mut Minimax<Othello>) -> u64 {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let game = Match::new(Othello::start(StandardRules));
        let mut control = Control::new(&stop, &mut ignore);
        let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
        assert!(game.position().is_legal(choice.m));
        choice.info.nodes
    }

    /// Of a tree with 4, 12, 56, 244 and 1396 positions at its levels about 2^-level remain.
    #[test]
    fn dropping_half_of_the_moves_halves_every_level() {
        let evaluation = || Othello::evaluations()[0].by_hand();
        assert_eq!(nodes(&mut Minimax::new(5, evaluation())), 4 + 12 + 56 + 244 + 1396);
        let mut player = Minimax::new(5, evaluation()).dropping(0.5);
        let mut of_seed = |seed: u64| {
            player.new_game(seed);
            nodes(&mut player)
        };
        let mean = (0..400).map(&mut of_seed).sum::<u64>() as f64 / 400.0;
        // 4/2 + 12/4 + 56/8 + 244/16 + 1396/32, and a little for roots that would lose all moves.
        assert!((65.0..85.0).contains(&mean), "{mean}");
        assert_eq!(of_seed(7), of_seed(7), "the seed names what is dropped");
        let mut blind = Minimax::new(5, evaluation()).dropping(1.0);
        assert_eq!(nodes(&mut blind), 4, "one look at each move");
    }
}
