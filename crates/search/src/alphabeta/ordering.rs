//! Move ordering: TT move first, then the game's own score, killers and history added up.
//!
//! The killer heuristic (Akl and Newborn 1977) keeps two quiet moves per ply that caused a beta
//! cutoff in a sibling node; the history heuristic (Schaeffer 1983) scores quiet moves by how often
//! they did anywhere in the tree.

use std::cmp::Reverse;

use tablero_core::{Side, Tactics};

/// A move with its ordering score.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove<M> {
    pub(super) m: M,
    /// Its index in generation order, by which the transposition table stores it.
    pub(super) index: u16,
    score: i32,
}

impl<M> ScoredMove<M> {
    #[inline]
    pub(super) const fn new(m: M, index: u16, score: i32) -> Self {
        Self { m, index, score }
    }
}

/// Weight of the game's move ordering score (centi-units) relative to history.
const MOVE_ORDER_WEIGHT: i32 = 128;
const MAX_MOVE_ORDER_SCORE: i32 = 1 << 20;
/// Bonus of the newest killer and of the one before.
const KILLER_BONUS: [i32; 2] = [8000, 7000];
/// History values stay within plus and minus this.
const MAX_HISTORY: i32 = 1 << 14;

/// The history heuristic, by side and the game's [`history_slot`](Tactics::history_slot).
pub(super) struct History {
    slots: Box<[i32]>,
    per_side: usize,
}

impl History {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots: vec![0; 2 * slots].into_boxed_slice(), per_side: slots }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Halves all values, between searches.
    pub(super) fn age(&mut self) {
        self.slots.iter_mut().for_each(|value| *value /= 2);
    }

    #[inline]
    fn get(&self, side: Side, slot: usize) -> i32 {
        self.slots[side.index() * self.per_side + slot]
    }

    /// Adds a bonus or malus with gravity: the closer to the limit, the smaller the step.
    #[inline]
    fn add_bonus(&mut self, side: Side, slot: usize, bonus: i32) {
        let value = &mut self.slots[side.index() * self.per_side + slot];
        *value += bonus - *value * bonus.abs() / MAX_HISTORY;
    }

    /// Bonus for the move that caused the beta cutoff, malus for the quiets searched before it.
    pub(super) fn update<G: Tactics>(
        &mut self,
        position: &G,
        best: G::Move,
        searched: &[ScoredMove<G::Move>],
        depth: i32,
    ) {
        let bonus = (16 * depth * depth).min(MAX_HISTORY / 8);
        let side = position.side();
        self.add_bonus(side, position.history_slot(best), bonus);
        for failed in searched {
            if !position.is_noisy(failed.m) {
                self.add_bonus(side, position.history_slot(failed.m), -bonus);
            }
        }
    }
}

/// Scores the moves of one node.
pub(super) struct MoveScorer<'a, M> {
    /// The transposition table's best move, by index.
    pub(super) tt_move: Option<u16>,
    pub(super) killers: [Option<M>; 2],
    pub(super) history: &'a History,
}

impl<M: Copy + Eq> MoveScorer<'_, M> {
    #[inline]
    pub(super) fn score<G: Tactics<Move = M>>(
        &self,
        position: &G,
        m: M,
        index: u16,
    ) -> ScoredMove<M> {
        let score = if self.tt_move == Some(index) {
            i32::MAX
        } else {
            let own =
                position.move_order_score(m).clamp(-MAX_MOVE_ORDER_SCORE, MAX_MOVE_ORDER_SCORE);
            let killer = match self.killers {
                [Some(first), _] if first == m => KILLER_BONUS[0],
                [_, Some(second)] if second == m => KILLER_BONUS[1],
                _ => 0,
            };
            let history = self.history.get(position.side(), position.history_slot(m));
            MOVE_ORDER_WEIGHT * own + killer + history
        };
        ScoredMove::new(m, index, score)
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
                (0..len).map(|m| ScoredMove { m, index: m, score: rng.below(8) as i32 }).collect();
            let mut sorted = picked.clone();
            sort(&mut sorted);
            (0..picked.len()).for_each(|from| pick_next(&mut picked, from));
            let order = |moves: &[ScoredMove<u16>]| moves.iter().map(|r| r.m).collect::<Vec<_>>();
            assert_eq!(order(&picked), order(&sorted));
        }
    }

    #[test]
    fn history_stays_in_its_range() {
        let mut history = History::new(1);
        for _ in 0..1000 {
            history.add_bonus(Side::First, 0, MAX_HISTORY / 8);
            history.add_bonus(Side::Second, 0, -MAX_HISTORY / 8);
        }
        let [first, second] = Side::BOTH.map(|side| history.get(side, 0));
        let range = MAX_HISTORY / 2..=MAX_HISTORY;
        assert!(range.contains(&first) && range.contains(&-second), "{first} {second}");
        history.age();
        assert!(history.get(Side::First, 0) <= MAX_HISTORY / 2);
    }
}
