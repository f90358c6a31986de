//! Titles, pieces, illustrations and rules text for the web page.

use tablero_core::{
    Colour, Illustration, Localized, PiecePresentation, PieceShape, Presentable, Presentation,
    Side, SidePresentation,
};

use crate::notation::LETTERS;
use crate::position::ConnectFour;

// ANCHOR: presentation
impl Presentable for ConnectFour {
    const PRESENTATION: Presentation = Presentation {
        drops: true,
        example: Some("....... ....... ...o... ..oxx.. ..xxo.. .oxoxo."),
        win: Some(Localized::new("four in a row", "cuatro en raya")),
        illustrations: ILLUSTRATIONS,
        ..Presentation::new(
            Localized::new("Connect Four", "Conecta cuatro"),
            Localized::new(
                "Drop stones, line up four. A first-player win.",
                "Deja caer fichas y alinea cuatro. Quien empieza puede ganar.",
            ),
            Localized::new(include_str!("rules.en.txt"), include_str!("rules.es.txt")),
            [RED, YELLOW],
            &[
                piece(Side::First, Localized::new("red stone", "ficha roja")),
                piece(Side::Second, Localized::new("yellow stone", "ficha amarilla")),
            ],
        )
    };
    const UNIT: &'static str = "points";
}

const RED: SidePresentation =
    SidePresentation { title: Localized::new("Red", "Rojas"), colour: Colour::Red };
const YELLOW: SidePresentation =
    SidePresentation { title: Localized::new("Yellow", "Amarillas"), colour: Colour::Yellow };

const fn piece(side: Side, name: Localized) -> PiecePresentation {
    PiecePresentation::new(side, LETTERS[side.index()], PieceShape::Disc, name)
}
// ANCHOR_END: presentation

const ILLUSTRATIONS: &[Illustration] = &[
    Illustration {
        dots: &["1a", "2a", "3c", "4c", "5b", "6a", "7a"],
        ..Illustration::new(0, "....... ....... ....... ....... ..xo... ..oxx..")
    },
    Illustration {
        marks: &["3a", "4b", "5c", "6d"],
        ..Illustration::new(1, "....... ....... .....x. ....xo. ..xxox. ..xooo.")
    },
    Illustration {
        marks: &["1a", "5a"],
        ..Illustration::new(2, "....... ....... ....... ....... .oo.... .xxx...")
    },
];

#[cfg(test)]
mod tests {
    use tablero_core::{BoardSetup, Notation, StandardRules};

    use super::*;

    #[test]
    fn example_and_illustrations_are_legal_positions() {
        let shown = ILLUSTRATIONS.iter().map(|illustration| illustration.cells);
        for cells in shown.chain(ConnectFour::PRESENTATION.example) {
            let reads = |turn| {
                let setup = BoardSetup { cells, turn, castling: None, en_passant: None };
                let text = ConnectFour::position_text_of(&setup);
                ConnectFour::parse_position(&text, StandardRules).is_ok()
            };
            assert!(Side::BOTH.into_iter().any(reads), "{cells}");
        }
    }
}
