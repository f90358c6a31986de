use std::any::Any;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobError;

/// A kind of work that consists of independent tasks, each data in, data out.
///
/// The output depends on the task alone, which therefore includes its seed, and not on where or when it runs.
/// `self` is what the environment provides, such as a way to build players.
pub trait Work: Sync {
    /// The name by which remote workers know it.
    const KIND: &'static str;
    /// The input of a task.
    type Task: Serialize + DeserializeOwned + Sync;
    /// The output of a task.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// Runs one task. An error ends the whole list.
    fn run(&self, task: &Self::Task) -> Result<Self::Output, String>;

    /// Runs one task, or abandons it (`None`) after cancellation. Long tasks implement it, so that a
    /// cancelled job ends soon; a resumed job runs an abandoned task again, from its beginning.
    fn run_until_cancelled(
        &self,
        task: &Self::Task,
        _: &CancellationToken,
    ) -> Result<Option<Self::Output>, String> {
        self.run(task).map(Some)
    }
}

/// Runs tasks: on threads of this process, or on other machines.
pub trait Executor: Sync {
    /// Starts the tasks of `batch` in order, and calls `done` with each output and its index as they finish, in
    /// any order.
    ///
    /// After cancellation no more tasks are started; running ones finish or are
    /// [abandoned](Work::run_until_cancelled). After `done` breaks, further outputs are discarded.
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError>;
}

/// Receives the output or error of a task, with its index.
pub type OnOutput<'a> = dyn FnMut(usize, Result<Output, String>) -> ControlFlow<()> + 'a;

/// The output of a task.
pub enum Output {
    /// The [`Work::Output`] of a task that ran in this process.
    Value(Box<dyn Any + Send>),
    /// The JSON of a task that ran elsewhere.
    Json(String),
}

/// A list of tasks for an [`Executor`]. Tasks are serialized only when they leave this process.
pub struct Batch<'a> {
    tasks: Box<dyn Tasks + 'a>,
    /// The number of leading tasks that are skipped.
    skipped: usize,
    cancel: &'a CancellationToken,
}

/// Type-erased tasks.
trait Tasks: Sync {
    fn kind(&self) -> &'static str;
    fn len(&self) -> usize;
    fn json(&self, index: usize) -> serde_json::Result<String>;
    fn run(&self, index: usize, cancel: &CancellationToken) -> Result<Option<Output>, String>;
}

/// Tasks with their work.
struct TaskList<'a, W: Work> {
    work: &'a W,
    tasks: &'a [W::Task],
}

impl<W: Work> Tasks for TaskList<'_, W> {
    fn kind(&self) -> &'static str {
        W::KIND
    }

    fn len(&self) -> usize {
        self.tasks.len()
    }

    fn json(&self, index: usize) -> serde_json::Result<String> {
        serde_json::to_string(&self.tasks[index])
    }

    fn run(&self, index: usize, cancel: &CancellationToken) -> Result<Option<Output>, String> {
        let output = self.work.run_until_cancelled(&self.tasks[index], cancel)?;
        Ok(output.map(|output| Output::Value(Box::new(output))))
    }
}

impl<'a> Batch<'a> {
    /// These tasks, until cancelled.
    pub fn new<W: Work>(work: &'a W, tasks: &'a [W::Task], cancel: &'a CancellationToken) -> Self {
        Self { tasks: Box::new(TaskList { work, tasks }), skipped: 0, cancel }
    }

    /// Skips the first `skipped` tasks; indices of the others start at 0.
    pub(crate) fn skip(self, skipped: usize) -> Self {
        Self { skipped, ..self }
    }

    /// [`Work::KIND`].
    pub fn kind(&self) -> &'static str {
        self.tasks.kind()
    }

    /// The number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len().saturating_sub(self.skipped)
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A task as JSON, to run elsewhere. Panics if `index` is not below [`len`](Self::len).
    pub fn task_json(&self, index: usize) -> Result<String, JobError> {
        let text = self.tasks.json(self.skipped + index);
        text.map_err(|error| JobError::Executor(error.to_string()))
    }

    /// Runs a task in this process; a panic becomes an error. `None` if it was abandoned after cancellation.
    pub fn run(&self, index: usize) -> Option<Result<Output, String>> {
        let run = || self.tasks.run(self.skipped + index, self.cancel);
        catch_panic(run).unwrap_or_else(Err).transpose()
    }

    /// Whether the batch is cancelled: start no more tasks.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Cancels work cooperatively; clones share the state.
///
/// ```
/// use tablero_jobs::CancellationToken;
/// let token = CancellationToken::default();
/// let clone = token.clone();
/// token.cancel();
/// assert!(clone.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// Requests cancellation.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag that [`cancel`](Self::cancel) sets, for searches.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs tasks on threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Threads(NonZeroUsize);

/// The stack size of a main thread: searches recurse deeply.
const STACK: usize = 8 << 20;

impl Threads {
    /// Runs `count` tasks at once.
    pub const fn new(count: NonZeroUsize) -> Self {
        Self(count)
    }

    /// Runs one task per core.
    pub fn all_cores() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Executor for Threads {
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
        let count = batch.len();
        let next = AtomicUsize::new(0);
        let is_done = AtomicBool::new(false);
        // A bounded channel: workers cannot run far ahead of the receiver.
        let (sender, receiver) = mpsc::sync_channel(self.0.get());
        let (next, is_done) = (&next, &is_done);
        thread::scope(|scope| {
            for thread in 0..self.0.get().min(count) {
                let sender = sender.clone();
                let work = move || {
                    while !batch.is_cancelled() && !is_done.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count {
                            return;
                        }
                        let Some(output) = batch.run(index) else { return };
                        if sender.send((index, output)).is_err() {
                            return;
                        }
                    }
                };
                match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                    Ok(_) => {}
                    // At the limit of the system: with the threads that there are.
                    Err(_) if thread > 0 => break,
                    Err(error) => return Err(JobError::Executor(format!("no thread: {error}"))),
                }
            }
            drop(sender);
            for (index, output) in receiver {
                if done(index, output).is_break() {
                    is_done.store(true, Ordering::Relaxed);
                    break;
                }
            }
            Ok(())
        })
    }
}

/// Runs `run` and turns a panic into an error. State that `run` had access to must not be used after one.
pub fn catch_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!("panicked: {}", text.unwrap_or("no message"))
    })
}
