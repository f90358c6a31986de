//! Quiescence search: resolves noisy moves (captures, checks) before the static evaluation, against
//! the horizon effect.
//!
//! The side to move may stand pat: the static evaluation is a lower bound, since it need not
//! capture. In check there is no standing pat and all evasions are searched.

use tablero_core::Tactics;

use super::node::Node;
use super::ordering::{self, MoveScorer, ScoredMove};
use super::window::Window;
use super::worker::{MAX_PLY, Worker};
use crate::score;

impl<G: Tactics> Worker<'_, G> {
    /// Value of a position at the horizon, with noisy moves searched for up to `plies`.
    pub(super) fn qsearch(&mut self, node: &Node<'_, G>, mut window: Window, plies: u32) -> i32 {
        let &Node { position, parent, ply } = node;
        if let Some(outcome) = position.outcome() {
            return score::from_outcome::<G>(outcome, position.side(), ply);
        }
        self.heuristic_values += 1;
        let at_limit = plies == 0 || ply + 1 >= MAX_PLY;
        let in_check = !at_limit && position.in_check();
        let mut best = -score::INFINITE;
        if !in_check {
            // Stand pat.
            best = self.static_eval(position, ply, parent);
            window.alpha = window.alpha.max(best);
        }
        if at_limit || window.is_empty() {
            return best;
        }
        self.generate_noisy(position, in_check, ply);
        for move_count in 0..self.thread.stack[ply].moves.len() {
            let moves = &mut self.thread.stack[ply].moves;
            ordering::pick_next(moves, move_count);
            let m = moves[move_count].m;
            let child = position.after(m);
            if !self.enter_node(ply + 1) {
                return 0;
            }
            let value = match child.draw() {
                Some(_) if child.outcome().is_none() => 0,
                _ => {
                    let parent = Some((position, m));
                    let child = Node { position: &child, parent, ply: ply + 1 };
                    -self.qsearch(&child, window.negated(), plies - 1)
                }
            };
            best = best.max(value);
            window.alpha = window.alpha.max(value);
            if window.is_empty() {
                break;
            }
        }
        best
    }

    /// Noisy moves that do not lose material; all evasions in check.
    fn generate_noisy(&mut self, position: &G, in_check: bool, ply: usize) {
        let thread = &mut *self.thread;
        let moves = &mut thread.stack[ply].moves;
        moves.clear();
        if in_check {
            let scorer = MoveScorer { tt_move: None, killers: [None; 2], history: &thread.history };
            position.each_distinct_move(|m| {
                moves.push(scorer.score(position, m, moves.len() as u16));
            });
        } else {
            position.each_noisy_move(|m| {
                let score = position.move_order_score(m);
                if score >= 0 {
                    moves.push(ScoredMove::new(m, moves.len() as u16, score));
                }
            });
        }
    }
}
