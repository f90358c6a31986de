//! The same tasks on many machines, over NATS JetStream.
//!
//! Whoever has tasks uses [`JetStream`], an executor like any other; whoever does them is a
//! [`Worker`]. Both know the same [`Kinds`] of tasks and meet at a NATS server, which keeps
//!
//! - a work queue with bundles of tasks, each taken out by the worker that has done it; a bundle that
//!   a worker does not finish (it has said nothing for [`Settings::ack_wait`]) goes to another;
//! - reports with outputs, until the run has them; the first report of a bundle stands;
//! - tasks that were given up, for people to look at;
//! - files that tasks name, under the hash of what is in them;
//! - the runs that are under way.
//!
//! A task is data in, data out, so nothing depends on who does it, how often, and in which order: the
//! output is the one that [`Threads`](tablero_jobs::Threads) would give. Delivery is at least once;
//! a task is known by its content, so one that was done twice counts once.
//!
//! All is blocking on the outside; the asynchronous part stays in this crate.

mod access;
mod cluster;
mod crew;
mod desk;
mod error;
mod executor;
mod files;
mod kinds;
mod layout;
mod line;
mod office;
mod pending;
mod pool;
mod pulls;
mod reader;
mod session;
mod status;
mod wire;
mod worker;

pub use access::Access;
pub use cluster::{Cluster, Notes, Settings};
pub use error::ClusterError;
pub use executor::{JetStream, Run};
pub use kinds::{Kinds, Plain};
pub use status::Status;
pub use tablero_jobs::{Files, TaskError, TaskKind};
pub use wire::{DeadTask, RunInfo, WorkerInfo};
pub use worker::{Tally, Worker};
