//! What networks see: the default planes, and who owns the squares in the end.

use tablero_core::{Encoding, Side};

use crate::TicTacToe;

impl Encoding for TicTacToe {
    const WIDTH: usize = 3;
    const HEIGHT: usize = 3;
    const OWNED: bool = true;

    fn write_owners(&self, side: Side, owners: &mut [f32]) {
        for (square, value) in (0..).zip(owners) {
            *value = self.owner(square).map_or(0.0, |owner| if owner == side { 1.0 } else { -1.0 });
        }
    }
}
