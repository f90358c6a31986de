use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tablero_catalog::players::{Level, Setup, build};
use tablero_catalog::{Catalogued, GameName, for_game, types};
use tablero_core::{Limits, Player};
use tablero_protocol::{Engine as ProtocolEngine, serve_gtp, serve_nboard, serve_uci};

use crate::args::ThreadsArg;
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
    protocol: Protocol,
    /// The game [default: chess for UCI, othello for NBoard and GTP].
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,
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
enum Protocol {
    /// The Universal Chess Interface; the other games in the same manner.
    Uci,
    /// NBoard's protocol for Othello.
    Nboard,
    /// The Go Text Protocol, as Othello programs speak it.
    Gtp,
}

impl Engine {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if !(0.001..=86_400.0).contains(&self.time) {
            return Err(usage("--time is 0.001 to 86400 seconds"));
        }
        match self.protocol {
            Protocol::Uci => {
                let game = self.game.unwrap_or(GameName::Chess);
                for_game!(game, G => self.uci::<G>())
            }
            Protocol::Nboard | Protocol::Gtp => {
                if self.game.is_some_and(|game| game != GameName::Othello) {
                    return Err(usage("NBoard and GTP are for othello; UCI is for every game"));
                }
                self.othello()
            }
        }
    }

    fn uci<G: Catalogued>(&self) -> anyhow::Result<()> {
        let engine = self.engine::<G>()?;
        Ok(serve_uci(io::BufReader::new(io::stdin()), out::protocol(), &engine)?)
    }

    fn othello(&self) -> anyhow::Result<()> {
        let engine = self.engine::<types::Othello>()?;
        let input = io::BufReader::new(io::stdin());
        match self.protocol {
            Protocol::Gtp => serve_gtp(input, out::protocol(), &engine)?,
            _ => serve_nboard(input, out::protocol(), &engine)?,
        }
        Ok(())
    }

    fn engine<G: Catalogued>(&self) -> anyhow::Result<ProtocolEngine<'_, G>> {
        let setup = tablero_protocol::Setup { threads: self.threads.count(), ..Default::default() };
        let line = self.player.as_deref().unwrap_or(G::ANALYST);
        make::<G>(line, &setup).map_err(usage)?;
        Ok(ProtocolEngine {
            name: format!("Tablero {}", env!("CARGO_PKG_VERSION")),
            make: Box::new(move |setup| make::<G>(line, setup)),
            setup,
            elo: elo_range::<G>(),
            pace: Limits { time: Some(Duration::from_secs_f64(self.time)), ..Limits::default() },
            seed: self.seed,
        })
    }
}

/// The player of a line, or the level nearest to a rating that it is to be held down to.
fn make<G: Catalogued>(
    line: &str,
    setup: &tablero_protocol::Setup,
) -> Result<Box<dyn Player<G>>, String> {
    let line = match setup.elo {
        None => line,
        Some(elo) => nearest(G::LADDER, elo as i32 - G::LEVEL_ONE).map_or(line, |level| level.line),
    };
    let setup = Setup {
        threads: setup.threads,
        hash_mb: Some(setup.hash_mb),
        lines: setup.lines,
        bounded_by_caller: true,
        ..Setup::default()
    };
    build::<G>(line, &setup).map_err(|error| error.to_string())
}

/// The ratings of the ladder.
fn elo_range<G: Catalogued>() -> Option<std::ops::RangeInclusive<u32>> {
    Some(G::rating(G::LADDER.first()?)..=G::rating(G::LADDER.last()?))
}

fn nearest(ladder: &'static [Level], elo: i32) -> Option<&'static Level> {
    ladder.iter().min_by_key(|level| (level.elo - elo).abs())
}
