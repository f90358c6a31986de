//! Titles, pieces, illustrations and rules text for the web page.

use tablero_core::{
    BoardSetup, Game, Illustration, Localized, MoveShape, PiecePresentation, PieceShape,
    Presentable, Presentation, Side, SidePresentation,
};

use crate::Othello;

impl Presentable for Othello {
    const PRESENTATION: Presentation = Presentation {
        drawing: Some("othello"),
        example: Some("..................XO.O...XOXOO...OOOOO...OOXXXXX..OXXX......XX.."),
        counted: Some(Localized::new("Discs", "Fichas")),
        decimals: 0,
        // Empty squares count for the winner.
        score_sum: Some(64),
        illustrations: &[
            Illustration::new(0, ""),
            Illustration { dots: &["d3", "c4", "f5", "e6"], ..Illustration::new(1, "") },
            Illustration {
                marks: &["d3"],
                arrows: &[["d3", "d5"]],
                ..Illustration::new(
                    2,
                    "........ ........ ...X.... ...XX... ...XO... ........ ........ ........",
                )
            },
        ],
        ..Presentation::new(
            Localized::new("Othello", "Othello"),
            Localized::new(
                "Flank and flip. A minute to learn, a lifetime to master.",
                "Encierra y voltea. Un minuto para aprender, una vida para dominarlo.",
            ),
            Localized::new(include_str!("rules.en.txt"), include_str!("rules.es.txt")),
            [SidePresentation::BLACK, SidePresentation::WHITE],
            &[
                PiecePresentation::new(
                    Side::First,
                    'X',
                    PieceShape::Disc,
                    Localized::new("black disc", "ficha negra"),
                ),
                PiecePresentation::new(
                    Side::Second,
                    'O',
                    PieceShape::Disc,
                    Localized::new("white disc", "ficha blanca"),
                ),
            ],
        )
    };
    const UNIT: &'static str = "discs";

    /// Othello numbers every ply.
    fn move_number_at(&self, ply: u32) -> u32 {
        ply
    }

    fn shape(&self, square: Self::Move) -> MoveShape {
        if square.is_pass() {
            return MoveShape::Pass;
        }
        let flipped = self.other() & self.after(square).discs(self.side());
        let flips = (0..64).filter(|index| flipped >> index & 1 == 1).collect();
        MoveShape::Place { to: square.index(), flips }
    }

    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        format!("{} {}", setup.cells, Self::PRESENTATION.emblem(setup.turn))
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::AnyGame;

    use super::*;

    #[test]
    fn the_example_is_a_position_of_a_game() {
        let game = AnyGame::of::<Othello>();
        let line = "start moves f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 c6 g6 f8 f7 h6 c5 b4 c7 e8 b6 d7 b5";
        let played = game.parse_history(line, game.default_rules()).unwrap();
        assert_eq!(Some(played.position().cells_text().as_str()), Othello::PRESENTATION.example);
    }
}
