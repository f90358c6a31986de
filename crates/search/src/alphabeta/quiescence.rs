//! What happens at the horizon: noisy moves are played out before a position is judged.

use tablero_core::Tactics;

use super::node::Step;
use super::ordering::{self, Hints, Ranked};
use super::window::Window;
use super::worker::{MAX_PLY, Worker};
use crate::score;

impl<G: Tactics> Worker<'_, G> {
    /// The value of a position at the horizon: its evaluation, after noisy moves have been played
    /// out for up to `plies`.
    pub(super) fn quiesce(&mut self, step: &Step<'_, G>, mut window: Window, plies: u32) -> i32 {
        let &Step { position, from, ply } = step;
        if let Some(outcome) = position.outcome() {
            return score::of_outcome::<G>(outcome, position.side(), ply);
        }
        self.guesses += 1;
        let is_last = plies == 0 || ply + 1 >= MAX_PLY;
        let danger = !is_last && position.in_danger();
        let mut best = -score::INFINITE;
        if !danger {
            best = score::of_evaluation(self.team.evaluation, position, from);
            window.alpha = window.alpha.max(best);
        }
        if is_last || window.is_empty() {
            return best;
        }
        self.generate_noisy(position, danger, ply);
        for number in 0..self.memory.frames[ply].moves.len() {
            let moves = &mut self.memory.frames[ply].moves;
            ordering::pick(moves, number);
            let m = moves[number].m;
            let child = position.after(m);
            if !self.enter(ply + 1) {
                return 0;
            }
            let value = match child.draw() {
                Some(_) if child.outcome().is_none() => 0,
                _ => {
                    let from = Some((position, m));
                    let step = Step { position: &child, from, ply: ply + 1 };
                    -self.quiesce(&step, window.for_opponent(), plies - 1)
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

    /// The noisy moves that do not look bad; every move of a side that must answer a threat.
    fn generate_noisy(&mut self, position: &G, danger: bool, ply: usize) {
        let memory = &mut *self.memory;
        let moves = &mut memory.frames[ply].moves;
        moves.clear();
        if danger {
            let hints = Hints { best: None, killers: [None; 2], history: &memory.history };
            position.each_distinct_move(|m| {
                moves.push(hints.rank(position, m, moves.len() as u16));
            });
        } else {
            position.each_noisy_move(|m| {
                let promise = position.promise(m);
                if promise >= 0 {
                    moves.push(Ranked::new(m, moves.len() as u16, promise));
                }
            });
        }
    }
}
