//! Reinforcement learning by self-play, for every game.
//!
//! The loop is AlphaZero's, with KataGo's improvements. One generation of [`generations`]:
//! 1. **Self-play** ([`SelfPlayWork`]): the best network plays games against itself, as tasks for threads or a
//!    cluster. Full searches yield [`SearchTarget`]s; the [`GameData`] is logged in [`GameBatch`]es with
//!    checksums.
//! 2. **Replay buffer**: the games of the latest generations become [`LabeledPosition`]s, whose value target mixes
//!    the search's value and the game's result ([`TargetConfig::q_ratio`]).
//! 3. **Training** ([`TrainingRun`]): AdamW steps on batches sampled by policy surprise, augmented by symmetries.
//! 4. **Evaluation**: matches against the generation evaluated before and fixed anchors, rated in Elo.
//! 5. **Promotion**, subject to gating: the new network plays the next generation's games.
//!
//! A teacher may play the first generations instead ([`LearnConfig::with_teacher`]). [Supervised training](supervised) uses
//! the same pieces: [`record_games`], [`TrainingSet`], [`pack_positions`]; [`board_csv`] and [`csv_rows`] export data
//! sets.
//!
//! Results depend neither on the number of threads nor on interruptions: every random choice comes from the run's
//! seed and the index of the game or step.
//!
//! # Example
//! One small generation of tic-tac-toe:
//! ```
//! use tablero_arena::Factory;
//! use tablero_core::PlayerSetup;
//! use tablero_jobs::{CancellationToken, Threads};
//! use tablero_learn::generations::RunContext;
//! use tablero_learn::{LearnConfig, open_run};
//!
//! tablero_registry::install(tablero_catalog::games());
//! let mut games = tablero_registry::games().iter();
//! let entry = games.find(|entry| entry.game().name() == "tictactoe").expect("in the catalog");
//!
//! let mut config = LearnConfig::quick(entry.game(), "tablero learn tictactoe --quick");
//! (config.net, config.generations) = ("resnet 1x4".into(), Some(1));
//! let folder = std::env::temp_dir().join(format!("learn-example-{}", std::process::id()));
//! let job = open_run(&folder, &config, &entry.learning().spec(), None, None)?;
//!
//! let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
//! let factory = Factory { game: entry.game(), make: &make };
//! let (executor, cancel) = (Threads::new(2.try_into()?), CancellationToken::default());
//! let context = RunContext { executor: &executor, threads: 2, device: None, cancel: &cancel };
//! let history = entry.learning().run(job, factory, context, &mut |progress| {
//!     println!("{}", progress.message);
//! })?;
//! assert_eq!(history.generations[0].games, 24);
//! assert!(folder.join("best.safetensors").is_file());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotated;
mod backend;
mod config;
mod csv;
mod data;
mod error;
mod findings;
mod game;
pub mod generations;
mod history;
mod network;
pub mod nnue;
mod options;
mod position_file;
mod ratings;
mod record;
mod report;
mod self_play;
mod self_play_config;
mod spec;
pub mod supervised;
mod task;
mod training_run;
mod training_set;

pub use backend::{TrainingBackend, check_trains_on_cpu};
pub use config::{EvaluationConfig, LearnConfig, TeacherConfig, TrainingConfig};
pub use csv::{BoardTable, CSV_HEADER, board_csv, csv_rows, supports_board_table};
pub use data::{
    FIXED_POINT_ONE, GameBatch, GameData, SearchTarget, distinct_moves, move_index, read_games,
};
pub use error::{ConfigError, LearnError};
pub use findings::Finding;
pub use game::{AnyTrainingRun, AnyTrainingSet, LearningGame, NetworkOutput};
pub use history::{GenerationStats, LearningHistory, Loss};
pub use network::{BEST, LEARN, generation_file, open_run, run_learning};
pub use options::LearnOptions;
pub use position_file::{POSITIONS_EXTENSION, pack_positions};
pub use ratings::MatchScore;
pub use record::{RecordSummary, record_games};
pub use self_play::{SelfPlay, SelfPlayWork};
pub use self_play_config::SelfPlayConfig;
pub use spec::GameSpec;
pub use task::{SelfPlayTask, Source};
pub use training_run::{LrSchedule, TrainingPlan, TrainingRun};
pub use training_set::{LabeledPosition, TargetConfig, TrainingSet};

use tablero_core::Playable;

/// A game that can be learned: every game.
pub trait Learnable: Playable {}

impl<G: Playable> Learnable for G {}
