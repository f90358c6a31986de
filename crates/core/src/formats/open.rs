use thiserror::Error;

use super::{FileFormat, Input, Records, is_utf16};
use crate::{AnyGame, Location, ReadError};

/// Why input cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The format is known, the content is invalid.
    #[error("invalid {format} file of {game}: {error}")]
    Malformed {
        /// The format's name.
        format: &'static str,
        /// The game.
        game: &'static str,
        /// The parse error.
        error: ReadError,
    },
    /// No format matches.
    #[error("unrecognized format: the input begins with `{beginning}`; known are {known}")]
    Unrecognized {
        /// The first characters.
        beginning: String,
        /// The formats there are.
        known: String,
    },
    /// No format has the requested name.
    #[error("there is no format `{requested}`; known are {known}")]
    UnknownFormat {
        /// The requested name.
        requested: String,
        /// The formats there are.
        known: String,
    },
    /// The input is text in UTF-16.
    #[error("the text is in UTF-16; convert it to UTF-8 first")]
    Utf16,
    /// The input has no games or positions.
    #[error("there is no game or position in it")]
    Empty,
}

/// The records, at least one, and the name of their format.
pub type OpenResult = Result<(Records, &'static str), OpenError>;

/// Reads a file, a position or a list of moves, detecting its game (one of `games`) and format, unless
/// they are given. Games that cannot be read are skipped; if none can be read, that is an error.
///
/// ```
/// use tablero_core::{AnyGame, Input, open};
/// use tablero_tictactoe::TicTacToe;
///
/// let games = [AnyGame::of::<TicTacToe>()];
/// let (records, format) = open(&games, &Input::text("x o.. .x. ..."), None, None)?;
/// assert_eq!((records.len(), format), (1, "positions"));
/// # Ok::<(), tablero_core::OpenError>(())
/// ```
pub fn open(
    games: &[AnyGame],
    input: &Input<'_>,
    game: Option<AnyGame>,
    format: Option<&str>,
) -> OpenResult {
    game.map_or_else(|| open_any(games, input, format), |game| open_as(game, input, format))
}

/// Like [`open`], for a known game.
pub fn open_as(game: AnyGame, input: &Input<'_>, format: Option<&str>) -> OpenResult {
    open_any(&[game], input, format)
}

/// The bytes of a large file from which its format is detected.
const SAMPLE_BYTES: usize = 1 << 20;

/// The game and the format of a file, for reading it game by game. A large file is judged by its beginning.
pub fn detect(
    games: &[AnyGame],
    input: &Input<'_>,
    game: Option<AnyGame>,
    format: Option<&str>,
) -> Result<(AnyGame, FileFormat), OpenError> {
    let sample = Input { bytes: &input.bytes[..input.bytes.len().min(SAMPLE_BYTES)], ..*input };
    let (records, name) = open(games, &sample, game, format)?;
    let game = records.first().map_or_else(|| games[0], |record| record.start.game());
    let format = game.formats().into_iter().find(|format| format.name == name);
    format.map(|format| (game, format)).ok_or(OpenError::Empty)
}

fn open_any(games: &[AnyGame], input: &Input<'_>, format: Option<&str>) -> OpenResult {
    if input.is_blank() {
        return Err(OpenError::Empty);
    }
    if is_utf16(input.bytes) {
        return Err(OpenError::Utf16);
    }
    let mut failures = Vec::new();
    for stage in Detection::ALL {
        let attempt = Attempt { input, stage, requested: format };
        if let Some(result) = attempt.read(games, &mut failures) {
            return result;
        }
    }
    Err(best_error(failures, games, input, format))
}

/// The most helpful error for input that no format could read.
fn best_error(
    mut failures: Vec<OpenError>,
    games: &[AnyGame],
    input: &Input<'_>,
    format: Option<&str>,
) -> OpenError {
    match format {
        // With a format given, its own error is the one that matters.
        Some(_) if failures.len() == 1 => failures.swap_remove(0),
        Some(name) if failures.is_empty() => {
            OpenError::UnknownFormat { requested: name.into(), known: known_formats(games) }
        }
        _ => furthest(failures).unwrap_or_else(|| unrecognized(games, input)),
    }
}

/// The error of the reader that got furthest, if there is a single one.
fn furthest(mut failures: Vec<OpenError>) -> Option<OpenError> {
    let reached = |failure: &OpenError| match failure {
        OpenError::Malformed {
            error: ReadError { location: Location::Text { line, column }, .. },
            ..
        } => (*line, *column),
        _ => (1, 1),
    };
    failures.sort_by_key(reached);
    let (last, others) = failures.split_last()?;
    let second = others.last().map_or((1, 1), reached);
    (reached(last) > second).then(|| last.clone())
}

/// The stages of format detection, from the most to the least certain.
#[derive(Clone, Copy, PartialEq)]
enum Detection {
    /// Extension and signature match.
    Extension,
    /// The signature matches.
    Signature,
    /// Trial parse.
    TrialParse,
}

impl Detection {
    const ALL: [Self; 3] = [Self::Extension, Self::Signature, Self::TrialParse];
}

/// One stage of detection.
struct Attempt<'a> {
    input: &'a Input<'a>,
    stage: Detection,
    /// The requested format, if any.
    requested: Option<&'a str>,
}

