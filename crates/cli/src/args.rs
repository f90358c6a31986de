//! Arguments that several commands share.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use tablero_core::{AnyGame, AnyMatch, AnyRules, parse_duration};
use tablero_registry::{GameEntry, find, games};

use crate::out::usage;

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal.
    Auto,
    /// Also into files and pipes.
    Always,
    /// Never.
    Never,
}

impl ColorWhen {
    /// From now on.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// A game of this program.
pub(crate) type Entry = &'static dyn GameEntry;

/// The game of a command.
#[derive(Args)]
pub(crate) struct GameArg {
    #[arg(value_name = "GAME", value_parser = find, help = game_list())]
    pub(crate) game: Entry,
}

/// `othello, chess or shobu.`
fn game_list() -> String {
    let names: Vec<&str> = games().iter().map(|entry| entry.game().name()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// The game of a command that can do without, if it is said.
#[derive(Args, Clone, Copy)]
pub(crate) struct GuessedGameArg {
    /// The game, if it cannot be told from the input.
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
}

impl GuessedGameArg {
    pub(crate) fn game(self) -> Option<AnyGame> {
        self.game.map(|entry| entry.game())
    }
}

/// The games of a command that lists something of each.
#[derive(Args, Clone, Copy)]
pub(crate) struct OnlyGameArg {
    /// Only this game.
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
}

impl OnlyGameArg {
    pub(crate) fn games(self) -> Vec<Entry> {
        self.game.map_or_else(|| games().to_vec(), |entry| vec![entry])
    }
}

/// How many threads to use.
#[derive(Args, Clone, Copy)]
pub(crate) struct ThreadsArg {
    /// Threads to use [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArg {
    /// The number asked for, or all cores.
    pub(crate) fn count(self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// A time that is not zero, as a value parser of clap.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "a time like 100ms, 1.5s or 2m is expected".into())
}

/// The rules called `name`, or the usual ones.
pub(crate) fn parse_rules(game: AnyGame, name: Option<&str>) -> anyhow::Result<AnyRules> {
    game.rules_or_default(name).map_err(usage)
}

/// The match that a POSITION argument describes.
pub(crate) fn parse_match(
    game: AnyGame,
    text: &str,
    rules: Option<&str>,
) -> anyhow::Result<AnyMatch> {
    game.parse_match(text, parse_rules(game, rules)?).map_err(usage)
}

/// A seed for those who give none: different every time.
pub(crate) fn seed_of_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |time| time.as_nanos() as u64)
}
