use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tablero_core::{Place, ReadError, Record};
use thiserror::Error;

use crate::formats::{FileFormat, Formats, Input};
use crate::{Document, GameName};

/// Input that is no file of ours, or a damaged one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The format is known, the content is not right.
    #[error("not a right {format} file of {game}: {error}")]
    Damaged {
        /// The format's name.
        format: &'static str,
        /// Which game.
        game: &'static str,
        /// What is wrong.
        error: ReadError,
    },
    /// Nothing that any of our formats begins like.
    #[error("no format of ours: it begins with `{beginning}`; known are {known}")]
    Unknown {
        /// How it begins.
        beginning: String,
        /// The formats there are.
        known: String,
    },
    /// No format has the name that was asked for.
    #[error("there is no format `{asked}`; known are {known}")]
    NoFormat {
        /// What was asked for.
        asked: String,
        /// The formats there are.
        known: String,
    },
    /// It has nothing in it.
    #[error("there is no game or position in it")]
    Empty,
}

/// Reads a file, a position or a list of moves, whatever its game and format, which are recognised by
/// themselves; `game` and `format` say which if it is known. Gives the format's name too.
pub fn open(input: &Input<'_>, game: Option<GameName>, format: Option<&str>) -> Opened<Document> {
    if input.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(OpenError::Empty);
    }
    let games = || GameName::ALL.iter().copied().filter(|name| game.is_none_or(|g| g == *name));
    let mut failures = Vec::new();
    for certainty in Certainty::ALL {
        for name in games() {
            let attempt = Attempt { input, certainty, wanted: format };
            let opened: Option<Opened<Document>> = for_game!(name, G => {
                attempt.read::<G>(&mut failures).map(|read| read.map(|(games, f)| (games.into(), f)))
            });
            if let Some(result) = opened {
                return result;
            }
        }
    }
    Err(why(failures, input, format))
}

/// Like [`open`], for a game that is known.
pub fn open_as<G: Formats>(input: &Input<'_>, format: Option<&str>) -> Opened<Vec<Record<G>>> {
    let mut failures = Vec::new();
    for certainty in Certainty::ALL {
        let attempt = Attempt { input, certainty, wanted: format };
        if let Some(result) = attempt.read::<G>(&mut failures) {
            return result;
        }
    }
    Err(why(failures, input, format))
}

/// The error that tells most about input that no format could read.
fn why(mut failures: Vec<OpenError>, input: &Input<'_>, format: Option<&str>) -> OpenError {
    match format {
        // Who names a format wants to know what is wrong by its measure.
        Some(_) if failures.len() == 1 => failures.swap_remove(0),
        Some(asked) if failures.is_empty() => {
            OpenError::NoFormat { asked: asked.into(), known: known_formats() }
        }
        _ => furthest(failures).unwrap_or_else(|| unknown(input)),
    }
}

/// The failure of the reader that understood most, if there is one such.
fn furthest(mut failures: Vec<OpenError>) -> Option<OpenError> {
    let reached = |failure: &OpenError| match failure {
        OpenError::Damaged {
            error: ReadError { place: Place::Text { line, column }, .. }, ..
        } => (*line, *column),
        _ => (1, 1),
    };
    failures.sort_by_key(reached);
    let (last, others) = failures.split_last()?;
    let second = others.last().map_or((1, 1), reached);
    (reached(last) > second).then(|| last.clone())
}

/// How a format is recognised. The file's name says more than its content, and certain signs more than
/// the shape of words.
#[derive(Clone, Copy, PartialEq)]
enum Certainty {
    /// By the file's extension, where it has the signs too.
    Named,
    /// By signs that no other format has.
    Signed,
    /// By being readable.
    Shaped,
}

impl Certainty {
    const ALL: [Self; 3] = [Self::Named, Self::Signed, Self::Shaped];
}

/// One way to read some input.
struct Attempt<'a> {
    input: &'a Input<'a>,
    certainty: Certainty,
    /// The format, if the user said it.
    wanted: Option<&'a str>,
}

/// What was read, and the name of its format.
pub type Opened<T> = Result<(T, &'static str), OpenError>;

impl Attempt<'_> {
    /// What a format of game `G` makes of the input; none if no format fits. Formats that were only
    /// tried out leave their errors in `failures`.
    fn read<G: Formats>(&self, failures: &mut Vec<OpenError>) -> Option<Opened<Vec<Record<G>>>> {
        for format in G::formats().iter().filter(|format| self.fits(format)) {
            match (format.read)(self.input) {
                Ok(records) if records.is_empty() => return Some(Err(OpenError::Empty)),
                Ok(records) => return Some(Ok((records, format.name))),
                Err(error) => {
                    let damaged = OpenError::Damaged { format: format.name, game: G::NAME, error };
                    if self.certainty != Certainty::Shaped {
                        return Some(Err(damaged));
                    }
                    failures.push(damaged);
                }
            }
        }
        None
    }

    fn fits<G: Formats>(&self, format: &FileFormat<G>) -> bool {
        let signed = || (format.recognises)(self.input);
        let extension = self.input.extension();
        let named = || extension.is_some_and(|e| format.extensions.contains(&e.as_str()));
        self.wanted.is_none_or(|name| name == format.name)
            && match self.certainty {
                Certainty::Named => named() && signed(),
                Certainty::Signed => signed(),
                Certainty::Shaped => true,
            }
    }
}

fn unknown(input: &Input<'_>) -> OpenError {
    let text = String::from_utf8_lossy(input.bytes);
    let beginning: String = text.chars().take(30).collect();
    OpenError::Unknown { beginning: beginning.escape_debug().to_string(), known: known_formats() }
}

fn known_formats() -> String {
    let mut known = Vec::new();
    for &name in GameName::ALL {
        let formats: Vec<_> =
            for_game!(name, G => G::formats().iter().map(|format| format.name).collect());
        let formats: Vec<&str> = formats;
        known.push(format!("{name} ({})", formats.join(", ")));
    }
    known.join(", ")
}

/// The file beside `path` with the same name and another extension, or with one of the `usual` names,
/// in any case; its bytes.
pub fn companion(path: &Path, extension: &str, usual: &str) -> io::Result<Option<Vec<u8>>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let wanted = [stem.unwrap_or_default(), usual.to_lowercase()];
    let mut found: Option<(usize, PathBuf)> = None;
    for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
        let candidate = entry?.path();
        let name =
            |part: Option<&std::ffi::OsStr>| part.map(|s| s.to_string_lossy().to_lowercase());
        if name(candidate.extension()).as_deref() != Some(extension) {
            continue;
        }
        let rank = wanted.iter().position(|w| name(candidate.file_stem()).as_ref() == Some(w));
        if let Some(rank) = rank.filter(|rank| found.as_ref().is_none_or(|(best, _)| rank < best)) {
            found = Some((rank, candidate));
        }
    }
    found.map(|(_, path)| fs::read(path)).transpose()
}
