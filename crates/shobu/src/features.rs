//! Input features of small evolved networks: stones by board, lone stones, centre, edges, mobility.

use tablero_core::{Features, Game, Localized};

use crate::{Board, Shobu};

/// The four centre squares of each board.
const CENTRES: u64 = 0x0660_0660_0660_0660;

impl Features for Shobu {
    const FEATURES: &'static [&'static str] = &[
        "own-home-dark",
        "own-home-light",
        "own-far-dark",
        "own-far-light",
        "other-near-dark",
        "other-near-light",
        "other-home-dark",
        "other-home-light",
        "own-single",
        "other-single",
        "centres",
        "edges",
        "turns",
    ];

    const FEATURE_TEXTS: &'static [Localized] = &[
        Localized::new("own stones, own dark board", "piedras propias, tablero oscuro propio"),
        Localized::new("own stones, own light board", "piedras propias, tablero claro propio"),
        Localized::new("own stones, far dark board", "piedras propias, tablero oscuro rival"),
        Localized::new("own stones, far light board", "piedras propias, tablero claro rival"),
        Localized::new("opposing stones, own dark board", "piedras rivales, tablero oscuro propio"),
        Localized::new("opposing stones, own light board", "piedras rivales, tablero claro propio"),
        Localized::new("opposing stones, far dark board", "piedras rivales, tablero oscuro rival"),
        Localized::new("opposing stones, far light board", "piedras rivales, tablero claro rival"),
        Localized::new("boards with one own stone", "tableros con una sola piedra propia"),
        Localized::new("boards with one opposing stone", "tableros con una sola piedra rival"),
        Localized::new("stones in the centres", "piedras en los centros"),
        Localized::new("stones on the edges", "piedras en los bordes"),
        Localized::new("mobility: turns", "movilidad: turnos"),
    ];

    fn write_features(&self, numbers: &mut [f32]) {
        let sides = [self.side(), !self.side()];
        let mut boards = Board::ALL;
        // Home boards of the side to move first, dark before light.
        boards.sort_by_key(|board| (board.owner() != self.side(), !board.is_dark()));
        let mut next = 0;
        let mut add = |number: f32| {
            numbers[next] = number;
            next += 1;
        };
        let stones = |side| boards.map(|board| self.stones(side, board).count_ones() as f32);
        for side in sides {
            stones(side).iter().for_each(|count| add((count - 2.0) / 2.0));
        }
        for side in sides {
            add(stones(side).iter().filter(|&&count| count == 1.0).count() as f32);
        }
        for set in [CENTRES, !CENTRES] {
            let [own, other] = sides.map(|side| (self.all_stones(side) & set).count_ones() as f32);
            add((own - other) / 4.0);
        }
        add((self.count_moves() as f32 / 60.0).min(4.0) - 1.0);
    }
}
