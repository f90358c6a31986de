use std::io;
use std::path::PathBuf;

use tablero_arena::OpeningsError;
use tablero_core::{OpenError, PlayerLineError, UnknownRules};
use tablero_genomes::GenomeError;
use tablero_jobs::JobError;
use thiserror::Error;

/// Why an evolution cannot be started or continued.
#[derive(Debug, Error)]
pub enum EvolveError {
    /// An evolution of 0 generations.
    #[error("an evolution has at least 1 generation")]
    NoGenerations,
    /// The configuration is for another game.
    #[error("the evolution is one of {found}, not {expected}")]
    WrongGame {
        /// The game of the configuration.
        found: String,
        /// The game that runs it.
        expected: &'static str,
    },
    /// The game has no such rules.
    #[error(transparent)]
    Rules(#[from] UnknownRules),
    /// The openings are invalid.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The scheme line is empty.
    #[error("an empty scheme line; there are {}", known.join(", "))]
    EmptyScheme {
        /// The schemes that exist.
        known: Vec<&'static str>,
    },
    /// There is no such scheme.
    #[error("there is no scheme `{name}`; there are {}", known.join(", "))]
    UnknownScheme {
        /// The first word of the line.
        name: String,
        /// The schemes that exist.
        known: Vec<&'static str>,
    },
    /// An option of the scheme is unknown or out of range.
    #[error("scheme: {0}")]
    Scheme(PlayerLineError),
    /// The scheme needs genomes of fixed length.
    #[error("cmaes needs genomes of fixed length, those of kind `{kind}` vary")]
    VariableLength {
        /// The genome kind.
        kind: &'static str,
    },
    /// A player line is invalid.
    #[error(transparent)]
    Player(#[from] PlayerLineError),
    /// The genomes are invalid, or of another game or kind.
    #[error(transparent)]
    Genome(#[from] GenomeError),
    /// The initial population cannot be read.
    #[error("{}: {error}", path.display())]
    Initial {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: GenomeError,
    },
    /// An `.evl` file cannot hold genomes of this kind.
    #[error(
        "an .evl file holds polynomials of Othello, sci or jma; choose another extension for {kind}"
    )]
    NotEvl {
        /// The genome kind.
        kind: &'static str,
    },
    /// Another job writes the output file.
    #[error("{} is written by the running job {job}", path.display())]
    OutputInUse {
        /// The output file.
        path: PathBuf,
        /// The job.
        job: String,
    },
    /// The output file is a folder.
    #[error("{} is a folder", path.display())]
    OutputIsFolder {
        /// The output file.
        path: PathBuf,
    },
    /// The folder of the output file does not exist.
    #[error("there is no folder for {}", path.display())]
    NoOutputFolder {
        /// The output file.
        path: PathBuf,
    },
    /// The file of games cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    GamesIo {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file of games is invalid.
    #[error("{}: {error}", path.display())]
    GamesFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: OpenError,
    },
    /// The file of games has changed since the evolution started.
    #[error("{} has changed since the evolution started", path.display())]
    GamesChanged {
        /// The file.
        path: PathBuf,
    },
    /// The results of the games cannot be predicted.
    #[error("{}: {error}", path.display())]
    Predictor {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: PredictorError,
    },
    /// The checkpoint is damaged.
    #[error("checkpoint: {0}")]
    Checkpoint(serde_json::Error),
    /// The distribution in the checkpoint is not one over the genomes of this kind.
    #[error("checkpoint: its distribution does not have the {genes} dimensions of the genomes")]
    CheckpointDimension {
        /// The length of the genomes.
        genes: usize,
    },
    /// Tasks or files of the job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
}

/// Why games cannot serve as a fitness function.
#[derive(Debug, Error)]
pub enum PredictorError {
    /// The game has no such genomes.
    #[error(transparent)]
    Genome(#[from] GenomeError),
    /// One of the games is of another game.
    #[error("there is a game of {found} in it, not of {expected}")]
    WrongGame {
        /// The other game.
        found: &'static str,
        /// The game of the genomes.
        expected: &'static str,
    },
    /// None of the games has a result.
    #[error("there is no game with a result in it")]
    NoResults,
    /// The evaluation has no fixed list of weights with hand-tuned values.
    #[error("`{0}` has no hand-tuned weights to start from")]
    NotTunable(String),
    /// None of the games has a move with a search value.
    #[error("there is no finished game with search values in it (`[%eval ...]`)")]
    NoValues,
}
