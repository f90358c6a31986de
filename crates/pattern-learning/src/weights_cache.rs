//! A cache of weights files, which tasks refer to by path.

use std::path::Path;
use std::sync::Arc;

use tablero_champion::eval::Weights;
use tablero_core::SharedCache;
use tablero_learn::LearnError;

/// Capacity: candidate and best weights of two runs.
const CAPACITY: usize = 4;

/// Recently used weights.
pub(crate) struct WeightsCache(SharedCache<Option<String>, Arc<Weights>>);

impl Default for WeightsCache {
    fn default() -> Self {
        Self(SharedCache::with_count(CAPACITY))
    }
}

impl WeightsCache {
    /// The weights of a file; zero weights without one.
    pub(crate) fn get(&self, file: Option<&str>) -> Result<Arc<Weights>, String> {
        let read = |file| read_weights(Path::new(file)).map_err(|error| error.to_string());
        let load = || file.map_or_else(|| Ok(Weights::zero()), read).map(Arc::new);
        self.0.get_or_load(file.map(str::to_owned), load)
    }
}

/// Reads a weights file.
pub(crate) fn read_weights(file: &Path) -> Result<Weights, LearnError> {
    let wrong = |problem: String| LearnError::File { path: file.to_owned(), problem };
    Weights::read_file(file).map_err(|error| wrong(error.to_string()))
}

/// A task that needs weights files.
pub trait UsesWeights {
    /// The paths of its weights files.
    fn files(&mut self) -> Vec<&mut String>;

    /// Number of games that it plays.
    fn games(&self) -> u64;
}
