//! Positions and moves as text, and the board diagram.
//!
//! A position is 64 squares row by row from a1 (`X` black, `O` white, `-` empty), a blank and the side
//! to move, as in OBF files.

use tablero_core::{
    Cell, Diagram, Game, Ground, Localized, LocalizedString, Notation, Piece, ReadError, Scanner,
    Side, StandardRules,
};

use crate::{Othello, Square};

impl Notation for Othello {
    fn move_text(&self, square: Square) -> String {
        square.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Square, ReadError> {
        let mut scan = Scanner::new(text);
        scan.skip_blanks();
        let start = scan.offset();
        let Some(square) = named_move(scan.word()) else {
            return Err(scan.error_at(
                start,
                Localized::new("a square a1-h8 or `pass`", "una casilla a1-h8 o `pass`"),
            ));
        };
        if !self.is_legal(square) {
            return Err(scan.error_at(start, self.legal_moves_text()));
        }
        end(&mut scan, Localized::new("nothing after the move", "nada después de la jugada"))?;
        Ok(square)
    }

    fn position_text(&self) -> String {
        let squares = (0..64).map(|square| self.owner(square).map_or('-', letter));
        squares.chain([' ', letter(self.side())]).collect()
    }

    fn parse_position(text: &str, _: StandardRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(text);
        let [black, white] = parse_squares(&mut scan)?;
        let side = parse_side(&mut scan)?;
        scan.skip_blanks();
        scan.eat(';');
        end(
            &mut scan,
            Localized::new("nothing after the side to move", "nada después de quién juega"),
        )?;
        Self::from_discs(black, white, side).ok_or_else(|| {
            scan.error_at(0, Localized::new("one disc per square", "una ficha por casilla"))
        })
    }

    fn diagram(&self) -> Diagram {
        let symbol = |side| if side == Side::First { '●' } else { '○' };
        let cell = |square| Cell {
            piece: self.owner(square).map(|side| Piece { side, symbol: symbol(side) }),
            ground: Ground::Plain,
        };
        let count = |side| self.discs(side).count_ones();
        let mut diagram = Diagram::square(8, 1..=8, (0..64).map(cell).collect());
        diagram.notes =
            vec![format!("black {}, white {}", count(Side::First), count(Side::Second))];
        diagram
    }

    fn touched(&self, square: Square) -> Vec<usize> {
        if square.is_pass() { Vec::new() } else { vec![square.index()] }
    }
}

impl Othello {
    fn owner(&self, square: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.discs(side) >> square & 1 == 1)
    }

    /// The `expected` text of the error for an illegal move.
    fn legal_moves_text(&self) -> LocalizedString {
        let names: Vec<String> = self.moves().iter().map(Square::to_string).collect();
        match names.as_slice() {
            [] => LocalizedString::new(
                "no move, the game is over",
                "ninguna jugada: la partida ha terminado",
            ),
            [only] => LocalizedString::new(
                format!("the only legal move `{only}`"),
                format!("la única jugada legal, `{only}`"),
            ),
            all => LocalizedString::new(
                format!("a legal move ({})", all.join(" ")),
                format!("una jugada legal ({})", all.join(" ")),
            ),
        }
    }
}

fn letter(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}

/// Parses a square or one of the spellings of the pass, legal or not.
fn named_move(name: &str) -> Option<Square> {
    let is_pass = ["pass", "pa", "ps", "--"].iter().any(|pass| name.eq_ignore_ascii_case(pass));
    if is_pass { Some(Square::PASS) } else { Square::from_name(name) }
}

/// Parses 64 squares into the black and the white discs.
fn parse_squares(scan: &mut Scanner<'_>) -> Result<[u64; 2], ReadError> {
    let mut discs = [0; 2];
    for square in 0..64 {
        scan.skip_blanks();
        match scan.peek() {
            Some('X' | 'x' | 'B' | 'b' | '*') => discs[0] |= 1 << square,
            Some('O' | 'o' | 'W' | 'w') => discs[1] |= 1 << square,
            Some('-' | '.' | '_') => {}
            _ => {
                let name = Square::new(square).map_or_else(String::new, |s| s.to_string());
                return Err(scan.error(LocalizedString::new(
                    format!("`X`, `O` or `-` for square {name}"),
                    format!("`X`, `O` o `-` para la casilla {name}"),
                )));
            }
        }
        scan.bump();
    }
    Ok(discs)
}

