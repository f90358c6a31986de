//! Othello7's save format: a single position as ten rows of ten values.
//!
//! The border is 0; inside it 0 is an empty square, 1 a disc of the player (black), 2 a disc of the
//! opponent. The side to move is not stored: it is always black.

use tablero_core::{Game, ReadError, Scanner, Side};

use super::WriteError;
use crate::Othello;

/// Reads a position; whitespace between the values is optional.
pub fn read(text: &str) -> Result<Othello, ReadError> {
    let mut scan = Scanner::new(text);
    let mut discs = [0; 2];
    for cell in 0..100 {
        scan.skip_blanks();
        let square = square_of(cell);
        match (scan.peek(), square) {
            (Some('0'), _) => {}
            (Some('1'), Some(square)) => discs[0] |= 1 << square,
            (Some('2'), Some(square)) => discs[1] |= 1 << square,
            (_, square) => {
                let values = square.map_or("0 (border)", |_| "0, 1 or 2");
                let (row, column) = (cell / 10 + 1, cell % 10 + 1);
                return Err(scan.error(format!("{values} in row {row}, column {column} of 10")));
            }
        }
        scan.bump();
    }
    scan.skip_blanks();
    if !scan.at_end() {
        return Err(scan.error("nothing after the 100th value"));
    }
    let [black, white] = discs;
    Othello::from_discs(black, white, Side::First)
        .ok_or_else(|| scan.error_at(0, "one disc per square"))
}

/// The square of one of the 100 cells; `None` on the border.
fn square_of(cell: usize) -> Option<usize> {
    let (row, column) = (cell / 10, cell % 10);
    let inside = (1..=8).contains(&row) && (1..=8).contains(&column);
    inside.then(|| 8 * (row - 1) + column - 1)
}

/// Writes ten lines of ten values separated by blanks; an error if white is to move.
pub fn write(position: &Othello) -> Result<String, WriteError> {
    if position.side() != Side::First {
        return Err(WriteError::new("a .tab file", "a position with white to move"));
    }
    let value = |cell| match square_of(cell) {
        Some(square) if position.discs(Side::First) >> square & 1 == 1 => '1',
        Some(square) if position.discs(Side::Second) >> square & 1 == 1 => '2',
        _ => '0',
    };
    let separator = |cell| if cell % 10 == 9 { '\n' } else { ' ' };
    Ok((0..100).flat_map(|cell| [value(cell), separator(cell)]).collect())
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance;

    use super::super::samples::random_game;
    use super::*;

    const START: &str = "\
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 2 1 0 0 0 0
0 0 0 0 1 2 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0
";

    #[test]
    fn the_start_round_trips() {
        let start = Othello::start(Default::default());
        assert_eq!(write(&start).as_deref(), Ok(START));
        for text in [
            START.to_owned(),
            START.replace(' ', ""),
            START.replace('\n', " "),
            START.replace('\n', "\r\n"),
        ] {
            assert_eq!(read(&text), Ok(start), "{text}");
        }
    }

    #[test]
    fn positions_with_black_to_move_round_trip() {
        for seed in 0..20 {
            for position in random_game(seed).replay().expect("legal").positions() {
                match write(position) {
                    Ok(text) => assert_eq!(read(&text).as_ref(), Ok(position)),
                    Err(error) => {
                        assert_eq!(position.side(), Side::Second);
                        assert_eq!(
                            error.to_string(),
                            "a .tab file cannot hold a position with white to move"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn errors_name_the_offending_text() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            error(&START.replacen("2 1", "2 3", 1)),
            "line 5, column 11: found `3`, expected 0, 1 or 2 in row 5, column 6 of 10"
        );
        assert_eq!(
            error(&START.replacen("0", "1", 1)),
            "line 1, column 1: found `1`, expected 0 (border) in row 1, column 1 of 10"
        );
        assert!(error(&START[..100]).contains("line 6, column 1: found the end of the input"));
        assert!(error(&format!("{START}0")).contains("line 11, column 1: found `0`"));
    }

    #[test]
    fn parser_does_not_panic_on_corrupt_input() {
        conformance::check_reader(&[START.as_bytes()], 20_000, 1, |bytes| {
            let _ = read(&String::from_utf8_lossy(bytes));
        });
    }
}
