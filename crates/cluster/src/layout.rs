//! What is kept on the server, and under which names.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::kv;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};

use crate::line::Line;
use crate::wire::RunInfo;
use crate::{ClusterError, Settings};

const TASKS: &str = "tablero-tasks";
const RESULTS: &str = "tablero-results";
const DEAD: &str = "tablero-dead";
const RUNS: &str = "tablero-runs";
const PASTS: &str = "tablero-pasts";
const FILES: &str = "tablero-files";

/// Whoever hears this tells who it is.
pub(crate) const PING: &str = "tablero.ping";

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Workers that may wait for tasks, and bundles that they may hold, all together.
const MANY: i64 = 100_000;
/// Tasks in the list of those that were given up.
const MOST_DEAD: i64 = 10_000;

/// What is kept on the server.
#[derive(Clone)]
pub(crate) struct Layout {
    pub(crate) context: Context,
    pub(crate) line: Line,
    /// Bundles of tasks; each is taken out by whoever has done it.
    pub(crate) tasks: Stream,
    /// Reports, one for each subject, until they have been read.
    pub(crate) results: Stream,
    /// Tasks that were given up.
    pub(crate) dead: Stream,
    /// What is under way.
    pub(crate) runs: kv::Store,
    /// What went wrong with bundles that had to be given to several workers.
    pub(crate) pasts: kv::Store,
    /// Files that tasks need, under the hash of what is in them.
    pub(crate) files: ObjectStore,
}

impl Layout {
    /// Opens what is there and makes what is not.
    pub(crate) async fn open(
        client: Client,
        line: Line,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        let context = async_nats::jetstream::new(client);
        let stream = async |config: Config| {
            let name = config.name.clone();
            context
                .get_or_create_stream(config)
                .await
                .map_err(ClusterError::server(&format!("cannot open the stream {name}")))
        };
        let tasks = stream(Config {
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages: settings.queue,
            ..kept(TASKS, "tablero.task.>")
        });
        let results = stream(Config { max_age: WEEK, ..kept(RESULTS, "tablero.result.>") });
        let dead = stream(Config {
            max_age: 4 * WEEK,
            max_messages: MOST_DEAD,
            ..kept(DEAD, "tablero.dead.>")
        });
        let (tasks, results, dead) = (tasks.await?, results.await?, dead.await?);
        // The library's own way to make a bucket asks servers of version 2.9 what they cannot answer.
        let bucket = async |name: &str, max_age| {
            stream(Config {
                discard: DiscardPolicy::New,
                max_messages_per_subject: 1,
                max_age,
                allow_rollup: true,
                deny_delete: true,
                allow_direct: true,
                ..kept(&format!("KV_{name}"), &format!("$KV.{name}.>"))
            })
            .await?;
            let store = context.get_key_value(name).await;
            store.map_err(ClusterError::server(&format!("cannot open the bucket {name}")))
        };
        let (runs, pasts) = (bucket(RUNS, 4 * WEEK).await?, bucket(PASTS, WEEK).await?);
        let files = match context.get_object_store(FILES).await {
            Ok(files) => files,
            Err(_) => {
                let config = object_store::Config { bucket: FILES.into(), ..Default::default() };
                let made = context.create_object_store(config).await;
                made.map_err(ClusterError::server("cannot open the store of files"))?
            }
        };
        Ok(Self { context, line, tasks, results, dead, runs, pasts, files })
    }

    /// Tells the queue apart from one that was made after the server had lost it.
    pub(crate) fn queue(&self) -> String {
        format!("{:?}", self.tasks.cached_info().created)
    }

    /// Where the workers of a version get their tasks.
    pub(crate) async fn workers(&self, settings: &Settings) -> Result<PullConsumer, ClusterError> {
        let version = token(&settings.version);
        let config = pull::Config {
            durable_name: Some(format!("workers-{version}")),
            filter_subject: format!("tablero.task.{version}.>"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: settings.ack_wait,
            // Workers count themselves, as the server only falls silent after the last delivery.
            max_deliver: -1,
            max_ack_pending: MANY,
            max_waiting: MANY,
            ..Default::default()
        };
        let consumer = self.tasks.create_consumer(config).await;
        consumer.map_err(ClusterError::server("cannot ask for tasks"))
    }

    /// Tells everyone how a run is.
    pub(crate) async fn tell(&self, run: &str, info: &RunInfo) {
        if let Ok(text) = serde_json::to_vec(info) {
            // Nothing depends on it.
            let _ = self.runs.put(run, text.into()).await;
        }
    }
}

fn kept(name: &str, subjects: &str) -> Config {
    Config {
        name: name.into(),
        subjects: vec![subjects.into()],
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

/// `text` as a part of a subject or a name.
pub(crate) fn token(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Where the tasks of a run are put; followed by a dot and the bundle's name.
pub(crate) fn task_subject(version: &str, run: &str) -> String {
    format!("tablero.task.{}.{run}", token(version))
}

/// Where the reports of a run are put; followed by a dot and the bundle's name.
pub(crate) fn result_subject(run: &str) -> String {
    format!("tablero.result.{run}")
}

/// The run and the bundle's name in a subject of either kind.
pub(crate) fn run_and_bundle(subject: &str) -> Option<(&str, &str)> {
    let mut parts = subject.rsplit('.');
    let bundle = parts.next()?;
    Some((parts.next()?, bundle))
}

/// Where the task called `id` is put when it is given up.
pub(crate) fn dead_subject(run: &str, id: &str) -> String {
    format!("tablero.dead.{run}.{id}")
}
