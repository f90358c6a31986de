//! Othello: bitboard move generation, rules, notation, hand-written evaluations and the file formats
//! of the Othello world (GGF, WTHOR, OBF, transcripts).
//!
//! [`Othello`] is a position, [`Square`] a move (or the pass). Squares are numbered row by row from
//! a1, the top left corner: a1 = 0, b1 = 1, a2 = 8, h8 = 63; a set of squares is a bitboard, a `u64`
//! with one bit per square. [`bitboard`] generates moves and flips, [`evaluations`] has the static
//! evaluations, [`files`] the formats. The strong engine with pattern evaluation is a crate of its
//! own, `tablero-champion`.
//!
//! ```
//! use tablero_core::{Game, Notation, StandardRules};
//! use tablero_othello::{Othello, bitboard};
//!
//! let start = Othello::start(StandardRules);
//! let moves: Vec<String> = start.moves().iter().map(|m| m.to_string()).collect();
//! assert_eq!(moves, ["d3", "c4", "f5", "e6"]);
//!
//! let f5 = start.parse_move("f5")?;
//! assert_eq!(bitboard::flips(start.mover(), start.other(), f5).count_ones(), 1);
//! assert_eq!(start.after(f5).mover().count_ones(), 1, "white is left with one disc");
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

pub mod bitboard;
mod board;
mod encoding;
pub mod evaluations;
mod features;
pub mod files;
mod formats;
mod inputs;
mod notation;
mod openings;
mod presentation;
mod settings;
mod square;
mod stability;
pub mod symmetry;
mod tactics;

pub use board::Othello;
pub use square::Square;
pub use stability::stable_discs;
