//! Search knowledge: move ordering, history slots, forcing moves for quiescence search.

use tablero_core::{EvaluationKind, Tactics, WdlModel};

use crate::bitboard::{COLUMNS, Column, ROWS, winning_cells};
use crate::evaluation::KINDS;
use crate::position::ConnectFour;

/// Move ordering scores. A win causes an immediate cutoff, a block is forced.
const WIN: i32 = 10_000;
const BLOCK: i32 = 5_000;
/// Playing directly below a threat of the opponent.
const GIVES_WIN: i32 = -5_000;
/// Per new threat.
const NEW_THREAT: i32 = 60;
/// Per column towards the centre.
const CENTRE: i32 = 10;

// ANCHOR: tactics
impl Tactics for ConnectFour {
    /// One slot per landing cell.
    const HISTORY_SLOTS: usize = COLUMNS * ROWS;

    const WDL_MODEL: WdlModel = WdlModel { midpoint: 50.0, scale: 95.0 };

    #[inline]
    fn evaluations() -> &'static [EvaluationKind<Self>] {
        KINDS
    }

    #[inline]
    fn history_slot(&self, column: Column) -> usize {
        self.landing_index(column)
    }

    #[inline]
    fn move_order_score(&self, column: Column) -> i32 {
        let cell = self.landing_cell(column);
        if cell & self.immediate_wins() != 0 {
            return WIN;
        }
        if cell & self.immediate_threats() != 0 {
            return BLOCK;
        }
        if cell << 1 & winning_cells(self.other(), self.empty()) != 0 {
            return GIVES_WIN;
        }
        let empty = self.empty() & !cell;
        let threats = |stones| winning_cells(stones, empty).count_ones() as i32;
        let new_threats = threats(self.mover() | cell) - threats(self.mover());
        NEW_THREAT * new_threats + CENTRE * distance_from_edge(column)
    }

    /// Forcing moves: wins, or else blocks.
    #[inline]
    fn is_noisy(&self, column: Column) -> bool {
        self.landing_cell(column) & self.forcing_cells() != 0
    }

    #[inline]
    fn each_noisy_move(&self, visit: impl FnMut(Column)) {
        let cells = self.forcing_cells();
        Column::ALL.into_iter().filter(|column| cells & column.mask() != 0).for_each(visit);
    }
}
// ANCHOR_END: tactics

impl ConnectFour {
    /// The cells of immediate wins; if there are none, those that block the opponent's.
    #[inline]
    fn forcing_cells(&self) -> u64 {
        match self.immediate_wins() {
            0 => self.immediate_threats(),
            wins => wins,
        }
    }
}

#[inline]
fn distance_from_edge(column: Column) -> i32 {
    column.index().min(COLUMNS - 1 - column.index()) as i32
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Notation, Rng, StandardRules};

    use super::*;
    use crate::bitboard::has_four;

    fn read(text: &str) -> ConnectFour {
        ConnectFour::parse_position(text, StandardRules).expect("a position")
    }

    #[test]
    fn noisy_moves_are_wins_or_else_blocks() {
        let mut rng = Rng::seeded(9);
        for _ in 0..300 {
            let mut position = ConnectFour::start(StandardRules);
            while let Some(m) = position.random_move(&mut rng) {
                let moves_to_four = |stones: u64| -> Vec<Column> {
                    let makes_four = |m: &Column| has_four(stones | position.landing_cell(*m));
                    position.moves().into_iter().filter(makes_four).collect()
                };
                let mut expected = moves_to_four(position.mover());
                if expected.is_empty() {
                    expected = moves_to_four(position.other());
                }
                let mut noisy = Vec::new();
                position.each_noisy_move(|m| noisy.push(m));
                assert_eq!(noisy, expected, "{position:?}");
                let is_noisy = |m: &Column| position.is_noisy(*m);
                assert!(position.moves().into_iter().filter(is_noisy).eq(expected));
                position.play(m);
            }
        }
    }

    #[test]
    fn moves_are_ordered_by_win_block_centre_blunder() {
        let order = |text: &str| {
            let position = read(text);
            let mut moves = position.moves();
            moves.sort_by_key(|&m| std::cmp::Reverse(position.move_order_score(m)));
            moves.into_iter().map(|m| position.move_text(m)).collect::<String>()
        };
        assert_eq!(order("4"), "4352617");
        // Red wins in column 4; yellow threatens column 7.
        assert_eq!(order("172737")[..2], *"47");
        // Yellow must block.
        assert_eq!(order("17273")[..1], *"4");
        // Yellow has a threat above the bottom cell of column 4.
        let position = "x ......./......./......./......./ooo..../xxo.x.x";
        assert_eq!(read(position).move_order_score(Column::ALL[3]), GIVES_WIN);
    }
}
