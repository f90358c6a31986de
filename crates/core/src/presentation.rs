//! How a game is shown to people: names, colours, pieces, rules, the clicks of a move. The page draws any
//! game from this description alone.

use crate::explanation::text_without;
use crate::{Localized, Notation, Piece, Side};

/// The colour of a side's pieces and of its part of the evaluation bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Black.
    Black,
    /// White.
    White,
    /// Blue.
    Blue,
    /// Orange.
    Orange,
    /// Red.
    Red,
    /// Yellow.
    Yellow,
}

/// How a side is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SidePresentation {
    /// Its name.
    pub title: Localized,
    /// Its colour.
    pub colour: Colour,
}

impl SidePresentation {
    /// The side with the black pieces.
    pub const BLACK: Self =
        Self { title: Localized::new("Black", "Negras"), colour: Colour::Black };
    /// The side with the white pieces.
    pub const WHITE: Self =
        Self { title: Localized::new("White", "Blancas"), colour: Colour::White };
}

/// The drawing of a piece, in the colour of its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceShape {
    /// A two-sided disc, which flips when it changes sides.
    Disc,
    /// A pebble.
    Stone,
    /// An X.
    Cross,
    /// An O.
    Ring,
    /// A chess pawn.
    Pawn,
    /// A chess knight.
    Knight,
    /// A chess bishop.
    Bishop,
    /// A chess rook.
    Rook,
    /// A chess queen.
    Queen,
    /// A chess king.
    King,
}

/// How a piece is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PiecePresentation {
    /// Its side.
    pub side: Side,
    /// Its letter in the text of a board, unique in the game.
    pub letter: char,
    /// Its name.
    pub name: Localized,
    /// How it is drawn.
    pub shape: PieceShape,
}

impl PiecePresentation {
    /// A piece.
    pub const fn new(side: Side, letter: char, shape: PieceShape, name: Localized) -> Self {
        Self { side, letter, name, shape }
    }
}

/// How a rules variant is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name ([`Rules::name`](crate::Rules::name)).
    pub name: &'static str,
    /// Its displayed name.
    pub title: Localized,
    /// The number of [numbered starting positions](Presentable::numbered_start).
    pub starts: u32,
}

/// A board beside a paragraph of the rules. Cells are named by column and row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Illustration {
    /// The paragraph, from 0.
    pub paragraph: usize,
    /// One letter per cell, whitespace ignored; empty for the starting position.
    pub cells: &'static str,
    /// Cells to highlight.
    pub marks: &'static [&'static str],
    /// Arrows: from, to.
    pub arrows: &'static [[&'static str; 2]],
    /// Cells marked as possible destinations.
    pub dots: &'static [&'static str],
}

impl Illustration {
    /// A board without markers.
    pub const fn new(paragraph: usize, cells: &'static str) -> Self {
        Self { paragraph, cells, marks: &[], arrows: &[], dots: &[] }
    }
}

/// Everything a page needs to show a game; [`Presentation::new`] sets the defaults.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Presentation {
    /// The displayed name of the game.
    pub title: Localized,
    /// The game in one line.
    pub lead: Localized,
    /// The rules; paragraphs are separated by blank lines.
    pub rules: Localized,
    /// The two sides, the first to move first.
    pub sides: [SidePresentation; 2],
    /// All pieces; each side's emblematic piece first.
    pub pieces: &'static [PiecePresentation],
    /// The page's drawing component for this board; a plain grid if `None`.
    pub drawing: Option<&'static str>,
    /// Whether pieces drop into columns, so that any cell selects the move in its column. Legal moves do
    /// not show this: Othello, too, may have one move per column.
    pub drops: bool,
    /// A typical position, as a board text; the starting position if `None`.
    pub example: Option<&'static str>,
    /// The name of the pieces whose count is shown beside each player.
    pub counted: Option<Localized>,
    /// Decimal places of scores.
    pub decimals: u8,
    /// The sum of both sides' final scores, where results are shown as 35–29 instead of +6.
    pub score_sum: Option<u32>,
    /// The name of a win on the board, where there is one (checkmate).
    pub win: Option<Localized>,
    /// What each click of a move selects, where it needs explaining.
    pub steps: &'static [Localized],
    /// Whether positions have castling rights and en passant squares.
    pub castling: bool,
    /// The rules variants.
    pub variants: &'static [Variant],
    /// Boards that illustrate the rules.
    pub illustrations: &'static [Illustration],
}

