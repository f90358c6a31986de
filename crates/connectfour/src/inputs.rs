//! Sparse inputs of NNUE: lines of four cells, and columns.

use tablero_core::{Side, SparseInputs, ternary};

use crate::ConnectFour;
use crate::bitboard::{COLUMNS, Column, LINES, ROWS, line_bits};

/// Configurations of a line, and of a column.
const LINE: usize = 81;
const COLUMN: usize = 729;

/// A slot per line, then one per column.
impl SparseInputs for ConnectFour {
    const INPUT_FEATURES: usize = LINES.len() * LINE + COLUMNS * COLUMN;
    const INPUT_SLOTS: usize = LINES.len() + COLUMNS;
    const OUTPUT_BUCKETS: usize = 4;

    fn write_inputs(&self, side: Side, slots: &mut [u16]) {
        let (own, other) = (self.stones(side), self.stones(!side));
        let (lines, columns) = slots.split_at_mut(LINES.len());
        for (index, (slot, line)) in lines.iter_mut().zip(LINES).enumerate() {
            *slot = (index * LINE) as u16 + ternary(line_bits(own, line), line_bits(other, line));
        }
        for (slot, column) in columns.iter_mut().zip(Column::ALL) {
            let configuration = ternary(column.bits(own), column.bits(other));
            *slot = (LINES.len() * LINE + column.index() * COLUMN) as u16 + configuration;
        }
    }

    fn output_bucket(&self) -> usize {
        self.plies() as usize * Self::OUTPUT_BUCKETS / (COLUMNS * ROWS + 1)
    }
}