fn parse_side(scan: &mut Scanner<'_>) -> Result<Side, ReadError> {
    scan.skip_blanks();
    let start = scan.offset();
    let word = scan.take_while(|c| c == '*' || c.is_alphabetic());
    match word.to_ascii_lowercase().as_str() {
        "x" | "b" | "*" | "black" => Ok(Side::First),
        "o" | "w" | "white" => Ok(Side::Second),
        _ => Err(scan.error_at(
            start,
            Localized::new("the side to move, `X` or `O`", "quién juega, `X` u `O`"),
        )),
    }
}

fn end(scan: &mut Scanner<'_>, expected: Localized) -> Result<(), ReadError> {
    scan.skip_blanks();
    if scan.at_end() { Ok(()) } else { Err(scan.error(expected)) }
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance;

    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn read(text: &str) -> Result<Othello, ReadError> {
        Othello::parse_position(text, StandardRules)
    }

    fn start() -> Othello {
        Othello::start(StandardRules)
    }

    /// Black to move has no legal move; white could play c1.
    fn must_pass() -> Othello {
        read(&format!("OX{} X", "-".repeat(62))).expect("a position")
    }

    #[test]
    fn start_is_written_in_obf_notation() {
        assert_eq!(start().position_text(), START);
    }

    #[test]
    fn positions_are_parsed_in_many_spellings() {
        let rows =
            "........\n........\r\n ........\n...wb...\n...*o...\n________\n--------\n--------\n";
        for side in ["X", "x", "B", "b", "*", "black", "BLACK", "Black ;", "\tX;\n"] {
            assert_eq!(read(&format!("{rows}{side}")), Ok(start()), "{side}");
        }
        let white = Othello::from_discs(
            start().discs(Side::First),
            start().discs(Side::Second),
            Side::Second,
        );
        for side in ["O", "o", "W", "w", "white", "White;"] {
            assert_eq!(read(&format!("{rows}{side}")).ok(), white, "{side}");
        }
    }

    #[test]
    fn moves_are_parsed_in_many_spellings() {
        for text in ["f5", "F5", " f5\n"] {
            assert_eq!(start().parse_move(text).map(|m| m.index()), Ok(37), "{text}");
        }
        for text in ["pass", "PASS", "Pass", "PA", "pa", "ps", "--", " -- "] {
            assert_eq!(must_pass().parse_move(text), Ok(Square::PASS), "{text}");
        }
    }

    #[test]
    fn move_errors_name_the_offending_text() {
        let error = |position: Othello, text| position.parse_move(text).unwrap_err().to_string();
        assert_eq!(
            error(start(), " i9"),
            "line 1, column 2: found `i9`, expected a square a1-h8 or `pass`"
        );
        assert!(error(start(), "").contains("found the end of the input"));
        assert!(error(start(), "a1").ends_with("expected a legal move (d3 c4 f5 e6)"));
        assert!(
            error(start(), "f5 d6")
                .ends_with("column 4: found `d6`, expected nothing after the move")
        );
        assert!(error(must_pass(), "c1").ends_with("expected the only legal move `pass`"));
        let over = read(&format!("{} X", "-".repeat(64))).expect("a position");
        assert!(error(over, "pass").ends_with("expected no move, the game is over"));
    }

    #[test]
    fn position_errors_name_the_offending_text() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            error("--------\n--?"),
            "line 2, column 3: found `?`, expected `X`, `O` or `-` for square c2"
        );
        let squares = &START[..64];
        assert!(
            error(squares).contains("column 65: found the end of the input, expected the side")
        );
        assert!(error(&format!("{squares} Z")).contains("column 66: found `Z`"));
        assert!(
            error(&format!("{squares} X; e6")).contains("column 69: found `e6`, expected nothing")
        );
        assert!(error(&START[..20]).contains("for square e3"));
    }

    #[test]
    fn diagram_shows_discs_and_counts() {
        let diagram = start().diagram();
        assert_eq!(diagram.notes, ["black 2, white 2"]);
        let symbol = |cell: usize| diagram.cells[cell].piece.map(|piece| piece.symbol);
        assert_eq!([symbol(0), symbol(27), symbol(28)], [None, Some('○'), Some('●')]);
    }

    #[test]
    fn parsers_do_not_panic_on_corrupt_input() {
        let samples: [&[u8]; 4] = [START.as_bytes(), b"f5", b"pass", b"........\n*ob"];
        conformance::check_reader(&samples, 20_000, 1, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let _ = read(&text);
            let _ = start().parse_move(&text);
        });
    }
}
