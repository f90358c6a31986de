//! Transcripts: bare move lists, `f5d6c3d3c4`.
//!
//! Squares are case-insensitive, with optional blanks, line ends and move numbers between them
//! (`1. f5 d6 2. c3`). Passes are omitted, or written `--`, `pass` or `PA`. A game starts from the
//! standard position; its result comes from the board. Everything but the moves (names, values,
//! comments, variations, results that the board does not show) is dropped on writing.

use tablero_core::{ReadError, Record, Scanner, read_lines};

use super::{RecordBuilder, WriteError, replay, require_standard_start};
use crate::Othello;

/// Reads a single game.
pub fn read(text: &str) -> Result<Record<Othello>, ReadError> {
    let mut scan = Scanner::new(text);
    let mut game = RecordBuilder::standard();
    loop {
        skip_to_move(&mut scan)?;
        if scan.at_end() {
            game.record.end = game.end_by_rules();
            return Ok(game.record);
        }
        let offset = scan.offset();
        game.play_text(move_name(&mut scan)).map_err(|error| error.within(text, offset))?;
    }
}

/// Reads one game per line, skipping empty lines. An invalid line yields an error and does not end the
/// iteration.
pub fn read_many(text: &str) -> impl Iterator<Item = Result<Record<Othello>, ReadError>> + '_ {
    read_lines(text, |line| (!line.trim().is_empty()).then(|| read(line)).transpose())
}

/// Skips blanks and move numbers.
fn skip_to_move(scan: &mut Scanner<'_>) -> Result<(), ReadError> {
    loop {
        scan.skip_blanks();
        let start = scan.offset();
        if scan.take_while(|c| c.is_ascii_digit()).is_empty() {
            return Ok(());
        }
        if scan.take_while(|c| c == '.').is_empty() {
            return Err(scan.error_at(start, "a move, or a move number with a dot"));
        }
    }
}

/// Takes the text of the next move: moves need no separator.
fn move_name<'a>(scan: &mut Scanner<'a>) -> &'a str {
    let rest = scan.rest();
    let starts_with =
        |name: &str| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let length = if starts_with("pass") { 4 } else { 2 };
    for _ in 0..length {
        scan.bump();
    }
    &rest[..rest.len() - scan.rest().len()]
}

/// The moves of a game on one line, without newline. Passes are omitted, except a final one, which no
/// later move would imply.
pub fn write(record: &Record<Othello>) -> Result<String, WriteError> {
    const FORMAT: &str = "a transcript";
    require_standard_start(record, FORMAT)?;
    replay(record, FORMAT)?;
    let mut text: String =
        record.plies.iter().filter(|ply| !ply.m.is_pass()).map(|ply| ply.m.to_string()).collect();
    if record.plies.last().is_some_and(|ply| ply.m.is_pass()) {
        text.push_str("--");
    }
    Ok(text)
}

/// Writes games as [`write()`] does, one per line.
pub fn write_many(records: &[Record<Othello>]) -> Result<String, WriteError> {
    records.iter().map(|record| write(record).map(|line| line + "\n")).collect()
}

#[cfg(test)]
mod tests {
    use tablero_core::conformance;
    use tablero_core::{Game, Ply};

    use super::super::samples::{game_before_pass, random_game};
    use super::*;
    use crate::Square;

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn games_round_trip() {
        let games: Vec<_> = (0..100).map(random_game).collect();
        assert!(games.iter().any(|game| game.plies.iter().any(|ply| ply.m.is_pass())));
        for game in &games {
            assert!(game.end.is_some());
            assert_eq!(read(&write(game).expect("writable")).as_ref(), Ok(game));
        }
        let text = write_many(&games).expect("writable");
        assert_eq!(read_many(&text).collect::<Result<Vec<_>, _>>(), Ok(games));
    }

    #[test]
    fn unfinished_games_round_trip_with_or_without_a_final_pass() {
        let mut game = game_before_pass();
        let text = write(&game).expect("writable");
        assert_eq!(read(&text).as_ref(), Ok(&game));
        game.plies.push(Ply::new(Square::PASS));
        assert_eq!(write(&game), Ok(text.clone() + "--"));
        for pass in ["--", "pass", "PA", " Pass ", "\nps"] {
            assert_eq!(read(&format!("{text}{pass}")).as_ref(), Ok(&game), "{pass}");
        }
        assert!(error(&format!("{text}----")).contains("expected a legal move"));
    }

    #[test]
    fn spellings_of_the_same_game_are_equivalent() {
        let game = read("f5d6c3d3c4").expect("legal");
        assert_eq!(game.plies.len(), 5);
        for text in [
            "F5D6C3D3C4",
            " f5 d6\r\nc3 D3\tc4\n",
            "1. f5 d6 2. c3 d3 3. c4",
            "1.f5 1...d6 2.c3d3 3.c4",
            "1. f5 2. d6 3. c3 4. d3 5. c4",
        ] {
            assert_eq!(read(text).as_ref(), Ok(&game), "{text}");
        }
        assert_eq!(read(""), Ok(Record::new(Othello::start(Default::default()))));
    }

    #[test]
    fn errors_name_the_offending_text() {
        assert_eq!(
            error("f5d6\nc3d9"),
            "line 2, column 3: found `d9`, expected a square a1-h8 or `pass`"
        );
        assert_eq!(error("f5f5"), "line 1, column 3: found `f5`, expected a legal move (f4 d6 f6)");
        assert!(error("f5d6 +12").starts_with("line 1, column 6: found `+1`"));
        assert!(
            error("f5d6 12").contains("column 6: found `12`, expected a move, or a move number")
        );
        assert!(error("f5d").contains("column 3: found `d`"));
        assert!(error("f5--").contains("expected a legal move"));
        let over = write(&random_game(1)).expect("writable") + "a1";
        assert!(error(&over).contains("the game is over"));
    }

    #[test]
    fn reading_continues_after_an_invalid_line() {
        let games: Vec<_> = read_many("f5d6\n\n  f5f7 f5\nf5\n").collect();
        assert_eq!(games.len(), 3);
        assert!(games[0].is_ok() && games[2].is_ok());
        let error = games[1].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("line 3, column 5: found `f7`"), "{error}");
    }

    #[test]
    fn unrepresentable_games_are_rejected() {
        let start = Othello::start(Default::default());
        let later = Record::new(start.after(start.moves()[0]));
        let error = write(&later).unwrap_err().to_string();
        assert!(
            error.starts_with("a transcript cannot hold a game from the position ---"),
            "{error}"
        );
        let mut illegal = read("f5d6").expect("legal");
        illegal.plies.push(Ply::new(Square::PASS));
        assert_eq!(
            write(&illegal).unwrap_err().to_string(),
            "a transcript cannot hold the illegal move pass (ply 3)"
        );
    }

    #[test]
    fn parsers_do_not_panic_on_corrupt_input() {
        let game = write(&random_game(3)).expect("writable");
        let samples: [&[u8]; 3] = [game.as_bytes(), b"1. f5 d6 2. c3 -- pass", b"f5d6\nf5f6e6"];
        conformance::check_reader(&samples, 5_000, 1, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let _ = read(&text);
            read_many(&text).for_each(drop);
        });
    }
}
