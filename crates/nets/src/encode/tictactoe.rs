use tablero_core::{Game, Side};
use tablero_tictactoe::TicTacToe;

use super::Encoding;

/// Planes: the mover's marks; the other's; ones, which show where the board ends. Outputs: a square.
impl Encoding for TicTacToe {
    const VERSION: u32 = 1;
    const SIDE: usize = 3;
    const PLANES: usize = 3;
    const MOVE_PLANES: usize = 1;
    const OWNED: bool = true;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        for square in 0..9 {
            if let Some(owner) = self.owner(square) {
                planes[if owner == self.side() { square } else { 9 + square }] = 1.0;
            }
        }
        planes[18..27].fill(1.0);
    }

    fn write_owners(&self, side: Side, owners: &mut [f32]) {
        for (square, value) in (0..).zip(owners) {
            *value = self.owner(square).map_or(0.0, |owner| if owner == side { 1.0 } else { -1.0 });
        }
    }

    fn outputs_of(&self, square: u8) -> [usize; 2] {
        [usize::from(square), Self::NOTHING]
    }
}
