use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use tokio::runtime::{Builder, Runtime};

use crate::layout::Layout;
use crate::wire::host;
use crate::{Access, ClusterError};

/// Tells a person what goes on.
pub type Notes = Arc<dyn Fn(&str) + Send + Sync>;

/// What coordinators and workers of a cluster agree on. The usual values are right for nearly everyone.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program's version: tasks are done by workers of the same version only.
    pub version: String,
    /// A worker that has said nothing about a task for so long has lost it to another.
    pub ack_wait: Duration,
    /// A worker that has worked on a bundle of tasks for so long has hung.
    pub task_limit: Duration,
    /// How many workers must have ended, or hung, while they did a task and nothing else before it is
    /// given up; also how many must at least have refused it.
    pub tries: usize,
    /// How many bundles of tasks the server keeps at most.
    pub queue: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            ack_wait: Duration::from_secs(20),
            task_limit: Duration::from_secs(3600),
            tries: 3,
            queue: 100_000,
        }
    }
}

/// A connection to the server; a blocking one, whatever goes on inside.
pub struct Cluster {
    // First, as fields are dropped in order: what runs in it uses the others.
    runtime: Runtime,
    pub(crate) client: Client,
    pub(crate) layout: Layout,
    pub(crate) settings: Settings,
    pub(crate) place: String,
    pub(crate) notes: Notes,
}

impl Cluster {
    /// Connects, and makes sure that the server has what we need.
    pub fn connect(
        access: &Access,
        settings: Settings,
        notes: Notes,
    ) -> Result<Self, ClusterError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(ClusterError::server("cannot start"))?;
        let place = access.place();
        let (client, layout) = runtime.block_on(async {
            let name = format!("tablero {} ({})", settings.version, host());
            let (client, line) = access.connect(&name, &notes).await?;
            // Asks for something that every server with JetStream has.
            let answer = client.request("$JS.API.INFO", Default::default()).await;
            answer.map_err(|error| ClusterError::NoJetStream {
                place: place.clone(),
                problem: error.to_string(),
            })?;
            let layout = Layout::open(client.clone(), line, &settings).await?;
            Ok::<_, ClusterError>((client, layout))
        })?;
        Ok(Self { runtime, client, layout, settings, place, notes })
    }

    /// The server, without secrets.
    pub fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn note(&self, text: &str) {
        (self.notes)(text);
    }
}
