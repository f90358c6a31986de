//! `tablero play`: a game in the terminal, between humans and engines; input may come from a pipe.

mod command;
mod input;
mod lang;
mod session;

use std::time::Duration;

use clap::Args;
use tablero_core::{AnyGame, AnyRecord};

use crate::args::{self, GameArg, StrictArg, ThreadsArg};
use crate::files::open_games;
use crate::out::usage;
use lang::Lang;
use session::{Player, Session};

const EXAMPLES: &str = "Examples:
  tablero play othello                                   you are black, against an engine
  tablero play chess --first \"level hard\" --second human
  tablero play shobu --first human --second human --rules across
  tablero play othello --first mcts --second \"alphabeta depth=4\" --pace 0.5
  tablero play chess --load game.pgn
  tablero play shobu --lang es                           in Spanish
  printf 'f5\\nmoves\\n' | tablero play othello           read commands from a pipe";

/// Play a game in the terminal.
///
/// Type moves in any notation of the game; `help` lists the commands.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Play {
    #[command(flatten)]
    game: GameArg,
    /// First player: `human` or an engine (see `tablero players`).
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    first: String,
    /// Second player.
    #[arg(long, value_name = "PLAYER", default_value = "level intermediate")]
    second: String,
    /// Continue a saved game, in any file format of the game.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "rules"])]
    load: Option<String>,
    #[command(flatten)]
    strict: StrictArg,
    /// `start` or a position, optionally followed by `moves` and a list of moves.
    #[arg(long, value_name = "POSITION", default_value = "start", allow_hyphen_values = true)]
    #[arg(value_parser = args::position)]
    position: String,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Names of the players, first player first.
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', num_args = 1..=2)]
    names: Vec<String>,
    /// Minimum time per move when two engines play [default: 1 on a terminal, otherwise 0].
    #[arg(long, value_name = "SECONDS")]
    pace: Option<f64>,
    /// Language of the interface [default: that of the locale].
    #[arg(long, value_name = "LANG")]
    lang: Option<Lang>,
    /// Random seed of the engines [default: from the clock].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl Play {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let lang = self.lang.unwrap_or_else(Lang::from_env);
        let players = [self.player(&self.first)?, self.player(&self.second)?];
        let mut record = self.start()?;
        for (name, player) in record.players.iter_mut().zip(&players) {
            if name.is_empty() {
                *name = player.name(lang).into();
            }
        }
        for (index, name) in self.names.iter().enumerate() {
            record.players[index].clone_from(name);
        }
        let mut session = Session::new(self.game.game, record, players, lang)?;
        session.set_pace(self.pace()?);
        session.set_threads(self.threads.count());
        session.run(self.seed.unwrap_or_else(args::clock_seed))
    }

    fn player(&self, line: &str) -> anyhow::Result<Player> {
        Player::new(self.game.game, line, self.threads.count()).map_err(usage)
    }

    fn start(&self) -> anyhow::Result<AnyRecord> {
        let game = self.game.game.game();
        let Some(file) = &self.load else {
            let game = args::parse_history(game, &self.position, self.rules.as_deref())?;
            return Ok(AnyRecord::from_history(&game));
        };
        load(game, file, self.strict.strict)
    }

    fn pace(&self) -> anyhow::Result<Duration> {
        let default = if session::on_terminal() { 1.0 } else { 0.0 };
        let seconds = self.pace.unwrap_or(default);
        if !(0.0..=3600.0).contains(&seconds) {
            return Err(usage("--pace must be 0 to 3600 seconds"));
        }
        Ok(Duration::from_secs_f64(seconds))
    }
}

/// The first game of a file.
fn load(game: AnyGame, file: &str, strict: bool) -> anyhow::Result<AnyRecord> {
    // Never empty: a file without games is an error.
    Ok(open_games(game, file, strict)?.into_vec().swap_remove(0))
}
