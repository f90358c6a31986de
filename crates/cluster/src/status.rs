use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use futures_util::StreamExt;
use serde::Serialize;

use crate::crew::{ANSWER, call};
use crate::wire::{DeadTask, RunInfo, WorkerInfo};
use crate::{Cluster, ClusterError};

/// How many of the tasks that were given up are shown.
const SHOWN_DEAD: u64 = 20;

/// How a cluster is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The server, without secrets.
    pub server: String,
    /// The server's version.
    pub server_version: String,
    /// Bundles of tasks in the queue, those that workers hold included.
    pub queued: u64,
    /// Bundles that workers hold.
    pub held: u64,
    /// Reports that have not been read yet, or that a run still needs.
    pub reports: u64,
    /// Bytes of everything that the server keeps for us.
    pub bytes: u64,
    /// Games per second of all workers.
    pub games_per_second: f64,
    /// The workers that answered.
    pub workers: Vec<WorkerInfo>,
    /// What is, or was lately, under way; the newest first.
    pub runs: Vec<RunInfo>,
    /// How many tasks were given up.
    pub failures: u64,
    /// The last of them.
    pub last_failures: Vec<DeadTask>,
}

impl Cluster {
    /// How the cluster is.
    pub fn status(&self) -> Result<Status, ClusterError> {
        self.block_on(self.ask_status())
    }

    async fn ask_status(&self) -> Result<Status, ClusterError> {
        let failed = || ClusterError::server("cannot ask the server");
        let workers = call(&self.client, ANSWER).await?;
        let layout = &self.layout;
        let tasks = layout.tasks.get_info().await.map_err(failed())?;
        let results = layout.results.get_info().await.map_err(failed())?;
        let dead = layout.dead.get_info().await.map_err(failed())?;
        let mut held = 0;
        let mut consumers = layout.tasks.consumers();
        while let Some(Ok(consumer)) = consumers.next().await {
            held += consumer.num_ack_pending as u64;
        }
        let mut runs = self.runs().await;
        runs.sort_by(|a, b| b.updated.total_cmp(&a.updated));
        let server = self.client.server_info();
        Ok(Status {
            server: self.place.clone(),
            server_version: server.version.clone(),
            queued: tasks.state.messages,
            held,
            reports: results.state.messages,
            bytes: tasks.state.bytes + results.state.bytes + dead.state.bytes,
            games_per_second: workers.iter().map(|worker| worker.games_per_second).sum(),
            workers,
            runs,
            failures: dead.state.messages,
            last_failures: self.last_dead(dead.state.last_sequence).await,
        })
    }

    async fn runs(&self) -> Vec<RunInfo> {
        let mut runs = Vec::new();
        let Ok(mut keys) = self.layout.runs.keys().await else { return runs };
        while let Some(Ok(key)) = keys.next().await {
            if let Ok(Some(value)) = self.layout.runs.get(key).await {
                runs.extend(serde_json::from_slice::<RunInfo>(&value).ok());
            }
        }
        runs
    }

    async fn last_dead(&self, last: u64) -> Vec<DeadTask> {
        let config = pull::Config {
            ack_policy: AckPolicy::None,
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: last.saturating_sub(SHOWN_DEAD - 1).max(1),
            },
            inactive_threshold: Duration::from_secs(5),
            ..Default::default()
        };
        let mut dead = Vec::new();
        let Ok(consumer) = self.layout.dead.create_consumer(config).await else { return dead };
        let asked = consumer.fetch().max_messages(SHOWN_DEAD as usize).messages().await;
        let Ok(mut messages) = asked else { return dead };
        while let Some(Ok(message)) = messages.next().await {
            dead.extend(serde_json::from_slice::<DeadTask>(&message.payload).ok());
        }
        dead
    }
}
