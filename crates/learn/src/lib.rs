//! Learning by playing, the same way for every game.
//!
//! - [`generations`]: the loop of self-play, training, evaluation and promotion, and the replay window. What
//!   learns is a [`Trainee`](generations::Trainee).
//! - [`GameData`]: a game to learn from: its moves, and what the search thought of positions. [`Block`]s
//!   of them, with check sums, are the lines of a log that a crash cannot damage.
//! - [`GamesWork`]: plays such games, a network against itself or a teacher, as tasks for any executor.
//! - [`Lessons`]: the positions of many games.
//! - [`Fit`]: training that can be interrupted at any step and goes on to the same weights.
//! - [`packed()`]: the positions of many games in a file that is quick to read.
//! - [`record_games`]: records of games of any player; [`otelo_table`] and [`table_rows`]: tables of them for
//!   other programs.
//! - [`open_run`] and [`LearningGame::run`]: networks in the generation loop.
//!
//! Nothing in here depends on the number of threads, and nothing on a restart: whatever is random comes
//! from the run's seed and the number of the game or step.

mod config;
mod data;
mod error;
mod fit;
mod game;
pub mod generations;
mod history;
mod known;
mod lessons;
mod measure;
mod network;
mod packed;
mod record;
mod report;
mod self_play;
mod spec;
mod style;
mod table;
mod task;
mod trainer;

pub use config::{LearnConfig, Measuring, Pace, Teaching};
pub use data::{Block, GameData, Note, PARTS, distinct_moves, number_of, read_games};
pub use error::LearnError;
pub use fit::{Fit, FitPlan, Schedule};
pub use game::{LearningGame, NetworkOutput, TrainingRun, TrainingSet};
pub use history::{GenerationPast, Learned, Loss};
pub use lessons::{Lesson, Lessons, Targets};
pub use measure::Met;
pub use network::{BEST, LEARN, generation_file, open_run, run_learning};
pub use packed::{PACKED, packed};
pub use record::{Recorded, record_games};
pub use self_play::{GamesWork, SelfPlay};
pub use spec::GameSpec;
pub use style::Style;
pub use table::{TABLE_HEAD, has_otelo_table, otelo_table, table_rows};
pub use task::{GamesTask, Source};
pub use trainer::TrainerName;

use tablero_core::Playable;

/// A game that can be learned: every one.
pub trait Learnable: Playable {}

impl<G: Playable> Learnable for G {}
