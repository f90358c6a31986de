//! The Othello champion: an engine in the tradition of Logistello, Zebra and Edax.
//!
//! - [`eval`]: pattern tables and mobility terms (Buro), learned from the engine's own games by
//!   `tablero-pattern-learning`; [`eval::Weights`] reads and evaluates them.
//! - `search`: midgame PVS with a shared transposition table, Multi-ProbCut ([`Selectivity`]),
//!   enhanced transposition cutoffs and YBWC parallelism.
//! - `endgame`: exact search of the last empties: parity, fastest-first ordering, stability
//!   cutoffs.
//! - [`engine`]: iterative deepening over depth and selectivity; [`levels`]: Edax's levels 1 to 60.
//! - `flips`, `stability`, [`Board`]: bitboards from the side to move's point of view, AVX2 where
//!   available.
//! - [`Champion`]: the engine as a [`Player`](tablero_core::Player); [`signature`]: its node
//!   counts.
//!
//! ```
//! use tablero_champion::engine::Engine;
//! use tablero_champion::eval::Weights;
//! use tablero_champion::{Board, Selectivity};
//! use tablero_core::{Notation, StandardRules};
//! use tablero_othello::{Othello, Square};
//!
//! // FFO 40, the first of the French federation's endgame tests, to depth 8.
//! let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
//! let position = Othello::parse_position(text, StandardRules).expect("a position");
//! let mut engine = Engine::new(Weights::embedded(), 1 << 20, 1);
//! let board = Board::from(&position);
//! let (discs, best) = engine.value(board, 8, Selectivity::LOWEST_CONFIDENCE);
//! assert!(discs > 0 && board.moves() >> best & 1 == 1);
//! println!("{} with {discs:+} discs", Square::new(best).expect("no pass"));
//! ```

mod board;
mod clock;
mod endgame;
pub mod engine;
pub mod eval;
mod flips;
pub mod levels;
mod player;
mod search;
mod signature;
mod stability;
#[cfg(test)]
mod test_positions;
mod tt;

pub use board::Board;
pub use player::{Champion, ChampionOptions};
pub use search::Selectivity;
pub use signature::signature;
