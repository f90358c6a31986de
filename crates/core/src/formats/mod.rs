//! File formats.
//!
//! Every reader yields records; a position is a record without moves. What a format holds beyond that
//! (best moves, scores of moves) becomes tags. [`open`](fn@open) detects game and format of a file.

mod common;
mod open;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::{AnyRecord, Notation, Playable, ReadError, Record};

pub use common::{last_position, lenient_text};
pub use open::{OpenError, OpenResult, open, open_as};

/// The file formats of a game.
pub trait Formats: Notation {
    /// All formats; the first is the default for writing.
    fn formats() -> Vec<FileFormat>
    where
        Self: Playable,
    {
        vec![FileFormat::pgn::<Self>(), FileFormat::positions::<Self>()]
    }
}

/// A file format for games or positions.
#[derive(Clone, Copy)]
pub struct FileFormat {
    /// The name, as in `--to NAME`.
    pub name: &'static str,
    /// File extensions in lower case, the preferred one first.
    pub extensions: &'static [&'static str],
    /// Its content, in a phrase.
    pub about: &'static str,
    /// Whether the input has the signature of this format. Must be fast, and certain enough that an error
    /// of [`read`](Self::read) is what the user wants to see.
    pub recognises: fn(&Input<'_>) -> bool,
    /// Reads a whole file.
    pub read: fn(&Input<'_>) -> Result<Vec<AnyRecord>, ReadError>,
    /// Writes a whole file, and its companion files.
    pub write: fn(&[AnyRecord]) -> WriteResult,
}

/// The input of a reader.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// The path, if it is a file: some formats keep names in companion files.
    pub path: Option<&'a Path>,
}

/// A file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The extension of a companion file; `None` for the requested file itself.
    pub companion: Option<&'static str>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The result of a writer: the file and its companions.
pub type WriteResult = Result<Vec<Output>, WriteError>;

/// Why records cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct WriteError(pub String);

impl<'a> Input<'a> {
    /// Pasted text.
    pub const fn text(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), path: None }
    }

    /// The file's extension in lower case.
    pub fn extension(&self) -> Option<String> {
        Some(self.path?.extension()?.to_string_lossy().to_lowercase())
    }

    /// The content of the companion file with this extension, named like the file or, failing that, `fallback`,
    /// case-insensitively; `None` without a path.
    pub fn companion(&self, extension: &str, fallback: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.path else { return Ok(None) };
        let lower = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let wanted = [lower(path.file_stem()).unwrap_or_default(), fallback.to_lowercase()];
        let mut found: Option<(usize, PathBuf)> = None;
        for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let candidate = entry?.path();
            if lower(candidate.extension()).as_deref() != Some(extension) {
                continue;
            }
            let stem = lower(candidate.file_stem());
            let rank = wanted.iter().position(|wanted| stem.as_ref() == Some(wanted));
            if let Some(rank) =
                rank.filter(|rank| found.as_ref().is_none_or(|(best, _)| rank < best))
            {
                found = Some((rank, candidate));
            }
        }
        found.map(|(_, path)| fs::read(path)).transpose()
    }

    /// The content as UTF-8 text; the error has the location of the first invalid byte.
    pub fn as_text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            ReadError::at_byte(at, format!("byte {:#04x}", self.bytes[at]), "text in UTF-8")
        })
    }
}

impl Output {
    /// A text file without companions.
    pub fn only(text: String) -> Vec<Self> {
        vec![Self { companion: None, bytes: text.into_bytes() }]
    }
}

/// Type-erases the records of a game's own reader.
pub fn erase_records<G: Playable>(records: Vec<Record<G>>) -> Vec<AnyRecord> {
    records.into_iter().map(Record::erase).collect()
}

/// Restores the type of records for a game's own writer.
pub fn typed_records<G: Playable>(records: &[AnyRecord]) -> Result<Vec<Record<G>>, WriteError> {
    let typed = |record: &AnyRecord| {
        let game = record.start.game();
        record.downcast().ok_or_else(|| WriteError(format!("a game of {game}, not of {}", G::NAME)))
    };
    records.iter().map(typed).collect()
}