impl Attempt<'_> {
    /// Reads the input in the formats that match at this stage: the first that reads all games, otherwise the
    /// one that reads most. `None` if there is none; errors of trial parses are added to `failures`.
    fn read(&self, games: &[AnyGame], failures: &mut Vec<OpenError>) -> Option<OpenResult> {
        let mut best: Option<(Records, &'static str)> = None;
        for &game in games {
            for format in game.formats().iter().filter(|format| self.matches(format)) {
                match read(self.input, game, format) {
                    Ok(records) if records.skipped_count() == 0 => {
                        return Some(Ok((records, format.name)));
                    }
                    Ok(records) if self.accepts(&records, format) => {
                        let most = best.as_ref().map_or(0, |(best, _)| best.len());
                        if records.len() > most {
                            best = Some((records, format.name));
                        }
                    }
                    // Too little was read, and another format may do better.
                    Ok(records) => failures.extend(records.require_all(format.name).err()),
                    Err(error @ OpenError::Empty) if best.is_none() => return Some(Err(error)),
                    Err(error) => failures.push(error),
                }
            }
        }
        match (best, self.stage) {
            (Some(best), _) => Some(Ok(best)),
            (None, Detection::TrialParse) => None,
            (None, _) => failures.first().cloned().map(Err),
        }
    }

    fn matches(&self, format: &FileFormat) -> bool {
        let has_signature = || (format.recognises)(self.input);
        self.requested.is_none_or(|name| name == format.name)
            && match self.stage {
                Detection::Extension => self.has_extension(format) && has_signature(),
                Detection::Signature => has_signature(),
                Detection::TrialParse => true,
            }
    }

    /// Whether to take an incomplete reading: that of a format that was neither requested nor recognised must
    /// read most of the games.
    fn accepts(&self, records: &Records, format: &FileFormat) -> bool {
        let needed = records.skipped_count() + usize::from(!self.has_extension(format));
        self.stage != Detection::TrialParse || self.requested.is_some() || records.len() >= needed
    }

    fn has_extension(&self, format: &FileFormat) -> bool {
        let extension = self.input.extension();
        extension.is_some_and(|extension| format.extensions.contains(&extension.as_str()))
    }
}

/// Reads the input in one format; an error if there is no record.
fn read(input: &Input<'_>, game: AnyGame, format: &FileFormat) -> Result<Records, OpenError> {
    let malformed = |error| OpenError::Malformed { format: format.name, game: game.name(), error };
    let records = format.read(input).map_err(malformed)?;
    match records.total_failure() {
        Some(error) => Err(malformed(error.clone())),
        None if records.is_empty() => Err(OpenError::Empty),
        None => Ok(records),
    }
}

fn unrecognized(games: &[AnyGame], input: &Input<'_>) -> OpenError {
    let text = String::from_utf8_lossy(&input.bytes[..input.bytes.len().min(200)]);
    let beginning: String = text.chars().take(30).collect();
    OpenError::Unrecognized {
        beginning: beginning.escape_debug().to_string(),
        known: known_formats(games),
    }
}

fn known_formats(games: &[AnyGame]) -> String {
    let of_game = |game: &AnyGame| {
        let formats: Vec<&str> = game.formats().iter().map(|format| format.name).collect();
        format!("{game} ({})", formats.join(", "))
    };
    games.iter().map(of_game).collect::<Vec<_>>().join(", ")
}
