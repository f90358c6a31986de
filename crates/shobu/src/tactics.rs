//! What searches may know about Shōbu.

use tablero_core::{EvaluationKind, Game, Tactics};

use crate::evaluations::KINDS;
use crate::geometry::{DARK, LIGHT, WAYS};
use crate::position::{Shobu, lacks_a_board};
use crate::reach::each_bit;
use crate::turn::Turn;

impl Tactics for Shobu {
    /// The aggressive stone's square and its way.
    const HISTORY_SLOTS: usize = 64 * WAYS;

    /// Stones that can be removed are removed at once or saved: two plies tell.
    const QUIESCENCE: u32 = 2;

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        KINDS
    }

    #[inline]
    fn history_slot(&self, turn: Turn) -> usize {
        turn.aggressive().index() as usize * WAYS + turn.way()
    }

    #[inline]
    fn promise(&self, turn: Turn) -> i32 {
        match self.pushed(turn) {
            None => 0,
            Some(push) if push.to.is_some() => 20,
            Some(push) => {
                let left = self.all_stones(!self.side()) & !push.from.bit();
                if lacks_a_board(left) { 10_000 } else { 100 }
            }
        }
    }

    /// Turns that remove a stone.
    #[inline]
    fn is_noisy(&self, turn: Turn) -> bool {
        self.pushed(turn).is_some_and(|push| push.to.is_none())
    }

    #[inline]
    fn each_noisy_move(&self, mut visit: impl FnMut(Turn)) {
        if self.is_over_by_stones() {
            return;
        }
        let reach = self.reach_of(self.side());
        let enemy = self.all_stones(!self.side());
        for way in 0..WAYS {
            let (passive, pushers) = (reach.passive[way], reach.pushers_off(way, enemy));
            for (passive, pushers) in
                [(passive & DARK, pushers & LIGHT), (passive & LIGHT, pushers & DARK)]
            {
                each_bit(passive, |p| each_bit(pushers, |a| visit(Turn::on_way(p, a, way))));
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
    fn noisy_moves_are_those_that_remove() {
        let mut rng = Rng::seeded(9);
        for game in 0..30 {
            let mut position = Shobu::start([ShobuRules::Official, ShobuRules::Across][game % 2]);
            // Some random games never end.
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
