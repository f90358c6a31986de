//! What small evolved networks see of Connect Four.

use tablero_core::{Features, Game};

use crate::bits::{COLUMNS, Column, ODD_ROWS, open_lines, winning_cells};
use crate::position::ConnectFour;

/// Numbers about one side alone.
const ONE_SIDE: usize = 10;

// ANCHOR: features
/// Numbers of the order of one: the mover's minus the other's, then two that concern both. The side
/// to move is among them because a threat's row favours one side (zugzwang).
impl Features for ConnectFour {
    const FEATURES: &'static [&'static str] = &[
        "lines-of-one",
        "lines-of-two",
        "lines-of-three",
        "odd-threats",
        "even-threats",
        "stacked-threats",
        "edge-columns",
        "second-columns",
        "third-columns",
        "centre-column",
        "second-to-move",
        "progress",
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let own = one_side(self.mover(), self.other(), self.free());
        let other = one_side(self.other(), self.mover(), self.free());
        for (number, (own, other)) in numbers.iter_mut().zip(own.into_iter().zip(other)) {
            *number = own - other;
        }
        numbers[ONE_SIDE] = self.side().index() as f32;
        numbers[ONE_SIDE + 1] = self.plies() as f32 / 42.0;
    }
}
// ANCHOR_END: features

fn one_side(own: u64, other: u64, free: u64) -> [f32; ONE_SIDE] {
    let count = |set: u64| set.count_ones() as f32;
    let columns = |distance: usize| {
        let pair = [distance, COLUMNS - 1 - distance].map(|index| Column::ALL[index].cells());
        count(own & (pair[0] | pair[1])) / 4.0
    };
    let [_, one, two, three] = open_lines(own, other).map(|lines| lines as f32 / 8.0);
    let threats = winning_cells(own, free);
    [
        one,
        two,
        three,
        count(threats & ODD_ROWS),
        count(threats & !ODD_ROWS),
        count(threats & threats << 1),
        columns(0),
        columns(1),
        columns(2),
        columns(3),
    ]
}

#[cfg(test)]
mod tests {
    use tablero_core::{Rng, StandardRules};

    use super::*;

    fn seen(position: &ConnectFour) -> [f32; ConnectFour::FEATURES.len()] {
        let mut numbers = [f32::NAN; ConnectFour::FEATURES.len()];
        position.write_features(&mut numbers);
        numbers
    }

    #[test]
    fn mirrored_boards_look_alike() {
        let mut rng = Rng::seeded(2);
        let mut position = ConnectFour::start(StandardRules);
        while let Some(m) = position.random_move(&mut rng) {
            assert_eq!(seen(&position), seen(&position.transform(1)));
            position.play(m);
        }
    }
}
