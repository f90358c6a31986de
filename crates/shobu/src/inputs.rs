//! Sparse inputs of NNUE: windows of 2x3 and 3x2 squares on every board.

use tablero_core::{Game, Side, SparseInputs, ternary};

use crate::Shobu;

/// Windows of a board: 2x3 squares (rows x columns) at six places, and 3x2 at six.
const WINDOWS: usize = 12;
/// Configurations of six squares.
const CONFIGURATIONS: usize = 729;
const BOARDS: usize = 4;
/// Stones at the start.
const STONES: u32 = 32;

/// The lowest square of each window; those of 2x3 first.
const CORNERS: [u32; WINDOWS] = [0, 1, 4, 5, 8, 9, 0, 1, 2, 4, 5, 6];
/// The number of 2x3 windows.
const WIDE: usize = 6;

/// The squares of a 2x3 window whose lowest square is bit 0, gathered.
#[inline]
const fn wide(set: u64) -> usize {
    (set & 0b111 | set >> 1 & 0b111_000) as usize
}

/// The squares of a 3x2 window whose lowest square is bit 0, gathered.
#[inline]
const fn tall(set: u64) -> usize {
    (set & 0b11 | set >> 2 & 0b1100 | set >> 4 & 0b11_0000) as usize
}

/// The stones of `side` and of its opponent on a board, turned so that `side` looks from its home boards.
#[inline]
fn board_seen_by(position: &Shobu, side: Side, board: usize) -> [u64; 2] {
    [side, !side].map(|color| {
        let set = position.all_stones(color);
        let turned = if side == Side::First { set } else { set.reverse_bits() };
        turned >> (16 * board) & 0xffff
    })
}

/// Boards are turned so that boards 2 and 3 are the home boards of the side that looks.
impl SparseInputs for Shobu {
    const INPUT_FEATURES: usize = BOARDS * WINDOWS * CONFIGURATIONS;
    const INPUT_SLOTS: usize = BOARDS * WINDOWS;
    /// The same window on another board.
    const INPUT_PERIOD: usize = WINDOWS * CONFIGURATIONS;
    const INPUT_GROUPS: usize = BOARDS;
    const QUIET_ONLY: bool = false;
    const OUTPUT_BUCKETS: usize = 4;

    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        for (board, slots) in slots.chunks_exact_mut(WINDOWS).enumerate() {
            self.write_group(side, board, slots);
        }
    }

    /// The stones on a board.
    #[inline]
    fn group_key(&self, side: Side, board: usize) -> u64 {
        let [own, other] = board_seen_by(self, side, board);
        own | other << 16
    }

    fn write_group(&self, side: Side, board: usize, slots: &mut [u16]) {
        let stones = board_seen_by(self, side, board);
        let first = board * WINDOWS * CONFIGURATIONS;
        for (window, (slot, corner)) in slots.iter_mut().zip(CORNERS).enumerate() {
            let [own, other] = stones.map(|set| set >> corner);
            let configuration = match window < WIDE {
                true => ternary(wide(own), wide(other)),
                false => ternary(tall(own), tall(other)),
            };
            *slot = (first + window * CONFIGURATIONS) as u16 + configuration;
        }
    }

    /// By the number of stones that have been pushed off.
    #[inline]
    fn output_bucket(&self) -> usize {
        let stones = self.all_stones(self.side()) | self.all_stones(!self.side());
        ((STONES.saturating_sub(stones.count_ones())) as usize / 3).min(Self::OUTPUT_BUCKETS - 1)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Notation;

    use super::*;
    use crate::ShobuRules;

    #[test]
    fn both_sides_see_the_start_alike() {
        let start = Shobu::start(ShobuRules::Official);
        let mut slots = [[0; Shobu::INPUT_SLOTS]; 2];
        start.write_inputs(Side::First, &mut slots[0]);
        start.write_inputs(Side::Second, &mut slots[1]);
        assert_eq!(slots[0], slots[1]);
        let next = start.after(start.parse_move("a1f5NE2").expect("a turn"));
        next.write_inputs(Side::Second, &mut slots[1]);
        assert_ne!(slots[0], slots[1]);
    }

    /// Every square of a board is in some window of either kind, and windows stay on the board.
    #[test]
    fn windows_cover_the_boards() {
        let squares = |window: usize| -> u64 {
            let shape = if window < WIDE { 0x77 } else { 0x333 };
            assert_eq!(shape << CORNERS[window] & !0xffff, 0);
            shape << CORNERS[window]
        };
        assert_eq!((0..WIDE).map(squares).fold(0, |all, set| all | set), 0xffff);
        assert_eq!((WIDE..WINDOWS).map(squares).fold(0, |all, set| all | set), 0xffff);
        assert!((0..WIDE).all(|window| wide(squares(window) >> CORNERS[window]) == 0b11_1111));
        assert!((WIDE..WINDOWS).all(|w| tall(squares(w) >> CORNERS[w]) == 0b11_1111));
    }
}
