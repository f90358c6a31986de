use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tablero_jobs::CancellationToken;
use tokio::sync::mpsc::unbounded_channel;

use crate::files::FileCache;
use crate::handler::MessageHandler;
use crate::pool::ThreadPool;
use crate::wire::host;
use crate::worker_loop::WorkerLoop;
use crate::{Cluster, ClusterError, TaskKinds};

/// Runs tasks of all coordinators that use the same NATS server and version.
pub struct Worker {
    pub(crate) cluster: Cluster,
    kinds: Arc<TaskKinds>,
    pub(crate) threads: usize,
    pub(crate) id: String,
    pub(crate) handler: Arc<MessageHandler>,
}

/// A worker's counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerStats {
    /// Tasks run.
    pub tasks: u64,
    /// Games played.
    pub games: u64,
    /// Failed tasks.
    pub failed: u64,
}

impl Worker {
    /// A worker that runs `threads` batches in parallel and caches files in the folder `cache`.
    pub fn new(
        cluster: Cluster,
        kinds: TaskKinds,
        threads: NonZeroUsize,
        cache: &Path,
    ) -> Result<Self, ClusterError> {
        let connection = cluster.client.server_info().client_id;
        let id = format!("{}-{}-{connection}", host(), std::process::id());
        let handler = Arc::new(MessageHandler {
            worker: id.clone(),
            client: cluster.client.clone(),
            assets: cluster.assets.clone(),
            settings: cluster.settings.clone(),
            cache: FileCache::new(cache)?,
            log: cluster.log.clone(),
        });
        Ok(Self { cluster, kinds: Arc::new(kinds), threads: threads.get(), id, handler })
    }

    /// Unique id: host, process and connection.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Runs tasks until cancelled; then drains: running batches are finished, others given back.
    pub fn run(&self, cancellation: &CancellationToken) -> Result<WorkerStats, ClusterError> {
        let (sender, events) = unbounded_channel();
        let pool = Arc::new(ThreadPool::default());
        let threads = pool.start(self.threads, &self.kinds, &sender)?;
        let end = self.cluster.block_on(async {
            let mut worker_loop = WorkerLoop::new(self, pool.clone(), sender, events).await?;
            let stats = worker_loop.run(cancellation).await?;
            // The last acks must leave before the process exits.
            let _ = self.cluster.client.flush().await;
            Ok(stats)
        });
        pool.close();
        // A hung thread cannot be joined.
        if end.is_ok() {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
        end
    }
}
