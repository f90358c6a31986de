//! Othello: rules, notations, files.
//!
//! Squares are numbered row by row from a1, the top left corner: a1 = 0, b1 = 1, a2 = 8, h8 = 63;
//! a set of squares is a `u64` with one bit a square.

pub mod bits;
mod board;
mod encoding;
pub mod evaluations;
mod features;
pub mod files;
mod formats;
mod notation;
mod presentation;
mod settings;
mod square;
mod stability;
pub mod symmetry;
mod tactics;

pub use board::Othello;
pub use square::Square;
pub use stability::stable_discs;
