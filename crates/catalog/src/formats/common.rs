//! Formats that every game has: games as text, positions one a line.

use std::borrow::Cow;

use tablero_core::{Notation, ReadError, Record, Rules, pgn};

use super::{Input, Output, WriteError, Written};
use crate::parse_match;

/// Old files are in Latin-1; whatever bytes a name has, the game can be read.
pub(super) fn lenient_text<'a>(input: &Input<'a>) -> Cow<'a, str> {
    match input.as_text() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => input.bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

pub(super) fn recognises_games<G: Notation>(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let has_tags = text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '%', ';']);
    match pgn::peek_tag(&text, "Game") {
        Some(game) => game == G::NAME,
        None => has_tags && !G::PGN_NAMES_GAME,
    }
}

pub(super) fn read_games<G: Notation>(input: &Input<'_>) -> Result<Vec<Record<G>>, ReadError> {
    pgn::read(&lenient_text(input)).collect()
}

pub(super) fn write_games<G: Notation>(records: &[Record<G>]) -> Written {
    Ok(Output::only(records.iter().map(pgn::write).collect()))
}

/// Positions, one a line, each with `moves ...` after it if you like; lines that begin with `#` and
/// empty lines say nothing. A single position may also stand on several lines.
pub(super) fn read_positions<G: Notation>(input: &Input<'_>) -> Result<Vec<Record<G>>, ReadError> {
    let text = input.as_text()?;
    let mut records = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            match read_position(content) {
                Ok(record) => records.push(record),
                Err(error) => {
                    let indent = line.len() - line.trim_start().len();
                    let whole =
                        if records.is_empty() { read_position(text.trim()).ok() } else { None };
                    return match whole {
                        Some(record) => Ok(vec![record]),
                        None => Err(error.within(text, offset + indent)),
                    };
                }
            }
        }
        offset += line.len();
    }
    Ok(records)
}

fn read_position<G: Notation>(text: &str) -> Result<Record<G>, ReadError> {
    use crate::PositionError::{Move, Position};
    match parse_match::<G>(text, G::Rules::default()) {
        Ok(game) => Ok(Record::of_match(&game)),
        Err(Position(error)) => Err(error),
        Err(Move { error, .. }) => {
            let at = text.find("moves").unwrap_or(0);
            Err(ReadError { place: tablero_core::Place::in_text(text, at), ..error })
        }
    }
}

pub(super) fn write_positions<G: Notation>(records: &[Record<G>]) -> Written {
    only_default_rules(records)?;
    let mut out = String::new();
    for (number, record) in (1..).zip(records) {
        out.push_str(&last_position(number, record)?.position_text());
        out.push('\n');
    }
    Ok(Output::only(out))
}

/// The position at the end of a record's main line.
pub(super) fn last_position<G: Notation>(
    number: usize,
    record: &Record<G>,
) -> Result<G, WriteError> {
    let game = record
        .replay()
        .map_err(|(ply, error)| WriteError(format!("game {number}, move {}: {error}", ply + 1)))?;
    Ok(game.position().clone())
}

/// A line with a position cannot say by which rules it is played.
fn only_default_rules<G: Notation>(records: &[Record<G>]) -> Result<(), WriteError> {
    let unusual = |rules: &G::Rules| *rules != G::Rules::default();
    match records.iter().map(|record| record.start.rules()).find(unusual) {
        None => Ok(()),
        Some(rules) => Err(WriteError(format!(
            "a line with a position cannot say that the rules are `{}`; a pgn file can",
            rules.name()
        ))),
    }
}
