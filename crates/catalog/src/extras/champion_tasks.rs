use serde::Serialize;
use serde::de::DeserializeOwned;
use tablero_jobs::{Files, TaskError, TaskKind, Work};
use tablero_pattern_learning::UsesWeights;

/// What the champion learns from.
pub(super) struct ByWeights<W>(pub(super) W);

impl<W: Work<Task: UsesWeights> + Send + 'static> TaskKind for ByWeights<W> {
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
            place(file, files)?;
        }
        text(&self.0.run(&task).map_err(TaskError::Failed)?)
    }
}

/// Says where a file that a task names is on this machine.
fn place(file: &mut String, files: &Files) -> Result<(), TaskError> {
    let here = files.get(file).ok_or_else(|| {
        TaskError::Failed(format!("`{file}`: the file did not come with the task"))
    })?;
    *file = here.to_string_lossy().into_owned();
    Ok(())
}

fn text(value: &impl Serialize) -> Result<String, TaskError> {
    serde_json::to_string(value).map_err(|error| TaskError::Failed(error.to_string()))
}

fn read<T: DeserializeOwned>(task: &str) -> Result<T, String> {
    serde_json::from_str(task).map_err(|error| format!("unreadable task: {error}"))
}
