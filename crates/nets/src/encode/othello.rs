use tablero_core::{ForFirst, ForMover, Game, Side};
use tablero_othello::{Othello, Square, bits};

use super::{Encoding, write_set};

/// Planes: the mover's discs; the other's; where the mover may play; ones, which show where the
/// board ends. Outputs: 64 squares, and the pass, which is never a choice and so always 0.
///
/// The table form is Otelo's: 64 squares (0 empty, 1 black, 2 white), then who is to move (1, 2); its
/// networks say -1 where Black wins and 1 where White does.
impl Encoding for Othello {
    const VERSION: u32 = 1;
    const SIDE: usize = 8;
    const PLANES: usize = 4;
    const MOVE_PLANES: usize = 1;
    const TABLE: usize = 65;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        write_set(&mut planes[..64], self.mover());
        write_set(&mut planes[64..128], self.other());
        write_set(&mut planes[128..192], bits::moves(self.mover(), self.other()));
        planes[192..256].fill(1.0);
    }

    fn outputs_of(&self, m: Square) -> [usize; 2] {
        // The pass has the number 64, which is the output that is always 0.
        [m.index(), Self::NOTHING]
    }

    fn write_table(&self, table: &mut [f32]) {
        for (square, cell) in table[..64].iter_mut().enumerate() {
            let code = Side::BOTH.map(|side| (self.discs(side) >> square & 1) as f32);
            *cell = code[0] + 2.0 * code[1];
        }
        table[64] = 1.0 + self.side().index() as f32;
    }

    fn value_of_table(&self, output: f32) -> ForMover<f32> {
        ForFirst(-output).for_mover(self.side())
    }
}
