use thiserror::Error;

use super::{FileFormat, Input};
use crate::{AnyGame, AnyRecord, Location, ReadError};

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
    /// The input has no games or positions.
    #[error("there is no game or position in it")]
    Empty,
}

/// The records, at least one, and the name of their format.
pub type OpenResult = Result<(Vec<AnyRecord>, &'static str), OpenError>;

/// Reads a file, a position or a list of moves, detecting its game (one of `games`) and format, unless
/// they are given.
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
    game.map_or_else(|| detect(games, input, format), |game| open_as(game, input, format))
}

/// Like [`open`], for a known game.
pub fn open_as(game: AnyGame, input: &Input<'_>, format: Option<&str>) -> OpenResult {
    detect(&[game], input, format)
}

fn detect(games: &[AnyGame], input: &Input<'_>, format: Option<&str>) -> OpenResult {
    if input.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(OpenError::Empty);
    }
    let mut failures = Vec::new();
    for stage in Detection::ALL {
        let attempt = Attempt { input, stage, requested: format };
        for &game in games {
            if let Some(result) = attempt.read(game, &mut failures) {
                return result;
            }
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
    /// Reads the input in the formats of `game` that match at this stage; `None` if there are none. Errors
    /// of trial parses are added to `failures`.
    fn read(&self, game: AnyGame, failures: &mut Vec<OpenError>) -> Option<OpenResult> {
        for format in game.formats().iter().filter(|format| self.matches(format)) {
            match (format.read)(self.input) {
                Ok(records) if records.is_empty() => return Some(Err(OpenError::Empty)),
                Ok(records) => return Some(Ok((records, format.name))),
                Err(error) => {
                    let malformed =
                        OpenError::Malformed { format: format.name, game: game.name(), error };
                    if self.stage != Detection::TrialParse {
                        return Some(Err(malformed));
                    }
                    failures.push(malformed);
                }
            }
        }
        None
    }

    fn matches(&self, format: &FileFormat) -> bool {
        let has_signature = || (format.recognises)(self.input);
        let extension = self.input.extension();
        let has_extension = || extension.is_some_and(|e| format.extensions.contains(&e.as_str()));
        self.requested.is_none_or(|name| name == format.name)
            && match self.stage {
                Detection::Extension => has_extension() && has_signature(),
                Detection::Signature => has_signature(),
                Detection::TrialParse => true,
            }
    }
}

fn unrecognized(games: &[AnyGame], input: &Input<'_>) -> OpenError {
    let text = String::from_utf8_lossy(input.bytes);
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
