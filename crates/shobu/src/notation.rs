//! Positions and turns as text, and the board diagram. `docs/reference/shobu-notation.md` specifies the
//! notation.

use tablero_core::{
    Cell, Diagram, Game, GameType, Ground, Localized, LocalizedString, Location, Notation, Piece,
    ReadError, Scanner, Side,
};

use crate::geometry::{Board, Direction, Distance, Square};
use crate::illegal::IllegalTurn;
use crate::position::{Shobu, ShobuRules, has_empty_board};
use crate::turn::Turn;

/// Diagram symbols by side.
const SYMBOLS: [char; 2] = ['●', '○'];
/// A side never has more stones than this on a board.
const MAX_STONES: u32 = 4;

impl Notation for Shobu {
    fn move_text(&self, turn: Turn) -> String {
        turn.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Turn, ReadError> {
        let parts = TurnText::read(text)?;
        match self.why_illegal(parts.turn) {
            None => Ok(parts.turn),
            Some(illegal) => Err(parts.illegal_error(text, illegal)),
        }
    }

    fn position_text(&self) -> String {
        let letter = |square: Square| match self.owner(square) {
            Some(Side::First) => 'b',
            Some(Side::Second) => 'w',
            None => '.',
        };
        let board = |board: u32| (16 * board..16 * board + 16).map(Square::from_index).map(letter);
        let mut text = String::from(if self.side() == Side::First { "b" } else { "w" });
        for index in 0..4 {
            text.push(' ');
            text.extend(board(index));
        }
        text
    }

    fn parse_position(text: &str, rules: ShobuRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        let side = read_side(&mut scan)?;
        let mut stones = [0, 0];
        for board in Board::ALL {
            read_board(&mut scan, board, &mut stones)?;
        }
        skip_separators(&mut scan);
        if !scan.at_end() {
            return Err(scan.error(Localized::new(
                "nothing after the 64 squares of the four boards",
                "nada después de las 64 casillas de los cuatro tableros",
            )));
        }
        if stones.iter().all(|&set| has_empty_board(set)) {
            return Err(ReadError {
                location: Location::in_text(text, 0),
                found: LocalizedString::new(
                    "a board without black and a board without white stones",
                    "un tablero sin piedras negras y otro sin blancas",
                ),
                expected: LocalizedString::new(
                    "stones of at least one side on every board",
                    "piedras de al menos un bando en cada tablero",
                ),
            });
        }
        Ok(Self::new(stones, side, rules))
    }

    fn diagram(&self) -> Diagram {
        let cell = |cell: usize| {
            let square = Square::from_grid(cell / 8, cell % 8)?;
            let piece = |side: Side| Piece { side, symbol: SYMBOLS[side.index()] };
            let ground = if square.board().is_dark() { Ground::Dark } else { Ground::Light };
            Some(Cell { piece: self.owner(square).map(piece), ground })
        };
        let mut diagram = Diagram::square(8, (1..=8).rev(), (0..64).filter_map(cell).collect());
        diagram.split = Some(4);
        diagram.notes = Board::ALL.map(|board| self.stones_note(board)).to_vec();
        diagram
    }

    fn touched(&self, turn: Turn) -> Vec<usize> {
        let ends =
            |from: Square| [Some(from), from.step(turn.direction(), turn.distance().steps())];
        let cell = |square: Square| {
            let (row, column) = square.grid();
            8 * row + column
        };
        let squares = ends(turn.passive()).into_iter().chain(ends(turn.aggressive()));
        squares.flatten().map(cell).collect()
    }
}

impl Shobu {
    /// The stone counts of a board.
    fn stones_note(&self, board: Board) -> String {
        let count = |side| self.stones(side, board).count_ones();
        let [black, white] =
            Side::BOTH.map(|side| format!("{} {}", SYMBOLS[side.index()], count(side)));
        format!("{board}: {black} {white}")
    }
}

impl std::fmt::Display for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{:?}", self.passive(), self.aggressive(), self.direction())?;
        match self.distance() {
            Distance::One => Ok(()),
            Distance::Two => f.write_str("2"),
        }
    }
}

/// A parsed turn with the offsets of its parts.
struct TurnText {
    turn: Turn,
    passive_at: usize,
    aggressive_at: usize,
    direction_at: usize,
}

