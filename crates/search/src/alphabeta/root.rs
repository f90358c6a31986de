//! The root: iterative deepening, aspiration windows, MultiPV.
//!
//! Every iteration searches the root moves one ply deeper, ordered by the values of the previous
//! one. Its window starts narrow around the last value and is widened on a fail low or fail high.
//! Line `k` of MultiPV is the best of the moves that are not among the first `k`.

use tablero_core::{Pv, Tactics};

use super::ordering::{self, MoveScorer};
use super::window::Window;
use super::worker::Worker;
use crate::score;

/// The root position, its moves and the state of iterative deepening.
pub(super) struct Root<G: Tactics> {
    position: G,
    /// The best first.
    moves: Vec<RootMove<G>>,
    /// Depth of the last complete iteration.
    pub(super) completed_depth: u32,
    /// Depth of the current iteration.
    pub(super) root_depth: u32,
    /// Iterations since the best move last changed.
    stability: u32,
    /// Moves with exact values in the last complete iteration, the best first.
    pub(super) exact: Vec<(G::Move, i32)>,
}

struct RootMove<G: Tactics> {
    m: G::Move,
    /// Value in this iteration; none if not searched yet or failed low.
    value: Option<i32>,
    /// Value in earlier iterations; before the first, the root's static evaluation.
    previous_value: i32,
    pv: Vec<G::Move>,
}

/// Depth from which iterations use aspiration windows.
const ASPIRATION_MIN_DEPTH: u32 = 4;
/// Half the width of the first aspiration window.
const ASPIRATION_DELTA: i32 = 30;
/// With a clock, a forced move is searched no deeper than this, only for its value.
const FORCED_MOVE_DEPTH: u32 = 8;

impl<G: Tactics> Root<G> {
    /// With all moves, or those of `searchmoves`.
    pub(super) fn new(
        position: &G,
        searchmoves: Option<&[G::Move]>,
        scorer: &MoveScorer<'_, G::Move>,
    ) -> Self {
        let mut scored = Vec::new();
        let mut add = |m| scored.push(scorer.score(position, m, scored.len() as u16));
        match searchmoves {
            Some(moves) => {
                moves.iter().copied().filter(|&m| position.is_legal(m)).for_each(&mut add)
            }
            None => position.each_distinct_move(&mut add),
        }
        ordering::sort(&mut scored);
        let root_move = |m| RootMove { m, value: None, previous_value: 0, pv: vec![m] };
        Self {
            position: position.clone(),
            moves: scored.iter().map(|scored| root_move(scored.m)).collect(),
            completed_depth: 0,
            root_depth: 0,
            stability: 0,
            exact: Vec::new(),
        }
    }

    /// The value of every move before the first iteration.
    pub(super) fn set_static_eval(&mut self, value: i32) {
        self.moves.iter_mut().for_each(|root_move| root_move.previous_value = value);
    }

    /// The best move so far; none if there are no moves.
    pub(super) fn best_move(&self) -> Option<G::Move> {
        self.moves.first().map(|best| best.m)
    }

    /// The best `multi_pv` lines so far.
    pub(super) fn lines(&self, multi_pv: usize) -> Vec<Pv<G>> {
        let line = |root_move: &RootMove<G>| Pv {
            value: score::to_value::<G>(root_move.last_value()),
            moves: root_move.pv.clone(),
        };
        self.moves.iter().take(multi_pv.max(1)).map(line).collect()
    }

    /// Stable sort of `moves[from..]` by value; moves without one keep their order at the end.
    fn sort(&mut self, from: usize) {
        self.moves[from..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
    }
}

impl<G: Tactics> RootMove<G> {
    fn last_value(&self) -> i32 {
        self.value.unwrap_or(self.previous_value)
    }
}

impl<G: Tactics> Worker<'_, G> {
    /// Iterative deepening from depth `first`, until a limit is reached or the root is solved.
    pub(super) fn iterative_deepening(&mut self, first: u32) {
        for depth in first..=self.shared.budget.depth {
            let (heuristic_values, best) = (self.heuristic_values, self.root.best_move());
            self.search_iteration(depth);
            if self.stopped {
                return;
            }
            self.root.completed_depth = depth;
            let unchanged = self.root.best_move() == best;
            self.root.stability = if unchanged { self.root.stability + 1 } else { 0 };
            self.report();
            // Without a heuristic value the whole tree was searched exhaustively.
            let exhausted = self.heuristic_values == heuristic_values;
            if exhausted || self.is_solved() || self.is_time_to_stop() {
                return;
            }
        }
    }

