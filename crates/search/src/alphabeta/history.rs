//! History heuristics: what beta cutoffs elsewhere in the tree say about a move.
//!
//! The history heuristic (Schaeffer 1983) scores moves by how often they caused a beta cutoff, here quiet
//! and noisy moves apart. Continuation history does so given the move played one and two plies before:
//! replies and follow-ups.

use tablero_core::{Side, Tactics};

use super::ordering::ScoredMove;

/// History values stay within plus and minus this.
pub(super) const MAX_HISTORY: i32 = 1 << 14;

/// The history tables of a thread, by side and the game's [`history_slot`](Tactics::history_slot).
pub(super) struct Histories {
    quiet: Box<[i16]>,
    noisy: Box<[i16]>,
    /// One row of slots per side and slot of the earlier move, and one that stays 0.
    continuation: Box<[i16]>,
    slots: usize,
    /// Nothing was stored since the last [`clear`](Self::clear).
    is_clear: bool,
}

/// The continuation history rows of a node: those of the last move and of the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Continuation([usize; 2]);

/// The row of a move in continuation history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row(u32);

impl Histories {
    pub(super) fn new(slots: usize) -> Self {
        // Large tables of zeros take no memory before they are written.
        let zeros = |len| vec![0; len].into_boxed_slice();
        Self {
            quiet: zeros(2 * slots),
            noisy: zeros(2 * slots),
            continuation: zeros((2 * slots + 1) * slots),
            slots,
            is_clear: true,
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.is_clear {
            *self = Self::new(self.slots);
        }
    }

    /// Halves the values of quiet and noisy moves, between searches.
    pub(super) fn age(&mut self) {
        self.quiet.iter_mut().chain(&mut self.noisy).for_each(|value| *value /= 2);
    }

    /// The row of a move in continuation history.
    #[inline]
    pub(super) fn row<G: Tactics>(position: &G, m: G::Move) -> Row {
        Row((position.side().index() * G::HISTORY_SLOTS + position.history_slot(m)) as u32)
    }

    /// The continuation of the last move and of the one before, where there are any.
    #[inline]
    pub(super) fn continuation(&self, rows: [Option<Row>; 2]) -> Continuation {
        let none = 2 * self.slots;
        Continuation(rows.map(|row| row.map_or(none, |row| row.0 as usize) * self.slots))
    }

    /// History of a quiet move, the sum of three tables.
    #[inline]
    pub(super) fn quiet(&self, side: Side, slot: usize, after: Continuation) -> i32 {
        let [last, before] = after.0;
        i32::from(self.quiet[side.index() * self.slots + slot])
            + i32::from(self.continuation[last + slot])
            + i32::from(self.continuation[before + slot])
    }

    /// History of a noisy move.
    #[inline]
    pub(super) fn noisy(&self, side: Side, slot: usize) -> i32 {
        i32::from(self.noisy[side.index() * self.slots + slot])
    }

    /// Rewards the move that caused a beta cutoff, the last of `searched`, and punishes those searched
    /// before it; quiet ones only if the best is quiet.
    pub(super) fn update<G: Tactics>(
        &mut self,
        position: &G,
        searched: &[ScoredMove<G::Move>],
        after: Continuation,
        depth: i32,
    ) {
        let Some((best, failed)) = searched.split_last() else {
            return;
        };
        self.is_clear = false;
        let bonus = (200 * depth - 80).clamp(0, MAX_HISTORY / 8);
        let best_is_noisy = position.is_noisy(best.m);
        self.add(position, best.m, best_is_noisy, after, bonus);
        for other in failed.iter().filter(|other| !other.is_pruned()) {
            let noisy = position.is_noisy(other.m);
            if noisy || !best_is_noisy {
                self.add(position, other.m, noisy, after, -bonus);
            }
        }
    }

    fn add<G: Tactics>(
        &mut self,
        position: &G,
        m: G::Move,
        noisy: bool,
        after: Continuation,
        bonus: i32,
    ) {
        let slot = position.history_slot(m);
        let by_side = position.side().index() * self.slots + slot;
        if noisy {
            add_with_gravity(&mut self.noisy[by_side], bonus);
            return;
        }
        add_with_gravity(&mut self.quiet[by_side], bonus);
        let none = 2 * self.slots * self.slots;
        for row in after.0.into_iter().filter(|&row| row != none) {
            add_with_gravity(&mut self.continuation[row + slot], bonus);
        }
    }
}

/// Adds a bonus or malus; the closer to the limit, the smaller the step.
#[inline]
fn add_with_gravity(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / MAX_HISTORY) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_stays_in_its_range() {
        let mut values = [0i16; 2];
        for _ in 0..1000 {
            add_with_gravity(&mut values[0], MAX_HISTORY / 8);
            add_with_gravity(&mut values[1], -MAX_HISTORY / 8);
        }
        let [up, down] = values.map(i32::from);
        let range = MAX_HISTORY / 2..=MAX_HISTORY;
        assert!(range.contains(&up) && range.contains(&-down), "{up} {down}");
    }

    #[test]
    fn without_earlier_moves_there_is_no_continuation() {
        use tablero_core::{Game, StandardRules};
        use tablero_tictactoe::TicTacToe;
        let mut histories = Histories::new(TicTacToe::HISTORY_SLOTS);
        let position = TicTacToe::start(StandardRules);
        let m = position.moves()[0];
        let slot = position.history_slot(m);
        let (none, row) = (histories.continuation([None; 2]), Histories::row(&position, m));
        let after = histories.continuation([Some(row), None]);
        let moves = [ScoredMove::new(m, 0, 0)];
        histories.update(&position, &moves, none, 4);
        let alone = histories.quiet(position.side(), slot, none);
        assert!(alone > 0);
        assert_eq!(histories.quiet(position.side(), slot, after), alone);
        histories.update(&position, &moves, after, 4);
        let side = position.side();
        assert!(histories.quiet(side, slot, after) > histories.quiet(side, slot, none));
        histories.clear();
        assert_eq!(histories.quiet(side, slot, after), 0);
    }
}