impl TurnText {
    fn read(text: &str) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        let (passive_at, passive) = read_square(&mut scan, "the passive stone's square, a1-h8")?;
        let (aggressive_at, aggressive) =
            read_square(&mut scan, "the aggressive stone's square, a1-h8")?;
        skip_turn_separators(&mut scan);
        let direction_at = scan.offset();
        let direction = read_direction(&mut scan)?;
        skip_turn_separators(&mut scan);
        let distance = match scan.peek() {
            Some('2') => Distance::Two,
            _ => Distance::One,
        };
        if !scan.eat('2') {
            scan.eat('1');
        }
        scan.skip_blanks();
        if !scan.at_end() {
            return Err(scan.error("`2` for two steps, or the end of the turn"));
        }
        let turn = Turn::new(passive, aggressive, direction, distance);
        Ok(Self { turn, passive_at, aggressive_at, direction_at })
    }

    /// The error for a well-formed but illegal turn.
    fn illegal_error(&self, text: &str, illegal: IllegalTurn) -> ReadError {
        let is_passive = |square| square == self.turn.passive();
        let offset = match illegal {
            IllegalTurn::NotHome { .. } | IllegalTurn::GameOver { .. } => self.passive_at,
            IllegalTurn::SameColour { .. } | IllegalTurn::NotAcross { .. } => self.aggressive_at,
            IllegalTurn::NoStone { square, .. } if is_passive(square) => self.passive_at,
            IllegalTurn::NoStone { .. } => self.aggressive_at,
            IllegalTurn::LeavesBoard { .. }
            | IllegalTurn::Blocked { .. }
            | IllegalTurn::PushesOwn { .. }
            | IllegalTurn::PushesTwo { .. } => self.direction_at,
        };
        ReadError {
            location: Location::in_text(text, offset),
            found: format!("`{}`, which is illegal because {illegal}", self.turn).into(),
            expected: Localized::new("a legal turn", "un turno legal").into(),
        }
    }
}

/// Skips separators between the parts of a turn.
fn skip_turn_separators(scan: &mut Scanner<'_>) {
    scan.take_while(|c| c.is_whitespace() || c == '-' || c == ',');
}

/// Reads a square; also returns its offset.
fn read_square(scan: &mut Scanner<'_>, expected: &str) -> Result<(usize, Square), ReadError> {
    skip_turn_separators(scan);
    let offset = scan.offset();
    let column = scan.bump().map(|c| c.to_ascii_lowercase()).filter(|c| ('a'..='h').contains(c));
    let row = scan.bump().filter(|c| ('1'..='8').contains(c));
    let square = column.zip(row).and_then(|(column, row)| {
        Square::from_grid(8 - (row as usize - '0' as usize), column as usize - 'a' as usize)
    });
    square.map(|square| (offset, square)).ok_or_else(|| scan.error_at(offset, expected))
}

fn read_direction(scan: &mut Scanner<'_>) -> Result<Direction, ReadError> {
    let offset = scan.offset();
    let word = scan.take_while(|c| c.is_ascii_alphabetic());
    let named = |direction: &Direction| format!("{direction:?}").eq_ignore_ascii_case(word);
    let direction = Direction::ALL.into_iter().find(named);
    direction.ok_or_else(|| scan.error_at(offset, "a direction: N NE E SE S SW W NW"))
}

fn read_side(scan: &mut Scanner<'_>) -> Result<Side, ReadError> {
    scan.skip_blanks();
    let offset = scan.offset();
    match scan.word().to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(scan.error_at(
            offset,
            Localized::new(
                "the side to move, `b` or `w`, then the four boards",
                "quién juega, `b` o `w`, y los cuatro tableros",
            ),
        )),
    }
}

/// Skips separators between rows and boards.
fn skip_separators(scan: &mut Scanner<'_>) {
    scan.take_while(|c| c.is_whitespace() || c == '/');
}

const fn spanish_name(board: Board) -> &'static str {
    match board {
        Board::TopLeft => "de arriba a la izquierda",
        Board::TopRight => "de arriba a la derecha",
        Board::BottomLeft => "de abajo a la izquierda",
        Board::BottomRight => "de abajo a la derecha",
    }
}

/// Reads the 16 squares of a board into the bitboards.
fn read_board(
    scan: &mut Scanner<'_>,
    board: Board,
    stones: &mut [u64; 2],
) -> Result<(), ReadError> {
    for square in 0..16u32 {
        if square % 4 == 0 {
            skip_separators(scan);
        }
        let side = match scan.peek() {
            Some('b' | 'B') => Some(Side::First),
            Some('w' | 'W') => Some(Side::Second),
            Some('.' | '-' | '_') => None,
            _ => {
                let (row, column) = (square / 4 + 1, square % 4 + 1);
                let board_es = spanish_name(board);
                return Err(scan.error(LocalizedString::new(
                    format!("`b`, `w` or `.` for square {column} in row {row} of the {board} board"),
                    format!("`b`, `w` o `.` para la casilla {column} de la fila {row} del tablero {board_es}"),
                )));
            }
        };
        if let Some(side) = side {
            let set = &mut stones[side.index()];
            *set |= 1 << (16 * board as u32 + square);
            if ((*set >> (16 * board as u32)) as u16).count_ones() > MAX_STONES {
                let name = Shobu::SIDES[side.index()];
                let (name_es, board_es) =
                    (["negras", "blancas"][side.index()], spanish_name(board));
                return Err(scan.error(LocalizedString::new(
                    format!("at most four {name} stones on the {board} board"),
                    format!("como mucho cuatro piedras {name_es} en el tablero {board_es}"),
                )));
            }
        }
        scan.bump();
    }
    Ok(())
}
