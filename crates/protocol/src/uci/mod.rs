//! The Universal Chess Interface, for every game.
//!
//! Chess follows the protocol to the letter. The other games differ only in notation:
//! `position startpos moves f5 d6`, `position <one-line position> moves ...` (the word `fen` may
//! stand before the position), moves as [`Notation`](tablero_core::Notation) writes them, without
//! blanks. `wtime` and `winc` belong to the side called white, `btime` and `binc` to black; where
//! sides are not called so, to the first and the second.

mod command;
mod info;
mod options;
mod serve;

pub(crate) use command::clock_index;
use command::milliseconds;
pub(crate) use info::read_info;
pub(crate) use serve::serve_uci;
