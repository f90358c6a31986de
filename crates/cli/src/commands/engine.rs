use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tablero_core::{AnyGame, AnyPlayer, Limits, PlayerSetup, Protocol};
use tablero_protocol::{Engine as ProtocolEngine, Setup, serve};
use tablero_registry::{find, games};

use crate::args::{Entry, ThreadsArg};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero engine uci                       chess, for any chess program
  tablero engine uci --game shobu          Shōbu in the manner of UCI
  tablero engine nboard                    Othello, for NBoard
  tablero engine gtp --player \"level hard\" --time 2";

/// Speaks an engine protocol on standard input and output, so that other programs can play against
/// Tablero's players.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Engine {
    /// The protocol.
    #[arg(value_name = "PROTOCOL")]
    protocol: ProtocolName,
    /// The game [default: chess for UCI, othello for NBoard and GTP].
    #[arg(long, value_name = "GAME", value_parser = find)]
    game: Option<Entry>,
    /// Who plays (`tablero players` lists them) [default: champion in Othello, else alphabeta].
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Seconds for a move where the other program names no bound.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time: f64,
    /// Names whatever the player does at random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    /// The Universal Chess Interface; the other games in the same manner.
    Uci,
    /// NBoard's protocol for Othello.
    Nboard,
    /// The Go Text Protocol, as Othello programs speak it.
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

/// The game at home in UCI, which is played over it unless another one is asked for.
const UCI_GAME: &str = "chess";

impl Engine {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if !(0.001..=86_400.0).contains(&self.time) {
            return Err(usage("--time is 0.001 to 86400 seconds"));
        }
        let protocol = self.protocol.into();
        let engine = self.engine(self.entry(protocol)?)?;
        Ok(serve(protocol, io::BufReader::new(io::stdin()), out::protocol(), &engine)?)
    }

    /// The game that was asked for, or the usual one of the protocol.
    fn entry(&self, protocol: Protocol) -> anyhow::Result<Entry> {
        let speaks = |entry: &Entry| entry.game().protocols().contains(&protocol);
        let mut speakers = games().iter().copied().filter(speaks);
        let Some(entry) = self.game else {
            let usual = find(UCI_GAME).ok().filter(|_| protocol == Protocol::Uci);
            let nobody = || usage(format!("no game is played over {protocol}"));
            return usual.filter(speaks).or_else(|| speakers.next()).ok_or_else(nobody);
        };
        if speaks(&entry) {
            return Ok(entry);
        }
        let names: Vec<&str> = speakers.map(|entry| entry.game().name()).collect();
        let (game, names) = (entry.game(), names.join(", "));
        Err(usage(format!("{protocol} is for {names}, not for {game}; UCI is for every game")))
    }

    fn engine(&self, entry: Entry) -> anyhow::Result<ProtocolEngine<'_>> {
        let game = entry.game();
        let setup = Setup { threads: self.threads.count(), ..Setup::default() };
        let line = self.player.as_deref().unwrap_or(game.analyst());
        make(entry, line, &setup).map_err(usage)?;
        Ok(ProtocolEngine {
            game,
            name: format!("Tablero {}", env!("CARGO_PKG_VERSION")),
            make: Box::new(move |setup| make(entry, line, setup)),
            setup,
            elo: elo_range(game),
            pace: Limits { time: Some(Duration::from_secs_f64(self.time)), ..Limits::default() },
            seed: self.seed,
        })
    }
}

/// The player of a line, or the level nearest to a rating that it is to be held down to.
fn make(entry: Entry, line: &str, setup: &Setup) -> Result<Box<AnyPlayer>, String> {
    let line = setup.elo.and_then(|elo| nearest(entry.game(), elo)).unwrap_or(line);
    let setup = PlayerSetup {
        threads: setup.threads,
        hash_mb: Some(setup.hash_mb),
        lines: setup.lines,
        bounded_by_caller: true,
        ..PlayerSetup::LOCAL
    };
    entry.build(line, &setup).map_err(|error| error.to_string())
}

/// The ratings of the ladder.
fn elo_range(game: AnyGame) -> Option<std::ops::RangeInclusive<u32>> {
    let ladder = game.ladder();
    Some(game.rating(ladder.first()?)..=game.rating(ladder.last()?))
}

/// The line of the level whose rating is nearest.
fn nearest(game: AnyGame, elo: u32) -> Option<&'static str> {
    let level = game.ladder().iter().min_by_key(|level| game.rating(level).abs_diff(elo))?;
    Some(level.line)
}
