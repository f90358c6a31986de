//! Pruning before any move is searched: razoring, reverse futility (static null move), null move, ProbCut.

use tablero_core::{Cut, Purpose, Tactics};

use super::node::{Node, NodeContext};
use super::ordering;
use super::window::Window;
use super::worker::{Visit, Worker};
use crate::score;

/// Largest remaining depth for reverse futility.
const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Largest remaining depth for razoring.
const RAZORING_DEPTH: i32 = 3;
/// Least remaining depth for ProbCut, and how much shallower its searches are.
const PROBCUT_DEPTH: i32 = 5;
const PROBCUT_REDUCTION: i32 = 4;
/// From this depth on a null-move cutoff is verified by a reduced search, against zugzwang.
const NULL_VERIFICATION_DEPTH: i32 = 8;

impl<G: Tactics> Worker<'_, G> {
    /// A value that makes searching the moves unnecessary, and the rule that found it.
    pub(super) fn static_pruning(
        &mut self,
        node: &NodeContext<'_, G>,
        window: Window,
    ) -> Option<(i32, Cut)> {
        let eval = node.eval?;
        if node.is_pv || score::is_decisive(window.beta) {
            return None;
        }
        if let Some(value) = self.razoring(node, eval, window) {
            return Some((value, Cut::Razoring));
        }
        if eval >= window.beta {
            if self.is_reverse_futile(node, eval, window) {
                return Some((eval, Cut::ReverseFutility));
            }
            if let Some(value) = self.null_move_pruning(node, eval, window) {
                return Some((value, Cut::NullMove));
            }
        }
        self.probcut(node, window).map(|value| (value, Cut::ProbCut))
    }

    /// Razoring: far below alpha only captures can help.
    fn razoring(&mut self, node: &NodeContext<'_, G>, eval: i32, window: Window) -> Option<i32> {
        let margin = self.shared.options.selectivity.razoring?;
        if node.depth > RAZORING_DEPTH || eval + margin * node.depth > window.alpha {
            return None;
        }
        let value = self.recorded(
            || Visit::stay(Purpose::RazoringTest, 0, window),
            |worker| worker.qsearch(&node.as_node(), window, worker.shared.options.quiescence),
        );
        (value <= window.alpha).then_some(value)
    }

    fn is_reverse_futile(&self, node: &NodeContext<'_, G>, eval: i32, window: Window) -> bool {
        let plies = node.depth - i32::from(node.improving);
        node.depth <= REVERSE_FUTILITY_DEPTH
            && !score::is_decisive(eval)
            && self
                .shared
                .options
                .selectivity
                .reverse_futility
                .is_some_and(|margin| eval - margin * plies >= window.beta)
    }

    /// Null-move pruning (Donninger 1993): if the side to move can pass and still hold beta in a
    /// reduced search, some real move will hold it too.
    fn null_move_pruning(
        &mut self,
        node: &NodeContext<'_, G>,
        eval: i32,
        window: Window,
    ) -> Option<i32> {
        let ply = node.ply;
        let enabled = self.shared.options.selectivity.null_move;
        if !enabled || node.depth < 2 || self.thread.stack[ply].after_null_move {
            return None;
        }
        let child = &node.position.null_move()?;
        let child = Node { position: child, parent: None, ply: ply + 1, key: child.key() };
        self.shared.tt.prefetch(child.key);
        let margin = self.shared.options.selectivity.reverse_futility.unwrap_or(i32::MAX);
        let depth = node.depth - 4 - node.depth / 4 - ((eval - window.beta) / margin / 3).min(3);
        let null_window = Window::null_below(window.beta);
        self.thread.stack[ply].played = None;
        self.thread.stack[ply + 1].after_null_move = true;
        self.repetition.push(node.key);
        let (window_below, child_cuts) = (null_window.negated(), !node.cut_node);
        let value = -self.search_as(Purpose::NullMove, &child, depth, 0, window_below, child_cuts);
        self.repetition.pop();
        self.thread.stack[ply + 1].after_null_move = false;
        if self.stopped || value < window.beta {
            return None;
        }
        // Verification search (Tabibi and Netanyahu 2002): zugzwang refutes the null-move
        // observation.
        if node.depth >= NULL_VERIFICATION_DEPTH {
            let depth = depth.max(1);
            let verified = self.recorded(
                || Visit::stay(Purpose::Verification, depth, null_window),
                |worker| worker.search_moves(&NodeContext { depth, ..*node }, null_window, None),
            );
            if verified < window.beta {
                return None;
            }
        }
        // A mate found after a null move is not proven.
        Some(if score::is_decisive(value) { window.beta } else { value })
    }

    /// ProbCut (Buro 1995): a noisy move that exceeds beta by a margin in a shallow search will hold
    /// beta in a deep one.
    fn probcut(&mut self, node: &NodeContext<'_, G>, window: Window) -> Option<i32> {
        let margin = self.shared.options.selectivity.probcut?;
        let (ply, beta) = (node.ply, window.beta + margin);
        if node.depth < PROBCUT_DEPTH || node.tt_value.is_some_and(|value| value < beta) {
            return None;
        }
        let depth = node.depth - PROBCUT_REDUCTION;
        let needed = beta - node.eval?;
        let window = Window::null_below(beta).negated();
        self.generate_noisy(node.position, None, false, ply);
        self.repetition.push(node.key);
        let mut found = None;
        for number in 0..self.thread.stack[ply].moves.len() {
            let moves = &mut self.thread.stack[ply].moves;
            ordering::pick_next(moves, number);
            let m = moves[number].m;
            if !node.position.exchange_gains(m, needed) {
                continue;
            }
            let child = node.position.after(m);
            if !self.enter_node(ply + 1) {
                break;
            }
            let child = self.child(node.position, m, &child, ply);
            let mut value = -self.recorded(
                || Visit {
                    step: child.step(),
                    purpose: Purpose::ProbCutTest,
                    depth: 0,
                    reduction: 0,
                    window,
                },
                |worker| worker.qsearch(&child, window, worker.shared.options.quiescence),
            );
            if value >= beta && !self.stopped {
                let (purpose, child_cuts) = (Purpose::ProbCutTest, !node.cut_node);
                value = -self.search_as(purpose, &child, depth, 0, window, child_cuts);
            }
            if self.stopped || value >= beta {
                found = (!self.stopped && !score::is_decisive(value)).then_some(value - margin);
                break;
            }
        }
        self.repetition.pop();
        found
    }
}
