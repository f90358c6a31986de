use tablero_arena::ArenaError;
use tablero_core::NoSuchRules;
use tablero_jobs::JobError;
use tablero_registry::NoSuchGame;
use tablero_report::ReportError;
use thiserror::Error;

/// Why an experiment could not be run or reported.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// There is no such experiment.
    #[error("there is no experiment `{name}`; there are {known}")]
    Unknown {
        /// As it was asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The experiment's file asks for something that makes no sense.
    #[error("experiment: {0}")]
    Plan(String),
    /// The experiment is about a game that the program does not have.
    #[error("experiment: {0}")]
    Game(#[from] NoSuchGame),
    /// The game has no such rules.
    #[error("experiment: {0}")]
    Rules(#[from] NoSuchRules),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A match could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// An evolution failed.
    #[error(transparent)]
    Evolve(#[from] tablero_evolve::EvolveError),
    /// A network could not be trained.
    #[error(transparent)]
    Learn(#[from] tablero_learn::LearnError),
    /// A network could not be read or written.
    #[error(transparent)]
    Net(#[from] tablero_nets::NetError),
    /// Tasks or files of the job failed.
    #[error(transparent)]
    Job(#[from] JobError),
}
