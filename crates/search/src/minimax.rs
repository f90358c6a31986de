//! Full-width minimax to a fixed depth: no alpha-beta window, no transposition table, no move
//! ordering. The reference that the other searches are tested against, and a baseline in
//! experiments.
//!
//! Written as negamax: a position's value is the maximum of its children's negated values.

use tablero_core::{
    Control, Evaluation, GameHistory, GameType, Info, Limits, Player, PlayerError, Pv, Rng,
    SearchResult,
};

use crate::budget::Budget;
use crate::repetition::RepetitionHistory;
use crate::root_moves;
use crate::score;

/// Full-width minimax to a fixed depth.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_core::{Control, Game, GameHistory, Limits, Player, StandardRules, Tactics};
/// use tablero_othello::Othello;
/// use tablero_search::minimax::Minimax;
///
/// let mut player = Minimax::new(3, Othello::evaluations()[0].hand_tuned());
/// let game = GameHistory::new(Othello::start(StandardRules));
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let result = player
///     .choose(&game, &Limits::default(), &mut Control::new(&stop, &mut ignore))
///     .expect("the game is not over");
/// assert_eq!(result.info.nodes, 4 + 12 + 56);
/// ```
pub struct Minimax<G: GameType> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    dropout: MoveDropout,
}

/// Drops moves at random: a smaller tree, and blind spots.
struct MoveDropout {
    /// Probability that a move is dropped.
    prob: f64,
    rng: Rng,
}

/// Maximum depth.
const MAX_DEPTH: u32 = 100;

impl<G: GameType> Minimax<G> {
    /// A player that searches `depth` plies, at least one, and evaluates leaves by `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        let dropout = MoveDropout { prob: 0.0, rng: Rng::seeded(0) };
        Self { depth, evaluation, dropout }
    }

    /// Drops every move with probability `prob`, at every node, as "Shobu minimax" does. A node
    /// without any move left gets its static evaluation; at the root all moves are kept then.
    #[must_use]
    pub fn with_move_dropout(mut self, prob: f64) -> Self {
        self.dropout.prob = prob;
        self
    }
}

impl MoveDropout {
    fn keep(&mut self) -> bool {
        self.prob == 0.0 || self.rng.unit() >= self.prob
    }
}

/// State of one search.
struct Search<'a, 'c, G: GameType> {
    evaluation: &'a dyn Evaluation<G>,
    dropout: &'a mut MoveDropout,
    repetition: RepetitionHistory<G>,
    budget: Budget,
    nodes: u64,
    control: &'a Control<'c, G>,
}

impl<G: GameType> Search<'_, '_, G> {
    /// Value of move `m` for the side that makes it; none if the search was stopped.
    fn search_move(&mut self, parent: &G, m: G::Move, depth: u32, ply: usize) -> Option<i32> {
        self.negamax((parent, m), &parent.after(m), depth - 1, ply + 1).map(|value| -value)
    }

    /// Value of `position` for its side to move; `parent` is the previous position and the move.
    fn negamax(
        &mut self,
        parent: (&G, G::Move),
        position: &G,
        depth: u32,
        ply: usize,
    ) -> Option<i32> {
        if self.should_stop() {
            return None;
        }
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return Some(score::from_outcome::<G>(outcome, position.side(), ply));
        }
        let key = position.key();
        if let Some(value) = self.repetition.draw_score(position, key, ply) {
            return Some(value);
        }
        if depth == 0 {
            return Some(score::static_eval(self.evaluation, position, Some(parent)));
        }
        self.repetition.push(key);
        let mut best = Some(-score::INFINITE);
        position.each_move(|m| {
            if let Some(so_far) = best
                && self.dropout.keep()
            {
                best = self.search_move(position, m, depth, ply).map(|value| so_far.max(value));
            }
        });
        self.repetition.pop();
        if best == Some(-score::INFINITE) {
            return Some(score::static_eval(self.evaluation, position, Some(parent)));
        }
        best
    }

    fn should_stop(&self) -> bool {
        /// Nodes between two looks at the clock.
        const CLOCK_INTERVAL: u64 = 256;
        let time = &self.budget.time;
        let out_of_time =
            || self.nodes.is_multiple_of(CLOCK_INTERVAL) && time.is_spent(time.elapsed());
        self.control.is_stopped() || self.nodes >= self.budget.nodes || out_of_time()
    }
}

