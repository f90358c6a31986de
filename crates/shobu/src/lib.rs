//! Shōbu: two stones a turn on four boards.
//!
//! [`Shobu`] is the position and knows the rules ([`tablero_core::Game`]) and the notation
//! ([`tablero_core::Notation`]); a move is a [`Turn`]. [`Shobu::why_illegal`] explains what is wrong
//! with a turn.
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
mod notation;
mod position;
mod presentation;
mod reach;
mod settings;
mod tactics;
mod turn;

pub use geometry::{Board, Direction, Distance, Square};
pub use illegal::Illegal;
pub use position::{Push, Shobu, ShobuRules};
pub use turn::Turn;
