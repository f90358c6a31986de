//! Arguments that several commands share.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use tablero_catalog::GameName;
use tablero_catalog::players::parse_duration;
use tablero_core::{Match, Notation, Rules};

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

/// The game of a command.
#[derive(Args)]
pub(crate) struct GameArg {
    /// othello, chess, shobu or tictactoe.
    #[arg(value_name = "GAME")]
    pub(crate) game: GameName,
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
pub(crate) fn parse_rules<G: Notation>(name: Option<&str>) -> anyhow::Result<G::Rules> {
    let Some(name) = name else {
        return Ok(G::Rules::default());
    };
    G::Rules::from_name(name).ok_or_else(|| {
        let known: Vec<_> = G::Rules::ALL.iter().map(|rules| rules.name()).collect();
        usage(format!("{} has no rules `{name}`; there are {}", G::NAME, known.join(", ")))
    })
}

/// The match that a POSITION argument describes.
pub(crate) fn parse_match<G: Notation>(text: &str, rules: G::Rules) -> anyhow::Result<Match<G>> {
    tablero_catalog::parse_match(text, rules).map_err(usage)
}

/// A seed for those who give none: different every time.
pub(crate) fn seed_of_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |time| time.as_nanos() as u64)
}
