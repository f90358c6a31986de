//! An exact solver: negamax over the number of stones left at the end.
//!
//! A win scores one more than the stones the winner has left, a loss the same negated, a draw 0: a quicker
//! win is worth more. What makes it fast: only moves that do not lose at once are searched; threats, then
//! history order them; the table holds a position and its mirror image once; and *claimeven* (Allis 1988)
//! bounds positions that the second player can answer column by column.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tablero_core::{Game, TableEntry, TranspositionTable};

use crate::bitboard::{COLUMNS, Column, ODD_ROWS, ROWS, has_four, winning_cells};
use crate::position::ConnectFour;

/// Cells of the board.
const CELLS: u32 = (COLUMNS * ROWS) as u32;
/// Beyond every score.
const MAX_SCORE: i32 = CELLS as i32 / 2;
/// Up to this ply a position is looked up as the smaller of itself and its mirror image; later both rarely
/// occur.
const MIRROR_PLIES: u32 = 16;
/// Up to this ply all children are looked up before any is searched.
const LOOK_AHEAD_PLIES: u32 = 24;
/// Later positions are searched faster than they are looked up.
const TABLE_PLIES: u32 = 35;

/// An exact solver with a table that it keeps between positions.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_connectfour::{ConnectFour, Solver};
/// use tablero_core::{Notation, StandardRules};
///
/// let position = ConnectFour::parse_position("112233", StandardRules)?;
/// let stop = AtomicBool::new(false);
/// let found = Solver::new(1 << 20).solve(&position, false, &stop, None).unwrap();
/// assert_eq!(found.score, 18, "red wins at once, with 17 stones left");
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
pub struct Solver {
    table: TranspositionTable<Bound>,
    /// By side and cell: how often a stone there caused a cutoff.
    history: [[i32; 64]; 2],
    nodes: u64,
    stopped: bool,
}

/// The solution of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// For the side to move: one more than the stones the winner has left, or 0. Only its sign is exact if
    /// only the outcome was asked for.
    pub score: i32,
    /// A best move; none if the game is over.
    pub best: Option<Column>,
    /// Positions searched.
    pub nodes: u64,
}

impl Solved {
    /// The moves of the winner up to the end of the game at `position`, if the score is exact: 1 for a win
    /// at once, 0 in a position that is over or drawn.
    pub fn moves_to_end(&self, position: &ConnectFour) -> u32 {
        let stones = position.plies();
        // The winner's last stone is one of two that score the same; the side to move tells which.
        let parity = if self.score > 0 { stones + 1 } else { stones };
        let last = CELLS + 2 - 2 * self.score.unsigned_abs();
        let last = if last % 2 == parity % 2 { last } else { last - 1 };
        if self.score == 0 { 0 } else { (last.saturating_sub(stones)).div_ceil(2) }
    }
}

/// The limits of a search.
struct Limits<'a> {
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
}

/// A bound of a score, as the table stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bound {
    is_lower: bool,
    score: i32,
    /// The logarithm of the positions that it took.
    work: u32,
}

impl TableEntry for Bound {
    type Key = u64;

    #[inline]
    fn pack(self) -> u64 {
        let score = (self.score + MAX_SCORE) as u64;
        1 << 16 | u64::from(self.is_lower) << 14 | score << 8 | u64::from(self.work)
    }

    #[inline]
    fn unpack(bits: u64) -> Self {
        Self {
            is_lower: bits >> 14 & 1 == 1,
            score: (bits >> 8 & 0x3f) as i32 - MAX_SCORE,
            work: bits as u32 & 0xff,
        }
    }

    #[inline]
    fn retention_priority(self, age: u8) -> i64 {
        i64::from(self.work) - 4 * i64::from(age)
    }
}

