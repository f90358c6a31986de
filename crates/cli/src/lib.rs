//! The `tablero` command line, for any set of games.
//!
//! [`run`] is the whole interface: it installs the games in the [registry](tablero_registry), parses the
//! arguments with clap and dispatches to one module per subcommand in `commands`. No game is named
//! here: a binary with games of its own calls [`run`] with its list.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // The catalog's games, or any other `GameEntry` values.
//!     tablero_cli::run(Vec::new())
//! }
//! ```
//!
//! Results go to standard output, progress and errors to standard error, all through `out`. The exit
//! status is 0 on success, 1 on failure, 2 on wrong usage and 130 after Ctrl-C.

mod args;
mod commands;
mod draw;
mod files;
mod graph;
mod job_args;
mod match_args;
mod nats;
mod out;
mod output_file;
mod tasks;
mod text;
mod workers;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use tablero_jobs::BuildInfo;
use tablero_registry::GameEntry;

use crate::commands::Command;

const EXAMPLES: &str = "Examples:
  tablero                                    open the web interface in the browser
  tablero play othello                       play in the terminal
  tablero best chess start --multipv 3       the best moves of a position
  tablero review game.pgn                    find the mistakes of a game
  tablero match othello champion \"level 5\"   play a match between two engines
  tablero learn connectfour --hours 1        train a network by self-play

`tablero COMMAND --help` describes a command, with examples.";

/// Play board games against engines, analyse your games, train engines by self-play and evolution.
#[derive(Parser)]
#[command(name = "tablero", version = build_version(), after_help = EXAMPLES)]
struct Tablero {
    #[command(subcommand)]
    command: Option<Command>,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: args::ColorWhen,
}

/// Version, commit, processor features and date of the build.
fn build_version() -> String {
    let build = BuildInfo::current();
    let date = if build.date.is_empty() { String::new() } else { format!(" ({})", build.date) };
    build.id() + &date
}

/// Parses the command line, runs the command with these games and returns the exit status.
pub fn run(games: Vec<&'static dyn GameEntry>) -> ExitCode {
    tablero_registry::install(games);
    tablero_core::keep_freed_memory();
    nats::hide_secrets();
    let program = Tablero::parse();
    program.color.apply();
    match program.command.unwrap_or_else(Command::default_command).run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failure(&error),
    }
}

/// The definition of the command line.
pub(crate) fn program() -> clap::Command {
    Tablero::command()
}
