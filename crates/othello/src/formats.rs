//! Othello's file formats, as the format registry lists and detects them.

use tablero_core::{
    AnyRecord, FileFormat, ForMover, Formats, Input, Notation, Output, ReadError, Record, Visitor,
    WriteError, WriteResult, lenient_text, typed_records, visit_typed,
};

use crate::files::{ggf, obf, tab, transcript, wthor};
use crate::{Othello, Square};

/// The tag that holds move scores: `A2:+38; C7:+36`.
const SCORES: &str = "Scores";

impl Formats for Othello {
    fn formats() -> Vec<FileFormat> {
        vec![
            FileFormat {
                name: "ggf",
                extensions: &["ggf"],
                about: "games with players, clocks and values (Generic Game Format)",
                recognises: |input| lenient_text(input).contains("(;GM["),
                visit: |input, visit| {
                    visit_typed(ggf::read(&lenient_text(input)), visit);
                    Ok(())
                },
                write: |records| joined(records, ggf::write),
            },
            FileFormat {
                name: "wthor",
                extensions: &["wtb"],
                about: "tournament archives, with player names in .jou and tournaments in .trn",
                recognises: looks_like_wthor,
                visit: visit_wthor,
                write: write_wthor,
            },
            FileFormat {
                name: "obf",
                extensions: &["obf"],
                about: "positions with move scores, one per line",
                recognises: looks_like_board,
                visit: |input, visit| {
                    visit_obf(input, visit);
                    Ok(())
                },
                write: write_obf,
            },
            FileFormat {
                name: "tab",
                extensions: &["tab"],
                about: "a single position, as saved by Othello7",
                recognises: looks_like_tab,
                visit: |input, visit| {
                    let position = tab::read(input.as_text()?)?;
                    // The only record: nothing is left to stop.
                    let _ = visit(Ok(Record::new(position).erase()));
                    Ok(())
                },
                write: write_tab,
            },
            FileFormat {
                name: "transcript",
                extensions: &["txt"],
                about: "bare move lists, one game per line: f5d6c3...",
                recognises: looks_like_transcript,
                visit: |input, visit| {
                    visit_typed(transcript::read_many(&lenient_text(input)), visit);
                    Ok(())
                },
                write: |records| match transcript::write_many(&typed_records(records)?) {
                    Ok(text) => Ok(Output::only(text)),
                    Err(error) => Err(WriteError(error.to_string())),
                },
            },
            FileFormat::pgn::<Self>(),
        ]
    }
}

/// The final position of a record's main line.
fn last_position(number: usize, record: &AnyRecord) -> Result<Othello, WriteError> {
    let position = tablero_core::last_position(number, record)?;
    let wrong_game = || WriteError(format!("game {number} is a game of {}", position.game()));
    position.downcast_ref().copied().ok_or_else(wrong_game)
}

fn joined<E: ToString>(
    records: &[AnyRecord],
    write: impl Fn(&Record<Othello>) -> Result<String, E>,
) -> WriteResult {
    let mut out = String::new();
    for (number, record) in (1..).zip(&typed_records(records)?) {
        let text = write(record)
            .map_err(|error| WriteError(format!("game {number}: {}", error.to_string())))?;
        out.push_str(text.trim_end());
        out.push('\n');
    }
    Ok(Output::only(out))
}

/// Detects board characters, at least half a board.
fn looks_like_board(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('%'));
    let squares = |line: &str| line.chars().take_while(|c| "XxOo*-.bBwW_".contains(*c)).count();
    // All 64 squares in one word, or row by row; boards of other games have shorter words.
    let board = first.is_some_and(|line| squares(line.trim()) >= 32);
    let rows =
        text.lines().take(8).filter(|line| line.trim().len() == 8 && squares(line.trim()) == 8);
    board || rows.count() == 8
}

fn looks_like_tab(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let mut words = text.split_whitespace();
    let border = words.by_ref().take(10).filter(|word| *word == "0").count();
    border == 10 && words.take(80).all(|word| ["0", "1", "2"].contains(&word))
}

/// Detects a list of squares that starts with a legal first move.
fn looks_like_transcript(input: &Input<'_>) -> bool {
    let text = lenient_text(input).to_lowercase();
    let start = text.trim_start().trim_start_matches("1.").trim_start();
    let first = start.get(..2).and_then(Square::from_name);
    let is_square = |pair: &[char]| matches!(pair, ['a'..='h', '1'..='8']);
    let line = start.lines().next().unwrap_or_default();
    let letters: Vec<char> = line.chars().filter(|c| c.is_alphanumeric()).collect();
    let squares = letters.chunks(2).take(3).filter(|pair| is_square(pair)).count();
    let opening = ["d3", "c4", "f5", "e6"].map(Square::from_name);
    first.is_some() && opening.contains(&first) && squares == letters.len().div_ceil(2).min(3)
}