impl Solver {
    /// A solver with a table of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        let table = TranspositionTable::new(bytes);
        Self { table, history: [[0; 64]; 2], nodes: 0, stopped: false }
    }

    /// The size of the table in bytes.
    pub fn memory(&self) -> usize {
        self.table.memory()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear(1);
        self.history = [[0; 64]; 2];
    }

    /// Solves a position, or only its outcome; `None` if stopped before that.
    pub fn solve(
        &mut self,
        position: &ConnectFour,
        outcome_only: bool,
        stop: &AtomicBool,
        deadline: Option<Instant>,
    ) -> Option<Solved> {
        (self.nodes, self.stopped) = (0, false);
        self.table.new_search();
        let limits = Limits { stop, deadline };
        if let Some(outcome) = position.outcome() {
            let sign = i32::from(outcome.margin().for_mover(position.side()).0).signum();
            return Some(Solved { score: sign * wins_at(position.plies()), best: None, nodes: 0 });
        }
        let wins = position.immediate_wins();
        if let Some(best) = Column::ALL.into_iter().find(|column| wins & column.mask() != 0) {
            return Some(Solved {
                score: wins_at(position.plies() + 1),
                best: Some(best),
                nodes: 0,
            });
        }
        let limit = if outcome_only { 1 } else { MAX_SCORE };
        let (score, best) = self.search_root(position, limit, &limits)?;
        Some(Solved { score, best: Some(best), nodes: self.nodes })
    }

    /// The best move and its score, clamped to `limit`: the outcome first, then by bisection.
    fn search_root(
        &mut self,
        position: &ConnectFour,
        limit: i32,
        limits: &Limits<'_>,
    ) -> Option<(i32, Column)> {
        let mut best = None;
        let (mut low, mut high) = (-limit, limit);
        while low < high {
            let middle = low + (high - low) / 2;
            // Small scores are the likely ones and the cheapest to refute.
            let alpha = match middle {
                m if m <= 0 && low / 2 < m => low / 2,
                m if m >= 0 && high / 2 > m => high / 2,
                m => m,
            };
            match self.move_above(position, alpha, limits) {
                _ if self.stopped => return None,
                Some((m, score)) => {
                    best = Some(m);
                    low = score.min(limit).max(alpha + 1);
                }
                None => high = alpha,
            }
        }
        if best.is_none() {
            best = self.longest_defence(position, low, limit, limits);
        }
        let best = best.filter(|_| !self.stopped)?;
        Some((low, best))
    }

    /// In a lost position: a move that loses no sooner than `score` says, or, if only the outcome is asked
    /// for, not at once.
    fn longest_defence(
        &mut self,
        position: &ConnectFour,
        score: i32,
        limit: i32,
        limits: &Limits<'_>,
    ) -> Option<Column> {
        if limit == MAX_SCORE {
            return self.move_above(position, score - 1, limits).map(|(m, _)| m);
        }
        let moves = position.moves();
        let cells = non_losing_moves(position);
        let holds = |column: &&Column| column.mask() & cells != 0;
        moves.iter().find(holds).or(moves.first()).copied()
    }

    /// A move that scores more than `alpha`, with a lower bound of its score.
    fn move_above(
        &mut self,
        position: &ConnectFour,
        alpha: i32,
        limits: &Limits<'_>,
    ) -> Option<(Column, i32)> {
        let mut moves = position.moves();
        moves.sort_by_key(|column| column.index().abs_diff(COLUMNS / 2));
        moves.into_iter().find_map(|m| {
            let child = position.after(m);
            let score = match child.immediate_wins() {
                0 if child.plies() == CELLS => 0,
                0 => -self.negamax(&child, table_key(&child), -alpha - 1, -alpha, limits),
                _ => -wins_at(child.plies() + 1),
            };
            (score > alpha && !self.stopped).then_some((m, score))
        })
    }

    /// The fail-soft score of a position in which the mover cannot win at once.
    fn negamax(
        &mut self,
        position: &ConnectFour,
        key: u64,
        mut alpha: i32,
        mut beta: i32,
        limits: &Limits<'_>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1 << 14) {
            self.stopped |= limits.are_reached();
        }
        let plies = position.plies();
        let moves = non_losing_moves(position);
        if moves == 0 {
            return -wins_at(plies + 2);
        }
        if plies >= CELLS - 2 || self.stopped {
            return 0;
        }
        // The mover cannot win before the next turn, nor lose before the one after.
        alpha = alpha.max(-wins_at(plies + 4));
        beta = beta.min(wins_at(plies + 3).min(claimeven_bound(position)));
        if alpha >= beta {
            return beta;
        }
        let in_table = plies <= TABLE_PLIES;
        match in_table.then(|| self.table.probe(key)).flatten() {
            Some(Bound { is_lower: true, score, .. }) if score >= beta => return score,
            Some(Bound { is_lower: true, score, .. }) => alpha = alpha.max(score),
            Some(Bound { score, .. }) if score <= alpha => return score,
            Some(Bound { score, .. }) => beta = beta.min(score),
            None => {}
        }
        let start = self.nodes;
        let mut ordered = self.order(position, moves);
        if plies <= LOOK_AHEAD_PLIES
            && let Some(value) = self.look_ahead(&ordered, beta)
        {
            return value;
        }
        let mut best = -MAX_SCORE;
        for number in 0..ordered.len {
            let Candidate { cell, key, .. } = ordered.pick(number);
            let child = position.after_cell(cell);
            let value = -self.negamax(&child, key, -beta, -alpha.max(best), limits);
            if self.stopped {
                return 0;
            }
            best = best.max(value);
            if best >= beta {
                self.reward(plies, &ordered.moves[..=number]);
                break;
            }
        }
        if in_table {
            let work = (self.nodes - start).max(1).ilog2();
            let bound = Bound { is_lower: best > alpha, score: best, work };
            self.table.store(key, |_| Some(bound));
        }
        best
    }

    /// Enhanced transposition cutoff: a child whose stored upper bound refutes the position.
    fn look_ahead(&self, ordered: &Ordered, beta: i32) -> Option<i32> {
        ordered.moves[..ordered.len].iter().find_map(|candidate| {
            let bound = self.table.probe(candidate.key)?;
            (!bound.is_lower && -bound.score >= beta).then_some(-bound.score)
        })
    }

    /// The moves by the threats that they make, then by history.
    fn order(&self, position: &ConnectFour, moves: u64) -> Ordered {
        let history = &self.history[position.plies() as usize % 2];
        let in_table = position.plies() < TABLE_PLIES;
        let mut ordered = Ordered { moves: [Candidate::default(); COLUMNS], len: 0 };
        let mut left = moves;
        while left != 0 {
            let cell = left & left.wrapping_neg();
            left ^= cell;
            let threats = winning_cells(position.mover() | cell, position.empty() & !cell);
            let score =
                threats.count_ones() as i32 * 100_000 + history[cell.trailing_zeros() as usize];
            let mut key = 0;
            if in_table {
                key = table_key(&position.after_cell(cell));
                self.table.prefetch(key);
            }
            ordered.moves[ordered.len] = Candidate { score, cell, key };
            ordered.len += 1;
        }
        ordered
    }

    /// Rewards the last of `moves`, which caused a cutoff, and punishes the others.
    fn reward(&mut self, plies: u32, moves: &[Candidate]) {
        const LIMIT: i32 = 1 << 14;
        let history = &mut self.history[plies as usize % 2];
        let Some((best, failed)) = moves.split_last() else { return };
        let slot = |cell: u64| cell.trailing_zeros() as usize;
        let value = &mut history[slot(best.cell)];
        *value += failed.len() as i32 * (LIMIT - *value) / 256;
        for other in failed {
            let value = &mut history[slot(other.cell)];
            *value -= (LIMIT + *value) / 256;
        }
    }
}

