use tablero_jobs::{Files, TaskError, TaskKind, Work, run_text};

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

    /// Adds several kinds.
    #[must_use]
    pub fn with_all(mut self, kinds: impl IntoIterator<Item = Box<dyn TaskKind>>) -> Self {
        self.0.extend(kinds);
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
