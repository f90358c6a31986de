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

use crate::files::send;
use crate::layout::{Layout, result_subject, task_subject};
use crate::pending::Pending;
use crate::session::Session;
use crate::wire::{Bundle, MOST_TASK_BYTES, hex, now};
use crate::{Cluster, ClusterError, Kinds};

/// How long to wait for a report before looking around.
const WAIT: Duration = Duration::from_millis(200);
/// After so long without a report we make sure that nothing was lost.
const STALL: Duration = Duration::from_secs(5);
/// Bundles under way for each thread of a worker: one at work, one in reserve. More would wait with
/// one worker at the end of a list while another has nothing to do.
const AHEAD: usize = 2;
/// Threads that we count on before anybody has answered.
const UNKNOWN_SLOTS: usize = 4;
/// Bundles sent before their arrival is made sure of.
const SEND_AT_ONCE: usize = 64;
/// Settled reports are deleted from the server from time to time.
const CLEAN_EVERY: u64 = 1000;

/// What the output of tasks belongs to: a job, which keeps its name when it is resumed.
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

    /// A run that people call `name`, and that is the same whenever `identity` is.
    pub fn new(name: &str, identity: &str) -> Self {
        let id = hex(&Sha256::digest(format!("{name}\0{identity}"))[..12]);
        Self { id, name: name.into() }
    }
}

/// Runs tasks on the workers of a cluster.
///
/// Tasks go into a work queue, a window of them at a time. Each is known by what it is ([`Run`] and
/// content), so one that is done twice counts once, and a job that is resumed takes up what workers
/// finished in the meantime.
pub struct JetStream {
    cluster: Cluster,
    kinds: Kinds,
    run: Run,
    here: Threads,
    session: Mutex<Option<Session>>,
}

impl JetStream {
    /// Runs the tasks of `run`: those of `kinds` on workers, others, which only this process knows how
    /// to do, `here`.
    pub const fn new(cluster: Cluster, kinds: Kinds, run: Run, here: Threads) -> Self {
        Self { cluster, kinds, run, here, session: Mutex::new(None) }
    }

    async fn drive(
        &self,
        session: &mut Session,
        batch: &Batch<'_>,
        tasks: &[String],
        done: &mut OnOutput<'_>,
    ) -> Result<(), ClusterError> {
        let kind = batch.kind();
        let mut files = self.files(session, kind, tasks).await?;
        let mut pending = Pending::new(kind, tasks);
        session.info.kind = kind.into();
        session.info.tasks += tasks.len() as u64;
        if session.take_known(&mut pending, done).is_break() {
            return Ok(());
        }
        let line = &self.cluster.layout.line;
        let (mut news, mut retry, mut lost) = (Instant::now(), Instant::now(), line.lost());
        let state = loop {
            if pending.is_complete() {
                break "running";
            }
            if batch.is_stopped() {
                break "stopped";
            }
            if retry <= Instant::now() && !self.send(session, kind, &files, &mut pending).await {
                retry = Instant::now() + 2 * WAIT;
            }
            match session.reader.next(&self.cluster.layout, WAIT).await {
                Some((sequence, report)) => {
                    news = Instant::now();
                    session.empty_stalls = 0;
                    if session.take(kind, sequence, report, &mut pending, done).is_break() {
                        break "stopped";
                    }
                    self.clean(session, &mut pending).await;
                }
                None if news.elapsed() > STALL || line.lost() != lost => {
                    lost = line.lost();
                    if self.recover(session, &mut pending).await {
                        session.files.clear();
                        files = self.files(session, kind, tasks).await?;
                    }
                    news = Instant::now();
                }
                None => {}
            }
            session.look_around(&self.cluster, &self.run).await;
        };
        session.info.state = state.into();
        // Nothing of a list that is done is in the queue, and its reports can wait for the end: the next
        // list, if there is one, begins at once.
        if !pending.is_complete() {
            self.leave(session).await;
        }
        Ok(())
    }

    /// The files that the tasks name, sent to the server.
    async fn files(
        &self,
        session: &mut Session,
        kind: &str,
        tasks: &[String],
    ) -> Result<BTreeMap<String, String>, ClusterError> {
        let kind = self.kinds.find(kind).map_err(ClusterError::Server)?;
        let mut files = BTreeMap::new();
        for task in tasks {
            if task.len() > MOST_TASK_BYTES {
                let size = task.len();
                let problem = format!("a task of {size} bytes is too large to be sent");
                return Err(ClusterError::Server(problem));
            }
            for name in kind.files(task).map_err(ClusterError::File)? {
                if files.contains_key(&name) {
                    continue;
                }
                if !session.files.contains_key(&name) {
                    let hash = send(&self.cluster.layout.files, Path::new(&name)).await?;
                    session.files.insert(name.clone(), hash);
                }
                files.insert(name.clone(), session.files[&name].clone());
            }
        }
        Ok(files)
    }

