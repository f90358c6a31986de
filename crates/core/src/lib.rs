//! What every game of Tablero has in common, and nothing of any one game.
//!
//! - [`Game`]: the rules of a game, as searches and learners see them. A position is a small value
//!   without history.
//! - [`Notation`]: how a game's positions and moves are written and drawn.
//! - [`Match`]: a game under way: undo, repetition, draws that depend on how the game went.
//! - [`Record`]: a game as it is kept in a file; [`pgn`] reads and writes it as text.
//! - [`ForMover`], [`ForFirst`]: points of view, so that a score of the wrong side does not compile.
//! - [`Player`]: who chooses moves, bounded by [`Limits`]; [`Evaluation`] and [`Tactics`]: what a
//!   search knows about a game beyond its rules.
//! - [`conformance`]: the one suite of checks that every game passes.

mod chances;
mod checksum;
pub mod conformance;
mod diagram;
mod error;
mod evaluation;
mod game;
mod matches;
mod memory;
mod outcome;
mod perft;
pub mod pgn;
mod player;
mod playout;
mod pov;
mod record;
mod rng;
mod scan;
mod side;
mod tactics;

pub use chances::Chances;
pub use checksum::checksum;
pub use diagram::{Cell, Diagram, Ground, Piece};
pub use error::{Place, ReadError};
pub use evaluation::{Evaluation, EvaluationKind, Weight};
pub use game::{Game, HistoryRules, Notation, Rules, StandardRules};
pub use matches::{IllegalMove, Match};
pub use memory::{LargeTable, keep_freed_memory};
pub use outcome::{Draw, DrawReason, Ending, GameEnd, Outcome, Wdl};
pub use perft::{perft, perft_distinct, perft_parallel};
pub use player::{Choice, Clock, Control, Info, Limits, Line, Player, PlayerError};
pub use playout::random_playout;
pub use pov::{ForFirst, ForMover};
pub use record::{Ply, Record, Value};
pub use rng::Rng;
pub use scan::Scanner;
pub use side::Side;
pub use tactics::{Selectivity, Tactics};
