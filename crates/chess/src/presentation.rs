//! Titles, pieces, illustrations and rules text for the web page.

use tablero_core::{
    BoardSetup, Game, Illustration, Localized, MoveShape, Notation, Piece, PiecePresentation,
    PieceShape, Presentable, Presentation, Side, SidePresentation, Variant,
};

use crate::cozy_chess::{BoardBuilder, Color, Piece as ChessPiece, Rank, Square};
use crate::notation::cell_index;
use crate::{Chess, Move};

const PIECES: &[PiecePresentation] = &[
    PiecePresentation::new(
        Side::First,
        'K',
        PieceShape::King,
        Localized::new("white king", "rey blanco"),
    ),
    PiecePresentation::new(
        Side::First,
        'Q',
        PieceShape::Queen,
        Localized::new("white queen", "dama blanca"),
    ),
    PiecePresentation::new(
        Side::First,
        'R',
        PieceShape::Rook,
        Localized::new("white rook", "torre blanca"),
    ),
    PiecePresentation::new(
        Side::First,
        'B',
        PieceShape::Bishop,
        Localized::new("white bishop", "alfil blanco"),
    ),
    PiecePresentation::new(
        Side::First,
        'N',
        PieceShape::Knight,
        Localized::new("white knight", "caballo blanco"),
    ),
    PiecePresentation::new(
        Side::First,
        'P',
        PieceShape::Pawn,
        Localized::new("white pawn", "peón blanco"),
    ),
    PiecePresentation::new(
        Side::Second,
        'k',
        PieceShape::King,
        Localized::new("black king", "rey negro"),
    ),
    PiecePresentation::new(
        Side::Second,
        'q',
        PieceShape::Queen,
        Localized::new("black queen", "dama negra"),
    ),
    PiecePresentation::new(
        Side::Second,
        'r',
        PieceShape::Rook,
        Localized::new("black rook", "torre negra"),
    ),
    PiecePresentation::new(
        Side::Second,
        'b',
        PieceShape::Bishop,
        Localized::new("black bishop", "alfil negro"),
    ),
    PiecePresentation::new(
        Side::Second,
        'n',
        PieceShape::Knight,
        Localized::new("black knight", "caballo negro"),
    ),
    PiecePresentation::new(
        Side::Second,
        'p',
        PieceShape::Pawn,
        Localized::new("black pawn", "peón negro"),
    ),
];

const ILLUSTRATIONS: &[Illustration] = &[
    Illustration {
        marks: &["f7", "e8"],
        ..Illustration::new(
            0,
            "r.bqkb.r pppp.Qpp ..n..n.. ....p... ..B.P... ........ PPPP.PPP RNB.K.NR",
        )
    },
    Illustration {
        arrows: &[["d5", "f6"], ["b3", "e6"], ["a1", "a5"], ["h1", "e4"], ["h1", "h6"]],
        ..Illustration::new(
            1,
            "........ ........ ........ ...N.... ........ .B...... ........ R......Q",
        )
    },
    Illustration {
        arrows: &[["e1", "g1"], ["h1", "f1"]],
        ..Illustration::new(
            2,
            "........ ........ ........ ........ ........ ........ PP...PPP R...K..R",
        )
    },
];

impl Presentable for Chess {
    const PRESENTATION: Presentation = Presentation {
        example: Some("r.bqkb.rpppp.ppp..n..n......p.....B.P........N..PPPP.PPPRNBQK..R"),
        win: Some(Localized::new("checkmate", "jaque mate")),
        castling: true,
        variants: &[
            Variant { name: "standard", title: Localized::new("Standard", "Estándar"), starts: 0 },
            Variant {
                name: "chess960",
                title: Localized::new("Chess960", "Chess960"),
                starts: 960,
            },
        ],
        illustrations: ILLUSTRATIONS,
        ..Presentation::new(
            Localized::new("Chess", "Ajedrez"),
            Localized::new(
                "The royal game, Chess960 included.",
                "El juego de reyes, con Chess960.",
            ),
            Localized::new(include_str!("rules.en.txt"), include_str!("rules.es.txt")),
            [SidePresentation::WHITE, SidePresentation::BLACK],
            PIECES,
        )
    };
    const UNIT: &'static str = "pawns";

    fn letter(piece: Piece) -> char {
        match piece.side {
            Side::First => piece.symbol.to_ascii_uppercase(),
            Side::Second => piece.symbol.to_ascii_lowercase(),
        }
    }

