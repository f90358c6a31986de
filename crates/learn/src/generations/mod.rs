//! The generation loop of AlphaZero: self-play, training on the replay buffer, evaluation, promotion, repeat.
//!
//! The loop drives a [`Trainee`] and knows neither the game nor the kind of evaluation function. All state is in
//! the job's folder: a run can be inspected and resumed at any time, and resuming gives the same weights.

mod replay_buffer;
mod session;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use tablero_jobs::{Header, Job, JobError, Progress, RunningJob, atomic_write};
use tablero_report::Report;

use crate::LearnError;

pub use replay_buffer::{GenerationSamples, ReplayBuffer};
pub use session::{RunContext, Session, TaskStep};

/// The checkpoint with a run's history.
pub const CHECKPOINT: &str = "history";

/// What is trained: a network, or other weights. The loop decides when it runs and stores the results.
pub trait Trainee {
    /// The names of its weight files.
    fn files(&self) -> WeightsFiles;

    /// The last generation; none to run until cancelled.
    fn last_generation(&self) -> Option<usize>;

    /// Loads the history of the run; writes the initial weights of a new one.
    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError>;

    /// The number of finished generations.
    fn finished(&self) -> usize;

    /// Seconds spent on the generation that was interrupted.
    fn unfinished_seconds(&mut self) -> &mut f64;

    /// Runs a generation, counted from 1 (self-play, training, evaluation), and adds it to the history. None if
    /// cancelled: what was logged is not repeated.
    fn run_generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError>;

    /// The history: the checkpoint, and the run's result.
    fn history(&self) -> Result<Value, serde_json::Error>;

    /// The history as a report.
    fn report(&self, header: &Header) -> Report;
}

/// The outcome of a generation.
pub struct NewGeneration {
    /// Its weight file, with provenance.
    pub weights: Vec<u8>,
    /// Whether it becomes the best generation.
    pub promoted: bool,
    /// Its metrics.
    pub progress: Progress,
    /// Files that are only needed to resume it.
    pub temporary_files: Vec<PathBuf>,
}

/// The names of a run's weight files, which have this extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightsFiles(pub &'static str);

impl WeightsFiles {
    /// The weights of a generation.
    pub fn generation(self, folder: &Path, generation: usize) -> PathBuf {
        folder.join(format!("generation-{generation}.{}", self.0))
    }

    /// The weights of the best generation.
    pub fn best(self, folder: &Path) -> PathBuf {
        folder.join(format!("best.{}", self.0))
    }
}

/// Opens the run in a folder, or creates it.
///
/// An existing run keeps its configuration; `seed`, if given, must be its seed.
pub fn open_or_create(
    folder: &Path,
    kind: &str,
    config: &impl Serialize,
    seed: Option<u64>,
) -> Result<Job, JobError> {
    const DEFAULT_SEED: u64 = 1;
    match Job::resume_in(folder, kind, seed)? {
        Some(job) => Ok(job),
        None => Job::create_in(folder, kind, config, seed.unwrap_or(DEFAULT_SEED)),
    }
}

/// Runs or resumes the generations of a run until it is finished or cancelled.
pub fn run_generations(
    job: Job,
    trainee: &mut dyn Trainee,
    context: RunContext<'_>,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<(), LearnError> {
    let job = job.run()?;
    match generation_loop(&job, trainee, context, on_progress) {
        Ok(LoopEnd::Finished(history)) => Ok(job.finish(&history)?),
        Ok(LoopEnd::Cancelled) => Ok(job.stop("stopped on request")?),
        Err(error) => {
            job.fail(&error.to_string())?;
            Err(error)
        }
    }
}

enum LoopEnd {
    Finished(Value),
    Cancelled,
}

fn generation_loop(
    job: &RunningJob,
    trainee: &mut dyn Trainee,
    context: RunContext<'_>,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<LoopEnd, LearnError> {
    let mut session = Session::new(job, context, on_progress);
    trainee.resume(&session)?;
    loop {
        let generation = trainee.finished() + 1;
        if trainee.last_generation().is_some_and(|last| generation > last) {
            return Ok(LoopEnd::Finished(history(trainee)?));
        }
        session.start_generation(*trainee.unfinished_seconds());
        let Some(new) = trainee.run_generation(generation, &mut session)? else {
            *trainee.unfinished_seconds() = session.seconds();
            job.save_checkpoint(CHECKPOINT, &history(trainee)?)?;
            return Ok(LoopEnd::Cancelled);
        };
        *trainee.unfinished_seconds() = 0.0;
        commit(generation, new, trainee, &mut session)?;
    }
}

/// Stores a generation and reports it. The checkpoint comes last: what precedes it is idempotent.
fn commit(
    generation: usize,
    new: NewGeneration,
    trainee: &dyn Trainee,
    session: &mut Session<'_>,
) -> Result<(), LearnError> {
    let (job, files) = (session.job(), trainee.files());
    let folder = job.job().folder();
    atomic_write(&files.generation(folder, generation), &new.weights)?;
    if new.promoted {
        atomic_write(&files.best(folder), &new.weights)?;
    }
    trainee.report(job.job().header()).write(folder)?;
    job.save_checkpoint(CHECKPOINT, &history(trainee)?)?;
    for file in new.temporary_files {
        // A file that cannot be removed does no harm.
        let _ = fs::remove_file(file);
    }
    let (done, total) = (generation as u64, trainee.last_generation().map(|last| last as u64));
    let message = format!("generation {generation} done");
    session.report(&Progress { done, total, message, ..new.progress });
    Ok(())
}

fn history(trainee: &dyn Trainee) -> Result<Value, LearnError> {
    trainee.history().map_err(|error| LearnError::History(error.to_string()))
}
