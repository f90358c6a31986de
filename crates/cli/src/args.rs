//! Arguments that several commands share.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use tablero_core::{
    AnyGame, AnyGameHistory, AnyRules, machine_memory, max_threads, parse_duration,
};
use tablero_registry::{GameEntry, find, games};

use crate::out::usage;

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorWhen {
    /// When standard output is a terminal.
    Auto,
    /// Always, also to files and pipes.
    Always,
    /// Never.
    Never,
}

impl ColorWhen {
    /// Sets the process-wide choice.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// A registered game.
pub(crate) type Entry = &'static dyn GameEntry;

/// The positional GAME argument.
#[derive(Args)]
pub(crate) struct GameArg {
    #[arg(value_name = "GAME", value_parser = find, help = game_list())]
    pub(crate) game: Entry,
}

/// `othello, chess or shobu`.
fn game_list() -> String {
    let names: Vec<&str> = games().iter().map(|entry| entry.game().name()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// `--game`, for commands that detect the game from their input.
#[derive(Args, Clone, Copy)]
pub(crate) struct DetectedGameArg {
    /// Game of the input [default: detected].
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
}

impl DetectedGameArg {
    pub(crate) fn game(self) -> Option<AnyGame> {
        self.game.map(|entry| entry.game())
    }
}

/// `--strict`, for commands that read a file of games.
#[derive(Args, Clone, Copy)]
pub(crate) struct StrictArg {
    /// Fail if a game of the file cannot be read, instead of skipping it with a warning.
    #[arg(long)]
    pub(crate) strict: bool,
}

/// `--game`, for commands that list something of every game.
#[derive(Args, Clone, Copy)]
pub(crate) struct GameFilterArg {
    /// List only this game.
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
}

impl GameFilterArg {
    pub(crate) fn games(self) -> Vec<Entry> {
        self.game.map_or_else(|| games().to_vec(), |entry| vec![entry])
    }
}

/// `--threads`.
#[derive(Args, Clone, Copy)]
pub(crate) struct ThreadsArg {
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = integer::<u16>(1, max_threads() as u64))]
    threads: Option<u16>,
}

impl ThreadsArg {
    /// The number of threads: as given, otherwise one per core.
    pub(crate) fn count(self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Parses an integer option between `min` and `max`.
pub(crate) fn integer<T>(min: u64, max: u64) -> RangedU64ValueParser<T>
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
    <T as TryFrom<u64>>::Error: Send + Sync + std::error::Error + 'static,
{
    RangedU64ValueParser::new().range(min..=max)
}

/// Upper bound of node and simulation counts.
pub(crate) const MAX_COUNT: u64 = 1_000_000_000_000;
/// Upper bound of the number of games or generations.
pub(crate) const MAX_GAMES: u64 = 100_000_000;
/// Upper bound of the length of a game.
pub(crate) const MAX_PLIES: u64 = 100_000;

/// Parses a probability or fraction from 0 to 1.
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".into())
}

/// Parses a duration with a unit; zero is refused.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| "expected a duration such as 100ms, 1.5s or 2m".into())
}

/// Parses a search time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected a number of seconds from 0.001 to 86400".into())
}

/// Parses a table size in megabytes, at most the memory of this machine.
pub(crate) fn hash_size(text: &str) -> Result<u32, String> {
    /// What the engines address.
    const MAX_MB: u64 = 65_536;
    let memory = machine_memory().map_or(MAX_MB, |bytes| bytes >> 20);
    match text.parse::<u64>() {
        Ok(megabytes) if megabytes > memory && megabytes <= MAX_MB => {
            Err(format!("this machine has {memory} MB of memory"))
        }
        Ok(megabytes) if megabytes <= MAX_MB => Ok(megabytes as u32),
        _ => Err(format!("expected a number of megabytes from 0 to {}", memory.min(MAX_MB))),
    }
}

/// Parses a position, move list or file name. Positions may begin with a hyphen (an empty square of
/// Othello), so clap passes on everything; what looks like a misspelt option is refused here.
pub(crate) fn position(text: &str) -> Result<String, String> {
    /// Shorter than any position that consists of one word.
    const LONGEST_OPTION: usize = 30;
    let name = text.strip_prefix("--").filter(|_| text.len() < LONGEST_OPTION);
    match name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase())) {
        true => Err("there is no such option".into()),
        false => Ok(text.to_owned()),
    }
}

/// The rules variant called `name`, by default the game's standard rules.
pub(crate) fn parse_rules(game: AnyGame, name: Option<&str>) -> anyhow::Result<AnyRules> {
    game.rules_or_default(name).map_err(usage)
}

/// Parses a POSITION argument: a position, optionally followed by moves.
pub(crate) fn parse_history(
    game: AnyGame,
    text: &str,
    rules: Option<&str>,
) -> anyhow::Result<AnyGameHistory> {
    game.parse_history(text, parse_rules(game, rules)?).map_err(usage)
}

/// A seed from the clock, different on every run.
pub(crate) fn clock_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |time| time.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert_eq!(fraction("0.25"), Ok(0.25));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(hash_size("16"), Ok(16));
        for wrong in ["-0.1", "1.1", "NaN", "", "half"] {
            assert!(fraction(wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "-1", "inf", "NaN", "1e9", "1s"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        for wrong in ["-1", "65537", "18446744073709551616", "1GB"] {
            assert!(hash_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn positions_may_begin_with_hyphens() {
        for text in ["-", "f5d6", "---------------------------OX------XO--- X", "-X", "--XO"] {
            assert_eq!(position(text).as_deref(), Ok(text));
        }
        assert!(position("--lst").is_err());
    }
}