    fn move_name(&self, m: Move) -> String {
        self.uci_text(m)
    }

    fn move_number_at(&self, _ply: u32) -> u32 {
        self.move_number()
    }

    fn shape(&self, m: Move) -> MoveShape {
        // A chess move touches two cells.
        let [from, to] = self.touched(m).try_into().unwrap_or([0, 0]);
        MoveShape::Slide {
            from,
            to,
            promotion: m.promotion.map(|piece| char::from(piece).to_ascii_lowercase()),
            takes: capture_square(self, m).map(cell_index),
        }
    }

    fn captured(&self, m: Move) -> Option<char> {
        let piece = self.board().piece_on(capture_square(self, m)?)?;
        let letter = char::from(piece);
        Some(match self.board().side_to_move() {
            Color::White => letter.to_ascii_lowercase(),
            Color::Black => letter.to_ascii_uppercase(),
        })
    }

    fn check(&self) -> Option<usize> {
        let board = self.board();
        (!board.checkers().is_empty()).then(|| cell_index(board.king(board.side_to_move())))
    }

    fn numbered_start(number: u32) -> Option<Self> {
        Self::chess960(number)
    }

    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        let cells: Vec<char> = setup.cells.chars().collect();
        let rows: Vec<String> = cells.chunks(8).map(fen_row).collect();
        let mover = if setup.turn == Side::First { "w" } else { "b" };
        let castling = setup.castling.map_or_else(|| default_castling(&cells), Into::into);
        let en_passant = setup.en_passant.unwrap_or("-");
        format!("{} {mover} {castling} {en_passant} 0 1", rows.join("/"))
    }

    /// Keeps the counters, and the castling rights that do not need the piece.
    fn without_piece(&self, cell: usize) -> Option<Self> {
        let square = Square::try_index(cell ^ 56)?;
        let mut builder = BoardBuilder::from_board(self.board());
        let (piece, color) = builder.board[square as usize].take()?;
        if piece == ChessPiece::Rook && square.rank().relative_to(color) == Rank::First {
            let rights = builder.castle_rights_mut(color);
            for right in [&mut rights.short, &mut rights.long] {
                *right = right.filter(|file| *file != square.file());
            }
        }
        if piece == ChessPiece::Pawn
            && builder.en_passant.is_some_and(|at| at.file() == square.file())
        {
            builder.en_passant = None;
        }
        Some(Self::new(builder.build().ok()?, self.halfmove_clock(), self.rules()))
    }
}

/// The square of the piece that a legal move captures.
fn capture_square(position: &Chess, m: Move) -> Option<Square> {
    let board = position.board();
    let enemy = board.colors(!board.side_to_move());
    if enemy.has(m.to) {
        return Some(m.to);
    }
    let is_pawn = board.piece_on(m.from) == Some(ChessPiece::Pawn);
    let rank = Rank::Fifth.relative_to(board.side_to_move());
    (is_pawn && m.from.file() != m.to.file()).then(|| Square::new(m.to.file(), rank))
}

/// A row of cells in FEN notation.
fn fen_row(cells: &[char]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for &c in cells {
        if c == '.' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
            empty = 0;
        }
        text.push(c);
    }
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
    text
}

/// All castling rights that kings and rooks on their start squares allow.
fn default_castling(cells: &[char]) -> String {
    let rights: String = [('K', 60, 63), ('Q', 60, 56), ('k', 4, 7), ('q', 4, 0)]
        .into_iter()
        .filter(|&(right, king, rook)| {
            let is_white = right.is_ascii_uppercase();
            let (k, r) = if is_white { ('K', 'R') } else { ('k', 'r') };
            cells.get(king) == Some(&k) && cells.get(rook) == Some(&r)
        })
        .map(|(right, _, _)| right)
        .collect();
    if rights.is_empty() { "-".into() } else { rights }
}

#[cfg(test)]
mod tests {
    use tablero_core::AnyGame;

    use super::*;

    #[test]
    fn the_example_is_a_position_of_a_game() {
        let game = AnyGame::of::<Chess>();
        let line = "start moves e4 e5 Nf3 Nc6 Bc4 Nf6";
        let played = game.parse_history(line, game.default_rules()).unwrap();
        assert_eq!(Some(played.position().cells_text().as_str()), Chess::PRESENTATION.example);
    }
}
