use std::collections::BTreeMap;
use std::path::PathBuf;

/// A kind of task that workers know. Whatever else a worker is sent, it refuses.
pub trait TaskKind: Send + Sync {
    /// [`Work::KIND`](crate::Work::KIND).
    fn name(&self) -> &'static str;

    /// The files that a task names, as it names them: they are sent along.
    fn files(&self, _task: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    /// How many games a task plays, for people.
    fn games(&self, _task: &str) -> u64 {
        1
    }

    /// Does a task. `files` says where the files that it names are on this machine; it must read no
    /// other.
    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError>;
}

/// Where files are on this machine, by the names that tasks give them.
pub type Files = BTreeMap<String, PathBuf>;

/// Why a task gave nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TaskError {
    /// This worker will not do it; another one may.
    Refused(String),
    /// It cannot be done, by anyone.
    Failed(String),
}
