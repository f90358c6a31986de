//! Input planes for neural networks: the default planes, plus an ownership target.

use tablero_core::{Encoding, Side};

use crate::TicTacToe;

impl Encoding for TicTacToe {
    const WIDTH: usize = 3;
    const HEIGHT: usize = 3;
    const HAS_OWNERSHIP: bool = true;
    const ABSOLUTE_SIZE: usize = 10;

    fn write_ownership(&self, side: Side, owners: &mut [f32]) {
        for (square, value) in (0..).zip(owners) {
            *value = self.owner(square).map_or(0.0, |owner| if owner == side { 1.0 } else { -1.0 });
        }
    }
}
