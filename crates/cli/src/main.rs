//! The program `tablero`: one file per subcommand in `commands`.

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

fn main() -> ExitCode {
    tablero_core::keep_freed_memory();
    nats::hide_secrets();
    let program = Tablero::parse();
    program.color.apply();
    match program.command.unwrap_or_else(Command::usual).run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failure(&error),
    }
}
