//! Learning of the Othello champion's pattern tables from self-play, in the
//! [generation loop](tablero_learn::generations) and from zero weights.
//!
//! A generation plays games (`games`), labels their positions with lambda-returns of search values
//! (`samples`), fits the weights of every phase by ridge regression (`regression`), fits the error
//! model of Multi-ProbCut (`probcut`), and plays a gating match against the best weights so far
//! (`gate`). The steps are lists of tasks, on threads or a cluster.
//!
//! A run is a job in its own folder, with these files beside those of every job:
//! - `games-N.jsonl`: the games of generation N,
//! - `generation-N.weights`: its weights,
//! - `best.weights`: the best weights so far,
//! - `candidate-N.weights`: the weights of generation N before the gating match,
//! - `report.md` with its plots.
//!
//! [`learn_bill`] learns the discriminant of BILL in the same loop.
//!
//! ```
//! use tablero_jobs::Work;
//! use tablero_pattern_learning::{LearnConfig, SelfPlay, SelfPlayConfig, SelfPlayTask};
//!
//! let config = LearnConfig::quick("tablero learn othello --net patterns --quick");
//! config.check().expect("valid settings");
//!
//! // One short game of zero weights against themselves.
//! let config =
//!     SelfPlayConfig { min_random_plies: 50, max_random_plies: 50, depth: 1, exact_empties: 8 };
//! let task = SelfPlayTask { weights: None, config, seed: 1, first: 0, count: 1 };
//! let games = SelfPlay::default().run(&task).expect("no file to read");
//! assert_eq!(games[0].random_plies, 50);
//! assert_eq!(games[0].moves.len() / 2, 50 + games[0].values.len());
//! ```

mod bill;
mod config;
mod games;
mod gate;
mod probcut;
mod regression;
mod report;
mod run;
mod samples;
mod searcher;
mod trainee;
mod weights_cache;

pub use bill::{
    BILL_GENES, BILL_JOB_KIND, BillConfig, BillGame, BillGeneration, BillHistory, BillSelfPlay,
    BillSelfPlayConfig, BillTask, learn_bill, open_bill_run,
};
pub use config::{LearnConfig, Plan};
pub use games::{GameRecord, SelfPlay, SelfPlayConfig, SelfPlayTask};
pub use gate::{Gate, GateTask};
pub use probcut::{ProbCutMeasurement, ProbCutTask};
pub use trainee::{BEST_WEIGHTS, JOB_KIND, LearningHistory, open_run, run_learning};
pub use weights_cache::UsesWeights;
