use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tablero_jobs::{Batch, Executor, Job, JobError, OnOutput, Threads};
use tokio::time::sleep;

use crate::assets::{Assets, result_subject, task_subject};
use crate::files::upload;
use crate::pending::PendingTasks;
use crate::session::Session;
use crate::wire::{self, MAX_TASK_BYTES, hex, now};
use crate::{Cluster, ClusterError, TaskKinds};

/// How long to wait for a report before looking at other events.
const POLL: Duration = Duration::from_millis(200);
/// Without a report for this long, the coordinator checks whether the server lost something.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Batches in flight per thread of a worker: one running, one prefetched. More would wait at one worker at
/// the end of a list while others are idle.
const BATCHES_PER_SLOT: usize = 2;
/// Slots to assume before any worker has replied.
const DEFAULT_SLOTS: usize = 4;
/// Batches published before their acks are awaited.
const MAX_UNACKED_PUBLISHES: usize = 64;
/// Reports are deleted from the server in portions of this size.
const PRUNE_INTERVAL: u64 = 1000;

/// Identifies the run whose outputs tasks belong to: usually a job, which keeps its run when resumed.
///
/// ```
/// use tablero_cluster::Run;
///
/// let run = Run::new("match-1", "alphabeta depth=4, mcts iterations=1000, seed 7");
/// # let _ = run;
/// ```
#[derive(Clone, Debug)]
pub struct Run {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl Run {
    /// The run of a job.
    pub fn of_job(job: &Job) -> Self {
        let header = serde_json::to_string(job.header()).unwrap_or_default();
        Self::new(job.id(), &header)
    }

    /// A run displayed as `name`. Equal `name` and `identity` mean the same run: a new coordinator then
    /// takes over the outputs reported to an earlier one.
    pub fn new(name: &str, identity: &str) -> Self {
        let id = hex(&Sha256::digest(format!("{name}\0{identity}"))[..12]);
        Self { id, name: name.into() }
    }
}

/// The coordinator of a run: an [`Executor`] that distributes tasks to the workers of a cluster.
///
/// Batches are published to the work queue within a window of two per worker thread. A task is
/// identified by its run and content, so a task that was run twice counts once, and a resumed job
/// finds the outputs that workers reported in the meantime.
pub struct JetStreamExecutor {
    cluster: Cluster,
    kinds: TaskKinds,
    run: Run,
    local: Threads,
    session: Mutex<Option<Session>>,
}

impl JetStreamExecutor {
    /// Runs tasks of `kinds` on workers, and other kinds, which only this process knows, on `local`
    /// threads.
    pub const fn new(cluster: Cluster, kinds: TaskKinds, run: Run, local: Threads) -> Self {
        Self { cluster, kinds, run, local, session: Mutex::new(None) }
    }

    async fn run_tasks(
        &self,
        session: &mut Session,
        batch: &Batch<'_>,
        tasks: &[String],
        done: &mut OnOutput<'_>,
    ) -> Result<(), ClusterError> {
        let kind = batch.kind();
        let mut files = self.upload_files(session, kind, tasks).await?;
        let mut pending = PendingTasks::new(kind, tasks);
        session.info.kind = kind.into();
        session.info.tasks += tasks.len() as u64;
        if session.replay_recovered(&mut pending, done).is_break() {
            return Ok(());
        }
        let assets = &self.cluster.assets;
        let mut epoch = assets.epoch.current();
        let (mut last_report, mut retry_at) = (Instant::now(), Instant::now());
        let state = loop {
            if pending.is_complete() {
                break "running";
            }
            if batch.is_cancelled() {
                break "stopped";
            }
            if retry_at <= Instant::now()
                && !self.publish_batches(session, kind, &files, &mut pending).await
            {
                retry_at = Instant::now() + 2 * POLL;
            }
            match session.reader.next(assets, POLL).await {
                Some((sequence, report)) => {
                    last_report = Instant::now();
                    session.empty_stalls = 0;
                    if session.handle_report(kind, sequence, report, &mut pending, done).is_break()
                    {
                        break "stopped";
                    }
                    self.prune_reports(session, &mut pending).await;
                }
                None if last_report.elapsed() > STALL_TIMEOUT
                    || assets.epoch.current() != epoch =>
                {
                    epoch = assets.epoch.current();
                    if self.recover(session, &mut pending).await {
                        session.files.clear();
                        files = self.upload_files(session, kind, tasks).await?;
                    }
                    last_report = Instant::now();
                }
                None => {}
            }
            session.publish_status(&self.cluster, &self.run).await;
        };
        session.info.state = state.into();
        // After a complete list the queue holds nothing of ours, and its reports are deleted at the end of
        // the run: the next list can start at once.
        if !pending.is_complete() {
            self.leave(session).await;
        }
        Ok(())
    }

