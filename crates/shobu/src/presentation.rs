//! Titles, pieces, illustrations and rules text for the web page.

use tablero_core::{
    BoardSetup, Game, Illustration, Localized, MoveShape, PiecePresentation, PieceShape,
    Presentable, Presentation, Push, Side, SidePresentation, Step, Variant,
};

use crate::{Board, Shobu, Square, Turn};

impl Presentable for Shobu {
    const PRESENTATION: Presentation = Presentation {
        drawing: Some("shobu"),
        example: Some("...bwwwww.......w.......b.bbbbbbwwwwww.w.......b........bbbbw..b"),
        steps: &[
            Localized::new("Passive stone", "Piedra pasiva"),
            Localized::new("Where to", "Adónde"),
            Localized::new("Aggressive stone", "Piedra agresiva"),
            Localized::new("Where to", "Adónde"),
        ],
        variants: &[
            Variant { name: "official", title: Localized::new("Official", "Oficiales"), starts: 0 },
            Variant {
                name: "across",
                title: Localized::new(
                    "Across the rope (aggressive moves only on the far side)",
                    "Al otro lado de la cuerda (agresivo solo en los tableros rivales)",
                ),
                starts: 0,
            },
        ],
        illustrations: &[
            Illustration::new(0, ""),
            Illustration {
                marks: &["b1", "b2"],
                arrows: &[["b1", "b2"]],
                ..Illustration::new(1, "")
            },
            Illustration {
                marks: &["b2", "g6"],
                arrows: &[["b1", "b2"], ["g6", "g7"]],
                ..Illustration::new(
                    2,
                    "wwwwww.w ......w. ......b. bbbbbb.b wwwwwwww ........ .b...... b.bbbbbb",
                )
            },
            Illustration {
                marks: &[
                    "a5", "b5", "c5", "d5", "a6", "b6", "c6", "d6", "a7", "b7", "c7", "d7", "a8",
                    "b8", "c8", "d8",
                ],
                ..Illustration::new(
                    3,
                    "..b.ww.w ........ ...b..b. b...bb.. w.www.ww ........ ........ b.bbbbb.",
                )
            },
        ],
        ..Presentation::new(
            Localized::new("Shōbu", "Shōbu"),
            Localized::new(
                "Four boards, two moves a turn: what you do passively, you repeat aggressively.",
                "Cuatro tableros, dos movimientos por turno: lo que haces con calma lo haces luego con \
                 fuerza.",
            ),
            Localized::new(include_str!("rules.en.txt"), include_str!("rules.es.txt")),
            [SidePresentation::BLACK, SidePresentation::WHITE],
            &[
                PiecePresentation::new(
                    Side::First,
                    'b',
                    PieceShape::Stone,
                    Localized::new("black stone", "piedra negra"),
                ),
                PiecePresentation::new(
                    Side::Second,
                    'w',
                    PieceShape::Stone,
                    Localized::new("white stone", "piedra blanca"),
                ),
            ],
        )
    };
    const UNIT: &'static str = "stones";

    fn shape(&self, turn: Turn) -> MoveShape {
        let at = |square: Square| {
            let (row, column) = square.grid();
            8 * row + column
        };
        let step = |from: Square| {
            // A legal turn stays on the board.
            let to = from.step(turn.direction(), turn.distance().steps()).unwrap_or(from);
            Step { from: at(from), to: at(to) }
        };
        let push = self.pushed(turn);
        MoveShape::Turn {
            passive: step(turn.passive()),
            aggressive: step(turn.aggressive()),
            push: push.map(|push| Push { from: at(push.from), to: push.to.map(at) }),
        }
    }

    fn boards(&self) -> Vec<[u32; 2]> {
        let count = |board| Side::BOTH.map(|side| self.stones(side, board).count_ones());
        Board::ALL.map(count).to_vec()
    }

    fn captured(&self, turn: Turn) -> Option<char> {
        let pushed_off = self.pushed(turn)?.to.is_none();
        pushed_off.then(|| Self::PRESENTATION.emblem(!self.side()))
    }

    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        // The notation lists board by board; the cells are row by row across two boards.
        let cells: Vec<char> = setup.cells.chars().collect();
        let mut text = String::from(Self::PRESENTATION.emblem(setup.turn));
        for board in 0..4 {
            text.push(' ');
            for square in 0..16 {
                let (row, column) = (4 * (board / 2) + square / 4, 4 * (board % 2) + square % 4);
                text.push(cells.get(8 * row + column).copied().unwrap_or('.'));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::AnyGame;

    use super::*;

    #[test]
    fn the_example_is_a_position_of_a_game() {
        let game = AnyGame::of::<Shobu>();
        let line = "start moves g1b5N a8g4S2 f1b6N2 c8g2S f3b8E2 c7g1W2";
        let played = game.parse_history(line, game.default_rules()).unwrap();
        assert_eq!(Some(played.position().cells_text().as_str()), Shobu::PRESENTATION.example);
    }
}
