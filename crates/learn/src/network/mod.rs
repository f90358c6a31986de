//! Networks as what learns: the same for every game.
//!
//! - `run`: what a run does and has done, whatever the game.
//! - `trainee`: what depends on the game's type: playing, encoding, training on batches, matches.

mod run;
mod trainee;

use std::path::{Path, PathBuf};

use tablero_arena::Factory;
use tablero_jobs::{Job, JobError, Progress};

use crate::generations::{Place, WeightsFiles, open_or_create, run_generations};
use crate::{GameSpec, GamesWork, LearnConfig, LearnError, Learnable, Learned};
use run::NetworkRun;
use trainee::NetworkTrainee;

/// The kind of job that a learning run is.
pub const LEARN: &str = "learn";
/// The file of the network to use in a run's folder.
pub const BEST: &str = "best.safetensors";
const FILES: WeightsFiles = WeightsFiles("safetensors");

/// The file of a generation's network in a run's folder.
pub fn generation_file(folder: &Path, generation: usize) -> PathBuf {
    FILES.generation(folder, generation)
}

/// The run in a folder, or a new one there.
///
/// A run goes on as it was made: `seed`, if given, must be the run's own.
pub fn open_run(
    folder: &Path,
    config: &LearnConfig,
    game: &GameSpec,
    seed: Option<u64>,
) -> Result<Job, LearnError> {
    config.check(game).map_err(LearnError::Config)?;
    let job = open_or_create(folder, LEARN, config, seed)?;
    let found: LearnConfig = job.config()?;
    if found.game != game.name() {
        return Err(JobError::other_run(folder, "game", found.game, game.name()).into());
    }
    Ok(job)
}

/// Runs a learning run, or resumes it, until it is finished or stopped. Players of the arena and
/// teachers come from `factory`, which must know `puct net=FILE`; `games` plays the games to learn
/// from. What was learned so far is in the
/// run's folder and in the answer.
pub fn run_learning<G: Learnable>(
    job: Job,
    factory: Factory<'_>,
    games: &GamesWork<'_>,
    place: Place<'_>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Learned, LearnError> {
    let config: LearnConfig = job.config()?;
    config.check(&GameSpec::of::<G>()).map_err(LearnError::Config)?;
    let run = NetworkRun::new(config, job.folder());
    let mut trainee = NetworkTrainee::<G>::new(run, factory, games);
    run_generations(job, &mut trainee, place, tell)?;
    Ok(trainee.into_learned())
}
