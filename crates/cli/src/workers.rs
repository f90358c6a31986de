//! Adapts a cluster to the server.

use std::sync::{Mutex, PoisonError};

use tablero_arena::PlayerPool;
use tablero_cluster::{Access, Cluster, ClusterError, JetStreamExecutor, Run, Status};
use tablero_jobs::{Executor, Job, Threads};
use tablero_server::Workers;
use tablero_server::api::{ClusterFailure, ClusterRun, ClusterState, ClusterView, ClusterWorker};

use crate::nats::connect;
use crate::out;
use crate::tasks::kinds;

/// The workers of a cluster.
pub(crate) struct NatsWorkers {
    access: Access,
    /// The connection for status queries, once established.
    cluster: Mutex<Option<Cluster>>,
}

impl NatsWorkers {
    pub(crate) const fn new(access: Access) -> Self {
        Self { access, cluster: Mutex::new(None) }
    }

    fn status(&self) -> Result<Status, ClusterError> {
        let mut cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        let connected = match cluster.take() {
            Some(connected) => connected,
            None => connect(&self.access)?,
        };
        let status = connected.status()?;
        // Kept only on success: after an error the next query reconnects.
        *cluster = Some(connected);
        Ok(status)
    }

    /// Whether a worker of our version is connected.
    fn has_workers(&self) -> bool {
        let ours = |status: Status| {
            status
                .workers
                .iter()
                .any(|worker| worker.version == tablero_jobs::BuildInfo::current().id())
        };
        self.status().is_ok_and(ours)
    }
}

impl Workers for NatsWorkers {
    fn status(&self) -> ClusterView {
        let (problem, state) = match self.status() {
            Ok(status) => (None, Some(state(status))),
            Err(error) => (Some(error.to_string()), None),
        };
        ClusterView { server: self.access.url(), problem, state }
    }

    fn executor(&self, job: &Job, here: Threads) -> Option<Box<dyn Executor>> {
        if !self.has_workers() {
            return None;
        }
        match connect(&self.access) {
            Ok(cluster) => Some(Box::new(JetStreamExecutor::new(
                cluster,
                kinds(Vec::new(), PlayerPool::shared()),
                Run::of_job(job),
                here,
            ))),
            Err(error) => {
                out::note(format_args!("{} runs locally: {error}", job.id()));
                None
            }
        }
    }
}

fn state(status: Status) -> ClusterState {
    ClusterState {
        server_version: status.server_version,
        queued: status.queued,
        in_flight: status.ack_pending,
        reports: status.reports,
        bytes: status.bytes,
        games_per_second: status.games_per_second,
        workers: status.workers.into_iter().map(worker).collect(),
        runs: status.runs.into_iter().map(run).collect(),
        failures: status.dead_letters,
        last_failures: status.recent_dead_letters.into_iter().map(failure).collect(),
    }
}

fn worker(worker: tablero_cluster::WorkerInfo) -> ClusterWorker {
    ClusterWorker {
        id: worker.id,
        version: worker.version,
        threads: worker.threads,
        games: worker.games,
        games_per_second: worker.games_per_second,
        failed: worker.failed,
        run: worker.run,
        up_seconds: worker.uptime_seconds,
    }
}

fn run(run: tablero_cluster::RunInfo) -> ClusterRun {
    ClusterRun {
        name: run.name,
        host: run.host,
        state: run.state,
        tasks: run.tasks,
        done: run.done,
        updated: run.updated,
    }
}

fn failure(dead: tablero_cluster::DeadLetter) -> ClusterFailure {
    ClusterFailure { run: dead.run, reason: dead.reason, worker: dead.worker, at: dead.at }
}
