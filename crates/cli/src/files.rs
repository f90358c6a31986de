//! Files that commands read and write.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use tablero_core::{AnyGame, AnyRecord, FileFormat, OpenError};
use tablero_jobs::write_beside;

use crate::out::usage;

/// Text that was given in place, or a file's content.
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
        anyhow::bail!("{input} is a folder, not a file");
    }
    if looks_like_path && input.matches('/').count() != 7 {
        anyhow::bail!("there is no file {input}");
    }
    Ok((input.as_bytes().to_vec(), None))
}

/// Why `input` could not be opened; a format that does not exist is the caller's mistake.
pub(crate) fn not_opened(error: OpenError, input: &str) -> anyhow::Error {
    match error {
        OpenError::NoFormat { .. } => usage(error),
        _ => anyhow::Error::new(error).context(input.to_owned()),
    }
}

fn has_extension(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_string());
    extension.is_some_and(|e| (2..=5).contains(&e.len()) && e.chars().all(char::is_alphanumeric))
}

/// The format called `name`, or else the one that the extension of `path` says.
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
        let asked = name.map_or_else(|| path.display().to_string(), String::from);
        let known: Vec<_> = formats.iter().map(|format| format.name).collect();
        usage(format!("`{asked}` names no format of {game}; there are {}", known.join(", ")))
    })
}

/// Writes records to `path`, and beside it what belongs to them. Gives the format's name.
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
        let place = match output.beside {
            None => path.to_owned(),
            Some(extension) => path.with_extension(extension),
        };
        write_beside(&place, &output.bytes).context("cannot write")?;
    }
    Ok(format.name)
}
