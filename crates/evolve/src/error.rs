use tablero_arena::ArenaError;
use tablero_core::PlayerLineError;
use tablero_genomes::GenomeError;
use tablero_jobs::JobError;
use thiserror::Error;

/// Why an evolution could not be started or could not go on.
#[derive(Debug, Error)]
pub enum EvolveError {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Config(String),
    /// A player line is wrong.
    #[error(transparent)]
    Player(#[from] PlayerLineError),
    /// Genomes are wrong, or of another game.
    #[error(transparent)]
    Genome(#[from] GenomeError),
    /// There are no openings to play from.
    #[error(transparent)]
    Openings(#[from] ArenaError),
    /// Tasks or files of the job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Stopped,
}
