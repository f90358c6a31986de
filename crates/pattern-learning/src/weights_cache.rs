//! Weights that tasks name by their file, so that any machine can do them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tablero_champion::eval::Weights;
use tablero_learn::LearnError;

/// How many are kept: the new ones and the best before, and those of a run beside it.
const KEPT: usize = 4;

/// Weights that were read lately; whoever asks again waits for no file.
#[derive(Default)]
pub(crate) struct WeightsCache {
    known: Mutex<Vec<(Option<String>, Arc<Weights>)>>,
}

impl WeightsCache {
    /// The weights of a file; without one, those that know nothing.
    pub(crate) fn get(&self, file: Option<&str>) -> Result<Arc<Weights>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, weights)) = known.iter().find(|(name, _)| name.as_deref() == file) {
            return Ok(weights.clone());
        }
        let read = |file| read_weights(Path::new(file)).map_err(|error| error.to_string());
        let weights = Arc::new(file.map_or_else(|| Ok(Weights::zero()), read)?);
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((file.map(str::to_owned), weights.clone()));
        Ok(weights)
    }
}

/// The weights of a file.
pub(crate) fn read_weights(file: &Path) -> Result<Weights, LearnError> {
    let wrong = |problem: String| LearnError::File { path: file.to_owned(), problem };
    let bytes = fs::read(file).map_err(|error| wrong(error.to_string()))?;
    Weights::read(&bytes).map_err(|error| wrong(error.to_string()))
}

/// A task that files of weights are needed for.
pub trait UsesWeights {
    /// The files that it names.
    fn files(&mut self) -> Vec<&mut String>;

    /// How many games it takes.
    fn games(&self) -> u64;
}
