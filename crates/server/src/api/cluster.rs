use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The server's cluster.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterView {
    /// The URL of its NATS server, without credentials.
    pub server: String,
    /// The error of the NATS client, if the cluster is unreachable.
    pub problem: Option<String>,
    /// Its status; null if it is unreachable.
    pub state: Option<ClusterState>,
}

/// The status of a cluster.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterState {
    /// The NATS server's version.
    pub server_version: String,
    /// Batches of tasks in the queue, those in flight included.
    pub queued: u64,
    /// Batches in flight: delivered to workers, not yet acknowledged.
    pub in_flight: u64,
    /// Results that coordinators have not read yet.
    pub reports: u64,
    /// Bytes stored by the NATS server.
    pub bytes: u64,
    /// Games per second of all workers.
    pub games_per_second: f64,
    /// The live workers.
    pub workers: Vec<ClusterWorker>,
    /// Current and recent runs, newest first.
    pub runs: Vec<ClusterRun>,
    /// Dead-lettered tasks.
    pub failures: u64,
    /// The last of them.
    pub last_failures: Vec<ClusterFailure>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterWorker {
    /// Its name: machine, process, connection.
    pub id: String,
    /// Its version; only workers of the server's version take its tasks.
    pub version: String,
    /// Concurrent tasks.
    pub threads: usize,
    /// Games played.
    pub games: u64,
    /// Recent games per second.
    pub games_per_second: f64,
    /// Failed tasks.
    pub failed: u64,
    /// The run it works on; empty if idle.
    pub run: String,
    /// Uptime in seconds.
    pub up_seconds: f64,
}

/// The tasks of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterRun {
    /// The job's name.
    pub name: String,
    /// The coordinator's host.
    pub host: String,
    /// `running`, `stopped` or `done`.
    pub state: String,
    /// Tasks published so far.
    pub tasks: u64,
    /// Tasks done.
    pub done: u64,
    /// Unix time of this status.
    pub updated: f64,
}

/// A dead-lettered task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClusterFailure {
    /// The job's name.
    pub run: String,
    /// The last error.
    pub reason: String,
    /// The worker it failed on.
    pub worker: String,
    /// Unix time.
    pub at: f64,
}
