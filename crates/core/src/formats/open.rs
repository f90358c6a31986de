use thiserror::Error;

use super::{FileFormat, Input};
use crate::{AnyGame, AnyRecord, Place, ReadError};

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

/// What was read, at least one record, and the name of its format.
pub type Opened = Result<(Vec<AnyRecord>, &'static str), OpenError>;

/// Reads a file, a position or a list of moves, detecting which of `games` it is of and in which
/// format; `game` and `format` say which if it is known.
pub fn open(
    games: &[AnyGame],
    input: &Input<'_>,
    game: Option<AnyGame>,
    format: Option<&str>,
) -> Opened {
    game.map_or_else(|| detect(games, input, format), |game| open_as(game, input, format))
}

/// Like [`open`], for a game that is known.
pub fn open_as(game: AnyGame, input: &Input<'_>, format: Option<&str>) -> Opened {
    detect(&[game], input, format)
}

fn detect(games: &[AnyGame], input: &Input<'_>, format: Option<&str>) -> Opened {
    if input.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(OpenError::Empty);
    }
    let mut failures = Vec::new();
    for certainty in Certainty::ALL {
        let attempt = Attempt { input, certainty, wanted: format };
        for &game in games {
            if let Some(result) = attempt.read(game, &mut failures) {
                return result;
            }
        }
    }
    Err(why(failures, games, input, format))
}

/// The error that tells most about input that no format could read.
fn why(
    mut failures: Vec<OpenError>,
    games: &[AnyGame],
    input: &Input<'_>,
    format: Option<&str>,
) -> OpenError {
    match format {
        // Who names a format wants to know what is wrong by its measure.
        Some(_) if failures.len() == 1 => failures.swap_remove(0),
        Some(asked) if failures.is_empty() => {
            OpenError::NoFormat { asked: asked.into(), known: known_formats(games) }
        }
        _ => furthest(failures).unwrap_or_else(|| unknown(games, input)),
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

impl Attempt<'_> {
    /// What a format of the game makes of the input; none if no format fits. Formats that were only
    /// tried out leave their errors in `failures`.
    fn read(&self, game: AnyGame, failures: &mut Vec<OpenError>) -> Option<Opened> {
        for format in game.formats().iter().filter(|format| self.fits(format)) {
            match (format.read)(self.input) {
                Ok(records) if records.is_empty() => return Some(Err(OpenError::Empty)),
                Ok(records) => return Some(Ok((records, format.name))),
                Err(error) => {
                    let damaged =
                        OpenError::Damaged { format: format.name, game: game.name(), error };
                    if self.certainty != Certainty::Shaped {
                        return Some(Err(damaged));
                    }
                    failures.push(damaged);
                }
            }
        }
        None
    }

    fn fits(&self, format: &FileFormat) -> bool {
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

fn unknown(games: &[AnyGame], input: &Input<'_>) -> OpenError {
    let text = String::from_utf8_lossy(input.bytes);
    let beginning: String = text.chars().take(30).collect();
    OpenError::Unknown {
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
