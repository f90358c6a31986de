//! File formats.
//!
//! Every reader yields records; a position is a record without moves. What a format holds beyond that
//! (best moves, scores of moves) becomes tags. [`open`](fn@open) detects game and format of a file. A game
//! that cannot be read is skipped, and reading resumes at the next one ([`Records`]).

mod common;
mod open;
mod records;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use crate::{AnyRecord, Localized, Notation, Playable, ReadError, Record, read_bounded};

pub use common::{last_position, lenient_text};
pub use open::{OpenError, OpenResult, detect, open, open_as};
pub use records::{NoSuchGame, Records, SkippedGame, read_lines};

/// The maximum size of a file of games.
pub const MAX_GAME_FILE_BYTES: u64 = 1 << 30;
/// The maximum size of a companion file, which holds names.
const MAX_COMPANION_BYTES: u64 = 64 << 20;

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
    /// Reads a file game by game, in constant memory, until the visitor breaks. Games that cannot be read
    /// are visited as errors; an error of the function itself concerns the whole file.
    pub visit: fn(&Input<'_>, &mut Visitor<'_>) -> Result<(), ReadError>,
    /// Writes a whole file, and its companion files.
    pub write: fn(&[AnyRecord]) -> WriteResult,
}

/// What a reader calls with each game, or with the error of one that cannot be read.
pub type Visitor<'a> = dyn FnMut(Result<AnyRecord, ReadError>) -> ControlFlow<()> + 'a;

impl FileFormat {
    /// Reads a whole file. Games that cannot be read are skipped; an error concerns the whole file.
    pub fn read(&self, input: &Input<'_>) -> Result<Records, ReadError> {
        let mut records = Records::default();
        (self.visit)(input, &mut |game| records.push(game))?;
        Ok(records)
    }
}

/// Visits games until the visitor breaks.
pub fn visit_all(
    games: impl Iterator<Item = Result<AnyRecord, ReadError>>,
    visit: &mut Visitor<'_>,
) {
    for game in games {
        if visit(game).is_break() {
            return;
        }
    }
}

/// Like [`visit_all`], for records in the game's own type.
pub fn visit_typed<G: Playable>(
    games: impl Iterator<Item = Result<Record<G>, ReadError>>,
    visit: &mut Visitor<'_>,
) {
    visit_all(games.map(|game| game.map(Record::erase)), visit);
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

    /// The content of the companion file with this extension: named like the file or, failing that, like one of
    /// `fallbacks`, case-insensitively, or else the only one in the folder. `None` without a path.
    pub fn companion(&self, extension: &str, fallbacks: &[&str]) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.path else { return Ok(None) };
        let lower = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut wanted = vec![lower(path.file_stem()).unwrap_or_default()];
        wanted.extend(fallbacks.iter().map(|name| name.to_lowercase()));
        let rank = |candidate: &Path| {
            let stem = lower(candidate.file_stem());
            wanted.iter().position(|wanted| stem.as_ref() == Some(wanted))
        };
        let mut all = Vec::new();
        for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let candidate = entry?.path();
            if lower(candidate.extension()).as_deref() == Some(extension) {
                all.push(candidate);
            }
        }
        let named = all.iter().filter_map(|path| Some((rank(path)?, path))).min();
        let only = all.first().filter(|_| all.len() == 1);
        let found = named.map(|(_, path)| path).or(only);
        found.map(|path| read_bounded(path, MAX_COMPANION_BYTES)).transpose()
    }

    /// The content as UTF-8 text without byte order mark; the error has the location of the first invalid
    /// byte.
    pub fn as_text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes).map(strip_bom).map_err(|error| {
            let at = error.valid_up_to();
            let expected = Localized::new("text in UTF-8", "texto en UTF-8");
            ReadError::at_byte(at, format!("byte {:#04x}", self.bytes[at]), expected)
        })
    }

    /// Whether there is nothing but whitespace.
    fn is_blank(&self) -> bool {
        self.without_bom().iter().all(u8::is_ascii_whitespace)
    }

    fn without_bom(&self) -> &'a [u8] {
        self.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(self.bytes)
    }
}

/// Whether these bytes are UTF-16 text: a byte order mark, or ASCII characters with a zero byte each.
pub fn is_utf16(bytes: &[u8]) -> bool {
    let is_ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match *bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => is_ascii(a) && is_ascii(b),
        _ => false,
    }
}

/// The text without a byte order mark, with which some programs begin UTF-8 files.
pub fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl Output {
    /// A text file without companions.
    pub fn only(text: String) -> Vec<Self> {
        vec![Self { companion: None, bytes: text.into_bytes() }]
    }
}

/// Restores the type of records for a game's own writer.
pub fn typed_records<G: Playable>(records: &[AnyRecord]) -> Result<Vec<Record<G>>, WriteError> {
    let typed = |record: &AnyRecord| {
        let game = record.start.game();
        record.downcast().ok_or_else(|| WriteError(format!("a game of {game}, not of {}", G::NAME)))
    };
    records.iter().map(typed).collect()
}
