//! The Othello champion: an evaluation learned from its own games, a selective midgame search and an
//! exact endgame search.
//!
//! Boards here are pairs of sets: the discs of the side to move and those of the other side.

mod board;
mod endgame;
pub mod eval;
mod flips;
mod stability;
mod table;

pub use board::Board;
