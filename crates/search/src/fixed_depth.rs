//! Fixed-depth alpha-beta: plays exactly the moves of [`Minimax`](crate::minimax::Minimax), faster,
//! by alpha-beta with killer and history ordering.
//!
//! It has no transposition table and nothing else to allocate or clear between games: it is meant
//! for hundreds of shallow games per second, as in evolution.

use tablero_core::{
    Control, Evaluation, GameHistory, Info, Limits, Player, PlayerError, Pv, SearchResult, Tactics,
};

use crate::budget::Budget;
use crate::repetition::RepetitionHistory;
use crate::{root_moves, score};

/// Maximum depth.
const MAX_DEPTH: u32 = 16;
/// Weight of the game's move ordering score (centi-units) relative to history.
const MOVE_ORDER_WEIGHT: i32 = 64;
/// The killer comes first.
const KILLER_BONUS: i32 = 1 << 24;
/// History is halved when a value exceeds this.
const MAX_HISTORY: i32 = 1 << 16;

/// Alpha-beta to a fixed depth.
pub struct FixedDepthAlphaBeta<G: Tactics> {
    depth: u32,
    evaluation: Box<dyn Evaluation<G>>,
    state: SearchState<G>,
}

/// Move ordering heuristics and move lists, by ply.
struct SearchState<G: Tactics> {
    move_lists: Vec<Vec<ScoredMove<G>>>,
    killers: [Option<G::Move>; MAX_DEPTH as usize + 1],
    history: Vec<i32>,
}

/// A move with its index in generation order and its ordering score.
struct ScoredMove<G: Tactics> {
    m: G::Move,
    index: usize,
    score: i32,
}

impl<G: Tactics> FixedDepthAlphaBeta<G> {
    /// A player that searches `depth` plies, at least one, and evaluates leaves by `evaluation`.
    pub fn new(depth: u32, evaluation: Box<dyn Evaluation<G>>) -> Self {
        let state = SearchState {
            move_lists: (0..=MAX_DEPTH).map(|_| Vec::new()).collect(),
            killers: [None; MAX_DEPTH as usize + 1],
            history: vec![0; G::HISTORY_SLOTS],
        };
        Self { depth: depth.clamp(1, MAX_DEPTH), evaluation, state }
    }
}

/// State of one search.
struct Search<'a, 'c, G: Tactics> {
    evaluation: &'a dyn Evaluation<G>,
    state: &'a mut SearchState<G>,
    repetition: RepetitionHistory<G>,
    control: &'a Control<'c, G>,
    nodes: u64,
    stopped: bool,
}

/// A node: its position, the parent with the move made there, and its distance from leaf and root.
#[derive(Clone, Copy)]
struct Node<'a, G: Tactics> {
    parent: (&'a G, G::Move),
    position: &'a G,
    depth: u32,
    ply: usize,
}

impl<G: Tactics> Search<'_, '_, G> {
    /// Whether keys are needed for repetition detection.
    const HAS_REPETITIONS: bool = RepetitionHistory::<G>::ENABLED;

    /// Value of a move for the side that makes it: exact inside the window, otherwise a bound.
    fn search_move(
        &mut self,
        parent: &G,
        m: G::Move,
        [depth, ply]: [u32; 2],
        [alpha, beta]: [i32; 2],
    ) -> i32 {
        let position = parent.after(m);
        let node = Node {
            parent: (parent, m),
            position: &position,
            depth: depth - 1,
            ply: ply as usize + 1,
        };
        -self.alpha_beta(node, -beta, -alpha)
    }

    fn alpha_beta(&mut self, node: Node<'_, G>, mut alpha: i32, beta: i32) -> i32 {
        let Node { parent, position, depth, ply } = node;
        self.nodes += 1;
        if depth == 0 {
            return self.evaluate_leaf(node);
        }
        if self.nodes.is_multiple_of(1024) {
            self.stopped |= self.control.is_stopped();
        }
        if self.stopped {
            return 0;
        }
        let mut moves = std::mem::take(&mut self.state.move_lists[ply]);
        self.state.generate_moves(position, ply, depth, &mut moves);
        let mut best = -score::INFINITE;
        if moves.is_empty() {
            best = self.evaluate_leaf(node);
        } else if let Some(value) = self.draw_score(position, ply) {
            best = value;
            moves.clear();
        } else if Self::HAS_REPETITIONS {
            self.repetition.push(position.key());
        }
        for move_count in 0..moves.len() {
            pick_best(&mut moves, move_count);
            let m = moves[move_count].m;
            let value = self.search_move(position, m, [depth, ply as u32], [alpha, beta]);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                self.state.update_heuristics(position, m, ply, depth);
                break;
            }
        }
        if Self::HAS_REPETITIONS && !moves.is_empty() {
            self.repetition.pop();
        }
        debug_assert!(best > -score::INFINITE || self.stopped, "{parent:?}");
        moves.clear();
        self.state.move_lists[ply] = moves;
        best
    }

    /// Value of a terminal, drawn or horizon node.
    fn evaluate_leaf(&self, node: Node<'_, G>) -> i32 {
        let Node { parent, position, ply, .. } = node;
        if let Some(outcome) = position.outcome() {
            return score::from_outcome::<G>(outcome, position.side(), ply);
        }
        self.draw_score(position, ply)
            .unwrap_or_else(|| score::static_eval(self.evaluation, position, Some(parent)))
    }

    fn draw_score(&self, position: &G, ply: usize) -> Option<i32> {
        if Self::HAS_REPETITIONS {
            self.repetition.draw_score(position, position.key(), ply)
        } else {
            // Draws that need no history.
            position.draw().map(|_| 0)
        }
    }
}

