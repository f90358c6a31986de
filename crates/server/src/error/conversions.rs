//! From the errors of other crates to [`Problem`]s. What cannot come from a request is internal.

use tablero_arena::stats::SprtError;
use tablero_arena::{ArenaError, OpeningsError, TimeControlError};
use tablero_core::{AnyGame, OpenError, PlayerLineError, PositionError, ReadError, UnknownRules};
use tablero_evolve::EvolveError;
use tablero_genomes::GenomeError;
use tablero_jobs::JobError;
use tablero_learn::ConfigError;
use tablero_nets::NetKindError;
use tablero_registry::UnknownGame;

use crate::api::{Names, OptionValues, Problem};

fn names<T: Into<String>>(list: impl IntoIterator<Item = T>) -> Names {
    list.into_iter().collect()
}

/// An error that no request can cause.
fn internal(error: &impl ToString) -> Problem {
    Problem::Internal { reason: error.to_string() }
}

impl From<UnknownGame> for Problem {
    fn from(UnknownGame { requested, known }: UnknownGame) -> Self {
        Self::UnknownGame { name: requested, available: names(known) }
    }
}

impl From<UnknownRules> for Problem {
    fn from(UnknownRules { game, requested, known }: UnknownRules) -> Self {
        Self::UnknownRules { game: game.into(), name: requested, available: names(known) }
    }
}

impl From<PositionError> for Problem {
    fn from(error: PositionError) -> Self {
        match error {
            PositionError::Position(error) => Self::position(error),
            PositionError::Move { number, error } => {
                let name = error.found.en.trim_matches('`').to_owned();
                Self::InvalidMoveInLine { number, name }
            }
        }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        let split = |known: String| known.split(", ").collect::<Names>();
        match error {
            OpenError::Malformed { format, game, error } => {
                let ReadError { location, found, expected } = error;
                Self::MalformedFile {
                    format: format.into(),
                    game: game.into(),
                    location: location.into(),
                    found: found.into(),
                    expected: expected.into(),
                }
            }
            OpenError::Unrecognized { beginning, known } => {
                Self::UnrecognizedFormat { beginning, available: split(known) }
            }
            OpenError::UnknownFormat { requested, known } => {
                Self::UnknownFormat { name: requested, available: split(known) }
            }
            OpenError::Utf16 => Self::Utf16File,
            OpenError::Empty => Self::EmptyFile,
        }
    }
}

impl From<JobError> for Problem {
    fn from(error: JobError) -> Self {
        match error {
            JobError::NotFound(job) => Self::JobNotFound { job },
            JobError::Busy { id, .. } => Self::JobBusy { job: id },
            other => internal(&other),
        }
    }
}

impl From<PlayerLineError> for Problem {
    fn from(error: PlayerLineError) -> Self {
        let allowed = |values: tablero_core::OptionValues| OptionValues::from(&values);
        match error {
            PlayerLineError::Empty => Self::EmptyPlayerLine,
            PlayerLineError::UnclosedQuote { line } => Self::UnclosedQuote { line },
            PlayerLineError::UnknownKind { kind, known } => {
                Self::UnknownPlayerKind { kind, available: names(known) }
            }
            PlayerLineError::UnknownOption { kind, option, known } => {
                Self::UnknownOption { kind, option, available: names(known) }
            }
            PlayerLineError::DuplicateOption { option } => Self::DuplicateOption { option },
            PlayerLineError::InvalidValue { option, value, allowed: values } => {
                Self::InvalidOptionValue { option, value, allowed: allowed(values) }
            }
            PlayerLineError::UnexpectedWord { kind, word } => Self::UnexpectedWord { kind, word },
            PlayerLineError::ProgramNotPermitted { kind } => Self::ProgramNotPermitted { kind },
            PlayerLineError::FileNotPermitted { option, value, known } => {
                Self::FileNotPermitted { option, value, available: names(known) }
            }
            PlayerLineError::NotFound { option, value, known } => {
                Self::OptionValueNotFound { option, value, available: names(known) }
            }
            PlayerLineError::InvalidFile { option, value, reason } => {
                Self::InvalidFile { option, value, reason }
            }
            PlayerLineError::MissingProgram { kind } => Self::MissingProgram { kind },
            PlayerLineError::ProgramNotFound { program } => Self::ProgramNotFound { program },
            PlayerLineError::MissingLevel { game } => {
                let (levels, names) = levels(game);
                Self::MissingLevel { levels, names }
            }
            PlayerLineError::UnknownLevel { game, level } => {
                let (levels, names) = levels(game);
                Self::UnknownLevel { game: game.to_string(), level, levels, names }
            }
            PlayerLineError::EvaluationNotReplaceable { line } => {
                Self::EvaluationNotReplaceable { line }
            }
            PlayerLineError::OutOfMemory { megabytes } => Self::OutOfMemory { megabytes },
            PlayerLineError::Other(reason) => Self::PlayerUnavailable { reason },
        }
    }
}

/// The number of levels of a game, and their names.
fn levels(game: AnyGame) -> (usize, Names) {
    (game.ladder().len(), names(game.named_levels().map(|(name, _)| name)))
}

