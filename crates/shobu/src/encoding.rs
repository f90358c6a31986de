//! What networks see.

use tablero_core::{Encoding, Game, write_bitboard};

use crate::{Shobu, ShobuRules, Square, Turn};

/// Ways to go: eight directions, one or two steps.
const WAYS: usize = 16;
const SQUARES: usize = 16;
/// Outputs of the two home boards for the passive move; those for the aggressive move follow.
const PASSIVE: usize = 2 * WAYS * SQUARES;

/// The four boards lie on top of each other, so that what happens on one is near to the same squares
/// of the others. All is turned by half for White, so that the mover sits below: boards 2 and 3 are
/// the mover's home boards.
///
/// Planes: the mover's stones on boards 0 to 3; the other's; ones, which show where a board ends; ones
/// if the aggressive move must be made across the rope.
///
/// Outputs: the passive move (2 home boards x 16 ways x 16 squares where its stone starts), then the
/// aggressive move (4 boards x 16 ways x 16 squares). A turn is worth the sum of its two moves.
impl Encoding for Shobu {
    const WIDTH: usize = 4;
    const HEIGHT: usize = 4;
    const PLANES: usize = 10;
    const MOVE_PLANES: usize = 6 * WAYS;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        let turn = |set: u64| if self.side().index() == 0 { set } else { set.reverse_bits() };
        // A set has 16 bits a board, a plane 16 numbers a board: they are in the same order.
        write_bitboard(&mut planes[..64], turn(self.all_stones(self.side())));
        write_bitboard(&mut planes[64..128], turn(self.all_stones(!self.side())));
        planes[128..144].fill(1.0);
        if self.rules() == ShobuRules::Across {
            planes[144..160].fill(1.0);
        }
    }

    fn outputs_of(&self, m: Turn) -> [usize; 2] {
        let is_turned = self.side().index() == 1;
        let square = |square: Square| {
            let index = square.index() as usize;
            if is_turned { 63 - index } else { index }
        };
        let direction = (m.direction() as usize + if is_turned { 4 } else { 0 }) % 8;
        let way = 8 * (usize::from(m.distance().steps()) - 1) + direction;
        let output = |board: usize, at: usize| (board * WAYS + way) * SQUARES + at % SQUARES;
        let (passive, aggressive) = (square(m.passive()), square(m.aggressive()));
        [output(passive / SQUARES % 2, passive), PASSIVE + output(aggressive / SQUARES, aggressive)]
    }
}