impl<G: Tactics> SearchState<G> {
    /// Generates and scores moves. At depth 1 the game's ordering score costs more than the leaves
    /// it would save.
    fn generate_moves(&self, position: &G, ply: usize, depth: u32, moves: &mut Vec<ScoredMove<G>>) {
        moves.clear();
        let killer = self.killers[ply];
        position.each_distinct_move(|m| {
            let mut score = self.history[position.history_slot(m)];
            if killer == Some(m) {
                score += KILLER_BONUS;
            }
            if depth > 1 {
                score += MOVE_ORDER_WEIGHT * position.move_order_score(m).clamp(-10_000, 10_000);
            }
            moves.push(ScoredMove { m, index: moves.len(), score });
        });
    }

    /// Killer and history update after a beta cutoff.
    fn update_heuristics(&mut self, position: &G, m: G::Move, ply: usize, depth: u32) {
        self.killers[ply] = Some(m);
        let slot = &mut self.history[position.history_slot(m)];
        *slot += 1 << depth;
        if *slot > MAX_HISTORY {
            self.history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Swaps the best of `moves[from..]` to `from`; ties go to the first in generation order.
fn pick_best<G: Tactics>(moves: &mut [ScoredMove<G>], from: usize) {
    let key = |scored: &ScoredMove<G>| (scored.score, usize::MAX - scored.index);
    let mut best = from;
    for at in from + 1..moves.len() {
        if key(&moves[at]) > key(&moves[best]) {
            best = at;
        }
    }
    moves.swap(from, best);
}

impl<G: Tactics> Player<G> for FixedDepthAlphaBeta<G> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let legal = root_moves(game, control);
        let &first = legal.first().ok_or(PlayerError::GameOver)?;
        let own = Limits { depth: Some(self.depth), ..Limits::default() };
        let budget = Budget::new(&own.and(*limits), MAX_DEPTH);
        let depth = budget.depth.max(1);
        let position = game.position();
        let mut moves = Vec::new();
        self.state.generate_moves(position, 0, depth, &mut moves);
        // Of moves with the same child position, minimax plays the first too.
        moves.retain(|scored| legal.contains(&scored.m));
        let mut search = Search {
            evaluation: &*self.evaluation,
            state: &mut self.state,
            repetition: RepetitionHistory::new(game),
            control,
            nodes: 0,
            stopped: false,
        };
        let mut best: Option<(i32, usize, G::Move)> = None;
        for move_count in 0..moves.len() {
            pick_best(&mut moves, move_count);
            let ScoredMove { m, index, .. } = moves[move_count];
            // Ties go to the earlier move in generation order, as in minimax.
            let alpha = match best {
                None => -score::INFINITE,
                Some((value, best_index, _)) => value - i32::from(index < best_index),
            };
            let value = search.search_move(position, m, [depth, 0], [alpha, score::INFINITE]);
            if search.stopped {
                break;
            }
            if value > alpha {
                best = Some((value, index, m));
            }
        }
        let line = |(value, _, m)| Pv { value: score::to_value::<G>(value), moves: vec![m] };
        let info = Info {
            depth,
            seldepth: depth,
            nodes: search.nodes,
            time: budget.time.elapsed(),
            lines: best.map(line).into_iter().collect(),
            ..Info::default()
        };
        control.report(&info);
        Ok(SearchResult { m: best.map_or(first, |(_, _, m)| m), info })
    }

    fn new_game(&mut self, _seed: u64) {
        self.state.killers = [None; MAX_DEPTH as usize + 1];
        self.state.history.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tablero_chess::Chess;
    use tablero_core::{GameType, Rng};
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::minimax::Minimax;

    fn chosen<G: GameType>(player: &mut dyn Player<G>, game: &GameHistory<G>) -> SearchResult<G> {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        player.choose(game, &Limits::default(), &mut control).expect("a move")
    }

    /// Compares move and value with minimax in positions of random games, for every evaluation.
    fn plays_as_minimax<G: Tactics>(depth: u32, games: u64, step: usize) {
        for kind in G::evaluations() {
            let (mut minimax, mut alpha_beta) = (
                Minimax::new(depth, kind.hand_tuned()),
                FixedDepthAlphaBeta::new(depth, kind.hand_tuned()),
            );
            for number in 0..games {
                let mut rng = Rng::for_stream(5, number);
                let mut game = GameHistory::new(G::start(G::Rules::default()));
                alpha_beta.new_game(0);
                while game.end().is_none() && game.plies() < 120 {
                    if game.plies() % step == number as usize % step {
                        let (a, b) = (chosen(&mut minimax, &game), chosen(&mut alpha_beta, &game));
                        assert_eq!((a.m, &a.info.lines), (b.m, &b.info.lines), "{game:?}");
                        assert!(b.info.nodes <= a.info.nodes);
                    }
                    let m = game.position().random_move(&mut rng).expect("a move");
                    game.play(m).expect("legal");
                }
            }
        }
    }

    #[test]
    fn plays_the_moves_of_minimax() {
        plays_as_minimax::<TicTacToe>(3, 50, 1);
        plays_as_minimax::<Othello>(1, 5, 1);
        plays_as_minimax::<Othello>(4, 6, 7);
        plays_as_minimax::<Chess>(2, 2, 9);
        plays_as_minimax::<Shobu>(2, 2, 17);
    }
}
