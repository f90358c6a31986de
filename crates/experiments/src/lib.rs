//! A harness for experiments: it reproduces published ones, and runs plans of users.
//!
//! ```text
//! experiments/NAME.toml ──> Experiment (plan) ──> run_experiment_job ──> Results ──> report: tables, plots
//!                             networks, matches,     resumable job        metrics,
//!                             searches, evolutions                        comparisons
//! ```
//!
//! Users write plans of their own, from a [`template`]; a `grid` in them stands for many players or networks.
//!
//! An [`Experiment`] is a plan: networks to train, matches, searches and evolutions to run, published
//! values and the expected result. [`run_experiment_job`] runs it as a job, which can be interrupted and
//! resumed; its [`Results`] are rendered by [`report`](report()).
//!
//! ```
//! let experiment = tablero_experiments::find("unicen")?;
//! assert_eq!(experiment.game, "othello");
//! # Ok::<(), tablero_experiments::ExperimentError>(())
//! ```

mod custom;
mod error;
mod evolutions;
mod grid;
mod job;
mod matches;
mod mobility;
mod networks;
mod plan;
mod report;
mod results;
mod searches;
mod staged;
mod templates;
mod works;

pub use error::ExperimentError;
pub use evolutions::{EvolutionMetrics, RunMetrics};
pub use job::{EXPERIMENT, ExperimentConfig, run_experiment_job};
pub use mobility::Mobility;
pub use networks::NetworkMetrics;
pub use plan::{
    Claim, Comparison, Entrant, Estimate, EvolutionPlan, EvolutionRun, EvolutionStage, Experiment,
    Keep, LearningPlan, MatchPlan, NetworkPlan, SearchPlan, Size, SplitUnit, StagedEvolutionPlan,
    SupervisedPlan, Translation, find, names,
};
pub use report::report;
pub use results::{
    ComparisonResult, DepthMetrics, EstimatedNodes, FirstMoves, MatchMetrics, PairMetrics, Results,
    SearchMetrics, SearcherMetrics,
};
pub use staged::{StageMetrics, StagedEvolutionMetrics};
pub use templates::{TEMPLATES, Template, template};
pub use works::{Work, works_page};
