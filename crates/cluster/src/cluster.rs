use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use tokio::runtime::{Builder, Runtime};

use crate::assets::Assets;
use crate::wire::host;
use crate::{Access, ClusterError};

/// Receives log messages: reconnects, failed tasks, progress.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Settings that coordinators and workers of a cluster share. The defaults suit nearly every cluster.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program's version. Outputs may depend on it, so a worker only takes tasks of its own version.
    pub version: String,
    /// How long a delivery stays leased to a worker without a heartbeat; then it is redelivered.
    pub ack_wait: Duration,
    /// A worker whose batch has run for this long is considered hung and exits.
    pub task_timeout: Duration,
    /// How many workers must have crashed or hung while running a task in quarantine before it is
    /// dead-lettered; also the least number of rejections.
    pub max_attempts: usize,
    /// How many batches the work queue holds at most; beyond that coordinators wait.
    pub max_queued: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: tablero_jobs::BuildInfo::current().id(),
            ack_wait: Duration::from_secs(20),
            task_timeout: Duration::from_secs(3600),
            max_attempts: 3,
            max_queued: 100_000,
        }
    }
}

/// A connection to a NATS server with JetStream. The API is blocking; its runtime is its own.
pub struct Cluster {
    // Dropped first: tasks on the runtime use the other fields.
    runtime: Runtime,
    pub(crate) client: Client,
    pub(crate) assets: Assets,
    pub(crate) settings: Settings,
    pub(crate) url: String,
    pub(crate) log: Log,
}

impl Cluster {
    /// Connects, and creates the streams, buckets and stores that do not exist yet.
    pub fn connect(access: &Access, settings: Settings, log: Log) -> Result<Self, ClusterError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(ClusterError::server("cannot start the runtime"))?;
        let url = access.url();
        let (client, assets) = runtime.block_on(async {
            let name = format!("tablero {} ({})", settings.version, host());
            let (client, epoch) = access.connect(&name, &log).await?;
            // Only servers with JetStream reply to this.
            let reply = client.request("$JS.API.INFO", Default::default()).await;
            reply.map_err(|error| ClusterError::NoJetStream {
                server: url.clone(),
                reason: error.to_string(),
            })?;
            let assets = Assets::open(client.clone(), epoch, &settings).await?;
            Ok::<_, ClusterError>((client, assets))
        })?;
        Ok(Self { runtime, client, assets, settings, url, log })
    }

    /// The server's URL, without credentials.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    pub(crate) fn log(&self, text: &str) {
        (self.log)(text);
    }
}
