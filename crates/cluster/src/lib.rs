//! Distributed execution of tasks over NATS JetStream.
//!
//! A coordinator ([`JetStreamExecutor`], an [`Executor`](tablero_jobs::Executor) like
//! [`Threads`](tablero_jobs::Threads)) publishes batches of tasks to a work queue. [`Worker`]s pull them, run
//! them on their threads and publish reports with the outputs:
//!
//! ```text
//!               batches  ┌─────────── nats-server ───────────┐  pull
//!  coordinator ─────────>│ stream tablero-tasks (work queue) │────────> worker ──┐ thread
//!   (a job)              │                                   │<──────── ack,     │ pool
//!               reports  │                                   │  in-progress ack  │
//!              <─────────│ stream tablero-results            │<──────── report ──┘
//!                        │ stream tablero-dead               │<──────── dead letters
//!                files   │ object store tablero-files        │
//!              ─────────>│ KV buckets: runs, failures        │────────> file cache
//!                        └───────────────────────────────────┘
//! ```
//!
//! Delivery is at least once. A batch that a worker does not finish (no in-progress ack for
//! [`Settings::ack_wait`]) is redelivered to another. Tasks are pure (data in, data out) and identified by their
//! content, so redelivery is idempotent: outputs do not depend on which worker ran a task, how often, or in
//! which order, and equal those of [`Threads`](tablero_jobs::Threads). Poison tasks are quarantined and
//! end as dead letters. Work that a busy worker has not started moves to idle workers.
//!
//! The API is blocking; tokio stays inside this crate.
//!
//! ```no_run
//! use std::num::NonZeroUsize;
//! use std::sync::Arc;
//!
//! use tablero_cluster::{Access, Cluster, JetStreamExecutor, NoFiles, Run, Settings, TaskKinds, Worker};
//! use tablero_jobs::{CancellationToken, Threads, Work};
//!
//! struct Square;
//!
//! impl Work for Square {
//!     const KIND: &'static str = "square";
//!     type Task = u64;
//!     type Output = u64;
//!
//!     fn run(&self, task: &u64) -> Result<u64, String> {
//!         Ok(task * task)
//!     }
//! }
//!
//! let access = Access::new("nats://127.0.0.1:4222")?;
//! let connect = || Cluster::connect(&access, Settings::default(), Arc::new(|text: &str| eprintln!("{text}")));
//! let kinds = || TaskKinds::default().with(NoFiles(Square));
//!
//! // On each worker:
//! let worker = Worker::new(connect()?, kinds(), NonZeroUsize::MIN, "cache".as_ref())?;
//! worker.run(&CancellationToken::default())?;
//!
//! // On the coordinator, as the executor of a job:
//! let local = Threads::new(NonZeroUsize::MIN);
//! let executor = JetStreamExecutor::new(connect()?, kinds(), Run::new("squares", "0 to 99"), local);
//! # let _ = executor;
//! # Ok::<(), tablero_cluster::ClusterError>(())
//! ```

mod access;
mod assets;
mod batch_sizer;
mod cluster;
mod epoch;
mod error;
mod executor;
mod files;
mod handler;
mod pending;
mod pool;
mod pull;
mod registry;
mod report_reader;
mod session;
mod status;
mod task_kinds;
mod wire;
mod worker;
mod worker_loop;

pub use access::Access;
pub use cluster::{Cluster, Log, Settings};
pub use error::ClusterError;
pub use executor::{JetStreamExecutor, Run};
pub use status::Status;
pub use tablero_jobs::{Files, TaskError, TaskKind};
pub use task_kinds::{NoFiles, TaskKinds};
pub use wire::{DeadLetter, RunInfo, WorkerInfo};
pub use worker::{Worker, WorkerStats};
