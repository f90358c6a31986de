//! The generation loop: self-play, training, evaluation, promotion, and again, in a folder that can be looked
//! at and resumed at any time.
//!
//! The loop knows neither games nor what learns: it drives a [`Trainee`].

mod replay;
mod session;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use tablero_jobs::{Header, Job, JobError, Progress, Running, write_beside};
use tablero_report::Report;

use crate::LearnError;

pub use replay::{GenerationSamples, ReplayWindow};
pub use session::{Place, Session, TaskStep};

/// The checkpoint in which a run keeps its history.
pub const CHECKPOINT: &str = "learned";

/// What learns. It plays, trains and evaluates; when, and what becomes of the results, is the loop's.
pub trait Trainee {
    /// How its files of weights are named.
    fn files(&self) -> WeightsFiles;

    /// The run is finished after so many generations; none goes on until it is stopped.
    fn last_generation(&self) -> Option<usize>;

    /// Takes up the history of the run, and writes what the first generation begins with.
    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError>;

    /// How many generations are finished.
    fn finished(&self) -> usize;

    /// Seconds that went into the generation that was under way when the run was stopped.
    fn unfinished(&mut self) -> &mut f64;

    /// One generation, the first being 1: self-play, training on the replay window, evaluation. It joins the
    /// history. None if it was stopped: whatever was done and logged is not done again.
    fn generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError>;

    /// The history, for the checkpoint and as the run's result.
    fn history(&self) -> Result<Value, serde_json::Error>;

    /// The history, for people.
    fn report(&self, header: &Header) -> Report;
}

/// What came of a generation.
pub struct NewGeneration {
    /// The file of its weights, provenance included.
    pub weights: Vec<u8>,
    /// Whether it takes the place of the best before.
    pub promoted: bool,
    /// Its figures.
    pub progress: Progress,
    /// Files that only served to resume it.
    pub leftovers: Vec<PathBuf>,
}

/// The names of a run's files of weights, which end like this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightsFiles(pub &'static str);

impl WeightsFiles {
    /// The file of a generation in a run's folder.
    pub fn generation(self, folder: &Path, generation: usize) -> PathBuf {
        folder.join(format!("generation-{generation}.{}", self.0))
    }

    /// The file of the weights to use in a run's folder.
    pub fn best(self, folder: &Path) -> PathBuf {
        folder.join(format!("best.{}", self.0))
    }
}

/// The run of a kind in a folder, or a new one there.
///
/// A run goes on as it was made: `seed`, if given, must be the run's own.
pub fn open_or_create(
    folder: &Path,
    kind: &str,
    config: &impl Serialize,
    seed: Option<u64>,
) -> Result<Job, JobError> {
    const FIRST_SEED: u64 = 1;
    match Job::run_in(folder, kind, seed)? {
        Some(job) => Ok(job),
        None => Job::create_in(folder, kind, config, seed.unwrap_or(FIRST_SEED)),
    }
}

/// Runs the generations of a run, or goes on with them, until it is finished or stopped.
pub fn run_generations(
    job: Job,
    trainee: &mut dyn Trainee,
    place: Place<'_>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<(), LearnError> {
    let job = job.run()?;
    match all_generations(&job, trainee, place, tell) {
        Ok(Ended::Finished(history)) => Ok(job.finish(&history)?),
        Ok(Ended::Stopped) => Ok(job.stop("stopped on request")?),
        Err(error) => {
            job.fail(&error.to_string())?;
            Err(error)
        }
    }
}

enum Ended {
    Finished(Value),
    Stopped,
}

fn all_generations(
    job: &Running,
    trainee: &mut dyn Trainee,
    place: Place<'_>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Ended, LearnError> {
    let mut session = Session::new(job, place, tell);
    trainee.resume(&session)?;
    loop {
        let generation = trainee.finished() + 1;
        if trainee.last_generation().is_some_and(|last| generation > last) {
            return Ok(Ended::Finished(history(trainee)?));
        }
        session.begin_generation(*trainee.unfinished());
        let Some(new) = trainee.generation(generation, &mut session)? else {
            *trainee.unfinished() = session.seconds();
            job.save_checkpoint(CHECKPOINT, &history(trainee)?)?;
            return Ok(Ended::Stopped);
        };
        *trainee.unfinished() = 0.0;
        keep(generation, new, trainee, &mut session)?;
    }
}

/// Keeps a generation and tells about it. The checkpoint comes last: whatever happens before is done again.
fn keep(
    generation: usize,
    new: NewGeneration,
    trainee: &dyn Trainee,
    session: &mut Session<'_>,
) -> Result<(), LearnError> {
    let (job, files) = (session.job(), trainee.files());
    let folder = job.job().folder();
    write_beside(&files.generation(folder, generation), &new.weights)?;
    if new.promoted {
        write_beside(&files.best(folder), &new.weights)?;
    }
    trainee.report(job.job().header()).write(folder)?;
    job.save_checkpoint(CHECKPOINT, &history(trainee)?)?;
    for leftover in new.leftovers {
        // If one stays, it is in nobody's way.
        let _ = fs::remove_file(leftover);
    }
    let (done, total) = (generation as u64, trainee.last_generation().map(|last| last as u64));
    let message = format!("generation {generation} done");
    session.report(&Progress { done, total, message, ..new.progress });
    Ok(())
}

fn history(trainee: &dyn Trainee) -> Result<Value, LearnError> {
    trainee.history().map_err(|error| LearnError::History(error.to_string()))
}
