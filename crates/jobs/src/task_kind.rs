use std::collections::BTreeMap;
use std::path::PathBuf;

/// A kind of task that workers accept; they reject all others.
pub trait TaskKind: Send + Sync {
    /// [`Work::KIND`](crate::Work::KIND).
    fn name(&self) -> &'static str;

    /// The files that a task refers to, by the names in it; they are sent along.
    fn files(&self, _task: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    /// The number of games that a task plays, for display.
    fn games(&self, _task: &str) -> u64 {
        1
    }

    /// Runs a task. `files` maps the names of its files to paths on this machine; it must read no others.
    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError>;
}

/// Local paths of files, by their names in tasks.
pub type Files = BTreeMap<String, PathBuf>;

/// Why a task has no output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TaskError {
    /// This worker rejects it; another one may not.
    Refused(String),
    /// It fails on any worker.
    Failed(String),
}
