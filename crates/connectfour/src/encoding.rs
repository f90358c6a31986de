//! What networks see of Connect Four.

use tablero_core::{Encoding, Side};

use crate::bits::{COLUMNS, Column, ROWS, cell};
use crate::position::ConnectFour;

const CELLS: usize = COLUMNS * ROWS;

// ANCHOR: encoding
/// Planes: the mover's stones; the other's; ones, which show where the board ends. Rows from the top.
///
/// A move is the output of the cell on which its stone comes to lie: a convolution that sees a
/// line of three ending there can say so on the spot, in whatever row it is.
impl Encoding for ConnectFour {
    const WIDTH: usize = COLUMNS;
    const HEIGHT: usize = ROWS;
    const OWNED: bool = true;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        for index in 0..CELLS {
            planes[index] = indicator(self.mover() & cell_of(index));
            planes[CELLS + index] = indicator(self.other() & cell_of(index));
        }
        planes[2 * CELLS..].fill(1.0);
    }

    fn outputs_of(&self, column: Column) -> [usize; 2] {
        [self.landing_index(column), Self::NOTHING]
    }

    fn write_owners(&self, side: Side, owners: &mut [f32]) {
        for (index, owner) in owners.iter_mut().enumerate() {
            let of = |side| indicator(self.stones(side) & cell_of(index));
            *owner = of(side) - of(!side);
        }
    }
}
// ANCHOR_END: encoding

/// The cell with this index, counted row by row from the top left.
const fn cell_of(index: usize) -> u64 {
    cell(index % COLUMNS, ROWS - 1 - index / COLUMNS)
}

/// 1 if there is anything in the set.
fn indicator(set: u64) -> f32 {
    f32::from(u8::from(set != 0))
}

#[cfg(test)]
mod tests {
    use tablero_core::{Game, Notation, Rng, StandardRules};

    use super::*;

    fn planes(position: &ConnectFour) -> Vec<f32> {
        let mut planes = vec![0.0; ConnectFour::PLANES * CELLS];
        position.write_planes(0, &mut planes);
        planes
    }

    #[test]
    fn planes_by_hand() {
        let position = ConnectFour::parse_position("44", StandardRules).expect("a game");
        let mut expected = vec![0.0; 2 * CELLS];
        expected.extend([1.0; CELLS]);
        expected[5 * COLUMNS + 3] = 1.0;
        expected[CELLS + 4 * COLUMNS + 3] = 1.0;
        assert_eq!(planes(&position), expected);
    }

    #[test]
    fn planes_and_outputs_are_mirrored_with_the_board() {
        let image = |index: usize| index / COLUMNS * COLUMNS + COLUMNS - 1 - index % COLUMNS;
        let mut rng = Rng::seeded(3);
        let mut position = ConnectFour::start(StandardRules);
        while let Some(m) = position.random_move(&mut rng) {
            let (seen, mirrored) = (planes(&position), planes(&position.transform(1)));
            assert!((0..seen.len()).all(|index| {
                let plane = index / CELLS * CELLS;
                seen[index] == mirrored[plane + image(index - plane)]
            }));
            position.each_move(|m| {
                let [output, nothing] = position.outputs_of(m);
                let mirrored = position.transform(1).outputs_of(position.transform_move(m, 1));
                assert_eq!(mirrored, [image(output), nothing]);
                assert_eq!(position.move_of([output, nothing]), Some(m));
            });
            position.play(m);
        }
    }
}
