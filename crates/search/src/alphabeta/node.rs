//! One interior node: principal variation search with static pruning and reductions.
//!
//! The steps of [`search`](Worker::search), in the usual order: draw detection, check extension,
//! quiescence at the horizon, mate-distance pruning, transposition table probe, static pruning
//! (reverse futility, null move), then the move loop with late move pruning, futility pruning and
//! late move reductions (LMR).
//!
//! PVS (Marsland and Campbell 1982; NegaScout, Reinefeld 1983) searches the first move with the
//! full window, the others with a null window, and again with the full window only if they beat
//! alpha.
//!
//! A value that took no evaluation, no pruning and no path-dependent draw is *proven*: the subtree
//! was searched exhaustively, and no other depth can change it. `Worker::heuristic_values` counts
//! the exceptions.

use tablero_core::{GameType, Tactics};

use super::ordering::{self, MoveScorer, ScoredMove};
use super::tt::{Bound, TtEntry};
use super::window::Window;
use super::worker::{MAX_PLY, Worker};
use crate::score;

/// A position on the current line of the search.
pub(super) struct Node<'p, G: GameType> {
    pub(super) position: &'p G,
    /// The parent position and the move made there; none after a null move.
    pub(super) parent: Option<(&'p G, G::Move)>,
    /// Plies from the root.
    pub(super) ply: usize,
}

/// A node whose moves are searched.
struct NodeContext<'p, G: GameType> {
    position: &'p G,
    parent: Option<(&'p G, G::Move)>,
    ply: usize,
    key: u64,
    depth: i32,
    in_check: bool,
    /// Computed only where static pruning needs it.
    static_eval: Option<i32>,
}

/// Largest remaining depth for futility pruning, reverse futility and late move pruning.
const SHALLOW_DEPTH: i32 = 6;

/// From this depth on a null-move cutoff is verified by a reduced search, against zugzwang.
const NULL_VERIFICATION_DEPTH: i32 = 8;