    /// One iteration: all MultiPV lines at `depth`.
    fn search_iteration(&mut self, depth: u32) {
        self.root.root_depth = depth;
        for root_move in &mut self.root.moves {
            root_move.previous_value = root_move.last_value();
            root_move.value = None;
        }
        let sampling = self.shared.options.move_sampling;
        let multi_pv =
            if sampling.is_some() { usize::MAX } else { self.shared.options.multi_pv.max(1) };
        let mut exact = Vec::new();
        let mut floor = -score::INFINITE;
        for pv_index in 0..self.root.moves.len().min(multi_pv) {
            let value = self.aspiration_search(depth, pv_index, floor);
            if self.stopped {
                return;
            }
            if value <= floor {
                break;
            }
            exact.push((self.root.moves[pv_index].m, value));
            if pv_index == 0
                && let Some(sampling) = sampling
            {
                // Moves outside the sampling margin need no exact value.
                floor = value - sampling.within - 1;
            }
        }
        // Search instability: with pruning, a later line can turn out better than an earlier one.
        self.root.sort(0);
        self.root.exact = exact;
    }

    /// Searches `moves[pv_index..]` and swaps the best to `pv_index`. The window is widened until
    /// the value lies inside; a value at or below `floor` is only a bound.
    fn aspiration_search(&mut self, depth: u32, pv_index: usize, floor: i32) -> i32 {
        let mut delta = ASPIRATION_DELTA;
        let centre = self.root.moves[pv_index].last_value();
        let mut window = if depth < ASPIRATION_MIN_DEPTH || score::is_decisive(centre) {
            Window::FULL
        } else {
            Window { alpha: centre - delta, beta: (centre + delta).max(floor + 2) }
        };
        loop {
            window.alpha = window.alpha.max(floor);
            let nodes = self.nodes;
            self.record(|recorder| {
                recorder.enter_iteration(depth, pv_index, [window.alpha, window.beta], nodes);
            });
            let value = self.search_root(depth, window, pv_index);
            self.record_iteration(pv_index, value);
            delta = if score::is_decisive(value) {
                score::INFINITE
            } else {
                (3 * delta).min(score::INFINITE)
            };
            let is_inside = value > window.alpha && value < window.beta;
            if self.stopped || is_inside || value <= floor {
                return value;
            }
            if value <= window.alpha {
                window.alpha = (value - delta).max(-score::INFINITE);
            } else {
                window.beta = (value + delta).min(score::INFINITE);
            }
        }
    }

    /// Records the end of an iteration, or of its repetition with another window.
    #[cold]
    fn record_iteration(&mut self, pv_index: usize, value: i32) {
        let best = self.root.moves.get(pv_index).filter(|_| !self.stopped);
        let (best, nodes) = (best.map(|best| (best.m, value)), self.nodes);
        self.record(|recorder| recorder.leave_iteration(pv_index, best, nodes));
    }

    /// PVS of `moves[pv_index..]`.
    fn search_root(&mut self, depth: u32, mut window: Window, pv_index: usize) -> i32 {
        let position = self.root.position.clone();
        let mut best = -score::INFINITE;
        for at in pv_index..self.root.moves.len() {
            let m = self.root.moves[at].m;
            let child = position.after(m);
            let number = at - pv_index;
            let reduction = self.root_reduction(&position, m, &child, depth as i32, number);
            let child = self.child(&position, m, &child, 0);
            let depth = depth as i32 - 1;
            let value = self.search_child(&child, depth, reduction, window, number, false);
            if self.stopped {
                break;
            }
            let root_move = &mut self.root.moves[at];
            root_move.value = None;
            if at == pv_index || value > window.alpha {
                root_move.value = Some(value);
                self.thread.update_pv(0, root_move.m);
                root_move.pv.clone_from(&self.thread.stack[0].pv);
            }
            best = best.max(value);
            window.alpha = window.alpha.max(value);
            if window.is_empty() {
                break;
            }
        }
        self.root.sort(pv_index);
        best
    }

    /// Whether every line is a mate within the completed depth, which no deeper search can change.
    fn is_solved(&self) -> bool {
        self.root.exact.iter().all(|&(_, value)| {
            score::mate_distance::<G>(value).is_some_and(|plies| plies <= self.root.completed_depth)
        })
    }

    /// Whether the soft time limit is reached, or the move is forced.
    fn is_time_to_stop(&self) -> bool {
        let time = &self.shared.budget.time;
        self.is_main_thread()
            && (time.is_enough(time.elapsed(), self.root.stability)
                || time.is_timed()
                    && self.root.moves.len() == 1
                    && self.root.completed_depth >= FORCED_MOVE_DEPTH)
    }
}
