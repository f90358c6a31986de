//! Chess and Chess960: cozy-chess's move generator behind [`Game`](tablero_core::Game), notation,
//! a tapered hand-crafted evaluation and network encodings.
//!
//! - [`Chess`] is a position; [`ChessRules`] selects standard chess or Chess960.
//! - Positions are FEN (X-FEN and Shredder-FEN for Chess960), moves SAN, both through
//!   [`Notation`](tablero_core::Notation); games are PGN through [`tablero_core::pgn`].
//! - [`Chess::uci_text`] and [`Chess::parse_uci`] are for engines; [`epd`] reads test suites.
//! - [`see`] is the static exchange evaluation that orders captures; `evaluation` has the
//!   middlegame and endgame terms.
//!
//! ```
//! use tablero_chess::{Chess, ChessRules};
//! use tablero_core::{Game, Notation};
//!
//! let mut position = Chess::start(ChessRules::Standard);
//! for text in ["e4", "e5", "g1f3"] {
//!     position.play(position.parse_move(text)?);
//! }
//! assert_eq!(
//!     position.position_text(),
//!     "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
//! );
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

mod book;
mod dialect;
mod encoding;
pub mod epd;
mod evaluation;
mod features;
mod fen;
mod formats;
mod inputs;
mod notation;
mod openings;
mod position;
mod presentation;
mod rules;
mod san;
mod settings;
mod tactics;
mod uci;

pub use cozy_chess::{self, Move};
pub use position::Chess;
pub use rules::ChessRules;
pub use tactics::see;

/// Perft from the start, written directly on cozy-chess: the baseline for the speed of the generic
/// perft.
pub fn reference_perft(depth: u32) -> u64 {
    count_leaves(&cozy_chess::Board::default(), depth)
}

fn count_leaves(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
        } else {
            for m in moves {
                let mut next = board.clone();
                next.play_unchecked(m);
                leaves += count_leaves(&next, depth - 1);
            }
        }
        false
    });
    leaves
}
