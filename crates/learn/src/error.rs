use std::path::PathBuf;

use tablero_arena::ArenaError;
use tablero_jobs::JobError;
use tablero_nets::train::Device;
use tablero_nets::{NetError, NetKindError};
use tablero_report::ReportError;
use thiserror::Error;

/// Why learning failed.
#[derive(Debug, Error)]
pub enum LearnError {
    /// The configuration is invalid.
    #[error("invalid learning configuration: {0}")]
    Config(#[from] ConfigError),
    /// A file cannot be read.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
    /// A file is invalid.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The run's history cannot be serialized.
    #[error("cannot serialize the run's history: {0}")]
    History(String),
    /// A network cannot be read, written or used.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// An evaluation match failed.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// Why a learning configuration is invalid.
///
/// A `setting` is named as its option is on the command line, with underscores: `q_ratio`, `teacher_games`.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ConfigError {
    /// The configuration is for another game.
    #[error("the configuration is for {found}, not {expected}")]
    WrongGame {
        /// The game of the configuration.
        found: String,
        /// The game to learn.
        expected: &'static str,
    },
    /// The game has no such rules.
    #[error("{game} has no rules `{rules}`")]
    UnknownRules {
        /// The game.
        game: &'static str,
        /// The rules.
        rules: String,
    },
    /// The network is invalid or does not fit the game.
    #[error(transparent)]
    Net(#[from] NetKindError),
    /// A number outside its range, both ends included.
    #[error("{setting} is {value}; expected {min} to {max}")]
    OutOfRange {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// A number that must be above 0 and at most `max`.
    #[error("{setting} is {value}; expected a number above 0, at most {max}")]
    NotPositive {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// The greatest value.
        max: f64,
    },
    /// A count below its least value.
    #[error("{setting} is {value}; expected at least {min}")]
    TooSmall {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: u64,
        /// The least value.
        min: u64,
    },
    /// Gating without a match against the best generation after every generation.
    #[error("gating needs eval_games above 0 and eval_every 1")]
    GatingWithoutMatches,
    /// Too few games or positions for a validation set.
    #[error(
        "held_out {share}: nothing can be held out of {games} game(s) and {positions} position(s); use split \
         position, or held_out 0 to measure no validation loss"
    )]
    NothingHeldOut {
        /// The share to be held out.
        share: f64,
        /// The games.
        games: u32,
        /// Their positions.
        positions: usize,
    },
    /// Options that do not fit together or the game.
    #[error("{0}")]
    Invalid(String),
    /// The burn backend is not part of this build.
    #[error(
        "this program was built without burn: build with `cargo build --release --features burn` \
         (`burn-wgpu` or `burn-cuda` for GPUs), or use the native backend"
    )]
    BurnUnavailable,
    /// A device for the native backend, which knows the processor only.
    #[error(
        "device {0}: the native backend trains on the processor; use backend burn, or leave the device out"
    )]
    DeviceOfNative(Device),
    /// The device is not there or cannot be used.
    #[error("{0}")]
    Device(String),
}

impl ConfigError {
    /// Checks that a number is in a range, both ends included.
    pub fn check_range(
        setting: &'static str,
        value: f64,
        range: std::ops::RangeInclusive<f64>,
    ) -> Result<(), Self> {
        let (min, max) = range.into_inner();
        match (min..=max).contains(&value) {
            true => Ok(()),
            false => Err(Self::OutOfRange { setting, value, min, max }),
        }
    }

    /// Checks that a number is above 0 and at most `max`.
    pub fn check_positive(setting: &'static str, value: f64, max: f64) -> Result<(), Self> {
        let is_valid = value > 0.0 && value <= max;
        if is_valid { Ok(()) } else { Err(Self::NotPositive { setting, value, max }) }
    }

    /// Checks that a count is at least `min`.
    pub fn check_min(setting: &'static str, value: u64, min: u64) -> Result<(), Self> {
        if value >= min { Ok(()) } else { Err(Self::TooSmall { setting, value, min }) }
    }
}
