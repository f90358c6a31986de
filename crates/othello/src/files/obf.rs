//! OBF: test positions, one per line, with the side to move and the known move scores. Used by
//! endgame test suites such as FFO.
//!
//! ```text
//! -OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X; H4:+0; H3:-2; % comment
//! ```
//!
//! Every field ends with `;`. Text after `%` is a comment; lines with nothing else are skipped.

use tablero_core::{ForMover, Notation, ReadError, StandardRules, read_lines};

use crate::{Othello, Square};

/// One line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The position.
    pub position: Othello,
    /// Moves with the final margin in discs that each of them leads to.
    pub scores: Vec<(Square, ForMover<i32>)>,
    /// The comment at the end of the line, trimmed.
    pub comment: String,
}

/// Iterates over the positions of a text. An invalid line yields an error and does not end the iteration.
pub fn read(text: &str) -> impl Iterator<Item = Result<Entry, ReadError>> + '_ {
    read_lines(text, read_line)
}

fn read_line(line: &str) -> Result<Option<Entry>, ReadError> {
    let (fields, comment) = line.split_once('%').unwrap_or((line, ""));
    if fields.trim().is_empty() {
        return Ok(None);
    }
    let mut fields = fields.split(';');
    let board = fields.next().unwrap_or_default();
    let position = Othello::parse_position(board, StandardRules)?;
    let (mut scores, mut offset) = (Vec::new(), board.len() + 1);
    for field in fields {
        if !field.trim().is_empty() {
            let score = read_score(&position, field);
            scores.push(score.map_err(|error| error.within(line, offset))?);
        }
        offset += field.len() + 1;
    }
    Ok(Some(Entry { position, scores, comment: comment.trim().into() }))
}

/// Reads a legal move and its score: `A2:+38`.
fn read_score(position: &Othello, field: &str) -> Result<(Square, ForMover<i32>), ReadError> {
    let Some((name, score)) = field.split_once(':') else {
        let blanks = field.len() - field.trim_start().len();
        return Err(ReadError::at(field, blanks, "a move and its score, `a2:+38`"));
    };
    let square = position.parse_move(name)?;
    let score = score.trim().parse().map_err(|_| {
        ReadError::at(field, name.len() + 1, "the score of the move in discs, `+38`")
    })?;
    Ok((square, ForMover(score)))
}

/// Writes positions, one per line. Line ends in a comment become blanks.
pub fn write(entries: &[Entry]) -> String {
    entries.iter().map(write_line).collect()
}

fn write_line(entry: &Entry) -> String {
    let mut line = entry.position.position_text() + ";";
    for (square, ForMover(score)) in &entry.scores {
        line += &format!(" {}:{score:+};", square.to_string().to_uppercase());
    }
    let comment = entry.comment.replace(['\n', '\r'], " ");
    if !comment.trim().is_empty() {
        line += &format!(" % {}", comment.trim());
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance;
    use tablero_core::{Game, Rng};

    use super::super::samples::{random_game, shared_data};
    use super::*;

    /// Number 41 of the French federation's endgame tests, with some of its scores.
    const SAMPLE: &str = "\
-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X; H4:+0; H3:-2; B2:-34;
";

    fn read(text: &str) -> Result<Vec<Entry>, ReadError> {
        super::read(text).collect()
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn a_line_is_parsed() {
        let entries = read(SAMPLE).expect("readable");
        let [entry] = entries.as_slice() else { panic!("one entry: {entries:?}") };
        let h4 = Square::from_name("h4").expect("a square");
        assert_eq!(entry.scores.len(), 3);
        assert_eq!(entry.scores[0], (h4, ForMover(0)));
        assert_eq!(entry.scores[2].1, ForMover(-34));
        assert_eq!(write(&entries), SAMPLE);
    }

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let line = SAMPLE.trim_end();
        let text = format!("% ten positions\n\n  \n{line} % hard; H4:+2 \r\n{line}");
        let entries = read(&text).expect("readable");
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].comment, "hard; H4:+2");
        assert_eq!(entries[1].comment, "");
        assert_eq!(entries[0].scores, entries[1].scores);
    }

    #[test]
    fn reading_continues_after_an_invalid_line() {
        let entries: Vec<_> = super::read(&format!("{SAMPLE}XO X;\n{SAMPLE}")).collect();
        assert_eq!(entries.len(), 3);
        assert!(entries[0].is_ok() && entries[0] == entries[2]);
        let error = entries[1].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 5: found the end of the input"), "{error}");
    }

    #[test]
    fn entries_round_trip() {
        let mut rng = Rng::seeded(5);
        let mut entries = Vec::new();
        for seed in 0..20 {
            for position in random_game(seed).replay().expect("legal").positions() {
                let score = |square| (square, ForMover(rng.below(129) as i32 - 64));
                entries.push(Entry {
                    position: *position,
                    scores: position.moves().into_iter().map(score).collect(),
                    comment: format!("game {seed}"),
                });
            }
        }
        assert_eq!(read(&write(&entries)), Ok(entries));
    }

    #[test]
    fn ffo_positions_round_trip_byte_for_byte() {
        let Some(path) = shared_data("ffo-40-49.obf") else {
            return;
        };
        let text = std::fs::read_to_string(path).expect("readable");
        let entries = read(&text).expect("readable");
        assert_eq!(entries.len(), 10);
        assert!(entries.iter().all(|entry| entry.scores.len() >= 6));
        assert_eq!(write(&entries), text);
    }

    #[test]
    fn errors_name_the_offending_text() {
        assert!(error("\nXO").starts_with("line 2, column 3: found the end of the input"));
        assert_eq!(
            error(&SAMPLE.replace("H3:-2", "H3")),
            "line 1, column 76: found `H3`, expected a move and its score, `a2:+38`"
        );
        assert!(error(&SAMPLE.replace("H3", "A1")).contains("column 76: found `A1`"));
        assert_eq!(
            error(&SAMPLE.replace("-2;", "two;")),
            "line 1, column 79: found `two`, expected the score of the move in discs, `+38`"
        );
    }

    #[test]
    fn parser_does_not_panic_on_corrupt_input() {
        let samples: [&[u8]; 2] = [SAMPLE.as_bytes(), b"% comment\n\n"];
        conformance::check_reader(&samples, 10_000, 1, |bytes| {
            let _ = read(&String::from_utf8_lossy(bytes));
        });
    }
}
