//! Quiescence search: resolves noisy moves (captures, checks) before the static evaluation, against
//! the horizon effect.
//!
//! The side to move may stand pat: the static evaluation is a lower bound, since it need not
//! capture. In check there is no standing pat and all evasions are searched.

use tablero_core::{Cut, Leaf, Purpose, Tactics, TreeStep};

use super::node::Node;
use super::ordering::{self, MoveScorer};
use super::tt::{Bound, TtEntry};
use super::window::Window;
use super::worker::{MAX_PLY, Visit, Worker};
use crate::score;

impl<G: Tactics> Worker<'_, G> {
    /// Value of a position at the horizon, with noisy moves searched for up to `plies`.
    pub(super) fn qsearch(&mut self, node: &Node<'_, G>, window: Window, plies: u32) -> i32 {
        let &Node { position, ply, key, .. } = node;
        if let Some(outcome) = position.outcome() {
            self.record(|recorder| recorder.leaf(Leaf::GameOver));
            return score::from_outcome::<G>(outcome, position.side(), ply);
        }
        self.heuristic_values += 1;
        let at_limit = plies == 0 || ply + 1 >= MAX_PLY;
        // Before the table is probed, whose memory is on its way meanwhile.
        let is_evaluated = at_limit || !position.in_check();
        let static_eval = is_evaluated.then(|| self.corrected_eval(node));
        if !self.shared.options.selectivity.quiescence_tt {
            return self.qsearch_moves(node, window, plies, static_eval, None).0;
        }
        let tt_entry = self.shared.tt.probe(key);
        if let Some(entry) = tt_entry
            && window.is_null_window()
            && let Some(value) = self.tt_cutoff(&entry, 0, window, ply)
        {
            self.record(|recorder| recorder.cut(Cut::TranspositionTable));
            return value;
        }
        let (value, best_index) = self.qsearch_moves(node, window, plies, static_eval, tt_entry);
        if !self.stopped {
            let entry = TtEntry {
                value: score::to_tt::<G>(value, ply),
                bound: Bound::of(value, window),
                depth: 0,
                proven: false,
                best_index,
            };
            entry.store(self.shared.tt, key);
        }
        value
    }

    /// The value and the best move, by its index among the noisy ones.
    fn qsearch_moves(
        &mut self,
        node: &Node<'_, G>,
        mut window: Window,
        plies: u32,
        static_eval: Option<i32>,
        tt_entry: Option<TtEntry>,
    ) -> (i32, Option<u16>) {
        let &Node { position, ply, .. } = node;
        let at_limit = plies == 0 || ply + 1 >= MAX_PLY;
        let in_check = static_eval.is_none();
        let (mut best, mut best_index) = (-score::INFINITE, None);
        let mut least_gain = None;
        if let Some(static_eval) = static_eval {
            // Standing pat, or the table's value if that is better founded.
            best = tt_entry.map_or(static_eval, |entry| entry.refine::<G>(static_eval, ply));
            self.record(|recorder| recorder.static_eval(best));
            window.alpha = window.alpha.max(best);
            let delta = self.shared.options.selectivity.delta;
            least_gain = delta.map(|margin| window.alpha - best - margin).filter(|&gain| gain > 0);
        }
        if at_limit || window.is_empty() {
            if !at_limit && self.recorder.is_some() {
                self.record_stand_pat(position);
            }
            return (best, None);
        }
        let tt_move = tt_entry.and_then(|entry| entry.quiescence_move(in_check));
        self.generate_noisy(position, tt_move, in_check, ply);
        for number in 0..self.thread.stack[ply].moves.len() {
            let moves = &mut self.thread.stack[ply].moves;
            ordering::pick_next(moves, number);
            let (m, index) = (moves[number].m, moves[number].index);
            if least_gain.is_some_and(|gain| !position.exchange_gains(m, gain)) {
                // The move may gain something, only not enough: standing pat is no upper bound.
                best = best.max(window.alpha);
                self.record(|recorder| recorder.prune(m, Cut::Delta));
                continue;
            }
            let value = self.qsearch_child(position, m, ply, window, plies);
            if self.stopped {
                return (0, None);
            }
            best = best.max(value);
            if value > window.alpha {
                window.alpha = value;
                best_index = (!in_check).then_some(index);
                self.record(|recorder| recorder.best(number + 1));
            }
            if window.is_empty() {
                self.record(|recorder| recorder.beta_cutoff(number + 1));
                break;
            }
        }
        (best, best_index)
    }

    /// Records a cutoff by standing pat, if it saved any move.
    #[cold]
    fn record_stand_pat(&mut self, position: &G) {
        let mut is_quiet = true;
        position.each_noisy_move(|_| is_quiet = false);
        if !is_quiet {
            self.record(|recorder| recorder.cut(Cut::StandPat));
        }
    }

    /// The static evaluation, corrected.
    fn corrected_eval(&mut self, node: &Node<'_, G>) -> i32 {
        let value = self.static_eval(node.position, node.ply, node.parent);
        let entries = self.thread.correction.entries(node.position);
        entries.map_or(value, |entries| self.thread.correction.corrected(entries, value))
    }

    fn qsearch_child(
        &mut self,
        position: &G,
        m: G::Move,
        ply: usize,
        window: Window,
        plies: u32,
    ) -> i32 {
        let window = window.negated();
        let about = || Visit {
            step: TreeStep::Move(m),
            purpose: Purpose::Quiescence,
            depth: 0,
            reduction: 0,
            window,
        };
        -self.recorded(about, |worker| {
            let child = position.after(m);
            if !worker.enter_node(ply + 1) {
                return 0;
            }
            if child.draw().is_some() && child.outcome().is_none() {
                worker.record(|recorder| recorder.leaf(Leaf::Draw));
                return 0;
            }
            let child = worker.child(position, m, &child, ply);
            worker.qsearch(&child, window, plies - 1)
        })
    }

    /// Noisy moves that do not lose material; all evasions in check.
    pub(super) fn generate_noisy(
        &mut self,
        position: &G,
        tt_move: Option<u16>,
        in_check: bool,
        ply: usize,
    ) {
        let continuation = self.thread.continuation(ply);
        let thread = &mut *self.thread;
        let moves = &mut thread.stack[ply].moves;
        moves.clear();
        let scorer =
            MoveScorer { tt_move, killers: [None; 2], histories: &thread.histories, continuation };
        if in_check {
            position.each_distinct_move(|m| {
                moves.push(scorer.score(position, m, moves.len() as u16));
            });
            return;
        }
        let mut index = 0;
        position.each_noisy_move(|m| {
            let scored = scorer.score_noisy(position, m, index);
            index += 1;
            moves.extend(scored);
        });
    }
}
