//! Cluster tasks of pattern learning.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tablero_jobs::{Files, TaskError, TaskKind, Work};
use tablero_pattern_learning::UsesWeights;

/// A cluster task whose weight files are sent along.
pub(super) struct WeightsTask<W>(pub(super) W);

impl<W: Work<Task: UsesWeights> + Send + 'static> TaskKind for WeightsTask<W> {
    fn name(&self) -> &'static str {
        W::KIND
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        Ok(read::<W::Task>(task)?.files().into_iter().map(|file| file.clone()).collect())
    }

    fn games(&self, task: &str) -> u64 {
        read::<W::Task>(task).map_or(0, |task| task.games())
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        let mut task: W::Task = read(task).map_err(TaskError::Failed)?;
        for file in task.files() {
            localize(file, files)?;
        }
        text(&self.0.run(&task).map_err(TaskError::Failed)?)
    }
}

/// Replaces the name of a file by its path on this machine.
fn localize(file: &mut String, files: &Files) -> Result<(), TaskError> {
    let path = files.get(file).ok_or_else(|| {
        TaskError::Failed(format!("`{file}`: the file did not come with the task"))
    })?;
    *file = path.to_string_lossy().into_owned();
    Ok(())
}

fn text(value: &impl Serialize) -> Result<String, TaskError> {
    serde_json::to_string(value).map_err(|error| TaskError::Failed(error.to_string()))
}

fn read<T: DeserializeOwned>(task: &str) -> Result<T, String> {
    serde_json::from_str(task).map_err(|error| format!("unreadable task: {error}"))
}
