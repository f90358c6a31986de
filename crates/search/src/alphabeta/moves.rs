//! The moves of a node: ordering, pruning, extensions and reductions.
//!
//! PVS (Marsland and Campbell 1982; NegaScout, Reinefeld 1983) searches the first move with the
//! full window, the others with a null window, and again with the full window only if they beat
//! alpha.

use tablero_core::{Cut, Purpose, Tactics};

use super::history::{Continuation, Histories};
use super::node::{Node, NodeContext};
use super::ordering::{self, MoveScorer, ScoredMove};
use super::window::Window;
use super::worker::{Visit, Worker};
use crate::score;

/// Largest remaining depth for late move pruning, and largest reduced one for futility pruning.
const SHALLOW_DEPTH: i32 = 8;
/// Late move pruning spares this many moves, and the square of the depth more.
const LMP_BASE: i32 = 8;

/// The result of a node.
pub(super) struct Best {
    pub(super) value: i32,
    /// Generation index of the best move, if it raised alpha.
    pub(super) index: Option<u16>,
    /// The best move is noisy.
    pub(super) is_noisy: bool,
}

/// What decides about the pruning and reduction of a move.
pub(super) struct MoveToSearch {
    /// Its number in the order, from 0.
    pub(super) number: usize,
    pub(super) noisy: bool,
    /// The game expects the move to lose something.
    pub(super) looks_bad: bool,
    pub(super) history: i32,
}

