//! Positions and moves as text, and the board diagram.

use tablero_core::{
    Cell, Diagram, Game, Ground, Localized, LocalizedString, Notation, Piece, ReadError, Scanner,
    Side, StandardRules,
};

use crate::bitboard::{COLUMNS, Column, ROWS, cell, coordinates};
use crate::position::ConnectFour;

/// Red's letter and yellow's.
pub(crate) const LETTERS: [char; 2] = ['x', 'o'];
/// Number of cells on the board.
const CELLS: usize = COLUMNS * ROWS;

// ANCHOR: notation
impl Notation for ConnectFour {
    fn move_number(&self) -> u32 {
        self.plies() / 2 + 1
    }

    fn move_text(&self, column: Column) -> String {
        (column.index() + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, ReadError> {
        let trimmed = text.trim();
        let mut chars = trimmed.chars();
        match (chars.next().and_then(column_from_digit), chars.next()) {
            (Some(column), None) if self.is_legal(column) => Ok(column),
            (Some(_), None) => Err(ReadError::at(trimmed, 0, expected_column(self))),
            _ => Err(ReadError::at(trimmed, 0, "a column 1-7")),
        }
    }

    fn position_text(&self) -> String {
        let row = |row: usize| (0..COLUMNS).map(|column| self.letter(column, row)).collect();
        let rows: Vec<String> = (0..ROWS).rev().map(row).collect();
        format!("{} {}", LETTERS[self.side().index()], rows.join("/"))
    }

    fn parse_position(text: &str, _: StandardRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        scan.skip_blanks();
        match scan.peek() {
            Some(c) if c.is_ascii_digit() => parse_moves(&mut scan),
            _ => parse_board(&mut scan),
        }
    }
    // ANCHOR_END: notation

    // ANCHOR: diagram
    fn diagram(&self) -> Diagram {
        let cell = |index: usize| Cell {
            piece: self
                .owner(index % COLUMNS, ROWS - 1 - index / COLUMNS)
                .map(|side| Piece { side, symbol: LETTERS[side.index()].to_ascii_uppercase() }),
            ground: Ground::Plain,
        };
        Diagram {
            columns: (1..=COLUMNS).map(|number| number.to_string()).collect(),
            rows: ('a'..='f').rev().map(String::from).collect(),
            cells: (0..CELLS).map(cell).collect(),
            split: None,
            notes: Vec::new(),
        }
    }

    fn touched(&self, column: Column) -> Vec<usize> {
        vec![self.landing_index(column)]
    }
    // ANCHOR_END: diagram
}

impl ConnectFour {
    /// The owner of the stone in this column and row, counted from the bottom left.
    pub fn owner(&self, column: usize, row: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.stones(side) & cell(column, row) != 0)
    }

    /// The diagram index (row by row from the top left) of the cell where a stone dropped into this
    /// column lands; the top cell if the column is full.
    pub(crate) fn landing_index(&self, column: Column) -> usize {
        match self.landing_cell(column) {
            0 => column.index(),
            landing => (ROWS - 1 - coordinates(landing).1) * COLUMNS + column.index(),
        }
    }

    fn letter(&self, column: usize, row: usize) -> char {
        self.owner(column, row).map_or('.', |side| LETTERS[side.index()])
    }
}

fn column_from_digit(digit: char) -> Option<Column> {
    Column::from_index((digit.to_digit(10)? as usize).checked_sub(1)?)
}

/// The `expected` text of the error for a text that is not a column.
const COLUMN: Localized = Localized::new("a column 1-7", "una columna 1-7");

/// The `expected` text of the error for an unplayable column.
fn expected_column(position: &ConnectFour) -> LocalizedString {
    let legal: Vec<_> = position.moves().iter().map(|&m| position.move_text(m)).collect();
    match legal.is_empty() {
        true => LocalizedString::new(
            "no move: the game is over",
            "ninguna jugada: la partida ha terminado",
        ),
        false => LocalizedString::new(
            format!("a column that is not full: {}", legal.join(", ")),
            format!("una columna que no esté llena: {}", legal.join(", ")),
        ),
    }
}

/// Parses a position given by its moves: `44533`.
fn parse_moves(scan: &mut Scanner<'_>) -> Result<ConnectFour, ReadError> {
    let mut position = ConnectFour::start(StandardRules);
    loop {
        scan.skip_blanks();
        let Some(digit) = scan.peek() else {
            return Ok(position);
        };
        let column = column_from_digit(digit).ok_or_else(|| scan.error(COLUMN))?;
        if !position.is_legal(column) {
            return Err(scan.error(expected_column(&position)));
        }
        position.play(column);
        scan.bump();
    }
}

/// Parses the side to move, then the cells row by row from the top.
fn parse_board(scan: &mut Scanner<'_>) -> Result<ConnectFour, ReadError> {
    let side = scan.peek().and_then(side_from_letter).ok_or_else(|| {
        scan.error(Localized::new(
            "columns 1-7, or `x` or `o` to move and then 42 cells",
            "columnas 1-7, o quién juega, `x` u `o`, y 42 casillas",
        ))
    })?;
    scan.bump();
    let mut stones = [0; 2];
    let mut offsets = [0; CELLS];
    for (index, offset) in offsets.iter_mut().enumerate() {
        skip_separators(scan);
        *offset = scan.offset();
        let at = cell(index % COLUMNS, ROWS - 1 - index / COLUMNS);
        match scan.peek() {
            Some('.' | '-') => {}
            letter => {
                let owner = letter.and_then(side_from_letter);
                let owner = owner.ok_or_else(|| {
                    scan.error(Localized::new(
                        "a cell: `x`, `o` or `.`",
                        "una casilla: `x`, `o` o `.`",
                    ))
                })?;
                stones[owner.index()] |= at;
            }
        }
        scan.bump();
    }
    skip_separators(scan);
    if !scan.at_end() {
        return Err(scan.error(Localized::new(
            "nothing after the 42nd cell",
            "nada después de la casilla 42",
        )));
    }
    check_gravity(scan, stones[0] | stones[1], &offsets)?;
    let position = ConnectFour::from_stones(stones[0], stones[1]);
    position.filter(|position| position.side() == side).ok_or_else(|| {
        scan.error_at(
            0,
            Localized::new(
                "as many `x` as `o` with `x` to move or one more with `o` to move, and no four in a line for \
                 the side to move",
                "tantas `x` como `o` si juega `x`, o una más si juega `o`, y ninguna línea de cuatro de quien \
                 juega",
            ),
        )
    })
}

/// Rows may be separated by blanks, line ends or slashes.
fn skip_separators(scan: &mut Scanner<'_>) {
    scan.take_while(|c| c.is_whitespace() || c == '/');
}

/// Reports the first stone above an empty cell; `offsets` are the cells' places in the text.
fn check_gravity(scan: &Scanner<'_>, mask: u64, offsets: &[usize; CELLS]) -> Result<(), ReadError> {
    for (index, &offset) in offsets.iter().enumerate() {
        let (column, row) = (index % COLUMNS, ROWS - 1 - index / COLUMNS);
        let is_supported = row == 0 || mask & cell(column, row - 1) != 0;
        if mask & cell(column, row) != 0 && !is_supported {
            return Err(scan.error_at(
                offset,
                Localized::new(
                    "`.` above an empty cell: stones fall",
                    "`.` encima de una casilla vacía: las fichas caen",
                ),
            ));
        }
    }
    Ok(())
}

const fn side_from_letter(letter: char) -> Option<Side> {
    match letter {
        'x' | 'X' | 'r' | 'R' => Some(Side::First),
        'o' | 'O' | 'y' | 'Y' => Some(Side::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance;

    use super::*;

    fn read(text: &str) -> Result<ConnectFour, String> {
        ConnectFour::parse_position(text, StandardRules).map_err(|error| error.to_string())
    }

    #[test]
    fn move_lists_and_boards_parse_to_the_same_position() {
        let by_moves = read("44533").expect("a game");
        let written = "o ......./......./......./......./..xo.../..oxx..";
        assert_eq!(by_moves.position_text(), written);
        assert_eq!(read(written), Ok(by_moves));
        assert_eq!(read(&written.replace('/', "\n")), Ok(by_moves));
        assert_eq!(
            read(&written.replace('/', "").replace('x', "R").replace('o', "Y")),
            Ok(by_moves)
        );
        assert_eq!(read(" 4 4 5 3\n3 "), Ok(by_moves));
        assert_eq!(by_moves.move_number(), 3);
    }

    #[test]
    fn position_errors_name_the_offending_text() {
        let error = |text: &str| read(text).expect_err(text);
        assert_eq!(error("448"), "line 1, column 3: found `8`, expected a column 1-7");
        assert!(
            error("4444444")
                .contains("column 7: found `4`, expected a column that is not full: 1, 2, 3, 5")
        );
        assert!(
            error("12121213").contains("column 8: found `3`, expected no move: the game is over")
        );
        assert!(error("").contains("the end of the input"));
        assert!(error("x ...z").contains("column 6: found `z`, expected a cell"));
        let empty = ".".repeat(42);
        assert!(error(&format!("x {empty}.")).contains("42nd"));
        assert!(error(&format!("o {empty}")).contains("as many"));
        assert!(error(&format!("x xo{}", &empty[2..])).contains("column 3: found `xo"));
        // Both have four, so the game was over before the last move.
        assert!(error("x ......./......./......./......./oooo.../xxxx...").contains("no four"));
    }

    #[test]
    fn move_errors_name_the_offending_text() {
        let error = |game: &str, text: &str| {
            read(game).expect("a game").parse_move(text).expect_err(text).to_string()
        };
        for text in ["", "0", "8", "44", "a", "é"] {
            assert!(error("4", text).contains("a column 1-7"), "{text}");
        }
        assert!(error("444444", " 4 ").contains("not full: 1, 2, 3, 5, 6, 7"));
        assert!(error("1212121", "3").contains("the game is over"));
    }

    #[test]
    fn diagram_cells_match_the_stones() {
        let position = read("441").expect("a game");
        let diagram = position.diagram();
        assert_eq!((diagram.columns.len(), diagram.rows.len()), (7, 6));
        let found: Vec<_> = (0..CELLS).filter(|&at| diagram.cells[at].piece.is_some()).collect();
        assert_eq!(found, [4 * 7 + 3, 5 * 7, 5 * 7 + 3]);
        assert_eq!(position.touched(Column::ALL[3]), [3 * 7 + 3]);
        assert_eq!(position.touched(Column::ALL[6]), [5 * 7 + 6]);
    }

    #[test]
    fn parsers_do_not_panic_on_corrupt_input() {
        let board = b"o ......./......./......./......./..xo.../..oxx..";
        let samples: [&[u8]; 3] = [board, b"44533", b"4"];
        conformance::check_reader(&samples, 20_000, 1, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let _ = ConnectFour::parse_position(&text, StandardRules);
            let _ = ConnectFour::start(StandardRules).parse_move(&text);
        });
    }
}
