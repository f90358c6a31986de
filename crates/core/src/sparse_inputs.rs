use crate::{Encoding, ForMover, Side, Tactics};

/// The sparse inputs of efficiently updatable networks (NNUE, Nasu 2018), seen by one side.
///
/// A position has a fixed number of *slots*, each of which holds at most one *feature*: a square with the
/// piece on it, or a window of squares with its configuration. A feature is a row of the network's first layer.
/// A move changes a few slots, so a search updates the sum of the rows instead of computing it anew.
///
/// The defaults fit games with one type of piece: one slot per square, whose feature is an own or an opposing
/// piece. They are slow, because they draw the board: a game that matters overrides them.
///
/// ```
/// use tablero_core::{Game, NO_FEATURE, Notation, Side, SparseInputs, StandardRules};
/// use tablero_tictactoe::TicTacToe;
///
/// let start = TicTacToe::start(StandardRules);
/// let position = start.after(start.parse_move("b2")?);
/// let mut slots = [NO_FEATURE; TicTacToe::INPUT_SLOTS];
/// position.write_inputs(Side::Second, &mut slots);
/// assert_eq!(slots[4], 9 + 4, "an opposing piece in the centre");
/// assert_eq!(slots.iter().filter(|&&feature| feature != NO_FEATURE).count(), 1);
/// # Ok::<(), tablero_core::ReadError>(())
/// ```
pub trait SparseInputs: Encoding + Tactics {
    /// The version of the inputs; networks of another version are rejected.
    const INPUT_VERSION: u32 = 1;
    /// Features: rows of the first layer.
    const INPUT_FEATURES: usize = 2 * Self::SQUARES;
    /// Slots of a position.
    const INPUT_SLOTS: usize = Self::SQUARES;
    /// Features that are equal modulo this are alike, such as a piece on a square with the king in different buckets:
    /// in training they share a row besides their own (a factorizer). 0 if none are.
    const INPUT_PERIOD: usize = 0;
    /// Groups of slots, of equal size, that depend on small parts of the position which recur, such as single boards: a
    /// search remembers the sum of a group's rows instead of correcting it. 0 if there are none.
    const INPUT_GROUPS: usize = 0;
    /// Networks learn from quiet positions only, because quiescence search resolves captures and checks. A game whose
    /// quiescence is short, where nearly every position has a noisy move, learns from all.
    const QUIET_ONLY: bool = true;
    /// Output layers, one per phase of the game.
    const OUTPUT_BUCKETS: usize = 1;

    /// Writes the feature of every slot, or [`NO_FEATURE`], as `side` sees them: own pieces first, on
    /// the own side of the board.
    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        for (square, (slot, cell)) in slots.iter_mut().zip(self.diagram().cells).enumerate() {
            *slot = cell.piece.map_or(NO_FEATURE, |piece| {
                (usize::from(piece.side != side) * Self::SQUARES + square) as u16
            });
        }
    }

    /// Turns the slots of `before`, as [`write_inputs`](Self::write_inputs) left them, into those of this position.
    /// Returns which slots may have changed, as a set of bits. By default all are written anew; a game may be faster where
    /// only few differ.
    #[inline]
    fn update_inputs(&self, _before: &Self, side: Side, slots: &mut [u16]) -> u128 {
        self.write_inputs(side, slots);
        u128::MAX
    }

    /// What the slots of a group depend on, as `side` sees them: any number but `u64::MAX`.
    fn group_key(&self, _side: Side, _group: usize) -> u64 {
        unreachable!("a game with groups has keys")
    }

    /// Writes the slots of one group.
    fn write_group(&self, _side: Side, _group: usize, _slots: &mut [u16]) {
        unreachable!("a game with groups writes them")
    }

    /// The output layer of this position, below [`OUTPUT_BUCKETS`](Self::OUTPUT_BUCKETS).
    fn output_bucket(&self) -> usize {
        0
    }

    /// A network's value of this position, corrected by what is known of the game's endgames (drawish material,
    /// the way to a mate), of which self-play shows little. By default there is no such knowledge.
    #[inline]
    fn with_endgame_knowledge(&self, value: ForMover<i32>) -> ForMover<i32> {
        value
    }
}

/// An empty slot.
pub const NO_FEATURE: u16 = u16::MAX;

/// The number of a window's configuration: its squares, lowest first, as digits of base three (0 empty, 1 own, 2
/// opposing). Bits of both sets are the window's squares, already gathered.
#[inline]
pub const fn ternary(own: usize, other: usize) -> u16 {
    BASE_THREE[own] + 2 * BASE_THREE[other]
}

/// The largest window of [`ternary`], in squares.
pub const MAX_WINDOW: usize = 8;

/// A set of squares as a number whose digits in base three are its bits.
static BASE_THREE: [u16; 1 << MAX_WINDOW] = {
    let (mut table, mut set) = ([0; 1 << MAX_WINDOW], 1);
    while set < table.len() {
        // The lowest bit is the lowest digit.
        table[set] = 3 * table[set / 2] + (set % 2) as u16;
        set += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_numbered_in_base_three() {
        assert_eq!(ternary(0, 0), 0);
        assert_eq!(ternary(0b0101, 0b1010), 1 + 2 * 3 + 9 + 2 * 27);
        assert_eq!(ternary(0, 0xff), 6560);
    }
}
