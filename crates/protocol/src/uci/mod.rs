//! The Universal Chess Interface (Huber and Meyer-Kahlen, 2000), extended to every game.
//!
//! Chess follows the specification. Other games differ only in notation:
//! `position startpos moves f5 d6`, `position <one-line position> moves ...` (the word `fen` may
//! precede the position), moves as [`Notation`](tablero_core::Notation) writes them, without
//! spaces. `wtime` and `winc` belong to the side named white, `btime` and `binc` to black; in games without
//! these names, to the first and second side.
//!
//! ```text
//! GUI: uci                            engine: id name ..., option name ..., uciok
//! GUI: isready                        engine: readyok
//! GUI: position startpos moves e2e4
//! GUI: go wtime 60000 btime 60000     engine: info depth 1 ..., bestmove e7e5 ponder g1f3
//! ```

mod command;
mod info;
mod options;
mod serve;

pub(crate) use command::clock_index;
use command::milliseconds;
pub(crate) use info::parse_info;
pub(crate) use serve::serve_uci;
