//! Long work, the same way everywhere: matches, tournaments, evolution, self-play, training and
//! experiments.
//!
//! - A [`Job`] is a folder: what to do (kind, configuration, seed), what happened (events), how far
//!   it is (logs and checkpoints) and what came out. It is found, listed and deleted through a
//!   [`Store`], and continued by [`Job::run`], in this process or a later one, to the same result.
//! - [`Work`] that can be spread is a list of tasks, each data in and data out. An [`Executor`] runs
//!   them ([`Threads`] here), a [`Runner`] hands the results over in the order of the tasks and
//!   keeps them in a [`Log`], so that nothing depends on how many run at once or on a restart.
//! - [`Progress`] tells people how far it is: a bar in the terminal, curves on the page.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tablero_jobs::{Runner, Stop, Store, Threads, Work};
//!
//! struct Square;
//! impl Work for Square {
//!     const KIND: &'static str = "square";
//!     type Task = u64;
//!     type Output = u64;
//!     fn run(&self, task: &u64) -> Result<u64, String> {
//!         Ok(task * task)
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("tablero-jobs-doc-{}", std::process::id()));
//! let store = Store::in_folder(&folder);
//! let job = store.create("squares", &"a configuration", 1)?.run()?;
//! let (threads, stop) = (Threads::all_cores(), Stop::default());
//! let mut runner = Runner::new(&threads, &stop).with_log(job.log("outputs")?);
//! let mut sum = 0;
//! runner.run(&Square, &[1, 2, 3], |_index, square| {
//!     sum += square;
//!     ControlFlow::Continue(())
//! })?;
//! job.finish(&sum)?;
//! assert_eq!(store.open("squares-1")?.result::<u64>()?, Some(14));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), tablero_jobs::JobError>(())
//! ```

mod error;
mod executor;
mod files;
mod job;
mod lock;
mod log;
mod progress;
mod runner;
mod store;
mod task_kind;
#[cfg(test)]
mod testing;

pub use error::JobError;
pub use executor::{Batch, Executor, OnOutput, Output, Stop, Threads, Work, catch_panic};
pub use files::write_beside;
pub use job::{Header, Job, Running, State, Status};
pub use log::{Log, read_log};
pub use progress::{Event, Figure, Progress};
pub use runner::{Ended, Runner, run_text};
pub use store::Store;
pub use task_kind::{Files, TaskError, TaskKind};
