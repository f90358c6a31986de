//! The formats of every game: PGN, and positions one per line.

use std::borrow::Cow;

use super::{FileFormat, Input, Output, WriteError, WriteResult};
use crate::{AnyGame, AnyPosition, AnyRecord, Location, Playable, PositionError, ReadError, pgn};

impl FileFormat {
    /// PGN, adapted to the game.
    pub const fn pgn<G: Playable>() -> Self {
        Self {
            name: "pgn",
            extensions: &["pgn"],
            about: "games with players, comments and variations",
            recognises: |input| recognises_pgn(AnyGame::of::<G>(), input),
            read: |input| pgn::read(AnyGame::of::<G>(), &lenient_text(input)).collect(),
            write: |records| Ok(Output::only(records.iter().map(pgn::write).collect())),
        }
    }

    /// Positions, one per line, each optionally followed by `moves ...`; empty lines and lines that begin
    /// with `#` are ignored. A single position may span several lines.
    pub const fn positions<G: Playable>() -> Self {
        Self {
            name: "positions",
            extensions: &["pos"],
            about: "positions, one per line",
            recognises: |input| recognises_positions(AnyGame::of::<G>(), input),
            read: |input| read_positions(AnyGame::of::<G>(), input),
            write: write_positions,
        }
    }
}

/// The input as text; input that is not UTF-8 is read as Latin-1, which cannot fail.
pub fn lenient_text<'a>(input: &Input<'a>) -> Cow<'a, str> {
    match input.as_text() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => input.bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

fn recognises_pgn(game: AnyGame, input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let has_tags = text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '%', ';']);
    match pgn::peek_tag(&text, "Game") {
        Some(name) => name == game.name(),
        None => has_tags && !game.info().pgn_names_game,
    }
}

/// Whether the first line with content is a position.
fn recognises_positions(game: AnyGame, input: &Input<'_>) -> bool {
    let Ok(text) = input.as_text() else { return false };
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        game.parse_history(line, game.default_rules()).is_ok_and(|_| line != "start")
    })
}

fn read_positions(game: AnyGame, input: &Input<'_>) -> Result<Vec<AnyRecord>, ReadError> {
    let text = input.as_text()?;
    let mut records = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            match read_position(game, content) {
                Ok(record) => records.push(record),
                Err(error) => {
                    let indent = line.len() - line.trim_start().len();
                    let whole =
                        records.is_empty().then(|| read_position(game, text.trim()).ok()).flatten();
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

fn read_position(game: AnyGame, text: &str) -> Result<AnyRecord, ReadError> {
    match game.parse_history(text, game.default_rules()) {
        Ok(game) => Ok(AnyRecord::from_history(&game)),
        Err(PositionError::Position(error)) => Err(error),
        Err(PositionError::Move { error, .. }) => {
            let at = text.find("moves").unwrap_or(0);
            Err(ReadError { location: Location::in_text(text, at), ..error })
        }
    }
}

fn write_positions(records: &[AnyRecord]) -> WriteResult {
    only_default_rules(records)?;
    let mut out = String::new();
    for (number, record) in (1..).zip(records) {
        out.push_str(&last_position(number, record)?.position_text());
        out.push('\n');
    }
    Ok(Output::only(out))
}

/// The final position of a record's main line; `number` identifies the record in errors.
pub fn last_position(number: usize, record: &AnyRecord) -> Result<AnyPosition, WriteError> {
    let game = record
        .replay()
        .map_err(|(ply, error)| WriteError(format!("game {number}, move {}: {error}", ply + 1)))?;
    Ok(game.position().clone())
}

/// A line with a position does not record its rules variant.
fn only_default_rules(records: &[AnyRecord]) -> Result<(), WriteError> {
    let mut rules = records.iter().map(|record| record.start.rules());
    match rules.find(|rules| !rules.is_default()) {
        None => Ok(()),
        Some(rules) => Err(WriteError(format!(
            "the format `positions` does not record the rules `{rules}`; use `pgn`"
        ))),
    }
}
