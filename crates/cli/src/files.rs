//! Reading and writing game files.

use std::fmt::Display;
use std::io;
use std::path::Path;

use anyhow::Context;
use tablero_core::{
    AnyGame, AnyRecord, FileFormat, Input, MAX_GAME_FILE_BYTES, NoSuchGame, OpenError, Output,
    Records, open_as, read_bounded, read_to_limit, strip_bom,
};
use tablero_registry::{games, open};

use crate::out::{self, usage};
use crate::output_file::ForceArg;

/// The most skipped games of a file that are reported one by one.
const MAX_WARNINGS: usize = 10;

/// The contents of a file or of standard input (`-`); other text is taken literally.
pub(crate) fn read_input(input: &str) -> anyhow::Result<(Vec<u8>, Option<&Path>)> {
    if input == "-" {
        let bytes = read_to_limit(io::stdin().lock(), MAX_GAME_FILE_BYTES);
        return Ok((bytes.context("cannot read standard input")?, None));
    }
    let path = Path::new(input);
    if path.exists() && !path.is_dir() {
        return Ok((read_file(path)?, Some(path)));
    }
    let looks_like_path = !input.contains(char::is_whitespace)
        && (input.contains(std::path::MAIN_SEPARATOR) && !input.contains("//")
            || has_extension(path));
    if path.is_dir() {
        anyhow::bail!("{input} is a directory, not a file");
    }
    if looks_like_path && input.matches('/').count() != 7 {
        anyhow::bail!("no such file: {input}");
    }
    Ok((input.as_bytes().to_vec(), None))
}

/// The contents of a file of games.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    read_bounded(path, MAX_GAME_FILE_BYTES)
        .with_context(|| format!("cannot read {}", path.display()))
}

/// Reads the games of a file, of standard input or of the text itself; returns the name of their format.
/// An unknown `format` is a usage error. Games that cannot be read are reported, or an error if `strict`.
pub(crate) fn open_input(
    input: &str,
    game: Option<AnyGame>,
    format: Option<&str>,
    strict: bool,
) -> anyhow::Result<(Records, &'static str)> {
    let (bytes, path) = read_input(input)?;
    if let Some(record) = position_with_moves(&bytes, game).filter(|_| format.is_none()) {
        return Ok((vec![record].into(), "position"));
    }
    let name = path.map_or_else(|| "input".into(), |path| path.display().to_string());
    match open(&Input { bytes: &bytes, path }, game, format) {
        Ok(opened) => report_skipped(name, opened, strict),
        Err(error @ OpenError::UnknownFormat { .. }) => Err(usage(error)),
        Err(error) => Err(anyhow::Error::new(error).context(name)),
    }
}

/// Like [`open_input`], for a file of a known game.
pub(crate) fn open_games(game: AnyGame, file: &str, strict: bool) -> anyhow::Result<Records> {
    let (bytes, path) = read_input(file)?;
    let opened = open_as(game, &Input { bytes: &bytes, path }, None);
    Ok(report_skipped(file, opened.with_context(|| file.to_owned())?, strict)?.0)
}

/// Warns of the games of file `name` that were skipped; if `strict`, the first one is an error.
pub(crate) fn report_skipped(
    name: impl Display,
    (records, format): (Records, &'static str),
    strict: bool,
) -> anyhow::Result<(Records, &'static str)> {
    if strict {
        return records.require_all(format).with_context(|| name.to_string());
    }
    for skipped in records.skipped().iter().take(MAX_WARNINGS) {
        out::warning(format_args!("{name}: skipped {skipped}"));
    }
    let more = records.skipped_count().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        let noun = if more == 1 { "game" } else { "games" };
        out::warning(format_args!("{name}: skipped {more} more {noun}"));
    }
    Ok((records, format))
}

/// The game with a number in the file, by default the first; a number out of range is a usage error.
pub(crate) fn select_game(
    records: &Records,
    number: Option<usize>,
) -> anyhow::Result<(usize, &AnyRecord)> {
    let first = || records.numbered().next().map_or(1, |(number, _)| number);
    let number = number.unwrap_or_else(first);
    let record = records.number(number).map_err(|error| match error {
        NoSuchGame::OutOfRange { total } => {
            usage(format!("--number must be 1 to {total} for this file"))
        }
        skipped @ NoSuchGame::Skipped(_) => anyhow::Error::new(skipped),
    })?;
    Ok((number, record))
}

/// Parses `POSITION moves MOVE...`, the notation of POSITION arguments.
fn position_with_moves(bytes: &[u8], game: Option<AnyGame>) -> Option<AnyRecord> {
    let text = std::str::from_utf8(bytes).ok().map(strip_bom);
    let text = text.filter(|text| text.contains(" moves "))?;
    let parse = |game: AnyGame| game.parse_history(text, game.rules_or_default(None).ok()?).ok();
    let all = games()
        .iter()
        .map(|entry| entry.game())
        .filter(|known| game.is_none_or(|game| game == *known));
    all.filter_map(parse).next().map(|history| AnyRecord::from_history(&history))
}

fn has_extension(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_string());
    extension.is_some_and(|e| (2..=5).contains(&e.len()) && e.chars().all(char::is_alphanumeric))
}

/// The format called `name`, by default that of the extension of `path`.
pub(crate) fn format_for(
    game: AnyGame,
    path: &Path,
    name: Option<&str>,
) -> anyhow::Result<FileFormat> {
    let formats = game.formats();
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let found = match (name, &extension) {
        (Some(name), _) => formats.iter().find(|format| format.name == name),
        (None, Some(extension)) => {
            formats.iter().find(|format| format.extensions.contains(&extension.as_str()))
        }
        (None, None) => None,
    };
    found.copied().ok_or_else(|| {
        let given = name.map_or_else(|| path.display().to_string(), String::from);
        let known: Vec<_> = formats.iter().map(|format| format.name).collect();
        usage(format!("`{given}` is not a format of {game}; known are {}", known.join(", ")))
    })
}

/// Writes records to `path` and its companion files; returns the name of the format.
pub(crate) fn write_records(
    game: AnyGame,
    path: &Path,
    format: Option<&str>,
    records: &[AnyRecord],
    force: ForceArg,
) -> anyhow::Result<&'static str> {
    let format = format_for(game, path, format)?;
    let outputs =
        (format.write)(records).with_context(|| format!("cannot write {}", format.name))?;
    let target = |output: &Output| match output.companion {
        None => path.to_owned(),
        Some(extension) => path.with_extension(extension),
    };
    // All are checked before the first is written.
    outputs.iter().try_for_each(|output| force.check(&target(output)))?;
    for output in &outputs {
        force.write(&target(output), &output.bytes)?;
    }
    Ok(format.name)
}
