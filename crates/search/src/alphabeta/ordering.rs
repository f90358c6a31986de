//! Move ordering: TT move first, then the game's own score, killers and history added up.
//!
//! The killer heuristic (Akl and Newborn 1977) keeps two quiet moves per ply that caused a beta
//! cutoff in a sibling node; history is in `history`.

use std::cmp::Reverse;

use tablero_core::Tactics;

use super::history::{Continuation, Histories};

/// A move with its ordering score.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove<M> {
    pub(super) m: M,
    /// Its index in generation order, by which the transposition table stores it.
    pub(super) index: u16,
    /// The game's ordering score is negative.
    pub(super) looks_bad: bool,
    score: i32,
}

impl<M> ScoredMove<M> {
    #[inline]
    pub(super) const fn new(m: M, index: u16, score: i32) -> Self {
        Self { m, index, looks_bad: false, score }
    }

    /// Notes that the move was not searched.
    #[inline]
    pub(super) const fn mark_pruned(&mut self) {
        self.score = PRUNED;
    }

    #[inline]
    pub(super) const fn is_pruned(&self) -> bool {
        self.score == PRUNED
    }
}

/// The score of a move that was pruned: below all others.
const PRUNED: i32 = i32::MIN;

/// Weight of the game's move ordering score (centi-units) relative to history.
const MOVE_ORDER_WEIGHT: i32 = 128;
const MAX_MOVE_ORDER_SCORE: i32 = 1 << 20;
/// Bonus of the newest killer and of the one before.
const KILLER_BONUS: [i32; 2] = [8000, 7000];
/// Scores the moves of one node.
pub(super) struct MoveScorer<'a, M> {
    /// The transposition table's best move, by index.
    pub(super) tt_move: Option<u16>,
    pub(super) killers: [Option<M>; 2],
    pub(super) histories: &'a Histories,
    pub(super) continuation: Continuation,
}

impl<M: Copy + Eq> MoveScorer<'_, M> {
    #[inline]
    pub(super) fn score<G: Tactics<Move = M>>(
        &self,
        position: &G,
        m: M,
        index: u16,
    ) -> ScoredMove<M> {
        if self.tt_move == Some(index) {
            return ScoredMove::new(m, index, i32::MAX);
        }
        let own = position.move_order_score(m).clamp(-MAX_MOVE_ORDER_SCORE, MAX_MOVE_ORDER_SCORE);
        let killer = match self.killers {
            [Some(first), _] if first == m => KILLER_BONUS[0],
            [_, Some(second)] if second == m => KILLER_BONUS[1],
            _ => 0,
        };
        let (side, slot) = (position.side(), position.history_slot(m));
        let history = if position.is_noisy(m) {
            self.histories.noisy(side, slot)
        } else {
            self.histories.quiet(side, slot, self.continuation)
        };
        let score = MOVE_ORDER_WEIGHT * own + killer + history;
        ScoredMove { m, index, looks_bad: own < 0, score }
    }

    /// Like [`score`](Self::score) of a noisy move; none if it looks bad.
    #[inline]
    pub(super) fn score_noisy<G: Tactics<Move = M>>(
        &self,
        position: &G,
        m: M,
        index: u16,
    ) -> Option<ScoredMove<M>> {
        if self.tt_move == Some(index) {
            return Some(ScoredMove::new(m, index, i32::MAX));
        }
        let own = position.move_order_score(m);
        let history = self.histories.noisy(position.side(), position.history_slot(m));
        let score = MOVE_ORDER_WEIGHT * own.min(MAX_MOVE_ORDER_SCORE) + history;
        (own >= 0).then_some(ScoredMove::new(m, index, score))
    }
}

/// Swaps the best of `moves[from..]` to `from`; ties go to the first in generation order.
///
/// Cutoffs mostly come early: selection sort for the first few moves, then one sort of the rest.
#[inline]
pub(super) fn pick_next<M>(moves: &mut [ScoredMove<M>], from: usize) {
    const SELECTION_SORT_MOVES: usize = 5;
    if from < SELECTION_SORT_MOVES {
        let mut best = from;
        for at in from + 1..moves.len() {
            let (a, b) = (&moves[at], &moves[best]);
            if a.score > b.score || a.score == b.score && a.index < b.index {
                best = at;
            }
        }
        moves.swap(from, best);
    } else if from == SELECTION_SORT_MOVES {
        sort(&mut moves[from..]);
    }
}

/// Sorts all moves, the best first.
pub(super) fn sort<M>(moves: &mut [ScoredMove<M>]) {
    moves.sort_unstable_by_key(|scored| (Reverse(scored.score), scored.index));
}

/// Makes `m` the newest of two killers.
#[inline]
pub(super) fn store_killer<M: Copy + Eq>(killers: &mut [Option<M>; 2], m: M) {
    if killers[0] != Some(m) {
        *killers = [Some(m), killers[0]];
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn picking_in_turn_sorts() {
        let mut rng = Rng::seeded(1);
        for len in 0..40 {
            let mut picked: Vec<ScoredMove<u16>> =
                (0..len).map(|m| ScoredMove::new(m, m, rng.below(8) as i32)).collect();
            let mut sorted = picked.clone();
            sort(&mut sorted);
            (0..picked.len()).for_each(|from| pick_next(&mut picked, from));
            let order = |moves: &[ScoredMove<u16>]| moves.iter().map(|r| r.m).collect::<Vec<_>>();
            assert_eq!(order(&picked), order(&sorted));
        }
    }
}
