//! File formats: PGN, transcripts and lists of positions.

use tablero_core::{
    AnyRecord, FileFormat, Formats, Game, Input, Notation, Output, Ply, ReadError, Record,
    StandardRules, Visitor, WriteError, WriteResult, lenient_text, read_lines, typed_records,
    visit_typed,
};

use crate::bitboard::{COLUMNS, ROWS};
use crate::position::ConnectFour;

// ANCHOR: formats
impl Formats for ConnectFour {
    fn formats() -> Vec<FileFormat> {
        let transcript = FileFormat {
            name: "transcript",
            extensions: &["txt"],
            about: "bare move lists, one game per line: 44533...",
            recognises: looks_like_transcript,
            visit: visit_transcripts,
            write: write_transcripts,
        };
        // A move list is also a position: the first format that recognises a file reads it.
        vec![FileFormat::pgn::<Self>(), transcript, FileFormat::positions::<Self>()]
    }
}
// ANCHOR_END: formats

fn looks_like_transcript(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    (1..=COLUMNS * ROWS).contains(&line.len()) && line.chars().all(|c| ('1'..='7').contains(&c))
}

fn visit_transcripts(input: &Input<'_>, visit: &mut Visitor<'_>) -> Result<(), ReadError> {
    let read_line =
        |line: &str| (!line.trim().is_empty()).then(|| read_transcript(line)).transpose();
    visit_typed(read_lines(&lenient_text(input), read_line), visit);
    Ok(())
}

fn read_transcript(line: &str) -> Result<Record<ConnectFour>, ReadError> {
    let mut record = Record::new(ConnectFour::start(StandardRules));
    let mut position = record.start;
    for (offset, c) in line.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let column = position.parse_move(&line[offset..offset + c.len_utf8()]);
        let column = column.map_err(|error| error.within(line, offset))?;
        record.plies.push(Ply::new(column));
        position.play(column);
    }
    Ok(record)
}

fn write_transcripts(records: &[AnyRecord]) -> WriteResult {
    let mut out = String::new();
    for (number, record) in (1..).zip(typed_records::<ConnectFour>(records)?) {
        if record.start != ConnectFour::start(StandardRules) {
            let problem = "a transcript cannot hold a start position; use pgn";
            return Err(WriteError(format!("game {number}: {problem}")));
        }
        out.extend(record.plies.iter().map(|ply| record.start.move_text(ply.m)));
        out.push('\n');
    }
    Ok(Output::only(out))
}

#[cfg(test)]
mod tests {
    use tablero_core::Records;

    use super::*;

    fn read(text: &str) -> Records {
        let format = ConnectFour::formats().swap_remove(1);
        format.read(&Input::text(text)).expect("lines are read one by one")
    }

    #[test]
    fn transcripts_round_trip() {
        let text = "44533\n1412171\n";
        let records = read(text);
        assert_eq!((records.len(), records.skipped_count()), (2, 0));
        let written = write_transcripts(&records).expect("from the start");
        assert_eq!(written, Output::only(text.into()));
        let later = ConnectFour::parse_position("44", StandardRules).expect("a game");
        let error =
            write_transcripts(&[Record::new(later).erase()]).expect_err("not from the start");
        assert!(error.to_string().contains("pgn"));
    }

    #[test]
    fn invalid_lines_are_skipped() {
        let records = read("44\n 418\n\n445\n");
        assert_eq!(records.numbered().map(|(number, _)| number).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(
            records.skipped()[0].to_string(),
            "game 2: line 2, column 4: found `8`, expected a column 1-7"
        );
    }

    #[test]
    fn formats_are_detected_by_content() {
        let found = |text: &str| {
            let mut formats = ConnectFour::formats().into_iter();
            formats.find(|format| (format.recognises)(&Input::text(text))).map(|format| format.name)
        };
        let start = ConnectFour::start(StandardRules);
        assert_eq!(found("44533"), Some("transcript"));
        assert_eq!(found(&start.position_text()), Some("positions"));
        assert_eq!(found("[Game \"connectfour\"]\n\n1. 4 4 *"), Some("pgn"));
        assert_eq!((found("f5d6c3"), found("")), (None, None));
    }
}
