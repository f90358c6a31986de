//! Input features of small evolved networks: one number per square.

use tablero_core::{Features, Game, SparseInputs};

use crate::TicTacToe;

impl Features for TicTacToe {
    const FEATURES: &'static [&'static str] =
        &["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];

    fn write_features(&self, numbers: &mut [f32]) {
        for (square, number) in numbers.iter_mut().enumerate() {
            *number = match self.owner(square) {
                None => 0.0,
                Some(side) if side == self.side() => 1.0,
                Some(_) => -1.0,
            };
        }
    }
}

/// A slot per square, as by default.
impl SparseInputs for TicTacToe {}
