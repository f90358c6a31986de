//! What the page shows of a position, beyond what every game tells of itself.

use tablero_catalog::Catalogued;
use tablero_chess::cozy_chess::{Color, Piece as ChessPiece, Rank, Square};
use tablero_chess::{Chess, Move};
use tablero_core::{Game, Notation, Piece, Side};
use tablero_othello::Othello;
use tablero_shobu::{Board, Shobu, Turn};
use tablero_tictactoe::TicTacToe;

use crate::api::{BoardSetup, Cell, MoveShape, Push, Step};

/// A game that can be shown on a page. The defaults fit games in which something is put on a cell or
/// moved from one to another.
pub(crate) trait Describe: Catalogued {
    /// Each side's characters in the text of the cells, the usual piece first.
    const PIECES: [&'static str; 2];
    /// What values count.
    const UNIT: &'static str;

    /// The character of a piece.
    fn letter(piece: Piece) -> char {
        Self::PIECES[piece.side.index()].chars().next().unwrap_or('?')
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
            [to] => MoveShape::Place { to: cell(to), flips: Vec::new() },
            [from, to] => {
                MoveShape::Slide { from: cell(from), to: cell(to), promotion: None, takes: None }
            }
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
    fn check(&self) -> Option<Cell> {
        None
    }

    /// One of several starts that are numbered.
    fn numbered_start(_number: u32) -> Option<Self> {
        None
    }

    /// The text of a position that was set up; `parse_position` says whether it is right.
    fn position_text_of(setup: &BoardSetup) -> String;
}

fn cell(index: usize) -> Cell {
    // No board has more than 256 cells.
    Cell(index as u8)
}

fn side_of(setup: &BoardSetup) -> Side {
    setup.turn.into()
}

impl Describe for Othello {
    const PIECES: [&'static str; 2] = ["X", "O"];
    const UNIT: &'static str = "discs";

    /// Every disc is a move.
    fn number_of(&self, ply: u32) -> u32 {
        ply
    }

    fn shape(&self, square: Self::Move) -> MoveShape {
        if square.is_pass() {
            return MoveShape::Pass;
        }
        let flipped = self.other() & self.after(square).discs(self.side());
        let flips = (0..64).filter(|index| flipped >> index & 1 == 1).map(cell).collect();
        MoveShape::Place { to: cell(square.index()), flips }
    }

    fn position_text_of(setup: &BoardSetup) -> String {
        let mover = Self::PIECES[side_of(setup).index()];
        format!("{} {mover}", setup.cells)
    }
}

impl Describe for TicTacToe {
    const PIECES: [&'static str; 2] = ["x", "o"];
    const UNIT: &'static str = "points";

    fn position_text_of(setup: &BoardSetup) -> String {
        let mover = Self::PIECES[side_of(setup).index()];
        format!("{mover} {}", setup.cells)
    }
}

impl Describe for Shobu {
    const PIECES: [&'static str; 2] = ["b", "w"];
    const UNIT: &'static str = "stones";

    fn shape(&self, turn: Turn) -> MoveShape {
        let at = |square: tablero_shobu::Square| {
            let (row, column) = square.grid();
            cell(8 * row + column)
        };
        let step = |from: tablero_shobu::Square| {
            // A legal turn stays on its boards.
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
        let enemy = Self::PIECES[(!self.side()).index()];
        enemy.chars().next().filter(|_| pushed_off)
    }

    fn position_text_of(setup: &BoardSetup) -> String {
        // The four boards one after the other; the cells are row by row over two boards.
        let cells: Vec<char> = setup.cells.chars().collect();
        let mut text = String::from(Self::PIECES[side_of(setup).index()]);
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

impl Describe for Chess {
    const PIECES: [&'static str; 2] = ["PNBRQK", "pnbrqk"];
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

    fn number_of(&self, _ply: u32) -> u32 {
        self.move_number()
    }

    fn shape(&self, m: Move) -> MoveShape {
        // A move of chess touches two cells.
        let [from, to] = self.touched(m).try_into().unwrap_or([0, 0]).map(cell);
        MoveShape::Slide {
            from,
            to,
            promotion: m.promotion.map(|piece| char::from(piece).to_ascii_lowercase().to_string()),
            takes: taken(self, m).map(chess_cell),
        }
    }

    fn captured(&self, m: Move) -> Option<char> {
        let piece = self.board().piece_on(taken(self, m)?)?;
        let letter = char::from(piece);
        Some(match self.board().side_to_move() {
            Color::White => letter.to_ascii_lowercase(),
            Color::Black => letter.to_ascii_uppercase(),
        })
    }

    fn check(&self) -> Option<Cell> {
        let board = self.board();
        (!board.checkers().is_empty()).then(|| chess_cell(board.king(board.side_to_move())))
    }

    fn numbered_start(number: u32) -> Option<Self> {
        Self::chess960(number)
    }

    fn position_text_of(setup: &BoardSetup) -> String {
        let cells: Vec<char> = setup.cells.chars().collect();
        let rows: Vec<String> = cells.chunks(8).map(fen_row).collect();
        let mover = if side_of(setup) == Side::First { "w" } else { "b" };
        let usual = || usual_castling(&cells);
        let castling = setup.castling.clone().unwrap_or_else(usual);
        let en_passant = setup.en_passant.as_deref().unwrap_or("-");
        format!("{} {mover} {castling} {en_passant} 0 1", rows.join("/"))
    }
}

/// Where a cell of the page's board is: its first row is the eighth rank.
const fn chess_cell(square: Square) -> Cell {
    Cell(8 * (7 - square.rank() as u8) + square.file() as u8)
}

/// The square on which a legal move takes a piece.
fn taken(position: &Chess, m: Move) -> Option<Square> {
    let board = position.board();
    let enemy = board.colors(!board.side_to_move());
    if enemy.has(m.to) {
        return Some(m.to);
    }
    let is_pawn = board.piece_on(m.from) == Some(ChessPiece::Pawn);
    let rank = Rank::Fifth.relative_to(board.side_to_move());
    (is_pawn && m.from.file() != m.to.file()).then(|| Square::new(m.to.file(), rank))
}

/// A row of cells as a FEN has it.
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

/// The castling rights that king and rooks on their first squares allow.
fn usual_castling(cells: &[char]) -> String {
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