    /// Uploads the files that the tasks name; returns their hashes.
    async fn upload_files(
        &self,
        session: &mut Session,
        kind: &str,
        tasks: &[String],
    ) -> Result<BTreeMap<String, String>, ClusterError> {
        let kind = self.kinds.find(kind).map_err(ClusterError::Server)?;
        let mut files = BTreeMap::new();
        for task in tasks {
            if task.len() > MAX_TASK_BYTES {
                let size = task.len();
                let reason = format!("a task of {size} bytes is too large to be sent");
                return Err(ClusterError::Server(reason));
            }
            for name in kind.files(task).map_err(ClusterError::File)? {
                if files.contains_key(&name) {
                    continue;
                }
                if !session.files.contains_key(&name) {
                    let hash = upload(&self.cluster.assets.files, Path::new(&name)).await?;
                    session.files.insert(name.clone(), hash);
                }
                files.insert(name.clone(), session.files[&name].clone());
            }
        }
        Ok(files)
    }

    /// Publishes batches while the window has room; returns whether the server stored all of them.
    async fn publish_batches(
        &self,
        session: &mut Session,
        kind: &'static str,
        files: &BTreeMap<String, String>,
        pending: &mut PendingTasks<'_>,
    ) -> bool {
        let slots = session.registry.slots(&self.cluster.settings.version);
        let slots = if slots == 0 { DEFAULT_SLOTS } else { slots };
        let subject = task_subject(&self.cluster.settings.version, &self.run.id);
        let Assets { context, epoch, .. } = &self.cluster.assets;
        let (mut published, sent_in) = (Vec::new(), epoch.current());
        while pending.unsent() > 0
            && pending.in_flight() < BATCHES_PER_SLOT * slots
            && published.len() < MAX_UNACKED_PUBLISHES
        {
            session.batches += 1;
            let (number, sizer) = (session.batches, session.sizers.entry(kind).or_default());
            let tasks = pending.take_batch(number, sizer.size(pending.unsent(), slots));
            let batch = wire::Batch {
                version: self.cluster.settings.version.clone(),
                name: self.run.name.clone(),
                kind: kind.into(),
                files: files.clone(),
                tasks: tasks.iter().filter_map(|task| raw_value(task)).collect(),
            };
            let payload = serde_json::to_vec(&batch).unwrap_or_default();
            let name = format!("{}-{number}", session.id);
            let message = PublishMessage::build().payload(payload.into()).message_id(&name);
            let ack = context.send_publish(format!("{subject}.{name}"), message).await;
            published.push((number, ack));
        }
        let mut problem = None;
        for (number, ack) in published {
            let acked = match ack {
                Ok(ack) => epoch.reply(sent_in, ack.into_future()).await,
                Err(error) => Some(Err(error)),
            };
            if let Some(Ok(_)) = acked {
                continue;
            }
            pending.requeue(number);
            let error = acked.and_then(Result::err).map(|error| error.to_string());
            problem = Some(error.unwrap_or_else(|| "the connection was lost".into()));
        }
        if let Some(problem) = &problem
            && !session.is_queue_blocked
        {
            self.cluster.log(&format!("cannot publish tasks for now ({problem}); retrying"));
        }
        session.is_queue_blocked = problem.is_some();
        problem.is_none()
    }

