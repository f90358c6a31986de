//! The file formats of Othello.

use tablero_core::{
    AnyRecord, FileFormat, ForMover, Formats, Input, Notation, Output, ReadError, Record,
    WriteError, Written, erase_records, lenient_text, typed_records,
};

use crate::files::{ggf, obf, tab, transcript, wthor};
use crate::{Othello, Square};

/// The tag in which the scores of moves are kept: `A2:+38; C7:+36`.
const SCORES: &str = "Scores";

impl Formats for Othello {
    fn formats() -> Vec<FileFormat> {
        vec![
            FileFormat {
                name: "ggf",
                extensions: &["ggf"],
                about: "games with players, clocks and values, as the servers keep them",
                recognises: |input| lenient_text(input).contains("(;GM["),
                read: |input| erased(ggf::read(&lenient_text(input)).collect()),
                write: |records| joined(records, ggf::write),
            },
            FileFormat {
                name: "wthor",
                extensions: &["wtb"],
                about: "tournament archives with .jou and .trn for the names",
                recognises: looks_like_wthor,
                read: |input| erased(read_wthor(input)),
                write: write_wthor,
            },
            FileFormat {
                name: "obf",
                extensions: &["obf"],
                about: "positions with the scores of moves, one a line",
                recognises: looks_like_board,
                read: |input| erased(read_obf(input)),
                write: write_obf,
            },
            FileFormat {
                name: "tab",
                extensions: &["tab"],
                about: "one position, as Othello7 saves it",
                recognises: looks_like_tab,
                read: |input| erased(Ok(vec![Record::new(tab::read(input.as_text()?)?)])),
                write: write_tab,
            },
            FileFormat {
                name: "transcript",
                extensions: &["txt"],
                about: "moves only, a game a line: f5d6c3...",
                recognises: looks_like_transcript,
                read: |input| erased(transcript::read_many(input.as_text()?).collect()),
                write: |records| match transcript::write_many(&typed_records(records)?) {
                    Ok(text) => Ok(Output::only(text)),
                    Err(error) => Err(WriteError(error.to_string())),
                },
            },
            FileFormat::pgn::<Self>(),
        ]
    }
}

fn erased(read: Result<Vec<Record<Othello>>, ReadError>) -> Result<Vec<AnyRecord>, ReadError> {
    read.map(erase_records)
}

/// The position at the end of a record's main line.
fn last_position(number: usize, record: &AnyRecord) -> Result<Othello, WriteError> {
    let position = tablero_core::last_position(number, record)?;
    let of_another = || WriteError(format!("game {number} is of {}", position.game()));
    position.downcast_ref().copied().ok_or_else(of_another)
}

fn joined<E: ToString>(
    records: &[AnyRecord],
    write: impl Fn(&Record<Othello>) -> Result<String, E>,
) -> Written {
    let mut out = String::new();
    for (number, record) in (1..).zip(&typed_records(records)?) {
        let text = write(record)
            .map_err(|error| WriteError(format!("game {number}: {}", error.to_string())))?;
        out.push_str(text.trim_end());
        out.push('\n');
    }
    Ok(Output::only(out))
}

/// Signs of a board, at least half of one.
fn looks_like_board(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let said = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('%'));
    let signs = |line: &str| line.chars().take_while(|c| "XxOo*-.bBwW_".contains(*c)).count();
    // All 64 squares in one word, or row by row; other games' boards are in smaller words.
    let board = said.is_some_and(|line| signs(line.trim()) >= 32);
    let rows =
        text.lines().take(8).filter(|line| line.trim().len() == 8 && signs(line.trim()) == 8);
    board || rows.count() == 8
}

fn looks_like_tab(input: &Input<'_>) -> bool {
    let text = lenient_text(input);
    let mut words = text.split_whitespace();
    let ring = words.by_ref().take(10).filter(|word| *word == "0").count();
    ring == 10 && words.take(80).all(|word| ["0", "1", "2"].contains(&word))
}

/// Squares only, the first one a first move of the game.
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

fn read_obf(input: &Input<'_>) -> Result<Vec<Record<Othello>>, ReadError> {
    let text = lenient_text(input);
    // A single board may also stand on several lines.
    if let Ok(position) = Othello::parse_position(&text, Default::default()) {
        return Ok(vec![Record::new(position)]);
    }
    let entries = obf::read(&text)?;
    Ok(entries.into_iter().map(record_of).collect())
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

fn write_obf(records: &[AnyRecord]) -> Written {
    let mut entries = Vec::new();
    for (number, record) in (1..).zip(records) {
        let position = last_position(number, record)?;
        let scores = record.tag(SCORES).filter(|_| record.plies.is_empty()).unwrap_or_default();
        let scores = scores.split(';').filter(|score| !score.trim().is_empty()).map(parse_score);
        let scores = scores.collect::<Option<Vec<_>>>().ok_or_else(|| {
            WriteError(format!("record {number}: its tag {SCORES} is not like `A2:+38; C7:+36`"))
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

fn write_tab(records: &[AnyRecord]) -> Written {
    let [record] = records else {
        return Err(WriteError(format!(
            "a .tab file holds one position, not {}: choose one with --number",
            records.len()
        )));
    };
    let text = tab::write(&last_position(1, record)?);
    text.map(Output::only).map_err(|error| WriteError(error.to_string()))
}

/// A header whose number of games fits the length.
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

fn read_wthor(input: &Input<'_>) -> Result<Vec<Record<Othello>>, ReadError> {
    let beside = |extension: &str| {
        // Names are a comfort: without the file they are numbers.
        input.companion(extension, "wth").ok().flatten()
    };
    let mut names = wthor::Names::default();
    // The place of an error is one in that other file.
    let in_file = |extension: &str, error: ReadError| ReadError {
        found: format!("{} in the .{extension} file beside it", error.found),
        ..error
    };
    if let Some(bytes) = beside("jou") {
        names.players = wthor::read_players(&bytes).map_err(|error| in_file("jou", error))?;
    }
    if let Some(bytes) = beside("trn") {
        names.tournaments = wthor::read_tournaments(&bytes).map_err(|e| in_file("trn", e))?;
    }
    Ok(wthor::read(input.bytes, &names)?.games)
}

fn write_wthor(records: &[AnyRecord]) -> Written {
    let year = records.iter().find_map(|record| record.tag("Date")?.get(..4)?.parse().ok());
    let archive = wthor::Archive {
        created: wthor::Date { year: year.unwrap_or(0), month: 1, day: 1 },
        year: year.unwrap_or(0),
        depth: 0,
        games: typed_records(records)?,
    };
    let mut names = wthor::Names::default();
    let mut write = || {
        let games = wthor::write(&archive, &mut names)?;
        let players = wthor::write_players(&names.players, archive.created)?;
        let tournaments = wthor::write_tournaments(&names.tournaments, archive.created)?;
        Ok([(None, games), (Some("jou"), players), (Some("trn"), tournaments)])
    };
    let files = write().map_err(|error: crate::files::WriteError| WriteError(error.to_string()))?;
    Ok(files.into_iter().map(|(beside, bytes)| Output { beside, bytes }).collect())
}
