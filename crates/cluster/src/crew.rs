//! Who is there: workers answer whoever calls.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout_at};

use crate::ClusterError;
use crate::layout::PING;
use crate::wire::WorkerInfo;

/// How long workers have to answer.
pub(crate) const ANSWER: Duration = Duration::from_millis(800);
const CALL_EVERY: Duration = Duration::from_secs(2);
/// Who has not answered for so long is gone.
const GONE: Duration = Duration::from_secs(7);

type Seen = HashMap<String, (WorkerInfo, Instant)>;

/// The workers that are there, kept up to date.
pub(crate) struct Crew {
    seen: Arc<Mutex<Seen>>,
    calling: JoinHandle<()>,
}

impl Crew {
    /// Starts to call.
    pub(crate) fn watch(client: Client) -> Self {
        let seen = Arc::new(Mutex::new(Seen::new()));
        let calling = tokio::spawn(keep_calling(client, seen.clone()));
        Self { seen, calling }
    }

    /// How many tasks the workers of a version do at once.
    pub(crate) fn slots(&self, version: &str) -> usize {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let alive =
            seen.values().filter(|(info, at)| info.version == version && at.elapsed() < GONE);
        alive.map(|(info, _)| info.threads).sum()
    }

    /// Other versions that workers have.
    pub(crate) fn other_versions(&self, version: &str) -> BTreeSet<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let others =
            seen.values().filter(|(info, at)| info.version != version && at.elapsed() < GONE);
        others.map(|(info, _)| info.version.clone()).collect()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.calling.abort();
    }
}

async fn keep_calling(client: Client, seen: Arc<Mutex<Seen>>) {
    let inbox = client.new_inbox();
    let Ok(mut answers) = client.subscribe(inbox.clone()).await else { return };
    let mut tick = interval(CALL_EVERY);
    loop {
        tokio::select! {
            _ = tick.tick() => {
                // While the server is away nobody answers; the next call may be heard.
                let _ = client.publish_with_reply(PING, inbox.clone(), Default::default()).await;
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.retain(|_, (_, at)| at.elapsed() < GONE);
            }
            answer = answers.next() => {
                let Some(answer) = answer else { return };
                if let Ok(info) = serde_json::from_slice::<WorkerInfo>(&answer.payload) {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.insert(info.id.clone(), (info, Instant::now()));
                }
            }
        }
    }
}

/// The workers that answer within `wait`, by name.
pub(crate) async fn call(client: &Client, wait: Duration) -> Result<Vec<WorkerInfo>, ClusterError> {
    let failed = "cannot call the workers";
    let inbox = client.new_inbox();
    let answers = client.subscribe(inbox.clone()).await;
    let mut answers = answers.map_err(ClusterError::server(failed))?;
    let called = client.publish_with_reply(PING, inbox, Default::default()).await;
    called.map_err(ClusterError::server(failed))?;
    let (mut workers, until) = (Vec::new(), tokio::time::Instant::now() + wait);
    while let Ok(Some(answer)) = timeout_at(until, answers.next()).await {
        workers.extend(serde_json::from_slice::<WorkerInfo>(&answer.payload).ok());
    }
    workers.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(workers)
}
