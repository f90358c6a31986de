use tablero_jobs::{Files, TaskError, TaskKind, Work, run_json};

/// [`Work`] as a [`TaskKind`] whose tasks name no files.
pub struct NoFiles<W>(pub W);

impl<W: Work + Send> TaskKind for NoFiles<W> {
    fn name(&self) -> &'static str {
        W::KIND
    }

    fn run(&self, task: &str, _: &Files) -> Result<String, TaskError> {
        run_json(&self.0, task).map_err(TaskError::Failed)
    }
}

/// The kinds of tasks that coordinator and workers both know.
///
/// ```
/// use tablero_cluster::{NoFiles, TaskKinds};
/// use tablero_jobs::Work;
///
/// struct Square;
///
/// impl Work for Square {
///     const KIND: &'static str = "square";
///     type Task = u64;
///     type Output = u64;
///
///     fn run(&self, task: &u64) -> Result<u64, String> {
///         Ok(task * task)
///     }
/// }
///
/// let kinds = TaskKinds::default().with(NoFiles(Square));
/// # let _ = kinds;
/// ```
#[derive(Default)]
pub struct TaskKinds(Vec<Box<dyn TaskKind>>);

impl TaskKinds {
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

    /// The kind called `name`; the error lists the known ones.
    pub(crate) fn find(&self, name: &str) -> Result<&dyn TaskKind, String> {
        let kind = self.0.iter().find(|kind| kind.name() == name);
        kind.map(Box::as_ref).ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|kind| kind.name()).collect();
            format!("unknown task kind `{name}`; known kinds: {}", known.join(", "))
        })
    }
}
