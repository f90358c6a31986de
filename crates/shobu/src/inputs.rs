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

/// The stones of `side` and of its opponent, turned so that `side` looks from its home boards.
#[inline]
fn seen_by(position: &Shobu, side: Side) -> [u64; 2] {
    [side, !side].map(|color| {
        let set = position.all_stones(color);
        if side == Side::First { set } else { set.reverse_bits() }
    })
}

/// Writes the slots of one board.
#[inline]
fn write_board(stones: [u64; 2], board: usize, slots: &mut [u16]) {
    let [own, other] = stones.map(|set| set >> (16 * board) & 0xffff);
    let first = board * WINDOWS * CONFIGURATIONS;
    let slots = &mut slots[board * WINDOWS..][..WINDOWS];
    for (window, (slot, corner)) in slots.iter_mut().zip(CORNERS).enumerate() {
        let [own, other] = [own, other].map(|set| set >> corner);
        let configuration = match window < WIDE {
            true => ternary(wide(own), wide(other)),
            false => ternary(tall(own), tall(other)),
        };
        *slot = (first + window * CONFIGURATIONS) as u16 + configuration;
    }
}

/// Boards are turned so that boards 2 and 3 are the home boards of the side that looks.
impl SparseInputs for Shobu {
    const INPUT_FEATURES: usize = BOARDS * WINDOWS * CONFIGURATIONS;
    const INPUT_SLOTS: usize = BOARDS * WINDOWS;
    /// The same window on another board.
    const INPUT_PERIOD: usize = WINDOWS * CONFIGURATIONS;
    const QUIET_ONLY: bool = false;
    const OUTPUT_BUCKETS: usize = 4;

    #[inline]
    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        let stones = seen_by(self, side);
        for board in 0..BOARDS {
            write_board(stones, board, slots);
        }
    }

    /// A turn changes two boards.
    #[inline]
    fn update_inputs(&self, before: &Self, side: Side, slots: &mut [u16]) {
        let (stones, [own, other]) = (seen_by(self, side), seen_by(before, side));
        let changed = (stones[0] ^ own) | (stones[1] ^ other);
        for board in (0..BOARDS).filter(|board| changed >> (16 * board) & 0xffff != 0) {
            write_board(stones, board, slots);
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
    use tablero_core::{Notation, Rng};

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

    #[test]
    fn updated_slots_are_those_written_anew() {
        let mut rng = Rng::seeded(3);
        let mut position = Shobu::start(ShobuRules::Official);
        let mut updated = [[0; Shobu::INPUT_SLOTS]; 2];
        Side::BOTH.map(|side| position.write_inputs(side, &mut updated[side.index()]));
        for _ in 0..200 {
            let Some(m) = position.random_move(&mut rng) else { break };
            let next = position.after(m);
            for side in Side::BOTH {
                let mut written = [0; Shobu::INPUT_SLOTS];
                next.write_inputs(side, &mut written);
                next.update_inputs(&position, side, &mut updated[side.index()]);
                assert_eq!(updated[side.index()], written);
            }
            position = next;
        }
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
