//! Training for people: puzzles that come back until they are known, and estimates of strength.
//!
//! - [`Puzzles`] is a database of positions with solutions. A person and a puzzle are rated against each other by
//!   [Glicko](glicko); a puzzle that was not solved comes back soon, one that was solved later and later
//!   ([`Card`]).
//! - [`performance`] is the rating of a person by results against rated opponents, with its standard error.
//! - [`suite`] reads solutions from records of EPD and OBF files.

mod card;
mod glicko;
mod performance;
mod puzzles;
pub mod suite;

pub use card::Card;
pub use glicko::{Rating, glicko};
pub use performance::{Performance, performance};
pub use puzzles::{Attempt, NewPuzzle, Puzzle, PuzzleError, PuzzleSource, PuzzleSummary, Puzzles};
