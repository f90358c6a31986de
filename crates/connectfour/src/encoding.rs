//! Input planes, policy indices and ownership targets of neural networks.

use tablero_core::{Encoding, Side};

use crate::bitboard::{COLUMNS, Column, ROWS, cell};
use crate::position::ConnectFour;

const CELLS: usize = COLUMNS * ROWS;

// ANCHOR: encoding
/// Planes: own stones, opponent's stones, all ones (which mark the board's edge under zero
/// padding). Rows from the top.
///
/// The policy index of a move is its landing cell, not its column: a convolution that detects three
/// in a line scores the fourth cell locally, in any row.
impl Encoding for ConnectFour {
    const WIDTH: usize = COLUMNS;
    const HEIGHT: usize = ROWS;
    const HAS_OWNERSHIP: bool = true;

    fn write_planes(&self, _: u32, planes: &mut [f32]) {
        for index in 0..CELLS {
            planes[index] = indicator(self.mover() & cell_at(index));
            planes[CELLS + index] = indicator(self.other() & cell_at(index));
        }
        planes[2 * CELLS..].fill(1.0);
    }

    fn policy_indices(&self, column: Column) -> [usize; 2] {
        [self.landing_index(column), Self::ZERO_LOGIT]
    }

    fn write_ownership(&self, side: Side, owners: &mut [f32]) {
        for (index, owner) in owners.iter_mut().enumerate() {
            let has = |side| indicator(self.stones(side) & cell_at(index));
            *owner = has(side) - has(!side);
        }
    }
}
// ANCHOR_END: encoding

/// The cell with this diagram index (row by row from the top left).
const fn cell_at(index: usize) -> u64 {
    cell(index % COLUMNS, ROWS - 1 - index / COLUMNS)
}

/// 1 if the set is not empty, else 0.
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
    fn planes_of_a_known_position() {
        let position = ConnectFour::parse_position("44", StandardRules).expect("a game");
        let mut expected = vec![0.0; 2 * CELLS];
        expected.extend([1.0; CELLS]);
        expected[5 * COLUMNS + 3] = 1.0;
        expected[CELLS + 4 * COLUMNS + 3] = 1.0;
        assert_eq!(planes(&position), expected);
    }

    #[test]
    fn planes_and_policy_indices_follow_the_symmetry() {
        let image = |index: usize| index / COLUMNS * COLUMNS + COLUMNS - 1 - index % COLUMNS;
        let mut rng = Rng::seeded(3);
        let mut position = ConnectFour::start(StandardRules);
        while let Some(m) = position.random_move(&mut rng) {
            let (original, mirrored) = (planes(&position), planes(&position.transform(1)));
            assert!((0..original.len()).all(|index| {
                let plane = index / CELLS * CELLS;
                original[index] == mirrored[plane + image(index - plane)]
            }));
            position.each_move(|m| {
                let [output, nothing] = position.policy_indices(m);
                let mirrored = position.transform(1).policy_indices(position.transform_move(m, 1));
                assert_eq!(mirrored, [image(output), nothing]);
                assert_eq!(position.move_of([output, nothing]), Some(m));
            });
            position.play(m);
        }
    }
}
