//! Search knowledge: move ordering, history slots, removals for quiescence search.

use tablero_core::{EvaluationKind, Game, Selectivity, Tactics};

use crate::evaluations::KINDS;
use crate::geometry::{DARK, LIGHT, VECTORS};
use crate::movegen::each_bit;
use crate::position::{Shobu, has_empty_board};
use crate::turn::Turn;

impl Tactics for Shobu {
    /// Aggressive square and vector.
    const HISTORY_SLOTS: usize = 64 * VECTORS;

    /// Two plies resolve a threat: the stone is removed or rescued.
    const QUIESCENCE: u32 = 2;

    const SELECTIVITY: Selectivity = Selectivity {
        deeper_tt_entries: true,
        null_move: true,
        late_move_reductions: true,
        late_move_pruning: true,
        futility: Some(120),
        reverse_futility: Some(120),
        singular_extension: true,
        ..Selectivity::NONE
    };

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        KINDS
    }

    #[inline]
    fn history_slot(&self, turn: Turn) -> usize {
        turn.aggressive().index() as usize * VECTORS + turn.vector()
    }

    /// The passive move: stone and vector.
    #[inline]
    fn first_part(&self, turn: Turn) -> Option<u32> {
        Some(turn.passive().index() * VECTORS as u32 + turn.vector() as u32)
    }

    #[inline]
    fn move_order_score(&self, turn: Turn) -> i32 {
        match self.pushed(turn) {
            None => 0,
            Some(push) if push.to.is_some() => 20,
            Some(push) => {
                let left = self.all_stones(!self.side()) & !push.from.bit();
                if has_empty_board(left) { 10_000 } else { 100 }
            }
        }
    }

    /// Turns that remove a stone.
    #[inline]
    fn is_noisy(&self, turn: Turn) -> bool {
        self.pushed(turn).is_some_and(|push| push.to.is_none())
    }

    /// Passing is hardly ever better than the best turn.
    #[inline]
    fn null_move(&self) -> Option<Self> {
        (!self.is_over_by_elimination()).then(|| self.passed())
    }

    #[inline]
    fn each_noisy_move(&self, mut visit: impl FnMut(Turn)) {
        if self.is_over_by_elimination() {
            return;
        }
        let movegen = self.movegen_for(self.side());
        let enemy = self.all_stones(!self.side());
        for vector in 0..VECTORS {
            let (passive, pushers) = (movegen.passive[vector], movegen.pushers_off(vector, enemy));
            for (passive, pushers) in
                [(passive & DARK, pushers & LIGHT), (passive & LIGHT, pushers & DARK)]
            {
                each_bit(passive, |p| each_bit(pushers, |a| visit(Turn::from_parts(p, a, vector))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;
    use crate::position::ShobuRules;

    #[test]
    fn noisy_moves_are_removals() {
        let mut rng = Rng::seeded(9);
        for game in 0..30 {
            let mut position = Shobu::start([ShobuRules::Official, ShobuRules::Across][game % 2]);
            // Some random games do not end.
            for _ in 0..300 {
                let Some(turn) = position.random_move(&mut rng) else { break };
                let mut expected = Vec::new();
                position.each_distinct_move(|turn| {
                    if position.is_noisy(turn) {
                        expected.push(turn);
                    }
                });
                let mut noisy = Vec::new();
                position.each_noisy_move(|turn| noisy.push(turn));
                assert_eq!(noisy, expected, "{position:?}");
                position.play(turn);
            }
        }
    }
}