impl Presentation {
    /// A game with a plain board and default settings.
    pub const fn new(
        title: Localized,
        lead: Localized,
        rules: Localized,
        sides: [SidePresentation; 2],
        pieces: &'static [PiecePresentation],
    ) -> Self {
        Self {
            title,
            lead,
            rules,
            sides,
            pieces,
            drawing: None,
            drops: false,
            example: None,
            counted: None,
            decimals: 1,
            score_sum: None,
            win: None,
            steps: &[],
            castling: false,
            variants: &[],
            illustrations: &[],
        }
    }

    /// The letters of a side's pieces, the emblematic one first.
    pub fn letters(&self, side: Side) -> impl Iterator<Item = char> {
        self.pieces.iter().filter(move |piece| piece.side == side).map(|piece| piece.letter)
    }

    /// The letter of a side's emblematic piece.
    pub fn emblem(&self, side: Side) -> char {
        self.letters(side).next().unwrap_or('?')
    }
}

/// A game that can be shown on a page. The defaults fit games in which a move places a piece or moves one
/// from cell to cell.
pub trait Presentable: Notation {
    /// How the game is shown.
    const PRESENTATION: Presentation;
    /// The unit of scores.
    const UNIT: &'static str;

    /// The letter of a piece.
    fn letter(piece: Piece) -> char {
        Self::PRESENTATION.emblem(piece.side)
    }

    /// The name of a move in requests of the API.
    fn move_name(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The full-move number of a move played here as ply `ply` of its game.
    fn move_number_at(&self, ply: u32) -> u32 {
        // Both sides' plies count as one move, whichever side started.
        match self.side() {
            Side::First => ply / 2 + 1,
            Side::Second => ply.div_ceil(2),
        }
    }

    /// What a legal move does on the board.
    fn shape(&self, m: Self::Move) -> MoveShape {
        match self.touched(m)[..] {
            [to] => MoveShape::Place { to, flips: Vec::new() },
            [from, to] => MoveShape::Slide { from, to, promotion: None, takes: None },
            _ => MoveShape::Pass,
        }
    }

    /// The pieces of each side on each of several boards.
    fn boards(&self) -> Vec<[u32; 2]> {
        Vec::new()
    }

    /// The letter of the piece that a legal move captures.
    fn captured(&self, _m: Self::Move) -> Option<char> {
        None
    }

    /// The cell of a piece in check.
    fn check(&self) -> Option<usize> {
        None
    }

    /// A numbered starting position (Chess960).
    fn numbered_start(_number: u32) -> Option<Self> {
        None
    }

    /// The text of a position from the board editor; `parse_position` validates it.
    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        format!("{} {}", Self::PRESENTATION.emblem(setup.turn), setup.cells)
    }

    /// This position without the piece on a cell; `None` if there is none, or if no position is without it.
    #[must_use]
    fn without_piece(&self, cell: usize) -> Option<Self> {
        Self::parse_position(&text_without(self, cell)?, self.rules()).ok()
    }
}

/// The effect of a move on the board; cells are numbered as in [`Diagram`](crate::Diagram).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveShape {
    /// A pass.
    Pass,
    /// Places a piece on `to` and flips those on `flips`.
    Place {
        /// The cell.
        to: usize,
        /// The flipped cells.
        flips: Vec<usize>,
    },
    /// Moves a piece, which may promote and capture.
    Slide {
        /// Origin.
        from: usize,
        /// Destination.
        to: usize,
        /// The letter of the promoted piece, lower case.
        promotion: Option<char>,
        /// The cell of the captured piece.
        takes: Option<usize>,
    },
    /// Moves two pieces, the second of which may push one (Shōbu).
    Turn {
        /// The passive move.
        passive: Step,
        /// The aggressive move.
        aggressive: Step,
        /// The stone that it pushes.
        push: Option<Push>,
    },
}

/// A piece's move in a [`MoveShape::Turn`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Origin.
    pub from: usize,
    /// Destination.
    pub to: usize,
}

/// A pushed piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Push {
    /// Its origin.
    pub from: usize,
    /// Its destination; `None` if it is pushed off the board.
    pub to: Option<usize>,
}

/// A position from the board editor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardSetup<'a> {
    /// One letter per cell, that of a piece or `.`.
    pub cells: &'a str,
    /// The side to move.
    pub turn: Side,
    /// Castling rights as in FEN; all that the pieces allow if `None`.
    pub castling: Option<&'a str>,
    /// The en passant square.
    pub en_passant: Option<&'a str>,
}
