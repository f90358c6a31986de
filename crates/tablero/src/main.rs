//! The program: the command line with the games that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    tablero_cli::run(tablero_catalog::games())
}
