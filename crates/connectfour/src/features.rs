//! Input features of small evolved networks.

use tablero_core::{Features, Game, Localized};

use crate::bitboard::{COLUMNS, Column, ODD_ROWS, open_lines, winning_cells};
use crate::position::ConnectFour;

/// Number of features computed per side.
const SIDE_FEATURES: usize = 10;

// ANCHOR: features
/// Features of magnitude about 1: ten differences between the sides, then two of the position. The
/// side to move is one of them because the parity of a threat's row favours one side (zugzwang).
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

    const FEATURE_TEXTS: &'static [Localized] = &[
        Localized::new("open lines with one stone", "líneas abiertas con una ficha"),
        Localized::new("open lines with two stones", "líneas abiertas con dos fichas"),
        Localized::new("open lines with three stones", "líneas abiertas con tres fichas"),
        Localized::new("odd threats", "amenazas impares"),
        Localized::new("even threats", "amenazas pares"),
        Localized::new("stacked threats", "amenazas una sobre otra"),
        Localized::new("edge columns", "columnas de los bordes"),
        Localized::new("second columns", "segundas columnas"),
        Localized::new("third columns", "terceras columnas"),
        Localized::new("centre column", "columna central"),
        Localized::new("the second side is to move", "mueve el segundo bando"),
        Localized::new("progress of the game", "avance de la partida"),
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let own = side_features(self.mover(), self.other(), self.empty());
        let other = side_features(self.other(), self.mover(), self.empty());
        for (number, (own, other)) in numbers.iter_mut().zip(own.into_iter().zip(other)) {
            *number = own - other;
        }
        numbers[SIDE_FEATURES] = self.side().index() as f32;
        numbers[SIDE_FEATURES + 1] = self.plies() as f32 / 42.0;
    }
}
// ANCHOR_END: features

fn side_features(own: u64, other: u64, empty: u64) -> [f32; SIDE_FEATURES] {
    let count = |set: u64| set.count_ones() as f32;
    let columns = |distance: usize| {
        let pair = [distance, COLUMNS - 1 - distance].map(|index| Column::ALL[index].mask());
        count(own & (pair[0] | pair[1])) / 4.0
    };
    let [_, one, two, three] = open_lines(own, other).map(|lines| lines as f32 / 8.0);
    let threats = winning_cells(own, empty);
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

    fn features(position: &ConnectFour) -> [f32; ConnectFour::FEATURES.len()] {
        let mut numbers = [f32::NAN; ConnectFour::FEATURES.len()];
        position.write_features(&mut numbers);
        numbers
    }

    #[test]
    fn features_are_symmetric() {
        let mut rng = Rng::seeded(2);
        let mut position = ConnectFour::start(StandardRules);
        while let Some(m) = position.random_move(&mut rng) {
            assert_eq!(features(&position), features(&position.transform(1)));
            position.play(m);
        }
    }
}