impl<G: GameType> Player<G> for Minimax<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let moves = root_moves(game, control);
        let &first = moves.first().ok_or(PlayerError::GameOver)?;
        let kept: Vec<G::Move> = moves.iter().copied().filter(|_| self.dropout.keep()).collect();
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let mut search = Search {
            evaluation: &*self.evaluation,
            dropout: &mut self.dropout,
            repetition: RepetitionHistory::new(game),
            budget: Budget::new(&own.and(*limits), MAX_DEPTH),
            nodes: 0,
            control,
        };
        let depth = search.budget.depth;
        let mut best: Option<(i32, G::Move)> = None;
        for m in if kept.is_empty() { moves } else { kept } {
            let Some(value) = search.search_move(game.position(), m, depth, 0) else {
                break;
            };
            if best.is_none_or(|(so_far, _)| value > so_far) {
                best = Some((value, m));
            }
        }
        let info = Info {
            depth,
            seldepth: depth,
            nodes: search.nodes,
            time: search.budget.time.elapsed(),
            lines: Vec::from_iter(
                best.map(|(value, m)| Pv { value: score::to_value::<G>(value), moves: vec![m] }),
            ),
            ..Info::default()
        };
        control.report(&info);
        Ok(SearchResult { m: best.map_or(first, |(_, m)| m), info })
    }

    /// There is no state but the random numbers of dropped moves.
    fn new_game(&mut self, seed: u64) {
        self.dropout.rng = Rng::seeded(seed);
    }
}

/// The minimax value of `m`.
#[cfg(test)]
pub(crate) fn minimax<G: GameType>(
    game: &GameHistory<G>,
    m: G::Move,
    depth: u32,
    evaluation: &dyn Evaluation<G>,
) -> i32 {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut ignore = |_: &_| {};
    let mut search = Search {
        evaluation,
        dropout: &mut MoveDropout { prob: 0.0, rng: Rng::seeded(0) },
        repetition: RepetitionHistory::new(game),
        budget: Budget::new(&Limits::default(), MAX_DEPTH),
        nodes: 0,
        control: &Control::new(&stop, &mut ignore),
    };
    search.search_move(game.position(), m, depth, 0).expect("nothing stops it")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tablero_core::{Game, StandardRules, Tactics};
    use tablero_othello::Othello;

    use super::*;

    fn nodes(player: &mut Minimax<Othello>) -> u64 {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let game = GameHistory::new(Othello::start(StandardRules));
        let mut control = Control::new(&stop, &mut ignore);
        let result = player.choose(&game, &Limits::default(), &mut control).expect("a move");
        assert!(game.position().is_legal(result.m));
        result.info.nodes
    }

    /// The tree has 4, 12, 56, 244 and 1396 nodes by level; about 2^-level of them remain.
    #[test]
    fn dropping_half_of_the_moves_halves_every_level() {
        let evaluation = || Othello::evaluations()[0].hand_tuned();
        assert_eq!(nodes(&mut Minimax::new(5, evaluation())), 4 + 12 + 56 + 244 + 1396);
        let mut player = Minimax::new(5, evaluation()).with_move_dropout(0.5);
        let mut of_seed = |seed: u64| {
            player.new_game(seed);
            nodes(&mut player)
        };
        let mean = (0..400).map(&mut of_seed).sum::<u64>() as f64 / 400.0;
        // 4/2 + 12/4 + 56/8 + 244/16 + 1396/32, plus roots that keep all moves.
        assert!((65.0..85.0).contains(&mean), "{mean}");
        assert_eq!(of_seed(7), of_seed(7), "the seed determines what is dropped");
        let mut blind = Minimax::new(5, evaluation()).with_move_dropout(1.0);
        assert_eq!(nodes(&mut blind), 4, "each root move is evaluated");
    }
}
