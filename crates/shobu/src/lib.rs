//! Shōbu (Manolis Vranas and Jamie Sajdak, 2019): four 4x4 boards; a turn is a passive move and an
//! aggressive move by the same vector, which may push an opposing stone off its board.
//!
//! [`Shobu`] is a position with the rules ([`tablero_core::Game`]) and the notation
//! ([`tablero_core::Notation`]); a move is a [`Turn`]. All four boards are one 64-bit bitboard, and
//! `movegen` computes the turns of all directions at once. [`Shobu::why_illegal`] explains why a turn
//! is illegal.
//!
//! ```
//! use tablero_core::{Game, Notation, Side};
//! use tablero_shobu::{Board, Shobu, ShobuRules};
//!
//! let start = Shobu::start(ShobuRules::Official);
//! assert_eq!(start.count_moves(), 232);
//! let turn = start.parse_move("a1f5NE2")?;
//! let next = start.after(turn);
//! assert_eq!(next.stones(Side::First, Board::TopRight).count_ones(), 4);
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

mod encoding;
mod evaluations;
mod features;
mod formats;
mod geometry;
mod illegal;
mod inputs;
mod movegen;
mod notation;
mod position;
mod presentation;
mod settings;
mod tactics;
mod turn;

pub use geometry::{Board, Direction, Distance, Square};
pub use illegal::IllegalTurn;
pub use position::{Push, Shobu, ShobuRules};
pub use turn::Turn;