fn visit_obf(input: &Input<'_>, visit: &mut Visitor<'_>) {
    let text = lenient_text(input);
    // A single board may span several lines.
    if let Ok(position) = Othello::parse_position(&text, Default::default()) {
        // The only record: nothing is left to stop.
        let _ = visit(Ok(Record::new(position).erase()));
        return;
    }
    visit_typed(obf::read(&text).map(|entry| entry.map(record_of)), visit);
}

fn record_of(entry: obf::Entry) -> Record<Othello> {
    let mut record = Record::new(entry.position);
    record.comment = entry.comment;
    if !entry.scores.is_empty() {
        let score =
            |(square, ForMover(score)): &(Square, ForMover<i32>)| format!("{square}:{score:+}");
        let scores: Vec<_> = entry.scores.iter().map(score).collect();
        record.set_tag(SCORES, scores.join("; "));
    }
    record
}

fn write_obf(records: &[AnyRecord]) -> WriteResult {
    let mut entries = Vec::new();
    for (number, record) in (1..).zip(records) {
        let position = last_position(number, record)?;
        let scores = record.tag(SCORES).filter(|_| record.plies.is_empty()).unwrap_or_default();
        let scores = scores.split(';').filter(|score| !score.trim().is_empty()).map(parse_score);
        let scores = scores.collect::<Option<Vec<_>>>().ok_or_else(|| {
            let expected = "`A2:+38; C7:+36`";
            WriteError(format!("record {number}: invalid tag {SCORES}, expected {expected}"))
        })?;
        entries.push(obf::Entry { position, scores, comment: record.comment.clone() });
    }
    Ok(Output::only(obf::write(&entries)))
}

fn parse_score(text: &str) -> Option<(Square, ForMover<i32>)> {
    let (square, score) = text.trim().split_once(':')?;
    let square = if square == "pass" { Square::PASS } else { Square::from_name(square)? };
    Some((square, ForMover(score.trim().parse().ok()?)))
}

fn write_tab(records: &[AnyRecord]) -> WriteResult {
    let [record] = records else {
        return Err(WriteError(format!(
            "a .tab file holds one position, not {}: select one with --number",
            records.len()
        )));
    };
    let text = tab::write(&last_position(1, record)?);
    text.map(Output::only).map_err(|error| WriteError(error.to_string()))
}

/// Detects a header whose number of games matches the file's length.
fn looks_like_wthor(input: &Input<'_>) -> bool {
    const HEADER: usize = 16;
    const GAME: usize = 68;
    let Some(count) = input.bytes.get(4..8) else {
        return false;
    };
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    let fits = count.checked_mul(GAME).is_some_and(|size| size + HEADER == input.bytes.len());
    fits || input.extension().as_deref() == Some("wtb")
}

fn visit_wthor(input: &Input<'_>, visit: &mut Visitor<'_>) -> Result<(), ReadError> {
    let companion = |extension: &str| {
        // The name files are optional.
        input.companion(extension, &["wthor", "wth"]).ok().flatten()
    };
    let mut names = wthor::Names::default();
    // The error's location is inside the companion file.
    let in_file = |extension: &str, error: ReadError| ReadError {
        found: format!("{} in the accompanying .{extension} file", error.found).into(),
        ..error
    };
    if let Some(bytes) = companion("jou") {
        names.players = wthor::read_players(&bytes).map_err(|error| in_file("jou", error))?;
    }
    if let Some(bytes) = companion("trn") {
        names.tournaments = wthor::read_tournaments(&bytes).map_err(|e| in_file("trn", e))?;
    }
    visit_typed(wthor::games(input.bytes, &names)?, visit);
    Ok(())
}

fn write_wthor(records: &[AnyRecord]) -> WriteResult {
    let year = records.iter().find_map(|record| record.tag("Date")?.get(..4)?.parse().ok());
    let archive = wthor::Archive {
        created: wthor::Date { year: year.unwrap_or(0), month: 1, day: 1 },
        year: year.unwrap_or(0),
        depth: 0,
        games: typed_records(records)?.into(),
    };
    let mut names = wthor::Names::default();
    let mut write = || {
        let games = wthor::write(&archive, &mut names)?;
        let players = wthor::write_players(&names.players, archive.created)?;
        let tournaments = wthor::write_tournaments(&names.tournaments, archive.created)?;
        Ok([(None, games), (Some("jou"), players), (Some("trn"), tournaments)])
    };
    let files = write().map_err(|error: crate::files::WriteError| WriteError(error.to_string()))?;
    Ok(files.into_iter().map(|(companion, bytes)| Output { companion, bytes }).collect())
}
