//! Reading and writing game files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use tablero_core::{AnyGame, AnyRecord, FileFormat, Input, OpenError};
use tablero_jobs::atomic_write;
use tablero_registry::{games, open};

use crate::out::usage;

/// The contents of a file or of standard input (`-`); other text is taken literally.
pub(crate) fn read_input(input: &str) -> anyhow::Result<(Vec<u8>, Option<&Path>)> {
    if input == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok((bytes, None));
    }
    let path = Path::new(input);
    if path.is_file() {
        let bytes = fs::read(path).with_context(|| format!("cannot read {input}"))?;
        return Ok((bytes, Some(path)));
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

/// Reads the games of a file, of standard input or of the text itself; returns the name of their format.
/// An unknown `format` is a usage error.
pub(crate) fn open_input(
    input: &str,
    game: Option<AnyGame>,
    format: Option<&str>,
) -> anyhow::Result<(Vec<AnyRecord>, &'static str)> {
    let (bytes, path) = read_input(input)?;
    if let Some(record) = position_with_moves(&bytes, game).filter(|_| format.is_none()) {
        return Ok((vec![record], "position"));
    }
    open(&Input { bytes: &bytes, path }, game, format).map_err(|error| match error {
        OpenError::UnknownFormat { .. } => usage(error),
        _ => {
            let name = path.map_or_else(|| "input".into(), |path| path.display().to_string());
            anyhow::Error::new(error).context(name)
        }
    })
}

/// Parses `POSITION moves MOVE...`, the notation of POSITION arguments.
fn position_with_moves(bytes: &[u8], game: Option<AnyGame>) -> Option<AnyRecord> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.contains(" moves "))?;
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
) -> anyhow::Result<&'static str> {
    let format = format_for(game, path, format)?;
    let outputs =
        (format.write)(records).with_context(|| format!("cannot write {}", format.name))?;
    for output in &outputs {
        let target = match output.companion {
            None => path.to_owned(),
            Some(extension) => path.with_extension(extension),
        };
        atomic_write(&target, &output.bytes).context("cannot write")?;
    }
    Ok(format.name)
}
