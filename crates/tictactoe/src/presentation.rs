//! Titles, pieces and rules text for the web page.

use tablero_core::{
    BoardSetup, Colour, Illustration, Localized, PiecePresentation, PieceShape, Presentable,
    Presentation, Side, SidePresentation,
};

use crate::TicTacToe;

impl Presentable for TicTacToe {
    const PRESENTATION: Presentation = Presentation {
        example: Some("x.o.x.o.."),
        illustrations: &[
            Illustration::new(0, "x.. .o. ..x"),
            Illustration { marks: &["a1", "b1", "c1"], ..Illustration::new(1, "xxx .oo ...") },
        ],
        ..Presentation::new(
            Localized::new("Tic-tac-toe", "Tres en raya"),
            Localized::new(
                "Three in a row. Perfect play is a draw.",
                "Tres en línea. Con juego perfecto, empate.",
            ),
            Localized::new(include_str!("rules.en.txt"), include_str!("rules.es.txt")),
            [
                SidePresentation { title: Localized::new("X", "X"), colour: Colour::Blue },
                SidePresentation { title: Localized::new("O", "O"), colour: Colour::Orange },
            ],
            &[
                PiecePresentation::new(
                    Side::First,
                    'x',
                    PieceShape::Cross,
                    Localized::new("X", "X"),
                ),
                PiecePresentation::new(
                    Side::Second,
                    'o',
                    PieceShape::Ring,
                    Localized::new("O", "O"),
                ),
            ],
        )
    };
    const UNIT: &'static str = "points";

    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        format!("{} {}", Self::PRESENTATION.emblem(setup.turn), setup.cells)
    }
}
