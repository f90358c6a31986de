//! The search that plays the games to learn from.

use tablero_othello::bits::{flips, moves, squares};
use tablero_othello::Square;

use crate::eval::{DISC, Features, Weights};

/// Searches to a fixed depth, or to the end.
pub(super) struct Brain<'w> {
    weights: &'w Weights,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// For the side to move, in [`DISC`]ths of a disc.
    pub(super) value: i32,
    /// The move to play; none after a pass or at the end.
    pub(super) best: Option<Square>,
}

const INFINITE: i32 = 100 * DISC;

impl<'w> Brain<'w> {
    pub(super) const fn new(weights: &'w Weights) -> Self {
        Self { weights }
    }

    /// Looks `depth` plies ahead.
    pub(super) fn search(&mut self, player: u64, opponent: u64, depth: u32) -> Found {
        let features = Features::of(player, opponent);
        let mut best = None;
        let value = self.negamax(player, opponent, &features, depth, -INFINITE, INFINITE, &mut best);
        Found { value, best }
    }

    /// Looks to the end.
    pub(super) fn solve(&mut self, player: u64, opponent: u64) -> Found {
        let mut best = None;
        let value = exact(player, opponent, -64, 64, &mut best);
        Found { value: value * DISC, best }
    }

    fn negamax(&self, p: u64, o: u64, f: &Features, depth: u32, mut alpha: i32, beta: i32, best: &mut Option<Square>) -> i32 {
        let legal = moves(p, o);
        if legal == 0 {
            if moves(o, p) == 0 { return end(p, o) * DISC; }
            return -self.negamax(o, p, &f.pass(), depth, -beta, -alpha, &mut None);
        }
        if depth == 0 { return self.weights.evaluate(f, p, o); }
        let mut list: Vec<(i32, Square, u64, u64, Features)> = squares(legal).map(|s| {
            let turned = flips(p, o, s);
            let (np, no) = (o & !turned, p | turned | s.bit());
            let g = f.play(s.index() as u8, turned);
            let key = if depth > 1 { self.weights.evaluate(&g, np, no) + (moves(np, no).count_ones() as i32) * 64 } else { 0 };
            (key, s, np, no, g)
        }).collect();
        list.sort_by_key(|m| m.0);
        let mut top = -INFINITE;
        for (_, s, np, no, g) in &list {
            let v = -self.negamax(*np, *no, g, depth - 1, -beta, -alpha, &mut None);
            if v > top { top = v; *best = Some(*s); }
            alpha = alpha.max(v);
            if alpha >= beta { break; }
        }
        top
    }
}

fn end(p: u64, o: u64) -> i32 {
    let (a, b) = (p.count_ones() as i32, o.count_ones() as i32);
    let e = 64 - a - b;
    a - b + e * (a - b).signum()
}

fn exact(p: u64, o: u64, mut alpha: i32, beta: i32, best: &mut Option<Square>) -> i32 {
    let legal = moves(p, o);
    if legal == 0 {
        if moves(o, p) == 0 { return end(p, o); }
        return -exact(o, p, -beta, -alpha, &mut None);
    }
    let empties = (!(p | o)).count_ones();
    let mut list = [(0i32, Square::PASS, 0u64, 0u64); 34];
    let mut n = 0;
    for s in squares(legal) {
        let turned = flips(p, o, s);
        let (np, no) = (o & !turned, p | turned | s.bit());
        let key = if empties > 4 { 2 * moves(np, no).count_ones() as i32 - i32::from(0x8100_0000_0000_0081 & s.bit() != 0) } else { 0 };
        list[n] = (key, s, np, no);
        n += 1;
    }
    if empties > 4 { list[..n].sort_unstable_by_key(|m| m.0); }
    let mut top = -65;
    for (i, (_, s, np, no)) in list[..n].iter().enumerate() {
        let v = if i == 0 { -exact(*np, *no, -beta, -alpha, &mut None) } else {
            let v = -exact(*np, *no, -alpha - 1, -alpha, &mut None);
            if v > alpha && v < beta { -exact(*np, *no, -beta, -v, &mut None) } else { v }
        };
        if v > top { top = v; *best = Some(*s); }
        alpha = alpha.max(v);
        if alpha >= beta { break; }
    }
    top
}
