//! Tic-tac-toe: the smallest game crate, used throughout the workspace as a test game because it
//! can be solved exhaustively.
//!
//! A game is a position type that implements the traits of `tablero-core`: [`Game`] (rules),
//! [`Notation`] (text and diagram), [`Tactics`](tablero_core::Tactics) (evaluation and move
//! ordering), [`Encoding`](tablero_core::Encoding) (input planes) and a few more. Squares are
//! written `a1` (top left) to `c3`; a position is the side to move, `x` or `o`, and the nine
//! squares row by row: `o x.. .o. ..x`.
//!
//! ```
//! use tablero_core::{Game, Notation, Outcome, Side, StandardRules};
//! use tablero_tictactoe::TicTacToe;
//!
//! let mut position = TicTacToe::start(StandardRules);
//! for text in ["b2", "a1", "b1", "a2", "b3"] {
//!     position.play(position.parse_move(text)?);
//! }
//! assert_eq!(position.position_text(), "o ox. ox. .x.");
//! assert_eq!(position.outcome(), Some(Outcome::win(Side::First)));
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

mod encoding;
mod features;
mod presentation;
mod settings;
mod tactics;

use tablero_core::{
    Cell, Diagram, Game, GameInfo, GameType, Ground, Localized, Notation, Outcome, Piece,
    ReadError, Scanner, Side, StandardRules,
};

/// A position: a 9-bit bitboard per side (bit `3 * row + column`) and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TicTacToe {
    squares: [u16; 2],
    side: Side,
}

const BOARD: u16 = 0b111_111_111;
/// The eight lines of three.
const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

impl TicTacToe {
    #[inline]
    fn has_line(self, side: Side) -> bool {
        LINES.iter().any(|line| self.squares[side.index()] & line == *line)
    }

    #[inline]
    fn empty(self) -> u16 {
        BOARD & !(self.squares[0] | self.squares[1])
    }

    /// The side that occupies a square, `3 * row + column`.
    #[inline]
    pub fn owner(self, square: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.squares[side.index()] >> square & 1 == 1)
    }
}

impl GameType for TicTacToe {
    const NAME: &'static str = "tictactoe";
    const SIDES: [&'static str; 2] = ["x", "o"];
    const SYMMETRIES: usize = 8;
}

impl Game for TicTacToe {
    /// The square, `3 * row + column`.
    type Move = u8;
    type Rules = StandardRules;

    #[inline]
    fn start(_: StandardRules) -> Self {
        Self { squares: [0, 0], side: Side::First }
    }

    #[inline]
    fn info(&self) -> &'static GameInfo {
        &Self::INFO
    }

    #[inline]
    fn rules(&self) -> StandardRules {
        StandardRules
    }

    #[inline]
    fn side(&self) -> Side {
        self.side
    }

    #[inline]
    fn each_move(&self, visit: impl FnMut(u8)) {
        if self.outcome().is_none() {
            (0..9).filter(|square| self.empty() >> square & 1 == 1).for_each(visit);
        }
    }

    #[inline]
    fn play(&mut self, square: u8) {
        self.squares[self.side.index()] |= 1 << square;
        self.side = !self.side;
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        let winner = Side::BOTH.into_iter().find(|&side| self.has_line(side));
        winner.map(Outcome::win).or_else(|| (self.empty() == 0).then_some(Outcome::DRAW))
    }

