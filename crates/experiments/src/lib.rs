//! The experiments of earlier works, measured again.
//!
//! An [`Experiment`] is a file in `experiments/`: who plays whom, which searches look at how many
//! positions, which networks are trained, what is evolved, what the work says about it and what we expect. It is run as a job
//! ([`run_experiment_job`]), stopped and resumed like any other; its [`Figures`] become a
//! [`report`](report()) with tables and plots.
//!
//! ```
//! let experiment = tablero_experiments::find("unicen")?;
//! assert_eq!(experiment.game, "othello");
//! # Ok::<(), tablero_experiments::ExperimentError>(())
//! ```

mod error;
mod evolutions;
mod figures;
mod job;
mod matches;
mod mobility;
mod networks;
mod plan;
mod report;
mod searches;

pub use error::ExperimentError;
pub use evolutions::{EvolutionFigures, RunFigures};
pub use figures::{
    Compared, DepthFigures, EstimateFigures, Figures, FirstMoves, MatchFigures, PairFigures,
    SearchFigures, SearcherFigures,
};
pub use job::{EXPERIMENT, ExperimentConfig, run_experiment_job};
pub use mobility::Mobility;
pub use networks::NetworkFigures;
pub use plan::{
    Comparison, Entrant, Estimate, EvolutionPlan, EvolutionRun, Experiment, LearningPlan,
    MatchPlan, NetworkPlan, RecordedPlan, SearchPlan, Size, find, names,
};
pub use report::report;
