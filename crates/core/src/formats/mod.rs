//! The file formats of a game.
//!
//! Whatever a file holds, games or only positions, comes out as records: a position is a record
//! without moves. What a format knows beyond that (scores of moves, best moves) is in the tags.

mod common;
mod open;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::{AnyRecord, Notation, Playable, ReadError, Record};

pub use common::{last_position, lenient_text};
pub use open::{OpenError, Opened, open, open_as};

/// The formats that a game's files come in.
pub trait Formats: Notation {
    /// All of them; the first is the one to write if nothing else is asked for.
    fn formats() -> Vec<FileFormat>
    where
        Self: Playable,
    {
        vec![FileFormat::pgn::<Self>(), FileFormat::positions::<Self>()]
    }
}

/// A way to write games or positions to a file.
#[derive(Clone, Copy)]
pub struct FileFormat {
    /// The name, as in `--to NAME`.
    pub name: &'static str,
    /// Extensions of such files, lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// What it holds, in a sentence.
    pub about: &'static str,
    /// Whether input has the signs of this format. Must be quick, and certain enough that an error
    /// of [`read`](Self::read) is what the user wants to see.
    pub recognises: fn(&Input<'_>) -> bool,
    /// Reads everything in a file.
    pub read: fn(&Input<'_>) -> Result<Vec<AnyRecord>, ReadError>,
    /// Writes everything to a file, and beside it what belongs to it.
    pub write: fn(&[AnyRecord]) -> Written,
}

/// What a reader gets.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// Where it came from, if from a file: some formats keep names in a file beside it.
    pub path: Option<&'a Path>,
}

/// A file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its extension, if it is not the file that was asked for but one beside it.
    pub beside: Option<&'static str>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What a writer gives: the file, and others beside it.
pub type Written = Result<Vec<Output>, WriteError>;

/// Records that a format cannot hold.
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

    /// The content of the file beside this one with the same name and another extension, or with one of
    /// the `usual` name, in any case; none without a path.
    pub fn companion(&self, extension: &str, usual: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.path else { return Ok(None) };
        let lower = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let wanted = [lower(path.file_stem()).unwrap_or_default(), usual.to_lowercase()];
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

    /// The content as text, or where it stops being text.
    pub fn as_text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            ReadError::at_byte(at, format!("byte {:#04x}", self.bytes[at]), "text in UTF-8")
        })
    }
}

impl Output {
    /// One file of text, and nothing beside it.
    pub fn only(text: String) -> Vec<Self> {
        vec![Self { beside: None, bytes: text.into_bytes() }]
    }
}

/// Records of a game's own reader, of any game.
pub fn erase_records<G: Playable>(records: Vec<Record<G>>) -> Vec<AnyRecord> {
    records.into_iter().map(Record::erase).collect()
}

/// Records for a game's own writer.
pub fn typed_records<G: Playable>(records: &[AnyRecord]) -> Result<Vec<Record<G>>, WriteError> {
    let typed = |record: &AnyRecord| {
        let game = record.start.game();
        record.downcast().ok_or_else(|| WriteError(format!("a game of {game}, not of {}", G::NAME)))
    };
    records.iter().map(typed).collect()
}
