//! Chess's file formats (PGN, FEN, EPD), as the format registry lists and detects them.

use tablero_core::{
    AnyRecord, FileFormat, Formats, Game, Input, Output, Record, Visitor, WriteError, WriteResult,
    last_position, lenient_text, visit_all,
};

use crate::{Chess, ChessRules, epd};

impl Formats for Chess {
    fn formats() -> Vec<FileFormat> {
        vec![
            FileFormat::pgn::<Self>(),
            FileFormat {
                name: "fen",
                extensions: &["fen", "pos"],
                recognises: |input| looks_like_board(input) && !has_operations(input),
                ..FileFormat::positions::<Self>()
            },
            FileFormat {
                name: "epd",
                extensions: &["epd"],
                about: "positions with operations (best moves, comments), one per line",
                recognises: looks_like_board,
                visit: |input, visit| {
                    visit_epd(input, visit);
                    Ok(())
                },
                write: write_epd,
            },
        ]
    }
}

/// The first line that is neither empty nor a comment.
fn first_line(input: &Input<'_>) -> String {
    let text = lenient_text(input);
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    text.lines().find(is_content).unwrap_or_default().trim().to_owned()
}

/// Detects ranks separated by slashes.
fn looks_like_board(input: &Input<'_>) -> bool {
    let line = first_line(input);
    let board = line.split_whitespace().next().unwrap_or_default();
    board.matches('/').count() >= 3 && board.chars().all(|c| "pnbrqkPNBRQK12345678/".contains(c))
}

/// Whether anything but counters or moves follows the four fields that FEN and EPD share.
fn has_operations(input: &Input<'_>) -> bool {
    let line = first_line(input);
    let fifth = line.split_whitespace().nth(4);
    fifth.is_some_and(|word| word != "moves" && !word.starts_with(|c: char| c.is_ascii_digit()))
        || line.contains(';')
}

fn visit_epd(input: &Input<'_>, visit: &mut Visitor<'_>) {
    let text = lenient_text(input);
    let entries = epd::read(&text, ChessRules::default());
    visit_all(entries.map(|entry| entry.map(record_of)), visit);
}

/// Operations become tags; opcodes start with a lower-case letter, unlike any other tag.
fn record_of(entry: epd::Entry) -> AnyRecord {
    let mut record = Record::new(entry.position);
    for operation in entry.operations {
        let text = operation.to_string();
        let value = text.strip_prefix(&operation.opcode).unwrap_or(&text).trim();
        record.tags.push((operation.opcode, value.trim_end_matches(';').into()));
    }
    record.erase()
}

fn write_epd(records: &[AnyRecord]) -> WriteResult {
    let mut out = String::new();
    for (number, record) in (1..).zip(records) {
        let position = last_position(number, record)?;
        let mut line = position.position_text();
        for (name, value) in record.tags.iter().filter(|(name, _)| is_opcode(name)) {
            line.push_str(&format!(" {name} {value};"));
        }
        let rules = position.downcast_ref::<Chess>().map(Game::rules).unwrap_or_default();
        let entry = epd::Entry::parse(&line, rules)
            .map_err(|error| WriteError(format!("record {number}: {error}")))?;
        out.push_str(&format!("{entry}\n"));
    }
    Ok(Output::only(out))
}

fn is_opcode(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
}
