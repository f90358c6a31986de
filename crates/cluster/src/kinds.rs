use std::collections::BTreeMap;
use std::path::PathBuf;

use tablero_jobs::{Work, run_text};

/// A kind of task that workers know. Whatever else a worker is sent, it refuses.
pub trait TaskKind: Send + Sync {
    /// [`Work::KIND`].
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

/// Work that names no files.
pub struct Plain<W>(pub W);

impl<W: Work + Send> TaskKind for Plain<W> {
    fn name(&self) -> &'static str {
        W::KIND
    }

    fn run(&self, task: &str, _: &Files) -> Result<String, TaskError> {
        run_text(&self.0, task).map_err(TaskError::Failed)
    }
}

/// The kinds of tasks that there are: the one list for those who give tasks and those who do them.
#[derive(Default)]
pub struct Kinds(Vec<Box<dyn TaskKind>>);

impl Kinds {
    /// Adds a kind.
    #[must_use]
    pub fn with(mut self, kind: impl TaskKind + 'static) -> Self {
        self.0.push(Box::new(kind));
        self
    }

    /// The kind called `name`.
    pub(crate) fn find(&self, name: &str) -> Result<&dyn TaskKind, String> {
        let kind = self.0.iter().find(|kind| kind.name() == name);
        kind.map(Box::as_ref).ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|kind| kind.name()).collect();
            format!("tasks of kind `{name}` are unknown here; known are {}", known.join(", "))
        })
    }
}
