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
    type Task: Serialize + DeserializeOwned;
    /// What comes out of it.
    type Output: Serialize + DeserializeOwned;

    /// Does one task. An error ends the whole list; it says what is wrong.
    fn run(&self, task: &Self::Task) -> Result<Self::Output, String>;
}

/// A place to run tasks. Tasks and outputs are JSON, so that a place may be another machine.
pub trait Executor: Sync {
    /// Runs the tasks of `batch`, in order as far as starting them goes, and hands each output with
    /// its index to `done` as it comes, in any order.
    ///
    /// When `batch.stop` is requested no more tasks are started, but those under way are finished.
    /// When `done` breaks, outputs are no longer wanted.
    fn execute(
        &self,
        batch: &Batch<'_>,
        done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
    ) -> Result<(), JobError>;
}

/// A list of tasks for an [`Executor`].
pub struct Batch<'a> {
    /// [`Work::KIND`].
    pub kind: &'static str,
    /// The tasks.
    pub tasks: &'a [String],
    /// Does one of them in this process.
    pub run: &'a (dyn Fn(&str) -> Result<String, String> + Sync),
    /// Asks to stop early.
    pub stop: &'a Stop,
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
    fn execute(
        &self,
        batch: &Batch<'_>,
        done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
    ) -> Result<(), JobError> {
        let next = AtomicUsize::new(0);
        let unwanted = AtomicBool::new(false);
        // With little room in between, nobody runs far ahead of whoever takes the outputs.
        let (sender, receiver) = mpsc::sync_channel(self.0.get());
        let (next, unwanted) = (&next, &unwanted);
        thread::scope(|scope| {
            for _ in 0..self.0.get().min(batch.tasks.len()) {
                let sender = sender.clone();
                let work = move || {
                    while !batch.stop.is_requested() && !unwanted.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(task) = batch.tasks.get(index) else {
                            return;
                        };
                        if sender.send((index, run_guarded(batch.run, task))).is_err() {
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

fn run_guarded(
    run: &(dyn Fn(&str) -> Result<String, String> + Sync),
    task: &str,
) -> Result<String, String> {
    catch_panic(|| run(task)).unwrap_or_else(Err)
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