impl<G: Tactics> Worker<'_, G> {
    /// Fail-soft value of a position searched to `depth`: exact inside the window, otherwise a
    /// bound.
    pub(super) fn search(&mut self, node: &Node<'_, G>, depth: i32, window: Window) -> i32 {
        let &Node { position, parent, ply } = node;
        self.thread.stack[ply].pv.clear();
        if !self.enter_node(ply) {
            return 0;
        }
        let key = position.key();
        if let Some(value) = self.repetition.draw_score(position, key, ply) {
            self.heuristic_values += 1;
            return value;
        }
        let in_check = position.in_check();
        let depth = depth + self.check_extension(in_check, ply);
        if depth <= 0 || ply + 1 >= MAX_PLY {
            return self.qsearch(node, window, self.shared.options.quiescence);
        }
        let window = window.mate_distance_pruned::<G>(ply);
        if window.is_empty() {
            return window.alpha;
        }
        let tt_entry = self.shared.tt.probe(key);
        if let Some(entry) = tt_entry
            && window.is_null_window()
            && let Some(value) = self.tt_cutoff(&entry, depth, window, ply)
        {
            return value;
        }
        let mut node =
            NodeContext { position, parent, ply, key, depth, in_check, static_eval: None };
        if let Some(value) = self.static_pruning(&mut node, window) {
            self.heuristic_values += 1;
            return value;
        }
        self.search_moves(&node, window, tt_entry.and_then(|entry| entry.best_index))
    }

    fn check_extension(&self, in_check: bool, ply: usize) -> i32 {
        let extends = in_check && self.shared.options.selectivity.check_extension;
        // Bounds the depth of perpetual checks.
        i32::from(extends && ply < 2 * self.root.root_depth as usize)
    }

    /// The value stored in the transposition table, if it is deep enough and decides the window.
    fn tt_cutoff(
        &mut self,
        entry: &TtEntry,
        depth: i32,
        window: Window,
        ply: usize,
    ) -> Option<i32> {
        let tt_depth = i32::from(entry.depth);
        let deeper = self.shared.options.selectivity.deeper_tt_entries;
        if tt_depth != depth && !(deeper && (tt_depth > depth || entry.proven)) {
            return None;
        }
        let value = score::from_tt::<G>(entry.value, ply);
        let cutoff = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= window.beta,
            Bound::Upper => value <= window.alpha,
        };
        if cutoff && !entry.proven {
            self.heuristic_values += 1;
        }
        cutoff.then_some(value)
    }

    /// Pruning before any move is generated: reverse futility (static null move) and null move.
    fn static_pruning(&mut self, node: &mut NodeContext<'_, G>, window: Window) -> Option<i32> {
        let selectivity = self.shared.options.selectivity;
        let shallow = node.depth <= SHALLOW_DEPTH;
        let reverse_futility = selectivity.reverse_futility.filter(|_| shallow);
        let futility = shallow && selectivity.futility.is_some();
        let enabled = reverse_futility.is_some() || futility || selectivity.null_move;
        if !enabled
            || node.in_check
            || !window.is_null_window()
            || node.position.outcome().is_some()
        {
            return None;
        }
        let static_eval = self.static_eval(node.position, node.ply, node.parent);
        node.static_eval = Some(static_eval);
        if score::is_decisive(window.beta) || static_eval < window.beta {
            return None;
        }
        if reverse_futility.is_some_and(|margin| static_eval - margin * node.depth >= window.beta) {
            return Some(static_eval);
        }
        if selectivity.null_move {
            return self.null_move_pruning(node, window);
        }
        None
    }

    /// Null-move pruning (Donninger 1993): if the side to move can pass and still hold beta in a
    /// reduced search, some real move will hold it too.
    fn null_move_pruning(&mut self, node: &NodeContext<'_, G>, window: Window) -> Option<i32> {
        let ply = node.ply;
        if node.depth < 2 || self.thread.stack[ply].after_null_move {
            return None;
        }
        let child = &node.position.null_move()?;
        let child = Node { position: child, parent: None, ply: ply + 1 };
        let depth = node.depth - 4 - node.depth / 4;
        let null_window = Window::null_below(window.beta);
        self.thread.stack[ply + 1].after_null_move = true;
        self.repetition.push(node.key);
        let value = -self.search(&child, depth, null_window.negated());
        self.repetition.pop();
        self.thread.stack[ply + 1].after_null_move = false;
        if self.stopped || value < window.beta {
            return None;
        }
        // Verification search (Tabibi and Netanyahu 2002): zugzwang refutes the null-move
        // observation.
        if node.depth >= NULL_VERIFICATION_DEPTH
            && self.search_moves(&NodeContext { depth, ..*node }, null_window, None) < window.beta
        {
            return None;
        }
        // A mate found after a null move is not proven.
        Some(if score::is_decisive(value) { window.beta } else { value })
    }

    /// Searches all moves and stores the result in the transposition table.
    fn search_moves(
        &mut self,
        node: &NodeContext<'_, G>,
        window: Window,
        tt_move: Option<u16>,
    ) -> i32 {
        let heuristic_values = self.heuristic_values;
        self.generate_moves(node, tt_move);
        if self.thread.stack[node.ply].moves.is_empty() {
            let outcome = node.position.outcome();
            return outcome.map_or(0, |outcome| {
                score::from_outcome::<G>(outcome, node.position.side(), node.ply)
            });
        }
        self.repetition.push(node.key);
        let (value, best_index) = self.move_loop(node, window);
        self.repetition.pop();
        if !self.stopped {
            let entry = TtEntry {
                value: score::to_tt::<G>(value, node.ply),
                bound: match value {
                    v if v >= window.beta => Bound::Lower,
                    v if v > window.alpha => Bound::Exact,
                    _ => Bound::Upper,
                },
                depth: node.depth as u8,
                proven: self.heuristic_values == heuristic_values,
                best_index,
            };
            entry.store(self.shared.tt, node.key);
        }
        value
    }

    fn generate_moves(&mut self, node: &NodeContext<'_, G>, tt_move: Option<u16>) {
        let thread = &mut *self.thread;
        let entry = &mut thread.stack[node.ply];
        let scorer = MoveScorer { tt_move, killers: entry.killers, history: &thread.history };
        entry.moves.clear();
        node.position.each_distinct_move(|m| {
            let index = entry.moves.len() as u16;
            entry.moves.push(scorer.score(node.position, m, index));
        });
    }

    /// The best value, and the generation index of its move if it raised alpha.
    fn move_loop(&mut self, node: &NodeContext<'_, G>, mut window: Window) -> (i32, Option<u16>) {
        let (mut best, mut best_index) = (-score::INFINITE, None);
        let (old_alpha, pv_node) = (window.alpha, !window.is_null_window());
        let selective = self.shared.options.selectivity.treats_quiet_moves_differently();
        for move_count in 0..self.thread.stack[node.ply].moves.len() {
            let moves = &mut self.thread.stack[node.ply].moves;
            ordering::pick_next(moves, move_count);
            let ScoredMove { m, index, .. } = moves[move_count];
            let child = node.position.after(m);
            let quiet = selective
                && move_count > 0
                && !node.in_check
                && !node.position.is_noisy(m)
                && !child.in_check();
            if quiet && best > -score::MAX_EVAL && self.prunes_quiet(node, window, move_count) {
                self.heuristic_values += 1;
                continue;
            }
            let reduction = if quiet { self.lmr(node, window, move_count) } else { 0 };
            let parent = Some((node.position, m));
            let child = Node { position: &child, parent, ply: node.ply + 1 };
            let value = self.search_child(&child, node.depth - 1, reduction, window, move_count);
            if self.stopped {
                return (0, None);
            }
            best = best.max(value);
            if value > window.alpha {
                window.alpha = value;
                best_index = Some(index);
                if pv_node {
                    self.thread.update_pv(node.ply, m);
                }
            }
            if value >= window.beta {
                self.update_history(node, move_count);
                break;
            }
        }
        debug_assert!(best > -score::INFINITE && (best > old_alpha) == best_index.is_some());
        (best, best_index)
    }

    /// Late move pruning and futility pruning of a quiet move.
    fn prunes_quiet(&self, node: &NodeContext<'_, G>, window: Window, move_count: usize) -> bool {
        let selectivity = &self.shared.options.selectivity;
        if !window.is_null_window() || node.depth > SHALLOW_DEPTH {
            return false;
        }
        let lmp_count = (4 + node.depth * node.depth) as usize;
        let is_futile = |margin: i32, eval: i32| eval + margin * (node.depth + 1) <= window.alpha;
        selectivity.late_move_pruning && move_count >= lmp_count
            || matches!(
                (selectivity.futility, node.static_eval),
                (Some(margin), Some(eval)) if is_futile(margin, eval)
            )
    }

    /// Late move reduction of a quiet move, in plies.
    fn lmr(&self, node: &NodeContext<'_, G>, window: Window, move_count: usize) -> i32 {
        if !self.shared.options.selectivity.late_move_reductions || node.depth < 3 || move_count < 2
        {
            return 0;
        }
        let plies = self.thread.lmr_table.get(node.depth, move_count);
        // Less in PV nodes.
        (plies - i32::from(!window.is_null_window())).clamp(0, node.depth - 2)
    }

    /// PVS of the child reached by move number `move_count`; the value is for the parent's side to
    /// move.
    ///
    /// A reduced move that beats alpha is searched again to full depth, one that lands inside the
    /// window again with the full window.
    pub(super) fn search_child(
        &mut self,
        child: &Node<'_, G>,
        depth: i32,
        reduction: i32,
        window: Window,
        move_count: usize,
    ) -> i32 {
        if move_count == 0 {
            return -self.search(child, depth, window.negated());
        }
        let null_window = Window::null_above(window.alpha).negated();
        let mut value = -self.search(child, depth - reduction, null_window);
        if reduction > 0 && value > window.alpha && !self.stopped {
            value = -self.search(child, depth, null_window);
        }
        if value > window.alpha && value < window.beta && !self.stopped {
            value = -self.search(child, depth, window.negated());
        }
        value
    }

    /// Rewards the quiet move that caused a beta cutoff: killer slot and history.
    fn update_history(&mut self, node: &NodeContext<'_, G>, move_count: usize) {
        let thread = &mut *self.thread;
        let entry = &mut thread.stack[node.ply];
        let m = entry.moves[move_count].m;
        if !node.position.is_noisy(m) {
            ordering::store_killer(&mut entry.killers, m);
            thread.history.update(node.position, m, &entry.moves[..move_count], node.depth);
        }
    }
}
