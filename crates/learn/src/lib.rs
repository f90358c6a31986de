//! Networks that learn by playing, the same way for every game.
//!
//! - [`GameData`]: a game to learn from: its moves, and what the search thought of positions. [`Block`]s
//!   of them, with check sums, are the lines of a log that a crash cannot damage.
//! - [`GamesWork`]: plays such games, a network against itself or a teacher, as tasks for any executor.
//! - [`Lessons`]: the positions of many games, ready to be drawn from.
//! - [`Fit`]: training that can be interrupted at any step and goes on to the same weights.
//! - [`packed()`]: the positions of many games in a file that is quick to read.
//! - [`record_games`]: records of games of any player; [`otelo_table`] and [`table_rows`]: tables of them for
//!   other programs.
//! - [`open_run`] and [`run_learning`]: generation after generation of games, training and measurement, in
//!   a folder that can be looked at and gone on with at any time.
//!
//! Nothing in here depends on the number of threads, and nothing on a restart: whatever is random comes
//! from the run's seed and the number of the game or step.

mod config;
mod data;
mod error;
mod fit;
mod games;
mod known;
mod lessons;
mod measure;
mod packed;
mod record;
mod report;
mod run;
mod style;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod trainer;

pub use config::{LearnConfig, Measuring, Pace, Teaching};
pub use data::{Block, GameData, Note, read_games};
pub use error::LearnError;
pub use fit::{Fit, FitPlan, Schedule};
pub use games::{GamesTask, GamesWork, Source};
pub use lessons::{Lesson, Lessons, Targets};
pub use measure::Met;
pub use packed::{PACKED, packed};
pub use record::{Recorded, record_games};
pub use run::{
    BEST, GenerationPast, LEARN, Learned, Loss, generation_file, open_run, run_learning,
};
pub use style::Style;
pub use table::{TABLE_HEAD, otelo_table, read_otelo_table, table_rows};
pub use trainer::TrainerName;

use tablero_core::{Notation, Tactics};
use tablero_nets::Encoding;

/// A game that can be learned.
pub trait Learnable: Notation + Encoding + Tactics {}

impl<G: Notation + Encoding + Tactics> Learnable for G {}
