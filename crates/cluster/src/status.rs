use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use futures_util::StreamExt;
use serde::Serialize;

use crate::registry::{DISCOVERY_TIMEOUT, discover};
use crate::wire::{DeadLetter, RunInfo, WorkerInfo};
use crate::{Cluster, ClusterError};

/// How many dead letters a status contains.
const RECENT_DEAD_LETTERS: u64 = 20;

/// The state of a cluster.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The server's URL, without credentials.
    pub server: String,
    /// Version of nats-server.
    pub server_version: String,
    /// Batches in the work queue, delivered ones included.
    pub queued: u64,
    /// Batches delivered to workers and not acknowledged yet.
    pub ack_pending: u64,
    /// Reports that their runs still need.
    pub reports: u64,
    /// Storage used by the streams, in bytes.
    pub bytes: u64,
    /// Games per second of all workers.
    pub games_per_second: f64,
    /// Live workers.
    pub workers: Vec<WorkerInfo>,
    /// Current and recent runs, the last updated first.
    pub runs: Vec<RunInfo>,
    /// Number of dead letters.
    pub dead_letters: u64,
    /// The most recent of them.
    pub recent_dead_letters: Vec<DeadLetter>,
}

impl Cluster {
    /// The cluster's current state. Takes about a second, for the workers to reply.
    pub fn status(&self) -> Result<Status, ClusterError> {
        self.block_on(self.query_status())
    }

    async fn query_status(&self) -> Result<Status, ClusterError> {
        let failed = || ClusterError::server("cannot query the server");
        let workers = discover(&self.client, DISCOVERY_TIMEOUT).await?;
        let assets = &self.assets;
        let tasks = assets.tasks.get_info().await.map_err(failed())?;
        let results = assets.results.get_info().await.map_err(failed())?;
        let dead = assets.dead.get_info().await.map_err(failed())?;
        let mut ack_pending = 0;
        let mut consumers = assets.tasks.consumers();
        while let Some(Ok(consumer)) = consumers.next().await {
            ack_pending += consumer.num_ack_pending as u64;
        }
        let mut runs = self.runs().await;
        runs.sort_by(|a, b| b.updated.total_cmp(&a.updated));
        let server = self.client.server_info();
        Ok(Status {
            server: self.url.clone(),
            server_version: server.version.clone(),
            queued: tasks.state.messages,
            ack_pending,
            reports: results.state.messages,
            bytes: tasks.state.bytes + results.state.bytes + dead.state.bytes,
            // Not `sum`: that of no workers is -0.
            games_per_second: workers.iter().fold(0.0, |sum, worker| sum + worker.games_per_second),
            workers,
            runs,
            dead_letters: dead.state.messages,
            recent_dead_letters: self.recent_dead_letters(dead.state.last_sequence).await,
        })
    }

    async fn runs(&self) -> Vec<RunInfo> {
        let mut runs = Vec::new();
        let Ok(mut keys) = self.assets.runs.keys().await else { return runs };
        while let Some(Ok(key)) = keys.next().await {
            if let Ok(Some(value)) = self.assets.runs.get(key).await {
                runs.extend(serde_json::from_slice::<RunInfo>(&value).ok());
            }
        }
        runs
    }

    async fn recent_dead_letters(&self, last: u64) -> Vec<DeadLetter> {
        let config = pull::Config {
            ack_policy: AckPolicy::None,
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: last.saturating_sub(RECENT_DEAD_LETTERS - 1).max(1),
            },
            inactive_threshold: Duration::from_secs(5),
            ..Default::default()
        };
        let mut letters = Vec::new();
        let Ok(consumer) = self.assets.dead.create_consumer(config).await else { return letters };
        let fetched = consumer.fetch().max_messages(RECENT_DEAD_LETTERS as usize).messages().await;
        let Ok(mut messages) = fetched else { return letters };
        while let Some(Ok(message)) = messages.next().await {
            letters.extend(serde_json::from_slice::<DeadLetter>(&message.payload).ok());
        }
        letters
    }
}
