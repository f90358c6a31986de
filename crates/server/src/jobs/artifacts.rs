//! The artifacts of jobs, as player lines of the page name them instead of files:
//! `eval=job:evolution-3/100/2` is the second best individual of generation 100 of an evolution,
//! `net=job:learn-1/5` the network of generation 5 of a learning run.

use std::path::{Path, PathBuf};

use tablero_evolve::EVOLUTION;
use tablero_genomes::read_file;
use tablero_jobs::{Job, Store};
use tablero_learn::LEARN;
use tablero_registry::GameEntry;

use super::{evolution, learning};
use crate::api::Problem;
use crate::error::ApiError;

/// The prefix of such names.
pub(crate) const PREFIX: &str = "job:";

/// The subfolder of a job for the files of its individuals.
const FOLDER: &str = "players";

/// The value of an option that names an artifact (without the prefix): a file, with the individual.
pub(crate) fn resolve(
    store: &Store,
    entry: &'static dyn GameEntry,
    name: &str,
) -> Result<String, Problem> {
    let invalid = || Problem::InvalidArtifact { name: format!("{PREFIX}{name}") };
    let (id, rest) = name.split_once('/').ok_or_else(invalid)?;
    let job = store.open(id)?;
    let (found, expected) = (super::game_of(&job).unwrap_or_default(), entry.game().name());
    if found != expected {
        let expected = expected.into();
        return Err(Problem::ArtifactOfOtherGame { job: id.into(), found, expected });
    }
    match job.header().kind.as_str() {
        EVOLUTION => {
            let (generation, number) = individual_name(rest).ok_or_else(invalid)?;
            individual(&generation_file(entry, &job, generation)?, number)
        }
        LEARN => {
            let generation = rest.parse().map_err(|_| invalid())?;
            Ok(learning::network(&job, generation)?.display().to_string())
        }
        kind => Err(Problem::NoArtifacts { job: id.into(), kind: kind.into() }),
    }
}

/// Parses `GENERATION/NUMBER`.
fn individual_name(text: &str) -> Option<(u64, usize)> {
    let (generation, number) = text.split_once('/')?;
    Some((generation.parse().ok()?, number.parse().ok()?))
}

/// An individual of a generation's file, as player lines name it.
fn individual(path: &Path, number: usize) -> Result<String, Problem> {
    read_file(path)?.individual(&number.to_string())?;
    Ok(format!("{}#{number}", path.display()))
}

/// The file with the population of a generation, written on first use.
fn generation_file(entry: &dyn GameEntry, job: &Job, generation: u64) -> Result<PathBuf, Problem> {
    let folder = job.folder().join(FOLDER);
    // The creation time distinguishes jobs that reuse the id of a deleted one.
    let path = folder.join(format!("{generation}-{:x}.genes", job.header().created.to_bits()));
    if path.exists() {
        return Ok(path);
    }
    let genomes = evolution::genomes(entry, job, generation).map_err(ApiError::into_problem)?;
    let failed = |error: &dyn ToString| Problem::Internal { reason: error.to_string() };
    std::fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    tablero_evolve::write_genomes(&path, &genomes).map_err(|error| failed(&error))?;
    Ok(path)
}
