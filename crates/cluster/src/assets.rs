//! JetStream assets: the streams, consumers, KV buckets and the object store of a cluster, by name.
//!
//! | asset | subjects | content |
//! |---|---|---|
//! | stream `tablero-tasks` | `tablero.task.VERSION.RUN.BATCH` | work queue of batches |
//! | stream `tablero-results` | `tablero.result.RUN.BATCH` | reports of workers |
//! | stream `tablero-dead` | `tablero.dead.RUN.TASK` | dead letters |
//! | KV bucket `tablero-runs` | | runs and their progress |
//! | KV bucket `tablero-failures` | | failure history of redelivered batches |
//! | object store `tablero-files` | | files that tasks name, by hash |

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::kv;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};

use crate::epoch::ConnectionEpoch;
use crate::wire::RunInfo;
use crate::{ClusterError, Settings};

const TASKS: &str = "tablero-tasks";
const RESULTS: &str = "tablero-results";
const DEAD: &str = "tablero-dead";
const RUNS: &str = "tablero-runs";
const FAILURES: &str = "tablero-failures";
const FILES: &str = "tablero-files";

/// Workers reply to a message here with their [`WorkerInfo`](crate::WorkerInfo).
pub(crate) const PING: &str = "tablero.ping";

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Limit of waiting pull requests, and of unacknowledged batches, of all workers together.
const MAX_PENDING: i64 = 100_000;
const MAX_DEAD_LETTERS: i64 = 10_000;

/// Handles of all assets.
#[derive(Clone)]
pub(crate) struct Assets {
    pub(crate) context: Context,
    pub(crate) epoch: ConnectionEpoch,
    /// Work queue of batches: an acknowledged message is deleted.
    pub(crate) tasks: Stream,
    /// Reports, one per subject, kept until their run has consumed them.
    pub(crate) results: Stream,
    /// Dead letters.
    pub(crate) dead: Stream,
    /// [`RunInfo`] by run.
    pub(crate) runs: kv::Store,
    /// [`FailureHistory`](crate::wire::FailureHistory) by run and batch.
    pub(crate) failures: kv::Store,
    /// Files by hash.
    pub(crate) files: ObjectStore,
}

impl Assets {
    /// Opens the assets; creates those that do not exist.
    pub(crate) async fn open(
        client: Client,
        epoch: ConnectionEpoch,
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
            max_messages: settings.max_queued,
            ..file_stream(TASKS, "tablero.task.>")
        });
        let results = stream(Config { max_age: WEEK, ..file_stream(RESULTS, "tablero.result.>") });
        let dead = stream(Config {
            max_age: 4 * WEEK,
            max_messages: MAX_DEAD_LETTERS,
            ..file_stream(DEAD, "tablero.dead.>")
        });
        let (tasks, results, dead) = (tasks.await?, results.await?, dead.await?);
        // `create_key_value` uses a request that servers of version 2.9 do not support.
        let bucket = async |name: &str, max_age| {
            stream(Config {
                discard: DiscardPolicy::New,
                max_messages_per_subject: 1,
                max_age,
                allow_rollup: true,
                deny_delete: true,
                allow_direct: true,
                ..file_stream(&format!("KV_{name}"), &format!("$KV.{name}.>"))
            })
            .await?;
            let store = context.get_key_value(name).await;
            store.map_err(ClusterError::server(&format!("cannot open the bucket {name}")))
        };
        let (runs, failures) = (bucket(RUNS, 4 * WEEK).await?, bucket(FAILURES, WEEK).await?);
        let files = match context.get_object_store(FILES).await {
            Ok(files) => files,
            Err(_) => {
                let config = object_store::Config { bucket: FILES.into(), ..Default::default() };
                let created = context.create_object_store(config).await;
                created.map_err(ClusterError::server("cannot open the object store"))?
            }
        };
        Ok(Self { context, epoch, tasks, results, dead, runs, failures, files })
    }

    /// Identifies this incarnation of the work queue: a server that lost its disk has another one.
    pub(crate) fn queue_id(&self) -> String {
        format!("{:?}", self.tasks.cached_info().created)
    }

    /// The durable consumer that all workers of a version share.
    pub(crate) async fn worker_consumer(
        &self,
        settings: &Settings,
    ) -> Result<PullConsumer, ClusterError> {
        let version = token(&settings.version);
        let config = pull::Config {
            durable_name: Some(format!("workers-{version}")),
            filter_subject: format!("tablero.task.{version}.>"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: settings.ack_wait,
            // Workers count attempts themselves: after max_deliver the server would drop the message
            // without a dead letter.
            max_deliver: -1,
            max_ack_pending: MAX_PENDING,
            max_waiting: MAX_PENDING,
            ..Default::default()
        };
        let consumer = self.tasks.create_consumer(config).await;
        consumer.map_err(ClusterError::server("cannot create the workers' consumer"))
    }

    /// Publishes the progress of a run. Informational, so errors are ignored.
    pub(crate) async fn put_run_info(&self, run: &str, info: &RunInfo) {
        if let Ok(text) = serde_json::to_vec(info) {
            let _ = self.runs.put(run, text.into()).await;
        }
    }
}

fn file_stream(name: &str, subjects: &str) -> Config {
    Config {
        name: name.into(),
        subjects: vec![subjects.into()],
        storage: StorageType::File,
        num_replicas: 1,
        ..Config::default()
    }
}

/// `text` as a token of a subject or name.
pub(crate) fn token(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Subject prefix of a run's batches; the batch's name follows after a dot.
pub(crate) fn task_subject(version: &str, run: &str) -> String {
    format!("tablero.task.{}.{run}", token(version))
}

/// Subject prefix of a run's reports; the batch's name follows after a dot.
pub(crate) fn result_subject(run: &str) -> String {
    format!("tablero.result.{run}")
}

/// The run and the batch's name in the subject of a batch or report.
pub(crate) fn run_and_batch(subject: &str) -> Option<(&str, &str)> {
    let mut tokens = subject.rsplit('.');
    let batch = tokens.next()?;
    Some((tokens.next()?, batch))
}

/// Subject of the dead letter of a task.
pub(crate) fn dead_subject(run: &str, task_id: &str) -> String {
    format!("tablero.dead.{run}.{task_id}")
}