/// Moves of a node, the best picked first.
struct Ordered {
    moves: [Candidate; COLUMNS],
    len: usize,
}

/// A move: the cell of its stone, and the key of the position after it.
#[derive(Clone, Copy, Default)]
struct Candidate {
    score: i32,
    cell: u64,
    key: u64,
}

impl Ordered {
    #[inline]
    fn pick(&mut self, number: usize) -> Candidate {
        let mut best = number;
        for at in number + 1..self.len {
            if self.moves[at].score > self.moves[best].score {
                best = at;
            }
        }
        self.moves.swap(number, best);
        self.moves[number]
    }
}

impl Limits<'_> {
    fn are_reached(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The score of a four made by stone number `plies`.
#[inline]
const fn wins_at(plies: u32) -> i32 {
    // One more than the stones that the winner has left.
    (CELLS as i32 + 2 - plies as i32) / 2
}

/// The playable cells after which the opponent cannot win at once, if the mover cannot.
#[inline]
fn non_losing_moves(position: &ConnectFour) -> u64 {
    let threats = winning_cells(position.other(), position.empty());
    let forced = position.landing_cells() & threats;
    let moves = match forced {
        0 => position.landing_cells(),
        // Two threats cannot both be blocked.
        _ if forced & (forced - 1) != 0 => 0,
        _ => forced,
    };
    moves & !(threats >> 1)
}

/// An upper bound of the score by claimeven: where every column has an even number of empty cells, the
/// opponent can answer each stone with one on top of it, and so gets all even rows. If the mover has no four
/// with all odd ones, it cannot win; if the opponent has one with all even ones, it loses.
#[inline]
fn claimeven_bound(position: &ConnectFour) -> i32 {
    if position.landing_cells() & !ODD_ROWS != 0 {
        return MAX_SCORE;
    }
    let empty = position.empty();
    if has_four(position.mover() | empty & ODD_ROWS) {
        MAX_SCORE
    } else if has_four(position.other() | empty & !ODD_ROWS) {
        -1
    } else {
        0
    }
}

/// The key of the position; of early ones the same as that of the mirror image.
#[inline]
fn table_key(position: &ConnectFour) -> u64 {
    let key = position.key();
    if position.plies() > MIRROR_PLIES { key } else { key.min(position.transform(1).key()) }
}

#[cfg(test)]
mod tests {
    use tablero_core::{Notation, Rng, StandardRules};

    use super::*;

    /// A position after this many random moves that is not over.
    fn random_position(plies: u32) -> ConnectFour {
        let mut rng = Rng::seeded(6);
        loop {
            let mut position = ConnectFour::start(StandardRules);
            while let Some(m) = position.random_move(&mut rng).filter(|_| position.plies() < plies)
            {
                position.play(m);
            }
            if position.outcome().is_none() {
                return position;
            }
        }
    }

    /// The score by plain negamax.
    fn reference(position: &ConnectFour) -> i32 {
        if let Some(outcome) = position.outcome() {
            let sign = i32::from(outcome.margin().for_mover(position.side()).0).signum();
            return sign * wins_at(position.plies());
        }
        let moves = position.moves().into_iter();
        moves.map(|m| -reference(&position.after(m))).max().expect("not over")
    }

    #[test]
    fn agrees_with_plain_negamax() {
        let (mut solver, stop) = (Solver::new(1 << 16), AtomicBool::new(false));
        for number in 0..300 {
            let mut rng = Rng::for_stream(3, number);
            let mut position = ConnectFour::start(StandardRules);
            while position.plies() < 30 + rng.below(10) as u32 {
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
            let expected = reference(&position);
            let text = position.position_text();
            let found = solver.solve(&position, false, &stop, None).expect("not stopped");
            assert_eq!(found.score, expected, "{text}");
            let outcome = solver.solve(&position, true, &stop, None).expect("not stopped");
            assert_eq!(outcome.score.signum(), expected.signum(), "{text}");
            for found in [found, outcome] {
                let Some(best) = found.best else { continue };
                let value = -reference(&position.after(best));
                assert_eq!(value.signum(), expected.signum(), "{text} {best:?}");
            }
            let best = found.best.map(|best| -reference(&position.after(best)));
            assert_eq!(best.unwrap_or(expected), expected, "{text}");
        }
    }

    #[test]
    fn the_distance_follows_from_the_score() {
        let (mut solver, stop) = (Solver::new(1 << 16), AtomicBool::new(false));
        let mut position = random_position(20);
        let mut distances = Vec::new();
        while position.outcome().is_none() {
            let found = solver.solve(&position, false, &stop, None).expect("not stopped");
            distances.push(found.moves_to_end(&position));
            position.play(found.best.expect("not over"));
        }
        assert!(distances.is_sorted_by(|a, b| a >= b), "{distances:?}");
        assert!(position.plies() == CELLS || distances.last() == Some(&1), "{distances:?}");
    }

    #[test]
    fn a_mirror_image_has_the_same_key() {
        let mut rng = Rng::seeded(4);
        for _ in 0..200 {
            let mut position = ConnectFour::start(StandardRules);
            while position.plies() <= MIRROR_PLIES {
                assert_eq!(table_key(&position), table_key(&position.transform(1)));
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
        }
    }

    #[test]
    fn stops_at_once() {
        let position = ConnectFour::start(StandardRules);
        let stop = AtomicBool::new(true);
        assert_eq!(Solver::new(1 << 20).solve(&position, true, &stop, None), None);
    }
}