    #[inline]
    fn key(&self) -> u64 {
        let squares = u64::from(self.squares[0]) << 16 | u64::from(self.squares[1]);
        (squares << 1 | self.side.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn transform(&self, symmetry: usize) -> Self {
        let transform_bits = |bits: u16| {
            (0..9)
                .filter(|square| bits >> square & 1 == 1)
                .fold(0, |image, square| image | 1 << transform_square(square, symmetry))
        };
        Self { squares: self.squares.map(transform_bits), side: self.side }
    }

    #[inline]
    fn transform_move(&self, square: u8, symmetry: usize) -> u8 {
        transform_square(square, symmetry)
    }
}

/// The image of a square: bit 0 of `symmetry` mirrors left and right, bit 1 top and bottom, bit 2
/// then transposes rows and columns.
fn transform_square(square: u8, symmetry: usize) -> u8 {
    let (mut row, mut column) = (square / 3, square % 3);
    if symmetry & 1 != 0 {
        column = 2 - column;
    }
    if symmetry & 2 != 0 {
        row = 2 - row;
    }
    if symmetry & 4 != 0 {
        (row, column) = (column, row);
    }
    3 * row + column
}

impl Notation for TicTacToe {
    fn move_text(&self, square: u8) -> String {
        let column = char::from(b'a' + square % 3);
        format!("{column}{}", square / 3 + 1)
    }

    fn parse_move(&self, text: &str) -> Result<u8, ReadError> {
        let square = match text.trim().to_ascii_lowercase().as_bytes() {
            [column @ b'a'..=b'c', row @ b'1'..=b'3'] => 3 * (row - b'1') + column - b'a',
            _ => {
                return Err(ReadError::at(
                    text,
                    0,
                    Localized::new("a square a1-c3", "una casilla a1-c3"),
                ));
            }
        };
        if self.is_legal(square) {
            return Ok(square);
        }
        let expected = Localized::new(
            "an empty square of an unfinished game",
            "una casilla libre de una partida sin terminar",
        );
        Err(ReadError::at(text, 0, expected))
    }

    fn position_text(&self) -> String {
        let letter = |square| match self.owner(square) {
            Some(Side::First) => 'x',
            Some(Side::Second) => 'o',
            None => '.',
        };
        let row = |row: usize| (3 * row..3 * row + 3).map(letter).collect::<String>();
        format!("{} {} {} {}", Self::SIDES[self.side.index()], row(0), row(1), row(2))
    }

    fn parse_position(text: &str, _: StandardRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        scan.skip_blanks();
        let side = match scan.peek() {
            Some('x' | 'X') => Side::First,
            Some('o' | 'O') => Side::Second,
            _ => {
                return Err(scan.error(Localized::new(
                    "`x` or `o` to move, then nine squares",
                    "quién juega, `x` u `o`, y nueve casillas",
                )));
            }
        };
        scan.bump();
        let mut squares = [0u16; 2];
        for square in 0..9 {
            scan.skip_blanks();
            match scan.peek() {
                Some('x' | 'X') => squares[0] |= 1 << square,
                Some('o' | 'O') => squares[1] |= 1 << square,
                Some('.' | '-') => {}
                _ => {
                    return Err(scan.error(Localized::new(
                        "a square: `x`, `o` or `.`",
                        "una casilla: `x`, `o` o `.`",
                    )));
                }
            }
            scan.bump();
        }
        scan.skip_blanks();
        if !scan.at_end() {
            return Err(scan.error(Localized::new(
                "nothing after the ninth square",
                "nada después de la novena casilla",
            )));
        }
        Ok(Self { squares, side })
    }

    fn diagram(&self) -> Diagram {
        let symbols = ['X', 'O'];
        let cell = |square| Cell {
            piece: self.owner(square).map(|side| Piece { side, symbol: symbols[side.index()] }),
            ground: Ground::Light,
        };
        Diagram::square(3, 1..=3, (0..9).map(cell).collect())
    }

    fn touched(&self, square: u8) -> Vec<usize> {
        vec![usize::from(square)]
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance::{self, Suite};

    use super::*;

    #[test]
    fn passes_the_conformance_suite() {
        conformance::check::<TicTacToe>(&Suite { games: 500, max_plies: 9, seed: 1 });
    }

    #[test]
    fn perft_matches_known_counts() {
        let start = TicTacToe::start(StandardRules);
        let known = [9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872];
        conformance::check_perft(&start, &known);
    }

    /// A naive implementation of the rules that shares no code with the real one.
    fn reference_successors((cells, mover): &(String, char)) -> Vec<(String, char)> {
        let grid: Vec<char> = cells.chars().collect();
        let line = |a: usize, b: usize, c: usize| {
            grid[a] != '.' && grid[a] == grid[b] && grid[b] == grid[c]
        };
        let won = (0..3).any(|i| line(3 * i, 3 * i + 1, 3 * i + 2) || line(i, i + 3, i + 6))
            || line(0, 4, 8)
            || line(2, 4, 6);
        if won {
            return Vec::new();
        }
        let place = |square: usize| {
            let mut next = grid.clone();
            next[square] = *mover;
            (next.into_iter().collect(), if *mover == 'x' { 'o' } else { 'x' })
        };
        (0..9).filter(|&square| grid[square] == '.').map(place).collect()
    }

    #[test]
    fn agrees_with_the_reference_implementation() {
        let view = |position: &TicTacToe| {
            let text = position.position_text();
            (text[2..].replace(' ', ""), text.chars().next().expect("a side"))
        };
        let start = TicTacToe::start(StandardRules);
        conformance::check_against(&start, 6, &view, &reference_successors);
    }

    #[test]
    fn errors_name_the_offending_input() {
        let read = |text| TicTacToe::parse_position(text, StandardRules).unwrap_err().to_string();
        assert_eq!(
            read("x ..z"),
            "line 1, column 5: found `z`, expected a square: `x`, `o` or `.`"
        );
        assert!(read("").contains("the end of the input"));
        let start = TicTacToe::start(StandardRules);
        assert!(start.parse_move("d4").unwrap_err().to_string().contains("a1-c3"));
        assert!(start.after(4).parse_move("b2").is_err());
    }

    #[test]
    fn parsers_do_not_panic_on_corrupt_input() {
        let samples: [&[u8]; 2] = [b"o x.. .o. ..x", b"b2"];
        conformance::check_reader(&samples, 20_000, 1, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let _ = TicTacToe::parse_position(&text, StandardRules);
            let _ = TicTacToe::start(StandardRules).parse_move(&text);
        });
    }
}
