//! Networks in the generation loop.
//!
//! - `run`: what does not depend on the game's type: tasks, plans, history.
//! - `trainee`: what does: self-play, encoding, training, matches.

mod run;
mod trainee;

use std::path::{Path, PathBuf};

use tablero_arena::Factory;
use tablero_jobs::{Job, JobError, Progress};
use tablero_nets::train::Device;

use crate::generations::{RunContext, WeightsFiles, open_or_create, run_generations};
use crate::{GameSpec, LearnConfig, LearnError, Learnable, LearningHistory, SelfPlayWork};
use run::NetworkRun;
use trainee::NetworkTrainee;

/// The job kind of learning runs.
pub const LEARN: &str = "learn";
/// The file of the best network in a run's folder.
pub const BEST: &str = "best.safetensors";
const FILES: WeightsFiles = WeightsFiles("safetensors");

/// The file of a generation's network in a run's folder.
pub fn generation_file(folder: &Path, generation: usize) -> PathBuf {
    FILES.generation(folder, generation)
}

/// Opens the run in a folder, or creates it.
///
/// An existing run keeps its configuration; `seed`, if given, must be its seed. Nothing is created unless the training
/// backend has the device.
pub fn open_run(
    folder: &Path,
    config: &LearnConfig,
    game: &GameSpec,
    seed: Option<u64>,
    device: Option<Device>,
) -> Result<Job, LearnError> {
    config.check(game)?;
    if let Some(job) = Job::resume_in(folder, LEARN, seed)? {
        let found: LearnConfig = job.config()?;
        if found.game != game.name() {
            return Err(JobError::run_mismatch(folder, "game", found.game, game.name()).into());
        }
        found.training.backend.open(device)?;
        return Ok(job);
    }
    config.training.backend.open(device)?;
    Ok(open_or_create(folder, LEARN, config, seed)?)
}

/// Runs or resumes a learning run until it is finished or cancelled; returns its history. `factory` makes the
/// players of evaluation matches, `puct net=FILE` among them; `games` is the self-play worker.
pub fn run_learning<G: Learnable>(
    job: Job,
    factory: Factory<'_>,
    games: &SelfPlayWork<'_>,
    context: RunContext<'_>,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<LearningHistory, LearnError> {
    let config: LearnConfig = job.config()?;
    config.check(&GameSpec::of::<G>())?;
    config.training.backend.open(context.device)?;
    let run = NetworkRun::new(config, job.folder());
    let mut trainee = NetworkTrainee::<G>::new(run, factory, games);
    run_generations(job, &mut trainee, context, on_progress)?;
    Ok(trainee.into_history())
}
