use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tablero_jobs::Stop;
use tokio::sync::mpsc::unbounded_channel;

use crate::desk::Desk;
use crate::files::Cache;
use crate::office::Office;
use crate::pool::Pool;
use crate::wire::host;
use crate::{Cluster, ClusterError, Kinds};

/// Does tasks of any kind for whoever puts them into the queue.
pub struct Worker {
    pub(crate) cluster: Cluster,
    kinds: Arc<Kinds>,
    pub(crate) threads: usize,
    pub(crate) id: String,
    pub(crate) office: Arc<Office>,
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Tasks done.
    pub tasks: u64,
    /// Games played in them.
    pub games: u64,
    /// Tasks that failed.
    pub failed: u64,
}

impl Worker {
    /// A worker that does so many tasks at once and keeps files that tasks need in the folder `cache`.
    pub fn new(
        cluster: Cluster,
        kinds: Kinds,
        threads: NonZeroUsize,
        cache: &Path,
    ) -> Result<Self, ClusterError> {
        let connection = cluster.client.server_info().client_id;
        let id = format!("{}-{}-{connection}", host(), std::process::id());
        let office = Arc::new(Office {
            worker: id.clone(),
            client: cluster.client.clone(),
            layout: cluster.layout.clone(),
            settings: cluster.settings.clone(),
            cache: Cache::new(cache)?,
            notes: cluster.notes.clone(),
        });
        Ok(Self { cluster, kinds: Arc::new(kinds), threads: threads.get(), id, office })
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Works until it is asked to stop; then finishes what it has begun and gives back the rest.
    pub fn run(&self, stop: &Stop) -> Result<Tally, ClusterError> {
        let (sender, events) = unbounded_channel();
        let pool = Arc::new(Pool::default());
        let threads = pool.start(self.threads, &self.kinds, &sender)?;
        let end = self.cluster.block_on(async {
            let mut desk = Desk::new(self, pool.clone(), sender, events).await?;
            let tally = desk.run(stop).await?;
            // The last confirmations must be on their way before the program ends.
            let _ = self.cluster.client.flush().await;
            Ok(tally)
        });
        pool.close();
        // A thread that has hung cannot be waited for.
        if end.is_ok() {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
        end
    }
}
