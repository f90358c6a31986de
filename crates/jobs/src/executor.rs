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

/// A kind of work that can be done in pieces, anywhere: a task is data in, data out.
///
/// The output depends on the task alone (which therefore holds its own seed), not on where, when,
/// or beside what it runs. `self` is what the place provides, such as a way to build players.
pub trait Work: Sync {
    /// The name by which a worker elsewhere knows how to do it.
    const KIND: &'static str;
    /// What one task needs to know.
    type Task: Serialize + DeserializeOwned + Sync;
    /// What comes out of it.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// Does one task. An error ends the whole list; it says what is wrong.
    fn run(&self, task: &Self::Task) -> Result<Self::Output, String>;
}

/// A place to run tasks: threads of this process, or other machines.
pub trait Executor: Sync {
    /// Runs the tasks of `batch`, in order as far as starting them goes, and hands each output with
    /// its index to `done` as it comes, in any order.
    ///
    /// When a stop is requested no more tasks are started, but those under way are finished.
    /// When `done` breaks, outputs are no longer wanted.
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError>;
}

/// Takes the output of a task, or what went wrong with it, together with the task's index.
pub type OnOutput<'a> = dyn FnMut(usize, Result<Output, String>) -> ControlFlow<()> + 'a;

/// What came out of a task.
pub enum Output {
    /// The [`Work::Output`] itself, of a task that ran in this process.
    Value(Box<dyn Any + Send>),
    /// Its JSON, of a task that ran elsewhere.
    Text(String),
}

/// A list of tasks for an [`Executor`]. JSON is made only of tasks that leave this process.
pub struct Batch<'a> {
    tasks: Box<dyn Tasks + 'a>,
    /// How many tasks at the start of the list are left out.
    skipped: usize,
    stop: &'a Stop,
}

/// Tasks whose type does not matter to whoever runs them.
trait Tasks: Sync {
    fn kind(&self) -> &'static str;
    fn len(&self) -> usize;
    fn text(&self, index: usize) -> serde_json::Result<String>;
    fn run(&self, index: usize) -> Result<Output, String>;
}

/// Tasks, and who does them.
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

    fn text(&self, index: usize) -> serde_json::Result<String> {
        serde_json::to_string(&self.tasks[index])
    }

    fn run(&self, index: usize) -> Result<Output, String> {
        let output = self.work.run(&self.tasks[index])?;
        Ok(Output::Value(Box::new(output)))
    }
}

impl<'a> Batch<'a> {
    /// These tasks, until `stop` is requested.
    pub fn new<W: Work>(work: &'a W, tasks: &'a [W::Task], stop: &'a Stop) -> Self {
        Self { tasks: Box::new(TaskList { work, tasks }), skipped: 0, stop }
    }

    /// Without the first `skipped` tasks of the list; the indices of the others begin at 0.
    pub(crate) fn skip(self, skipped: usize) -> Self {
        Self { skipped, ..self }
    }

    /// [`Work::KIND`].
    pub fn kind(&self) -> &'static str {
        self.tasks.kind()
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len().saturating_sub(self.skipped)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A task as JSON, to be done elsewhere. Panics if `index` is not below [`len`](Self::len).
    pub fn text(&self, index: usize) -> Result<String, JobError> {
        let text = self.tasks.text(self.skipped + index);
        text.map_err(|error| JobError::Executor(error.to_string()))
    }

    /// Does a task in this process; a panic is an error.
    pub fn run(&self, index: usize) -> Result<Output, String> {
        catch_panic(|| self.tasks.run(self.skipped + index)).unwrap_or_else(Err)
    }

    /// Whether no more tasks are to be started.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }
}

/// Asks work to stop at the next good moment; clones ask the same work.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs tasks on threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Threads(NonZeroUsize);

/// Searches recurse deeply; as much as a main thread has.
const STACK: usize = 8 << 20;

impl Threads {
    /// So many tasks at once.
    pub const fn new(count: NonZeroUsize) -> Self {
        Self(count)
    }

    /// As many tasks at once as there are cores.
    pub fn all_cores() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl Executor for Threads {
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
        let count = batch.len();
        let next = AtomicUsize::new(0);
        let unwanted = AtomicBool::new(false);
        // With little room in between, nobody runs far ahead of whoever takes the outputs.
        let (sender, receiver) = mpsc::sync_channel(self.0.get());
        let (next, unwanted) = (&next, &unwanted);
        thread::scope(|scope| {
            for _ in 0..self.0.get().min(count) {
                let sender = sender.clone();
                let work = move || {
                    while !batch.is_stopped() && !unwanted.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count || sender.send((index, batch.run(index))).is_err() {
                            return;
                        }
                    }
                };
                let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                spawned.map_err(|error| JobError::Executor(format!("no thread: {error}")))?;
            }
            drop(sender);
            for (index, output) in receiver {
                if done(index, output).is_break() {
                    unwanted.store(true, Ordering::Relaxed);
                    break;
                }
            }
            Ok(())
        })
    }
}

/// Runs code of others, whose panic is to be an error and not the end of the program. What the
/// code had in its hands must not be used again after an error.
pub fn catch_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!("panicked: {}", text.unwrap_or("no message"))
    })
}
