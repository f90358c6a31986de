//! Resumable long-running jobs: matches, tournaments, evolution, self-play, training and experiments.
//!
//! - A [`Job`] is a folder with a header (kind, configuration, seed), events, logs, checkpoints and a result.
//!   A [`Store`] creates, lists and deletes jobs; [`Job::run`] starts or resumes one, in this process or a
//!   later one, with the same result.
//! - [`Work`] that can be distributed is a list of tasks, pure functions from data to data. An [`Executor`] runs
//!   them ([`Threads`] in this process, a cluster elsewhere); a [`Runner`] delivers the outputs in task order
//!   and appends them to a [`Log`], so that results depend neither on parallelism nor on restarts.
//! - [`Progress`] carries metrics to the terminal and to the page.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tablero_jobs::{CancellationToken, Runner, Store, Threads, Work};
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
//! let (threads, cancel) = (Threads::all_cores(), CancellationToken::default());
//! let mut runner = Runner::new(&threads, &cancel).with_log(job.log("outputs")?);
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

mod build_info;
mod error;
mod executor;
mod export;
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

pub use build_info::BuildInfo;
pub use error::JobError;
pub use executor::{
    Batch, CancellationToken, Executor, OnOutput, Output, Threads, Work, catch_panic,
};
pub use export::{events_csv, tensorboard_events};
pub use files::{atomic_create, atomic_write, remove_stale_temporaries};
pub use job::{Header, Job, RunningJob, State, Status};
pub use log::{Log, read_log};
pub use progress::{Event, Metric, Progress, Stage};
pub use runner::{RunEnd, Runner, run_json};
pub use store::{Store, user_data_folder};
pub use task_kind::{Files, TaskError, TaskKind};