impl<G: Tactics> Worker<'_, G> {
    pub(super) fn generate_moves(&mut self, node: &NodeContext<'_, G>, tt_move: Option<u16>) {
        let continuation = self.thread.continuation(node.ply);
        let thread = &mut *self.thread;
        let entry = &mut thread.stack[node.ply];
        let scorer = MoveScorer {
            tt_move,
            killers: entry.killers,
            histories: &thread.histories,
            continuation,
        };
        entry.moves.clear();
        node.position.each_distinct_move(|m| {
            let index = entry.moves.len() as u16;
            entry.moves.push(scorer.score(node.position, m, index));
        });
    }

    pub(super) fn move_loop(
        &mut self,
        node: &NodeContext<'_, G>,
        mut window: Window,
        tt_move: Option<u16>,
    ) -> Best {
        let mut best = Best { value: -score::INFINITE, index: None, is_noisy: false };
        let selective = self.shared.options.selectivity.treats_moves_differently();
        let continuation = self.thread.continuation(node.ply);
        let mut number = 0;
        let count = self.thread.stack[node.ply].moves.len();
        self.record(|recorder| recorder.moves(count));
        for at in 0..self.thread.stack[node.ply].moves.len() {
            let moves = &mut self.thread.stack[node.ply].moves;
            ordering::pick_next(moves, at);
            let scored = moves[at];
            let (m, index) = (scored.m, scored.index);
            if node.excluded == Some(index) {
                moves[at].mark_pruned();
                continue;
            }
            let (mut child, mut reduction) = (None, 0);
            if selective && number > 0 {
                let about = self.describe_move(node, &scored, number, continuation);
                let losing = best.value <= -score::MAX_EVAL;
                if !losing && let Some(cut) = self.prunes_move(node, window, m, &about, &mut child)
                {
                    self.thread.stack[node.ply].moves[at].mark_pruned();
                    self.record(|recorder| recorder.prune(m, cut));
                    self.heuristic_values += 1;
                    number += 1;
                    continue;
                }
                let child = child.get_or_insert_with(|| node.position.after(m));
                reduction = self.reduction(node, &about, child.in_check());
            }
            let child = child.unwrap_or_else(|| node.position.after(m));
            let child = self.child(node.position, m, &child, node.ply);
            let extension = if tt_move == Some(index) { node.tt_extension } else { 0 };
            let depth = node.depth - 1 + extension;
            let value = self.search_child(&child, depth, reduction, window, number, node.cut_node);
            if self.stopped {
                return Best { value: 0, index: None, is_noisy: false };
            }
            number += 1;
            best.value = best.value.max(value);
            if value > window.alpha {
                window.alpha = value;
                best.index = Some(index);
                self.record(|recorder| recorder.best(number));
                best.is_noisy = node.position.is_noisy(m);
                if node.is_pv {
                    self.thread.update_pv(node.ply, m);
                }
            }
            if value >= window.beta {
                self.record(|recorder| recorder.beta_cutoff(number));
                self.update_histories(node, at);
                break;
            }
        }
        if number == 0 {
            // The excluded move is the only one.
            best.value = window.alpha;
        }
        best
    }

    /// The node after `m`, which was played at `ply`.
    #[inline]
    pub(super) fn child<'p>(
        &mut self,
        position: &'p G,
        m: G::Move,
        child: &'p G,
        ply: usize,
    ) -> Node<'p, G> {
        let key = child.key();
        self.shared.tt.prefetch(key);
        self.thread.stack[ply].played = Some(Histories::row(position, m));
        Node { position: child, parent: Some((position, m)), ply: ply + 1, key }
    }

    #[inline]
    fn describe_move(
        &self,
        node: &NodeContext<'_, G>,
        scored: &ScoredMove<G::Move>,
        number: usize,
        continuation: Continuation,
    ) -> MoveToSearch {
        let noisy = node.position.is_noisy(scored.m);
        let (side, slot) = (node.position.side(), node.position.history_slot(scored.m));
        let history = if noisy {
            self.thread.histories.noisy(side, slot)
        } else {
            self.thread.histories.quiet(side, slot, continuation)
        };
        MoveToSearch { number, noisy, looks_bad: scored.looks_bad, history }
    }

    /// Late move, futility and exchange pruning. Quiet moves that give check are exempt from the last two;
    /// `child` is the position after the move, if it had to be computed.
    fn prunes_move(
        &self,
        node: &NodeContext<'_, G>,
        window: Window,
        m: G::Move,
        about: &MoveToSearch,
        child: &mut Option<G>,
    ) -> Option<Cut> {
        if node.in_check || node.depth > SHALLOW_DEPTH {
            return None;
        }
        let selectivity = &self.shared.options.selectivity;
        if about.noisy {
            let unit = selectivity.exchange_pruning?;
            let loses = !node.position.exchange_gains(m, -unit * node.depth);
            return loses.then_some(Cut::Exchange);
        }
        let late = (LMP_BASE + node.depth * node.depth) as usize;
        if selectivity.late_move_pruning && !node.is_pv && about.number >= late {
            return Some(Cut::LateMove);
        }
        let depth = self.reduced_depth(node, about.number);
        let is_futile = || match (selectivity.futility, node.static_eval) {
            (Some(margin), Some(eval)) => eval + margin * (depth + 1) <= window.alpha,
            _ => false,
        };
        let loses_exchange = || {
            selectivity
                .exchange_pruning
                .is_some_and(|unit| !node.position.exchange_gains(m, -unit / 4 * depth * depth))
        };
        let cut = if is_futile() {
            Cut::Futility
        } else if loses_exchange() {
            Cut::Exchange
        } else {
            return None;
        };
        let gives_check = child.get_or_insert_with(|| node.position.after(m)).in_check();
        (!gives_check).then_some(cut)
    }

    /// PVS of the child reached by move `number`; the value is for the parent's side to move.
    ///
    /// A reduced move that beats alpha is searched again to full depth, one that lands inside the
    /// window again with the full window.
    pub(super) fn search_child(
        &mut self,
        child: &Node<'_, G>,
        depth: i32,
        reduction: i32,
        window: Window,
        number: usize,
        cut_node: bool,
    ) -> i32 {
        if number == 0 {
            let child_cuts = window.is_null_window() && !cut_node;
            return -self.search_as(Purpose::Full, child, depth, 0, window.negated(), child_cuts);
        }
        let null_window = Window::null_above(window.alpha).negated();
        let child_cuts = reduction > 0 || !cut_node;
        let mut value = -self.search_as(
            Purpose::Scout,
            child,
            depth - reduction,
            reduction,
            null_window,
            child_cuts,
        );
        if reduction > 0 && value > window.alpha && !self.stopped {
            let purpose = Purpose::DepthResearch;
            value = -self.search_as(purpose, child, depth, 0, null_window, !cut_node);
        }
        if value > window.alpha && value < window.beta && !self.stopped {
            let (purpose, window) = (Purpose::WindowResearch, window.negated());
            value = -self.search_as(purpose, child, depth, 0, window, false);
        }
        value
    }

    /// [`search`](Self::search), recorded with its purpose and the plies that `depth` was reduced by.
    #[inline(always)]
    pub(super) fn search_as(
        &mut self,
        purpose: Purpose,
        child: &Node<'_, G>,
        depth: i32,
        reduction: i32,
        window: Window,
        cut_node: bool,
    ) -> i32 {
        self.recorded(
            || Visit { step: child.step(), purpose, depth, reduction, window },
            |worker| worker.search(child, depth, window, cut_node),
        )
    }

    /// Rewards the move that caused a beta cutoff: killer slot and history.
    fn update_histories(&mut self, node: &NodeContext<'_, G>, at: usize) {
        let continuation = self.thread.continuation(node.ply);
        let thread = &mut *self.thread;
        let entry = &mut thread.stack[node.ply];
        let m = entry.moves[at].m;
        if !node.position.is_noisy(m) {
            ordering::store_killer(&mut entry.killers, m);
        }
        thread.histories.update(node.position, &entry.moves[..=at], continuation, node.depth);
    }
}
