//! How a game presents itself to people: static facts, free of any transport. A page that knows these
//! can show a game that it has never heard of.

use crate::{Notation, Piece, Side};

/// A text in the languages that the page speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Localized {
    /// English.
    pub en: &'static str,
    /// Spanish.
    pub es: &'static str,
}

impl Localized {
    /// A text in both languages.
    pub const fn new(en: &'static str, es: &'static str) -> Self {
        Self { en, es }
    }
}

/// The colour of a side: of its pieces, and of its part of the evaluation bar.
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

/// A side as people see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SidePresentation {
    /// What it is called.
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

/// How a piece is drawn, in the colour of its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceShape {
    /// A flat disc with a face for each side: one that changes sides is turned over.
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

/// A piece as people see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PiecePresentation {
    /// Whose.
    pub side: Side,
    /// Its character in the text of the cells, unique in its game.
    pub letter: char,
    /// What it is called.
    pub name: Localized,
    /// How it is drawn.
    pub shape: PieceShape,
}

impl PiecePresentation {
    /// A piece, in one line.
    pub const fn new(side: Side, letter: char, shape: PieceShape, name: Localized) -> Self {
        Self { side, letter, name, shape }
    }
}

/// What people call a rules variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name in the program, as in `Rules::name`.
    pub name: &'static str,
    /// Its name for people.
    pub title: Localized,
    /// How many numbered starts there are to choose from.
    pub starts: u32,
}

/// A board beside a paragraph of the rules. Cells go by their names: column, then row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Illustration {
    /// Which paragraph, from 0.
    pub paragraph: usize,
    /// What stands on each cell; blanks are for the eye. Empty for the start.
    pub cells: &'static str,
    /// Cells to highlight.
    pub marks: &'static [&'static str],
    /// Moves to draw: from, to.
    pub arrows: &'static [[&'static str; 2]],
    /// Cells with a dot: where one may move.
    pub dots: &'static [&'static str],
}

impl Illustration {
    /// The cells alone.
    pub const fn new(paragraph: usize, cells: &'static str) -> Self {
        Self { paragraph, cells, marks: &[], arrows: &[], dots: &[] }
    }
}

/// Everything a page has to know to present a game; [`Presentation::new`] has the defaults.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Presentation {
    /// The game's name for people.
    pub title: Localized,
    /// What it is about, in one line.
    pub lead: Localized,
    /// The rules in a few paragraphs, which blank lines set apart.
    pub rules: Localized,
    /// The sides, the first to move first.
    pub sides: [SidePresentation; 2],
    /// All pieces; each side's emblem first.
    pub pieces: &'static [PiecePresentation],
    /// The page's own drawing of this board; otherwise a plain grid.
    pub drawing: Option<&'static str>,
    /// Pieces drop into columns: any cell stands for the move in its column. This cannot be told from
    /// the legal moves, of which Othello too may have one a column.
    pub drops: bool,
    /// A position that shows what the game is about; the start if there is none.
    pub example: Option<&'static str>,
    /// What is counted beside the players: their pieces on the board, by this name.
    pub counted: Option<Localized>,
    /// Decimals that values are shown with.
    pub decimals: u8,
    /// What both sides' scores sum to in every game that has a margin: shown as 35–29 instead of +6.
    pub score_sum: Option<u32>,
    /// How one wins by playing, where that has a name: checkmate.
    pub win: Option<Localized>,
    /// What each click of a move chooses, where that has to be said.
    pub steps: &'static [Localized],
    /// Positions know castling rights and en passant squares.
    pub castling: bool,
    /// Names of rules variants.
    pub variants: &'static [Variant],
    /// Boards beside the rules.
    pub illustrations: &'static [Illustration],
}

impl Presentation {
    /// A game with a plain board that needs no explanation.
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

    /// The letters of a side's pieces, the usual one first.
    pub fn letters(&self, side: Side) -> impl Iterator<Item = char> {
        self.pieces.iter().filter(move |piece| piece.side == side).map(|piece| piece.letter)
    }

    /// The letter of a side's usual piece.
    pub fn emblem(&self, side: Side) -> char {
        self.letters(side).next().unwrap_or('?')
    }
}

/// A game that can be shown on a page. The defaults fit games in which something is put on a cell or
/// moved from one to another.
pub trait Presentable: Notation {
    /// How the game presents itself.
    const PRESENTATION: Presentation;
    /// What values count.
    const UNIT: &'static str;

    /// The letter of a piece.
    fn letter(piece: Piece) -> char {
        Self::PRESENTATION.emblem(piece.side)
    }

    /// A move as requests name it.
    fn move_name(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The number, as people count, of a move played here that is ply `ply` of its game.
    fn number_of(&self, ply: u32) -> u32 {
        // Both sides' plies are one move, whoever began.
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

    /// How many pieces each side has on each of several boards.
    fn boards(&self) -> Vec<[u32; 2]> {
        Vec::new()
    }

    /// The piece that a legal move takes off the board.
    fn captured(&self, _m: Self::Move) -> Option<char> {
        None
    }

    /// The cell of something that is attacked and must be saved.
    fn check(&self) -> Option<usize> {
        None
    }

    /// One of several starts that are numbered.
    fn numbered_start(_number: u32) -> Option<Self> {
        None
    }

    /// The text of a position that was set up; `parse_position` says whether it is right.
    fn position_text_of(setup: &BoardSetup<'_>) -> String {
        format!("{} {}", Self::PRESENTATION.emblem(setup.turn), setup.cells)
    }
}

/// What a move does on the board; cells are numbered as in `Diagram`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveShape {
    /// The turn goes to the other side.
    Pass,
    /// Puts a piece on `to` and turns over those on `flips`.
    Place {
        /// Where to.
        to: usize,
        /// What changes sides.
        flips: Vec<usize>,
    },
    /// A piece moves, may become another one (its letter, lower case), and takes what stands on `takes`.
    Slide {
        /// From where.
        from: usize,
        /// To where.
        to: usize,
        /// What it becomes.
        promotion: Option<char>,
        /// The cell of the piece that it takes.
        takes: Option<usize>,
    },
    /// Two pieces move, and the second may push one.
    Turn {
        /// The first move.
        passive: Step,
        /// The second move.
        aggressive: Step,
        /// What the second move pushes.
        push: Option<Push>,
    },
}

/// A piece's move in a [`MoveShape::Turn`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// From where.
    pub from: usize,
    /// To where.
    pub to: usize,
}

/// A piece that is pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Push {
    /// Where it stood.
    pub from: usize,
    /// Where it comes to stand, unless it leaves its board.
    pub to: Option<usize>,
}

/// A board that was set up. All its letters are letters of pieces or `.`, and there are as many as
/// cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardSetup<'a> {
    /// What stands on each cell, one letter each.
    pub cells: &'a str,
    /// Who is to move.
    pub turn: Side,
    /// Castling rights as in a FEN; those that the pieces allow if left out.
    pub castling: Option<&'a str>,
    /// The name of the square behind a pawn that can be taken en passant.
    pub en_passant: Option<&'a str>,
}
