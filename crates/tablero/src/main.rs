//! The `tablero` program: the command line with the games of the catalog.
//!
//! Tablero plays Othello, chess, Shōbu and Connect Four, measures players against each other and teaches them to
//! play. The program is small; the work is in the library crates, each of which starts with an example:
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

mod cpu;

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use tablero_jobs::BuildInfo;

const HINT: &str =
    "; build it on this machine, or with RUSTFLAGS=\"-C target-cpu=x86-64\" for any\n";

fn main() -> ExitCode {
    if let Some(feature) = cpu::missing_feature() {
        // Before anything else, and without formatting: other code may use the missing instructions.
        for part in ["error: this build of tablero needs a processor with ", feature, HINT] {
            let _ = stderr().write_all(part.as_bytes());
        }
        return ExitCode::FAILURE;
    }
    BuildInfo { commit: env!("TABLERO_COMMIT"), date: env!("TABLERO_COMMIT_DATE") }.install();
    tablero_cli::run(tablero_catalog::games())
}
