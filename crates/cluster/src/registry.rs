//! Worker discovery: workers reply to a ping on [`PING`]; those that stop replying are dropped.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout_at};

use crate::ClusterError;
use crate::assets::PING;
use crate::wire::WorkerInfo;

/// How long [`discover`] waits for replies.
pub(crate) const DISCOVERY_TIMEOUT: Duration = Duration::from_millis(800);
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// A worker that has not replied for this long is considered dead: three pings, and some slack.
const LIVENESS_TIMEOUT: Duration = Duration::from_secs(7);

/// Workers by id, with the time of the last reply.
type Workers = HashMap<String, (WorkerInfo, Instant)>;

/// The live workers, refreshed in the background.
pub(crate) struct WorkerRegistry {
    workers: Arc<Mutex<Workers>>,
    pinging: JoinHandle<()>,
}

impl WorkerRegistry {
    /// Starts pinging.
    pub(crate) fn start(client: Client) -> Self {
        let workers = Arc::new(Mutex::new(Workers::new()));
        let pinging = tokio::spawn(ping_workers(client, workers.clone()));
        Self { workers, pinging }
    }

    /// Threads of all live workers of a version.
    pub(crate) fn slots(&self, version: &str) -> usize {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let live = workers
            .values()
            .filter(|(info, seen)| info.version == version && seen.elapsed() < LIVENESS_TIMEOUT);
        live.map(|(info, _)| info.threads).sum()
    }

    /// Versions of live workers other than `version`.
    pub(crate) fn other_versions(&self, version: &str) -> BTreeSet<String> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let others = workers
            .values()
            .filter(|(info, seen)| info.version != version && seen.elapsed() < LIVENESS_TIMEOUT);
        others.map(|(info, _)| info.version.clone()).collect()
    }
}

impl Drop for WorkerRegistry {
    fn drop(&mut self) {
        self.pinging.abort();
    }
}

async fn ping_workers(client: Client, workers: Arc<Mutex<Workers>>) {
    let inbox = client.new_inbox();
    let Ok(mut replies) = client.subscribe(inbox.clone()).await else { return };
    let mut tick = interval(PING_INTERVAL);
    loop {
        tokio::select! {
            _ = tick.tick() => {
                // Fails while disconnected; the next ping may get through.
                let _ = client.publish_with_reply(PING, inbox.clone(), Default::default()).await;
                let mut workers = workers.lock().unwrap_or_else(PoisonError::into_inner);
                workers.retain(|_, (_, seen)| seen.elapsed() < LIVENESS_TIMEOUT);
            }
            reply = replies.next() => {
                let Some(reply) = reply else { return };
                if let Ok(info) = serde_json::from_slice::<WorkerInfo>(&reply.payload) {
                    let mut workers = workers.lock().unwrap_or_else(PoisonError::into_inner);
                    workers.insert(info.id.clone(), (info, Instant::now()));
                }
            }
        }
    }
}

/// The workers that reply within `timeout`, sorted by id.
pub(crate) async fn discover(
    client: &Client,
    timeout: Duration,
) -> Result<Vec<WorkerInfo>, ClusterError> {
    let failed = "cannot ping the workers";
    let inbox = client.new_inbox();
    let replies = client.subscribe(inbox.clone()).await;
    let mut replies = replies.map_err(ClusterError::server(failed))?;
    let pinged = client.publish_with_reply(PING, inbox, Default::default()).await;
    pinged.map_err(ClusterError::server(failed))?;
    let (mut workers, deadline) = (Vec::new(), tokio::time::Instant::now() + timeout);
    while let Ok(Some(reply)) = timeout_at(deadline, replies.next()).await {
        workers.extend(serde_json::from_slice::<WorkerInfo>(&reply.payload).ok());
    }
    workers.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(workers)
}
