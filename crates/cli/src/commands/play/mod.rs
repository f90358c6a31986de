//! A game in the terminal, for people and machines, also through a pipe.

mod session;
mod words;

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use tablero_core::{AnyGame, AnyRecord, Input, open_as};

use crate::args::{self, GameArg, ThreadsArg};
use crate::files::read_input;
use crate::out::usage;
use session::{Seat, Session};

const EXAMPLES: &str = "Examples:
  tablero play othello                                   you are black, against a machine
  tablero play chess --first \"level hard\" --second human
  tablero play shobu --first human --second human --rules across
  tablero play othello --first \"mcts\" --second \"alphabeta depth=4\" --pace 0.5
  tablero play chess --load game.pgn
  echo f5 | tablero play othello                         through a pipe";

/// Plays a game in the terminal. While it is your turn, `help` lists what you can say.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Play {
    #[command(flatten)]
    game: GameArg,
    /// Who begins: `human` or a player line (`tablero players` lists them).
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    first: String,
    /// The other player.
    #[arg(long, value_name = "PLAYER", default_value = "level intermediate")]
    second: String,
    /// Go on with a saved game, whatever its format.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "rules"])]
    load: Option<String>,
    /// Where to start: `start` or a position, with `moves ...` after it if you like.
    #[arg(long, value_name = "POSITION", default_value = "start")]
    position: String,
    /// The rules to play by (`tablero games` lists them).
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// The players' names, the first one's first.
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', num_args = 1..=2)]
    names: Vec<String>,
    /// Seconds between the moves of two machines [default: 1 on a terminal, 0 through a pipe].
    #[arg(long, value_name = "SECONDS")]
    pace: Option<f64>,
    /// Names whatever machines do at random [default: the time].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl Play {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let seats = [self.seat(&self.first)?, self.seat(&self.second)?];
        let mut record = self.start()?;
        for (name, seat) in record.players.iter_mut().zip(&seats) {
            if name.is_empty() {
                *name = seat.name();
            }
        }
        for (index, name) in self.names.iter().enumerate() {
            record.players[index].clone_from(name);
        }
        let mut session = Session::new(self.game.game, record, seats, self.pace()?)?;
        session.run(self.seed.unwrap_or_else(args::seed_of_time))
    }

    fn seat(&self, line: &str) -> anyhow::Result<Seat> {
        Seat::new(self.game.game, line, self.threads.count()).map_err(usage)
    }

    fn start(&self) -> anyhow::Result<AnyRecord> {
        let game = self.game.game.game();
        let Some(file) = &self.load else {
            let game = args::parse_match(game, &self.position, self.rules.as_deref())?;
            return Ok(AnyRecord::of_match(&game));
        };
        load(game, file)
    }

    fn pace(&self) -> anyhow::Result<Duration> {
        let usual = if session::on_terminal() { 1.0 } else { 0.0 };
        let seconds = self.pace.unwrap_or(usual);
        if !(0.0..=3600.0).contains(&seconds) {
            return Err(usage("--pace is 0 to 3600 seconds"));
        }
        Ok(Duration::from_secs_f64(seconds))
    }
}

/// The first game of a file.
fn load(game: AnyGame, file: &str) -> anyhow::Result<AnyRecord> {
    let (bytes, path) = read_input(file)?;
    let (mut records, _) =
        open_as(game, &Input { bytes: &bytes, path }, None).with_context(|| file.to_owned())?;
    // There is at least one: a file without is an error.
    Ok(records.swap_remove(0))
}
