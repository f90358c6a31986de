//! What jobs have made, by the names that player lines from the page use for it: so the page names no
//! files. `eval=job:evolution-3/100/2` is the second best of generation 100 of that evolution,
//! `net=job:learn-1/5` the network of generation 5 of that learning run.

use std::path::{Path, PathBuf};

use tablero_evolve::EVOLUTION;
use tablero_genomes::read_file;
use tablero_jobs::{Job, Store};
use tablero_learn::LEARN;
use tablero_registry::GameEntry;

use super::{evolution, learning};

/// What such names begin with.
pub(crate) const PREFIX: &str = "job:";

/// The folder of a job in which such files are.
const FOLDER: &str = "players";

/// What a player line reads for a name (without the prefix).
pub(crate) fn locate(
    store: &Store,
    entry: &'static dyn GameEntry,
    name: &str,
) -> Result<String, String> {
    let (id, rest) = name.split_once('/').ok_or_else(|| wrong_name(name))?;
    let job = store.open(id).map_err(|error| error.to_string())?;
    let (game, wanted) = (super::game_of(&job).unwrap_or_default(), entry.game());
    if game != wanted.name() {
        return Err(format!("{id} makes players of {game}, not of {wanted}"));
    }
    match job.header().kind.as_str() {
        EVOLUTION => evolved(entry, &job, rest).ok_or_else(|| wrong_name(name))?,
        LEARN => {
            let generation = rest.parse().map_err(|_| wrong_name(name))?;
            let path = learning::network(&job, generation).map_err(|error| error.to_string())?;
            Ok(path.display().to_string())
        }
        other => Err(format!("a job of kind `{other}` makes no players")),
    }
}

fn wrong_name(name: &str) -> String {
    format!(
        "`{PREFIX}{name}` is not like {PREFIX}evolution-1/20/3 (job, generation, place in it from 1) or \
         {PREFIX}learn-1/5 (job, generation)"
    )
}

/// An individual of an evolution; none if `rest` is not a generation and a place.
fn evolved(entry: &dyn GameEntry, job: &Job, rest: &str) -> Option<Result<String, String>> {
    let (generation, number) = rest.split_once('/')?;
    let (generation, number): (u64, usize) = (generation.parse().ok()?, number.parse().ok()?);
    Some(generation_file(entry, job, generation).and_then(|path| individual(&path, number)))
}

/// An individual of a generation's file, as player lines name it.
fn individual(path: &Path, number: usize) -> Result<String, String> {
    let genomes = read_file(path).map_err(|error| error.to_string())?;
    genomes.individual(&number.to_string()).map_err(|error| error.to_string())?;
    Ok(format!("{}#{number}", path.display()))
}

/// The file with the population of a generation, written if it is not there yet.
fn generation_file(entry: &dyn GameEntry, job: &Job, generation: u64) -> Result<PathBuf, String> {
    let folder = job.folder().join(FOLDER);
    // A job that was deleted may have had the same name: its players must not be taken for these.
    let path = folder.join(format!("{generation}-{:x}.genes", job.header().created.to_bits()));
    if path.exists() {
        return Ok(path);
    }
    let genomes = evolution::genomes(entry, job, generation).map_err(|error| error.to_string())?;
    let failed = |error: &dyn ToString| format!("cannot keep a player: {}", error.to_string());
    std::fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    tablero_evolve::write_genomes(&path, &genomes).map_err(|error| failed(&error))?;
    Ok(path)
}
