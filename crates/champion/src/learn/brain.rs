//! The search that plays the games to learn from.

use tablero_othello::bits::{flips, moves, squares};
use tablero_othello::{Othello, Square};

use crate::Board;
use crate::endgame::Endgame;
use crate::eval::{DISC, Features, Weights};

/// Searches to a fixed depth, or to the end.
pub(super) struct Brain<'w> {
    weights: &'w Weights,
    endgame: Endgame,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// For the side to move, in [`DISC`]ths of a disc.
    pub(super) value: i32,
    /// The move to play.
    pub(super) best: Square,
}

const INFINITE: i32 = 100 * DISC;

impl<'w> Brain<'w> {
    pub(super) fn new(weights: &'w Weights) -> Self {
        Self { weights, endgame: Endgame::new() }
    }

    /// Forgets what it saw, so that what comes next does not depend on what was before.
    pub(super) fn forget(&mut self) {
        self.endgame.clear();
    }

    /// The best move in a position that has one: exact from `exact` empty squares on, before that found
    /// by looking `depth` plies ahead.
    pub(super) fn best(&mut self, position: &Othello, depth: u32, exact: u32) -> Found {
        let (player, opponent) = (position.mover(), position.other());
        if position.empties().count_ones() <= exact {
            self.solve(player, opponent)
        } else {
            self.search(player, opponent, depth)
        }
    }

    /// Looks `depth` plies ahead.
    pub(super) fn search(&mut self, player: u64, opponent: u64, depth: u32) -> Found {
        let features = Features::of(player, opponent);
        let mut best = Square::PASS;
        let value =
            self.negamax(player, opponent, &features, depth, -INFINITE, INFINITE, &mut best);
        Found { value, best }
    }

    /// Looks to the end: narrows the value down, then finds the move that has it.
    pub(super) fn solve(&mut self, player: u64, opponent: u64) -> Found {
        let board = Board { player, opponent };
        let (mut low, mut high) = (-64, 64);
        let mut guess = self.search(player, opponent, 1).value / DISC / 2 * 2;
        while low < high {
            let alpha = guess.clamp(low, high - 1);
            let value = self.endgame.solve(board, alpha);
            if value > alpha {
                low = value;
                guess = value;
            } else {
                high = value;
                guess = value - 1;
            }
        }
        let reaches = |square: &Square| {
            let square = square.index() as u8;
            let next = board.play(square, board.flips(square));
            self.endgame.solve(next, -low) <= -low
        };
        let best = squares(board.moves()).find(reaches).unwrap_or(Square::PASS);
        Found { value: low * DISC, best }
    }

    fn negamax(
        &self,
        p: u64,
        o: u64,
        f: &Features,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        best: &mut Square,
    ) -> i32 {
        let legal = moves(p, o);
        if legal == 0 {
            if moves(o, p) == 0 {
                return end(p, o) * DISC;
            }
            return -self.negamax(o, p, &f.pass(), depth, -beta, -alpha, &mut Square::PASS.clone());
        }
        if depth == 0 {
            return self.weights.evaluate(f, p, o);
        }
        let mut list: Vec<(i32, Square, u64, u64, Features)> = squares(legal)
            .map(|s| {
                let turned = flips(p, o, s);
                let (np, no) = (o & !turned, p | turned | s.bit());
                let g = f.play(s.index() as u8, turned);
                let key = if depth > 1 {
                    self.weights.evaluate(&g, np, no) + (moves(np, no).count_ones() as i32) * 64
                } else {
                    0
                };
                (key, s, np, no, g)
            })
            .collect();
        list.sort_by_key(|m| m.0);
        let mut top = -INFINITE;
        for (_, s, np, no, g) in &list {
            let v = -self.negamax(*np, *no, g, depth - 1, -beta, -alpha, &mut Square::PASS.clone());
            if v > top {
                top = v;
                *best = *s;
            }
            alpha = alpha.max(v);
            if alpha >= beta {
                break;
            }
        }
        top
    }
}

fn end(p: u64, o: u64) -> i32 {
    let (a, b) = (p.count_ones() as i32, o.count_ones() as i32);
    let e = 64 - a - b;
    a - b + e * (a - b).signum()
}
