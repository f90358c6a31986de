//! The Othello champion: an evaluation learned from its own games, a selective midgame search and an
//! exact endgame search.
//!
//! Boards here are pairs of sets: the discs of the side to move and those of the other side.

mod board;
mod clock;
mod endgame;
pub mod engine;
pub mod eval;
mod flips;
pub mod levels;
mod player;
#[cfg(test)]
mod samples;
mod search;
mod signature;
mod stability;
mod table;

pub use board::Board;
pub use player::{Champion, ChampionOptions};
pub use search::Selectivity;
pub use signature::signature;
