use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tablero_core::{AnyGame, AnyPlayer, Limits, PlayerSetup, Protocol};
use tablero_protocol::{Engine as ProtocolEngine, EngineSettings, serve};
use tablero_registry::{find, games};

use crate::args::{Entry, ThreadsArg, seconds};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero engine uci                       chess
  tablero engine uci --game shobu          Shōbu over UCI
  tablero engine nboard                    Othello for NBoard
  tablero engine gtp --player \"level hard\" --time 2";

/// Run as an engine for other programs: UCI, NBoard or GTP.
///
/// Speaks the protocol on standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Engine {
    /// Engine protocol.
    #[arg(value_name = "PROTOCOL")]
    protocol: ProtocolName,
    /// Game [default: chess for UCI, othello for NBoard and GTP].
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
    /// Player (see `tablero players`) [default: champion for Othello, otherwise alphabeta].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Time per move when the client sets no limit.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    time: Duration,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    /// Universal Chess Interface, extended to every game.
    Uci,
    /// The protocol of NBoard, for Othello.
    Nboard,
    /// Go Text Protocol, for Othello.
    Gtp,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Self {
        match name {
            ProtocolName::Uci => Self::Uci,
            ProtocolName::Nboard => Self::NBoard,
            ProtocolName::Gtp => Self::Gtp,
        }
    }
}

/// The default game over UCI.
const UCI_GAME: &str = "chess";

impl Engine {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let protocol = self.protocol.into();
        let engine = self.engine(self.entry(protocol)?)?;
        Ok(serve(protocol, io::BufReader::new(io::stdin()), out::protocol(), &engine)?)
    }

    /// The game of `--game`, or the default one of the protocol.
    fn entry(&self, protocol: Protocol) -> anyhow::Result<Entry> {
        let speaks = |entry: &Entry| entry.game().protocols().contains(&protocol);
        let mut speakers = games().iter().copied().filter(speaks);
        let Some(entry) = self.game else {
            let default = find(UCI_GAME).ok().filter(|_| protocol == Protocol::Uci);
            let none = || usage(format!("no game is played over {protocol}"));
            return default.filter(speaks).or_else(|| speakers.next()).ok_or_else(none);
        };
        if speaks(&entry) {
            return Ok(entry);
        }
        let names: Vec<&str> = speakers.map(|entry| entry.game().name()).collect();
        let (game, names) = (entry.game(), names.join(", "));
        Err(usage(format!("{protocol} supports {names}, not {game}; uci supports every game")))
    }

    fn engine(&self, entry: Entry) -> anyhow::Result<ProtocolEngine<'_>> {
        let game = entry.game();
        let settings =
            EngineSettings { threads: self.threads.count(), ..EngineSettings::default() };
        let line = self.player.as_deref().unwrap_or(game.analyst());
        make(entry, line, &settings).map_err(usage)?;
        Ok(ProtocolEngine {
            game,
            name: format!("Tablero {}", env!("CARGO_PKG_VERSION")),
            make_player: Box::new(move |settings| make(entry, line, settings)),
            settings,
            elo: elo_range(game),
            default_limits: Limits { time: Some(self.time), ..Limits::default() },
            seed: self.seed,
        })
    }
}

/// Builds the player, or with a limited strength the level nearest to that rating.
fn make(entry: Entry, line: &str, settings: &EngineSettings) -> Result<Box<AnyPlayer>, String> {
    let line = settings.elo.and_then(|elo| nearest(entry.game(), elo)).unwrap_or(line);
    let setup = PlayerSetup {
        threads: settings.threads,
        hash_mb: Some(settings.hash_mb),
        multi_pv: settings.multipv,
        limited_by_caller: true,
        ..PlayerSetup::LOCAL
    };
    entry.build(line, &setup).map_err(|error| error.to_string())
}

/// The range of ratings of the levels.
fn elo_range(game: AnyGame) -> Option<std::ops::RangeInclusive<u32>> {
    let ladder = game.ladder();
    Some(game.rating(ladder.first()?)..=game.rating(ladder.last()?))
}

/// The player of the level with the nearest rating.
fn nearest(game: AnyGame, elo: u32) -> Option<&'static str> {
    let level = game.ladder().iter().min_by_key(|level| game.rating(level).abs_diff(elo))?;
    Some(level.line)
}
