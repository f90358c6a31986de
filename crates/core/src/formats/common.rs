//! The formats of every game: PGN, and positions one per line.

use std::borrow::Cow;

use super::{FileFormat, Input, Output, Visitor, WriteError, WriteResult, read_lines, visit_all};
use crate::{AnyGame, AnyPosition, AnyRecord, Location, Playable, PositionError, ReadError, pgn};

impl FileFormat {
    /// PGN, adapted to the game.
    pub const fn pgn<G: Playable>() -> Self {
        Self {
            name: "pgn",
            extensions: &["pgn"],
            about: "games with players, comments and variations",
            recognises: |input| recognises_pgn(AnyGame::of::<G>(), input),
            visit: |input, visit| {
                visit_all(pgn::read(AnyGame::of::<G>(), &lenient_text(input)), visit);
                Ok(())
            },
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
            visit: |input, visit| {
                visit_positions(AnyGame::of::<G>(), &lenient_text(input), visit);
                Ok(())
            },
            write: write_positions,
        }
    }
}

/// The input as text without byte order mark; input that is not UTF-8 is read as Latin-1, which cannot
/// fail.
pub fn lenient_text<'a>(input: &Input<'a>) -> Cow<'a, str> {
    match input.as_text() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => input.without_bom().iter().map(|&byte| char::from(byte)).collect(),
    }
}

fn recognises_pgn(game: AnyGame, input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let has_tags = text.trim_start().starts_with(['[', '%', ';']);
    match pgn::peek_tag(&text, "Game") {
        Some(name) => name == game.name(),
        None => has_tags && !game.info().pgn_names_game,
    }
}

/// Whether the first line with content is a position.
fn recognises_positions(game: AnyGame, input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let first = text.lines().find_map(position_text);
    first.is_some_and(|line| {
        game.parse_history(line, game.default_rules()).is_ok_and(|_| line != "start")
    })
}

/// The position on a line; `None` on empty lines and comments.
fn position_text(line: &str) -> Option<&str> {
    Some(line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn visit_positions(game: AnyGame, text: &str, visit: &mut Visitor<'_>) {
    let read_line = |line: &str| {
        let Some(position) = position_text(line) else { return Ok(None) };
        let indent = line.len() - line.trim_start().len();
        let record = read_position(game, position);
        record.map(Some).map_err(|error| error.within(line, indent))
    };
    let mut lines = read_lines(text, read_line).peekable();
    if let Some(Err(_)) = lines.peek()
        && let Ok(record) = read_position(game, text.trim())
    {
        // The only record: nothing is left to stop.
        let _ = visit(Ok(record));
        return;
    }
    visit_all(lines, visit);
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
