//! Minimax in the plainest way: no window, no table, no order. It is what every other search is
//! compared with, in tests and in experiments.

use tablero_core::{
    Choice, Control, Evaluation, Game, Info, Limits, Line, Match, Player, PlayerError,
};

use crate::candidates;
use crate::clock::Budget;
use crate::score;
use crate::trail::Trail;

/// Looks at every line of a fixed number of plies.
pub struct Minimax<G: Game> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
}

/// No search goes deeper.
const MAX_DEPTH: u32 = 100;

impl<G: Game> Minimax<G> {
    /// A player that looks `depth` plies ahead, at least one, and judges what it then sees by
    /// `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        Self { depth, evaluation }
    }
}

/// A search under way.
struct Search<'a, 'c, G: Game> {
    evaluation: &'a dyn Evaluation<G>,
    trail: Trail<G>,
    budget: Budget,
    nodes: u64,
    control: &'a Control<'c, G>,
}

impl<G: Game> Search<'_, '_, G> {
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
        if let Some(value) = self.trail.draw(position, key, ply) {
            return Some(value);
        }
        if depth == 0 {
            return Some(score::of_evaluation(self.evaluation, position, Some(from)));
        }
        self.trail.push(key);
        let mut best = Some(-score::INFINITE);
        position.each_move(|m| {
            if let Some(so_far) = best {
                best = self.value(position, m, depth, ply).map(|value| so_far.max(value));
            }
        });
        self.trail.pop();
        best
    }

    fn is_over(&self) -> bool {
        /// Positions from one look at the clock to the next.
        const LOOK: u64 = 256;
        let late =
            || self.nodes.is_multiple_of(LOOK) && self.budget.is_spent(self.budget.elapsed());
        self.control.stopped() || self.nodes >= self.budget.nodes || late()
    }
}

impl<G: Game> Player<G> for Minimax<G> {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let moves = candidates(game, control);
        let &first = moves.first().ok_or(PlayerError::GameOver)?;
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut search = Search {
            evaluation: &*self.evaluation,
            trail: Trail::new(game),
            budget: Budget::new(&own.and(*limits), MAX_DEPTH),
            nodes: 0,
            control,
        };
        let depth = search.budget.depth;
        let mut best: Option<(i32, G::Move)> = None;
        for m in moves {
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
            time: search.budget.elapsed(),
            table_full: None,
            lines: Vec::from_iter(
                best.map(|(value, m)| Line { value: score::to_value::<G>(value), moves: vec![m] }),
            ),
        };
        control.report(&info);
        Ok(Choice { m: best.map_or(first, |(_, m)| m), info })
    }

    /// It remembers nothing and leaves nothing to chance.
    fn new_game(&mut self, _seed: u64) {}
}

/// The value of `m` that minimax finds, as searches calculate.
#[cfg(test)]
pub(crate) fn minimax<G: Game>(
    game: &Match<G>,
    m: G::Move,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
) -> i32 {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut ignore = |_: &_| {};
    let mut search = Search {
        evaluation,
        trail: Trail::new(game),
        budget: Budget::new(&Limits::default(), MAX_DEPTH),
        nodes: 0,
        control: &Control::new(&stop, &mut ignore),
    };
    search.value(game.position(), m, depth, 0).expect("nothing stops it")
}