    /// Deletes reports below the ack floor.
    async fn prune_reports(&self, session: &mut Session, pending: &mut PendingTasks<'_>) {
        let Some(floor) = pending.ack_floor() else { return };
        if floor - session.pruned.min(floor) >= PRUNE_INTERVAL {
            session.pruned = floor;
            let subject = format!("{}.>", result_subject(&self.run.id));
            // The rest is deleted at the end of the run.
            let results = &self.cluster.assets.results;
            let _ = results.purge().filter(subject).sequence(floor + 1).await;
        }
    }

    /// Purges batches that no worker has pulled. Running batches are finished; the outputs of a stopped
    /// run are found when it is resumed.
    async fn leave(&self, session: &mut Session) {
        let assets = &self.cluster.assets;
        let version = &self.cluster.settings.version;
        let tasks = format!("{}.>", task_subject(version, &self.run.id));
        let _ = assets.tasks.purge().filter(tasks).await;
        if session.info.state == "done" {
            let results = format!("{}.>", result_subject(&self.run.id));
            let last = session.reader.last_sequence();
            let _ = assets.results.purge().filter(results).sequence(last + 1).await;
        }
        session.info.updated = now();
        assets.put_run_info(&self.run.id, &session.info).await;
    }

    /// After a reconnect or a stall: reads reports through a new consumer and requeues lost batches. Returns
    /// whether the server has lost all data.
    async fn recover(&self, session: &mut Session, pending: &mut PendingTasks<'_>) -> bool {
        session.reader.reset();
        let Cluster { client, assets, settings, .. } = &self.cluster;
        // Recreates missing streams.
        let Ok(found) = Assets::open(client.clone(), assets.epoch.clone(), settings).await else {
            return false;
        };
        let is_new = session.queue_id != found.queue_id();
        session.queue_id = found.queue_id();
        let last_sequence = found.results.cached_info().state.last_sequence;
        if is_new || last_sequence < session.reader.last_sequence() {
            session.reader.rewind();
            session.pruned = 0;
        }
        let is_empty = pending.in_flight() > 0 && self.queued().await == Some(0);
        session.empty_stalls = if is_empty { session.empty_stalls + 1 } else { 0 };
        // The first time, only the report may have been missed.
        if is_new || session.empty_stalls > 1 {
            self.cluster.log("the server has lost tasks; publishing them again");
            pending.requeue_all();
        }
        is_new
    }

    /// Number of our batches in the queue; `None` if the server does not reply.
    async fn queued(&self) -> Option<usize> {
        let subject = task_subject(&self.cluster.settings.version, &self.run.id);
        let tasks = &self.cluster.assets.tasks;
        let info = tasks.info_with_subjects(format!("{subject}.>")).await.ok()?;
        Some(info.count().await)
    }
}

fn raw_value(task: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(task.into()).ok()
}

impl Executor for JetStreamExecutor {
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
        if batch.is_empty() {
            return Ok(());
        }
        if self.kinds.find(batch.kind()).is_err() {
            return self.local.execute(batch, done);
        }
        let tasks: Vec<String> =
            (0..batch.len()).map(|index| batch.task_json(index)).collect::<Result<_, _>>()?;
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.cluster.block_on(async {
            let session = match &mut *session {
                Some(session) => session,
                none => none.insert(Session::start(&self.cluster, &self.run).await),
            };
            self.run_tasks(session, batch, &tasks, done).await
        });
        end.map_err(|error| JobError::Executor(error.to_string()))
    }
}

/// Ends the run for this process.
impl Drop for JetStreamExecutor {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(mut session) = session.take() else { return };
        if session.info.state == "running" {
            session.info.state = "done".into();
        }
        self.cluster.block_on(async {
            // Do not wait for a server that is gone.
            tokio::select! {
                () = self.leave(&mut session) => {}
                () = sleep(Duration::from_secs(1)) => {}
            }
        });
    }
}
