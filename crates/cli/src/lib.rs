//! The command line of a program with any games: [`run`] is all of it.
//!
//! One file a subcommand in `commands`; whatever is printed goes through `out`. Games come from the
//! [registry](tablero_registry), so nothing here names one.

mod args;
mod commands;
mod draw;
mod files;
mod graph;
mod nats;
mod out;
mod series;
mod tasks;
mod text;
mod workers;

use std::process::ExitCode;

use clap::Parser;
use tablero_registry::GameEntry;

use crate::commands::Command;

const EXAMPLES: &str = "Examples:
  tablero                                  play and analyse in the browser
  tablero games                            the games there are
  tablero show game.pgn                    draw a file, whatever its format
  tablero show \"f5d6c3d3c4\"                draw a list of moves
  tablero perft othello 9                  count the leaves of the game tree";

/// Play Othello, chess and Shōbu against machines, understand your games, teach machines to play.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Tablero {
    /// What to do; without it the page opens in the browser.
    #[command(subcommand)]
    command: Option<Command>,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: args::ColorWhen,
}

/// Runs the program with these games: parses the command line, does what it says, and tells how it went.
pub fn run(games: Vec<&'static dyn GameEntry>) -> ExitCode {
    tablero_registry::install(games);
    tablero_core::keep_freed_memory();
    nats::hide_secrets();
    let program = Tablero::parse();
    program.color.apply();
    match program.command.unwrap_or_else(Command::usual).run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failure(&error),
    }
}
