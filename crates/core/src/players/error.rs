use thiserror::Error;

use super::OptionValues;
use crate::AnyGame;

/// Why a player line cannot be parsed, checked or built. The messages name what would be valid.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum PlayerLineError {
    /// The line is empty.
    #[error("an empty player line; try `level intermediate` (see `tablero players`)")]
    Empty,
    /// A double quote is not closed.
    #[error("a quote is not closed in `{line}`")]
    UnclosedQuote {
        /// The line.
        line: String,
    },
    /// The first word is not a player kind.
    #[error("there is no player kind `{kind}`; there are {}", known.join(", "))]
    UnknownKind {
        /// The first word.
        kind: String,
        /// The kinds that the game has.
        known: Vec<&'static str>,
    },
    /// The kind has no option of that name.
    #[error("`{kind}` has no option `{option}`; it has {}", list_or_none(known))]
    UnknownOption {
        /// The player kind.
        kind: String,
        /// The name before the equals sign.
        option: String,
        /// The options that the kind has.
        known: Vec<&'static str>,
    },
    /// An option occurs more than once.
    #[error("`{option}` is given twice")]
    DuplicateOption {
        /// The option's name.
        option: String,
    },
    /// A value is of the wrong type or out of range.
    #[error("`{option}={value}`: {option} is {allowed}")]
    InvalidValue {
        /// The option's name.
        option: String,
        /// The value as given.
        value: String,
        /// The values that the option takes.
        allowed: OptionValues,
    },
    /// A word where the kind takes only `name=value` options.
    #[error("`{kind}` takes only options like name=value, not `{word}`")]
    UnexpectedWord {
        /// The player kind.
        kind: String,
        /// The first such word.
        word: String,
    },
    /// The line starts a program, which [`Permissions`](super::Permissions) deny.
    #[error("`{kind}` starts another program, which is not allowed here")]
    ProgramNotPermitted {
        /// The player kind.
        kind: String,
    },
    /// The line reads a file, which [`Permissions`](super::Permissions) deny.
    #[error("`{option}={value}`: files are not read here{}", known_names(known))]
    FileNotPermitted {
        /// The option that names the file.
        option: String,
        /// The file.
        value: String,
        /// The names that the option takes instead of a file.
        known: Vec<String>,
    },
    /// The value is neither a known name nor an existing file.
    #[error("`{option}={value}`: there is no such name or file{}", known_names(known))]
    NotFound {
        /// The option that names a file.
        option: String,
        /// The name or path.
        value: String,
        /// The names that the option takes.
        known: Vec<String>,
    },
    /// A file cannot be read, or its content is invalid.
    #[error("`{option}={value}`: {reason}")]
    InvalidFile {
        /// The option that names the file.
        option: String,
        /// The file.
        value: String,
        /// The reader's message.
        reason: String,
    },
    /// The line of an external engine names no program.
    #[error("`{kind}` needs a program: {kind} /usr/games/program")]
    MissingProgram {
        /// The player kind.
        kind: String,
    },
    /// The program of an external engine does not exist.
    #[error("there is no program `{program}`")]
    ProgramNotFound {
        /// Path, or name to look up in `PATH`.
        program: String,
    },
    /// `level` takes exactly one word.
    #[error("`level` needs one word: {}", level_names(*game))]
    MissingLevel {
        /// The game whose levels are meant.
        game: AnyGame,
    },
    /// The game has no such level.
    #[error("{game} has no level `{level}`; there are {}", level_names(*game))]
    UnknownLevel {
        /// The game.
        game: AnyGame,
        /// Number or name.
        level: String,
    },
    /// The evaluation is supplied by the caller, so the line must be of a kind that takes one, without
    /// `eval=`.
    #[error("`{line}`: a line of greedy, minimax or alphabeta is expected, without eval=")]
    EvaluationNotReplaceable {
        /// The line.
        line: String,
    },
    /// The transposition table does not fit into memory.
    #[error("there is no room for {megabytes} MB (hash=)")]
    OutOfMemory {
        /// The requested size.
        megabytes: usize,
    },
    /// The message of a library or of another program, verbatim.
    #[error("{0}")]
    Other(String),
}

impl PlayerLineError {
    /// The error with `replace` applied to the values and messages in it: a server that resolved names to
    /// files of its own reports the names instead of its paths.
    #[must_use]
    pub fn map_values(mut self, replace: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::InvalidFile { value, reason, .. } => {
                (*value, *reason) = (replace(value), replace(reason));
            }
            Self::InvalidValue { value, .. }
            | Self::FileNotPermitted { value, .. }
            | Self::NotFound { value, .. } => *value = replace(value),
            Self::EvaluationNotReplaceable { line: text }
            | Self::UnclosedQuote { line: text }
            | Self::Other(text) => *text = replace(text),
            Self::Empty
            | Self::UnknownKind { .. }
            | Self::UnknownOption { .. }
            | Self::DuplicateOption { .. }
            | Self::UnexpectedWord { .. }
            | Self::ProgramNotPermitted { .. }
            | Self::MissingProgram { .. }
            | Self::ProgramNotFound { .. }
            | Self::MissingLevel { .. }
            | Self::UnknownLevel { .. }
            | Self::OutOfMemory { .. } => {}
        }
        self
    }
}

fn list_or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn known_names(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; known are {}", names.join(", ")) }
}

/// The levels of a game: `1 to 10, easy, intermediate, hard`.
fn level_names(game: AnyGame) -> String {
    let names = game.named_levels().map(|(name, _)| name);
    format!("1 to {}, {}", game.ladder().len(), names.join(", "))
}
