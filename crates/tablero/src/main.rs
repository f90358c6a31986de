//! The `tablero` program: the command line with the games of the catalog.
//!
//! Tablero plays Othello, chess, Shōbu and Connect Four, measures players against each other and teaches them to
//! play. The program is small; the work is in the library crates, each of which starts with an example. Four to begin
//! with, in `crates/tablero/examples` (`cargo run --release --example play_game`):
//!
//! - `play_game`: a game between two players;
//! - `own_search`: alpha-beta in sixty lines, against the traits, for every game;
//! - `run_match`: a match with Elo and error bars;
//! - `train_network`: a network learns a game.
//!
//! | crate | what |
//! |---|---|
//! | [core](../tablero_core/index.html) | what a game implements; histories, records, player lines |
//! | [othello](../tablero_othello/index.html), [chess](../tablero_chess/index.html), [shobu](../tablero_shobu/index.html), [connectfour](../tablero_connectfour/index.html), [tictactoe](../tablero_tictactoe/index.html) | one game each |
//! | [search](../tablero_search/index.html) | minimax, alpha-beta, MCTS, PUCT |
//! | [champion](../tablero_champion/index.html) | the Othello engine: patterns, Multi-ProbCut, endgame solver |
//! | [nets](../tablero_nets/index.html), [learn](../tablero_learn/index.html), [pattern-learning](../tablero_pattern_learning/index.html) | networks, self-play, training |
//! | [genomes](../tablero_genomes/index.html), [evolve](../tablero_evolve/index.html) | evaluations that evolve |
//! | [arena](../tablero_arena/index.html), [review](../tablero_review/index.html) | matches, Elo, SPRT, tournaments; game reviews |
//! | [protocol](../tablero_protocol/index.html) | UCI, NBoard, GTP |
//! | [jobs](../tablero_jobs/index.html), [cluster](../tablero_cluster/index.html) | long-running work, on threads or on many machines |
//! | [registry](../tablero_registry/index.html), [catalog](../tablero_catalog/index.html) | games as objects; the list of games |
//! | [server](../tablero_server/index.html), [cli](../tablero_cli/index.html), [experiments](../tablero_experiments/index.html) | what people use |

mod builds;
mod cpu;

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use builds::HandOverError;
use tablero_jobs::BuildInfo;

fn main() -> ExitCode {
    match cpu::missing_feature() {
        Some(feature) => refuse(feature),
        None => start(),
    }
}

/// Tells what the processor lacks. Without formatting, and one part at a time: other code may use the missing
/// instructions.
fn refuse(feature: &str) -> ExitCode {
    let mut stderr = stderr();
    let _ = stderr.write_all(b"error: this build of tablero needs a processor with ");
    let _ = stderr.write_all(feature.as_bytes());
    let _ =
        stderr.write_all(b"; install a package of script/package, or build it on this machine\n");
    ExitCode::FAILURE
}

/// Runs the program. Not part of `main`, whose code runs on any processor.
#[inline(never)]
fn start() -> ExitCode {
    if let Err(problem) = builds::hand_over() {
        let is_fatal = matches!(problem, HandOverError::UnknownLevel(_));
        let kind = if is_fatal { "error" } else { "warning" };
        let _ = writeln!(stderr(), "{kind}: {problem}");
        if is_fatal {
            return ExitCode::from(2);
        }
    }
    BuildInfo { commit: env!("TABLERO_COMMIT"), date: env!("TABLERO_COMMIT_DATE") }.install();
    tablero_cli::run(tablero_catalog::games())
}