impl From<ArenaError> for Problem {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::WrongGame { found, expected } => {
                Self::WrongGame { found, expected: expected.into() }
            }
            ArenaError::Rules(error) => error.into(),
            ArenaError::Openings(error) => error.into(),
            ArenaError::Sprt(error) => error.into(),
            ArenaError::Player { error, .. } => error.into(),
            ArenaError::Job(error) => error.into(),
            other => internal(&other),
        }
    }
}

impl From<OpeningsError> for Problem {
    fn from(error: OpeningsError) -> Self {
        match error {
            OpeningsError::Syntax { text } => Self::InvalidOpenings { text },
            OpeningsError::NoBook { game } => Self::NoOpeningBook { game: game.into() },
            OpeningsError::Empty => Self::NoOpenings,
            OpeningsError::TooLong { plies } => Self::OpeningsTooLong { plies },
            other => internal(&other),
        }
    }
}

impl From<SprtError> for Problem {
    fn from(error: SprtError) -> Self {
        match error {
            SprtError::Order { elo0, elo1 } => {
                Self::SprtBounds { elo0: elo0.into(), elo1: elo1.into() }
            }
            other => internal(&other),
        }
    }
}

impl From<TimeControlError> for Problem {
    fn from(error: TimeControlError) -> Self {
        Self::InvalidClock { text: error.text }
    }
}

impl From<GenomeError> for Problem {
    fn from(error: GenomeError) -> Self {
        match error {
            GenomeError::UnknownKind { game, kind, known } => {
                Self::UnknownGenome { game: game.into(), kind, available: names(known) }
            }
            GenomeError::WrongGame { found, expected } => Self::WrongGame { found, expected },
            GenomeError::WrongKind { found, expected } => Self::WrongGenome { found, expected },
            GenomeError::UnknownIndividual { number, count } => {
                Self::UnknownIndividual { number, count }
            }
            GenomeError::NotEvl { kind, .. } => Self::NotEvl { genome: kind },
            GenomeError::Utf16 => Self::Utf16File,
            GenomeError::Evl(ReadError { location, found, expected }) => Self::MalformedFile {
                format: "evl".into(),
                game: "othello".into(),
                location: location.into(),
                found: found.into(),
                expected: expected.into(),
            },
            other => Self::InvalidGenome { reason: other.to_string() },
        }
    }
}

impl From<EvolveError> for Problem {
    fn from(error: EvolveError) -> Self {
        match error {
            EvolveError::WrongGame { found, expected } => {
                Self::WrongGame { found, expected: expected.into() }
            }
            EvolveError::Rules(error) => error.into(),
            EvolveError::Openings(error) => error.into(),
            EvolveError::EmptyScheme { known } => {
                Self::UnknownScheme { name: String::new(), available: names(known) }
            }
            EvolveError::UnknownScheme { name, known } => {
                Self::UnknownScheme { name, available: names(known) }
            }
            EvolveError::Scheme(error) | EvolveError::Player(error) => error.into(),
            EvolveError::VariableLength { kind } => {
                Self::VariableLengthGenome { kind: kind.into() }
            }
            EvolveError::Genome(error) => error.into(),
            EvolveError::Job(error) => error.into(),
            other => internal(&other),
        }
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::WrongGame { found, expected } => {
                Self::WrongGame { found, expected: expected.into() }
            }
            ConfigError::UnknownRules { .. }
            | ConfigError::NothingHeldOut { .. }
            | ConfigError::Invalid(_) => internal(&error),
            ConfigError::Net(error) => error.into(),
            ConfigError::OutOfRange { setting, value, min, max } => Self::SettingOutOfRange {
                setting: setting.into(),
                value: value.into(),
                min: min.into(),
                max: max.into(),
            },
            ConfigError::NotPositive { setting, value, max } => Self::SettingNotPositive {
                setting: setting.into(),
                value: value.into(),
                max: max.into(),
            },
            ConfigError::TooSmall { setting, value, min } => {
                Self::SettingTooSmall { setting: setting.into(), value, min }
            }
            ConfigError::GatingWithoutMatches => Self::GatingWithoutMatches,
            ConfigError::BurnUnavailable => Self::BackendUnavailable,
            ConfigError::DeviceOfNative(_) | ConfigError::Device(_) => internal(&error),
        }
    }
}

impl From<NetKindError> for Problem {
    fn from(error: NetKindError) -> Self {
        let unsupported = |option: &str, game: &str| Self::UnsupportedNetworkOption {
            option: option.into(),
            game: game.into(),
        };
        match error {
            NetKindError::Syntax { text } => Self::InvalidNetwork { text },
            NetKindError::TooLarge { kind, parameters, max } => {
                Self::NetworkTooLarge { network: kind.to_string(), parameters, max }
            }
            NetKindError::Inputs { kind, game, expected } => Self::NetworkInputs {
                network: kind.to_string(),
                game: game.into(),
                expected: names(expected.iter().map(usize::to_string)),
            },
            NetKindError::Outputs { kind } => Self::NetworkOutputs { network: kind.to_string() },
            NetKindError::Absolute { game } => unsupported("absolute", game),
            NetKindError::MoverView { game } => unsupported("mover", game),
            NetKindError::AttackPlanes { game } => unsupported("attacks", game),
            NetKindError::Ownership { game } => unsupported("ownership", game),
        }
    }
}
