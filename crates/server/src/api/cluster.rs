use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The cluster that the server was started with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterView {
    /// Where its NATS server is, without secrets.
    pub server: String,
    /// Why nothing is known about it now; null if all is well.
    pub problem: Option<String>,
    /// How it is; null if nothing is known.
    pub state: Option<ClusterState>,
}

/// How a cluster is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterState {
    /// The NATS server's version.
    pub server_version: String,
    /// Bundles of tasks in the queue, those that workers hold included.
    pub queued: u64,
    /// Bundles that workers hold.
    pub held: u64,
    /// Reports of workers that a run still needs.
    pub reports: u64,
    /// Bytes that the NATS server keeps for us.
    pub bytes: u64,
    /// Games per second of all workers.
    pub games_per_second: f64,
    /// The workers that are alive.
    pub workers: Vec<ClusterWorker>,
    /// What is, or was lately, under way; the newest first.
    pub runs: Vec<ClusterRun>,
    /// How many tasks were given up.
    pub failures: u64,
    /// The last of them.
    pub last_failures: Vec<ClusterFailure>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterWorker {
    /// Its name: machine, process, connection.
    pub id: String,
    /// Its program's version; only workers of this server's version do its tasks.
    pub version: String,
    /// How many tasks it does at once.
    pub threads: usize,
    /// Games played.
    pub games: u64,
    /// Games in the last seconds, per second.
    pub games_per_second: f64,
    /// Tasks that failed.
    pub failed: u64,
    /// The run that it works on; empty if none.
    pub run: String,
    /// Since when it has been there, in seconds.
    pub up_seconds: f64,
}

/// The tasks of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterRun {
    /// The job's name.
    pub name: String,
    /// Where it is led from.
    pub host: String,
    /// `running`, `stopped` or `done`.
    pub state: String,
    /// Tasks so far.
    pub tasks: u64,
    /// Those that are done.
    pub done: u64,
    /// When this was written, in seconds since 1970 (UTC).
    pub updated: f64,
}

/// A task that was given up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterFailure {
    /// The job's name.
    pub run: String,
    /// Why it was given up.
    pub reason: String,
    /// Who gave it up.
    pub worker: String,
    /// When, in seconds since 1970 (UTC).
    pub at: f64,
}