    /// Sends tasks as long as there is room in the window; says whether all arrived.
    async fn send(
        &self,
        session: &mut Session,
        kind: &'static str,
        files: &BTreeMap<String, String>,
        pending: &mut Pending<'_>,
    ) -> bool {
        let slots = session.crew.slots(&self.cluster.settings.version);
        let slots = if slots == 0 { UNKNOWN_SLOTS } else { slots };
        let subject = task_subject(&self.cluster.settings.version, &self.run.id);
        let line = &self.cluster.layout.line;
        let (mut sent, lost) = (Vec::new(), line.lost());
        while pending.unsent() > 0
            && pending.under_way() < AHEAD * slots
            && sent.len() < SEND_AT_ONCE
        {
            session.bundles += 1;
            let (number, pace) = (session.bundles, session.paces.entry(kind).or_default());
            let tasks = pending.send(number, pace.bundle(pending.unsent(), slots));
            let bundle = Bundle {
                version: self.cluster.settings.version.clone(),
                name: self.run.name.clone(),
                kind: kind.into(),
                files: files.clone(),
                tasks: tasks.iter().filter_map(|task| raw(task)).collect(),
            };
            let payload = serde_json::to_vec(&bundle).unwrap_or_default();
            let name = format!("{}-{number}", session.name);
            let message = PublishMessage::build().payload(payload.into()).message_id(&name);
            let context = &self.cluster.layout.context;
            sent.push((number, context.send_publish(format!("{subject}.{name}"), message).await));
        }
        let mut problem = None;
        for (number, arrival) in sent {
            let arrived = match arrival {
                Ok(arrival) => line.answer(lost, arrival.into_future()).await,
                Err(error) => Some(Err(error)),
            };
            if let Some(Ok(_)) = arrived {
                continue;
            }
            pending.take_back(number);
            let why = arrived.and_then(Result::err).map(|error| error.to_string());
            problem = Some(why.unwrap_or_else(|| "the connection was lost".into()));
        }
        if let Some(problem) = &problem
            && !session.told_full
        {
            self.cluster
                .note(&format!("the work queue takes no more for now ({problem}); waiting"));
        }
        session.told_full = problem.is_some();
        problem.is_none()
    }

    /// Deletes reports that nobody needs any more.
    async fn clean(&self, session: &mut Session, pending: &mut Pending<'_>) {
        let Some(settled) = pending.settled() else { return };
        if settled - session.cleaned.min(settled) >= CLEAN_EVERY {
            session.cleaned = settled;
            let subject = format!("{}.>", result_subject(&self.run.id));
            // What stays for now goes at the end.
            let _ = self.cluster.layout.results.purge().filter(subject).sequence(settled + 1).await;
        }
    }

    /// The end, for now: takes what nobody has begun out of the queue. What workers have begun they
    /// finish; if the run was stopped, its outputs are found when it is resumed.
    async fn leave(&self, session: &mut Session) {
        let layout = &self.cluster.layout;
        let version = &self.cluster.settings.version;
        let tasks = format!("{}.>", task_subject(version, &self.run.id));
        let _ = layout.tasks.purge().filter(tasks).await;
        if session.info.state == "done" {
            let results = format!("{}.>", result_subject(&self.run.id));
            let read = session.reader.last();
            let _ = layout.results.purge().filter(results).sequence(read + 1).await;
        }
        session.info.updated = now();
        layout.tell(&self.run.id, &session.info).await;
    }

    /// The connection was lost, or no report has come for some time: reads anew, and takes back what
    /// the server has lost. Says whether it has lost everything: it came back without its disk.
    async fn recover(&self, session: &mut Session, pending: &mut Pending<'_>) -> bool {
        session.reader.reset();
        let Cluster { client, layout, settings, .. } = &self.cluster;
        // What is gone is made again, so that there is something to send to.
        let Ok(found) = Layout::open(client.clone(), layout.line.clone(), settings).await else {
            return false;
        };
        let is_new = session.queue != found.queue();
        session.queue = found.queue();
        if is_new || found.results.cached_info().state.last_sequence < session.reader.last() {
            session.reader.rewind();
            session.cleaned = 0;
        }
        let is_empty = pending.under_way() > 0 && self.queued().await == Some(0);
        session.empty_stalls = if is_empty { session.empty_stalls + 1 } else { 0 };
        // At first the report may merely have been missed.
        if is_new || session.empty_stalls > 1 {
            self.cluster.note("the server has lost tasks; sending them again");
            pending.take_all_back();
        }
        is_new
    }

    /// How many of our bundles are in the queue; none if the server does not say.
    async fn queued(&self) -> Option<usize> {
        let subject = task_subject(&self.cluster.settings.version, &self.run.id);
        let tasks = &self.cluster.layout.tasks;
        let info = tasks.info_with_subjects(format!("{subject}.>")).await.ok()?;
        Some(info.count().await)
    }
}

fn raw(task: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(task.into()).ok()
}

impl Executor for JetStream {
    fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
        if batch.is_empty() {
            return Ok(());
        }
        if self.kinds.find(batch.kind()).is_err() {
            return self.here.execute(batch, done);
        }
        let tasks: Vec<String> =
            (0..batch.len()).map(|index| batch.text(index)).collect::<Result<_, _>>()?;
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.cluster.block_on(async {
            let session = match &mut *session {
                Some(session) => session,
                none => none.insert(Session::begin(&self.cluster, &self.run).await),
            };
            self.drive(session, batch, &tasks, done).await
        });
        end.map_err(|error| JobError::Executor(error.to_string()))
    }
}

/// The run is over for this process.
impl Drop for JetStream {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(mut session) = session.take() else { return };
        if session.info.state == "running" {
            session.info.state = "done".into();
        }
        self.cluster.block_on(async {
            // While the server is away there is nobody to tell.
            tokio::select! {
                () = self.leave(&mut session) => {}
                () = sleep(Duration::from_secs(1)) => {}
            }
        });
    }
}
