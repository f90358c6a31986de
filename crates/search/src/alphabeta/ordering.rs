//! Which move to look at first.

use std::cmp::Reverse;

use tablero_core::{Side, Tactics};

/// A move and how early it comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<M> {
    pub(super) m: M,
    /// Its place in the order of generation: what the table remembers it by.
    pub(super) index: u16,
    rank: i32,
}

impl<M> Ranked<M> {
    #[inline]
    pub(super) const fn new(m: M, index: u16, rank: i32) -> Self {
        Self { m, index, rank }
    }
}

/// What a move's promise of one hundredth weighs beside its history.
const PROMISE: i32 = 128;
const MOST_PROMISE: i32 = 1 << 20;
/// What moves that refuted a sister position weigh.
const KILLERS: [i32; 2] = [8000, 7000];
/// Histories stay within plus and minus this.
const MOST_HISTORY: i32 = 1 << 14;

/// How good moves were elsewhere, for each side and slot.
pub(super) struct History {
    slots: Box<[i32]>,
    per_side: usize,
}

impl History {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots: vec![0; 2 * slots].into_boxed_slice(), per_side: slots }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Believes less in what it knows.
    pub(super) fn fade(&mut self) {
        self.slots.iter_mut().for_each(|value| *value /= 2);
    }

    #[inline]
    fn get(&self, side: Side, slot: usize) -> i32 {
        self.slots[side.index() * self.per_side + slot]
    }

    /// Moves the slot's value towards an end of the range, by less the nearer it is.
    #[inline]
    fn add(&mut self, side: Side, slot: usize, bonus: i32) {
        let value = &mut self.slots[side.index() * self.per_side + slot];
        *value += bonus - *value * bonus.abs() / MOST_HISTORY;
    }

    /// `best` refuted the position after all `before` it had failed.
    pub(super) fn learn<G: Tactics>(
        &mut self,
        position: &G,
        best: G::Move,
        before: &[Ranked<G::Move>],
        depth: i32,
    ) {
        let bonus = (16 * depth * depth).min(MOST_HISTORY / 8);
        let side = position.side();
        self.add(side, position.history_slot(best), bonus);
        for failed in before {
            if !position.is_noisy(failed.m) {
                self.add(side, position.history_slot(failed.m), -bonus);
            }
        }
    }
}

/// What helps to order the moves of one position.
pub(super) struct Hints<'a, M> {
    /// The best move of an earlier search, by its place in the order of generation.
    pub(super) best: Option<u16>,
    pub(super) killers: [Option<M>; 2],
    pub(super) history: &'a History,
}

impl<M: Copy + Eq> Hints<'_, M> {
    #[inline]
    pub(super) fn rank<G: Tactics<Move = M>>(&self, position: &G, m: M, index: u16) -> Ranked<M> {
        let rank = if self.best == Some(index) {
            i32::MAX
        } else {
            let promise = position.promise(m).clamp(-MOST_PROMISE, MOST_PROMISE);
            let killer = match self.killers {
                [Some(first), _] if first == m => KILLERS[0],
                [_, Some(second)] if second == m => KILLERS[1],
                _ => 0,
            };
            let past = self.history.get(position.side(), position.history_slot(m));
            PROMISE * promise + killer + past
        };
        Ranked::new(m, index, rank)
    }
}

/// Brings the best of `moves[from..]` to `from`; of equals, the first in the order of generation.
///
/// A refutation mostly comes soon, so the first few are picked one by one; after that it is quicker
/// to sort the rest at once.
#[inline]
pub(super) fn pick<M>(moves: &mut [Ranked<M>], from: usize) {
    const ONE_BY_ONE: usize = 5;
    if from < ONE_BY_ONE {
        let mut best = from;
        for at in from + 1..moves.len() {
            let (a, b) = (&moves[at], &moves[best]);
            if a.rank > b.rank || a.rank == b.rank && a.index < b.index {
                best = at;
            }
        }
        moves.swap(from, best);
    } else if from == ONE_BY_ONE {
        sort(&mut moves[from..]);
    }
}

/// Puts all moves in order.
pub(super) fn sort<M>(moves: &mut [Ranked<M>]) {
    moves.sort_unstable_by_key(|ranked| (Reverse(ranked.rank), ranked.index));
}

/// Two moves that refuted sister positions, the newest first.
#[inline]
pub(super) fn remember_killer<M: Copy + Eq>(killers: &mut [Option<M>; 2], m: M) {
    if killers[0] != Some(m) {
        *killers = [Some(m), killers[0]];
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn picking_is_sorting() {
        let mut rng = Rng::seeded(1);
        for len in 0..40 {
            let mut picked: Vec<Ranked<u16>> =
                (0..len).map(|m| Ranked { m, index: m, rank: rng.below(8) as i32 }).collect();
            let mut sorted = picked.clone();
            sort(&mut sorted);
            (0..picked.len()).for_each(|from| pick(&mut picked, from));
            let order = |moves: &[Ranked<u16>]| moves.iter().map(|r| r.m).collect::<Vec<_>>();
            assert_eq!(order(&picked), order(&sorted));
        }
    }

    #[test]
    fn history_stays_in_its_range() {
        let mut history = History::new(1);
        for _ in 0..1000 {
            history.add(Side::First, 0, MOST_HISTORY / 8);
            history.add(Side::Second, 0, -MOST_HISTORY / 8);
        }
        let [first, second] = Side::BOTH.map(|side| history.get(side, 0));
        let range = MOST_HISTORY / 2..=MOST_HISTORY;
        assert!(range.contains(&first) && range.contains(&-second), "{first} {second}");
        history.fade();
        assert!(history.get(Side::First, 0) <= MOST_HISTORY / 2);
    }
}
