use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tablero_jobs::{Batch, Executor, Job, JobError, Threads};
use tokio::time::sleep;

use crate::crew::Crew;
use crate::files::send;
use crate::layout::{result_subject, task_subject};
use crate::pending::{Pace, Pending};
use crate::reader::Reader;
use crate::wire::{Bundle, MOST_TASK_BYTES, Report, RunInfo, hex, host, now};
use crate::{Cluster, ClusterError, Kinds};

/// How long to wait for a report before looking around.
const WAIT: Duration = Duration::from_millis(200);
/// After so long without a report we make sure that nothing was lost.
const STALL: Duration = Duration::from_secs(5);
/// How often the run's state is told, and who must be missed for how long to be called for.
const TELL: Duration = Duration::from_secs(2);
/// Bundles under way for each thread of a worker: one at work, one on its way, one in reserve.
const AHEAD: usize = 3;
/// Threads that we count on before anybody has answered.
const UNKNOWN_SLOTS: usize = 4;
/// Bundles sent before their arrival is made sure of.
const SEND_AT_ONCE: usize = 64;
/// Settled reports are deleted from the server from time to time.
const CLEAN_EVERY: u64 = 1000;

/// What the output of tasks belongs to: a job, which keeps its name when it is resumed.
#[derive(Clone, Debug)]
pub struct Run {
    id: String,
    name: String,
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

/// What lasts from one list of tasks to the next.
struct Session {
    /// Makes the names of bundles new each time: the server takes none twice.
    name: String,
    bundles: u64,
    reader: Reader,
    cleaned: u64,
    /// Outputs from before this process began.
    known: HashMap<String, String>,
    /// Files that were sent, and their hashes.
    files: BTreeMap<String, String>,
    paces: HashMap<&'static str, Pace>,
    crew: Crew,
    info: RunInfo,
    told: Option<Instant>,
    alone_since: Instant,
    trouble: Trouble,
}

/// What people were told already.
#[derive(Default)]
struct Trouble {
    nobody: bool,
    sending: bool,
    empty_stalls: usize,
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
        done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
    ) -> Result<(), ClusterError> {
        let files = self.files(session, batch).await?;
        let mut pending = Pending::new(batch.kind, batch.tasks);
        session.info.kind = batch.kind.into();
        session.info.tasks += batch.tasks.len() as u64;
        if take_known(session, &mut pending, done).is_break() {
            return Ok(());
        }
        let (mut news, mut retry) = (Instant::now(), Instant::now());
        let state = loop {
            if pending.is_complete() {
                break "running";
            }
            if batch.stop.is_requested() {
                break "stopped";
            }
            if retry <= Instant::now()
                && !self.send(session, batch.kind, &files, &mut pending).await
            {
                retry = Instant::now() + 2 * WAIT;
            }
            match session.reader.next(&self.cluster.layout, WAIT).await {
                Some((sequence, report)) => {
                    news = Instant::now();
                    session.trouble.empty_stalls = 0;
                    if session.take(batch.kind, sequence, report, &mut pending, done).is_break() {
                        break "stopped";
                    }
                    self.clean(session, &mut pending).await;
                }
                None if news.elapsed() > STALL => {
                    self.recover(session, &mut pending).await;
                    news = Instant::now();
                }
                None => {}
            }
            self.look_around(session).await;
        };
        self.leave(session, state, &pending).await;
        Ok(())
    }

    /// The files that the tasks name, sent to the server.
    async fn files(
        &self,
        session: &mut Session,
        batch: &Batch<'_>,
    ) -> Result<BTreeMap<String, String>, ClusterError> {
        let kind = self.kinds.find(batch.kind).map_err(ClusterError::Server)?;
        let mut files = BTreeMap::new();
        for task in batch.tasks {
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
        let mut sent = Vec::new();
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
                Ok(arrival) => arrival.await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = arrived {
                pending.take_back(number);
                problem = Some(error.to_string());
            }
        }
        if let Some(problem) = &problem
            && !session.trouble.sending
        {
            self.cluster
                .note(&format!("the work queue takes no more for now ({problem}); waiting"));
        }
        session.trouble.sending = problem.is_some();
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

    /// No report for some time: reads anew, and sends again what is no longer in the queue, as after
    /// a server has lost its disk.
    async fn recover(&self, session: &mut Session, pending: &mut Pending<'_>) {
        session.reader.reset();
        if let Ok(info) = self.cluster.layout.results.get_info().await
            && info.state.last_sequence + 1 < session.reader.next_sequence()
        {
            session.reader.rewind();
            session.cleaned = 0;
        }
        if pending.under_way() == 0 || self.queued().await != Some(0) {
            session.trouble.empty_stalls = 0;
            return;
        }
        session.trouble.empty_stalls += 1;
        // At first the report may merely have been missed.
        if session.trouble.empty_stalls > 1 {
            self.cluster.note("the server has lost tasks; sending them again");
            pending.take_all_back();
        }
    }

    /// How many of our bundles are in the queue; none if the server does not say.
    async fn queued(&self) -> Option<usize> {
        let subject = task_subject(&self.cluster.settings.version, &self.run.id);
        let info = self.cluster.layout.tasks.info_with_subjects(format!("{subject}.>")).await;
        let Ok(info) = info else {
            // What is gone is made again, so that there is something to send to.
            let (client, settings) = (self.cluster.client.clone(), &self.cluster.settings);
            let _ = crate::layout::Layout::open(client, settings).await;
            return None;
        };
        Some(info.count().await)
    }

    /// Tells how far we are, and whether workers are missing.
    async fn look_around(&self, session: &mut Session) {
        let version = &self.cluster.settings.version;
        if session.told.is_none_or(|told| told.elapsed() > TELL) {
            session.told = Some(Instant::now());
            session.info.updated = now();
            self.cluster.layout.tell(&self.run.id, &session.info).await;
        }
        if session.crew.slots(version) > 0 {
            session.alone_since = Instant::now();
            session.trouble.nobody = false;
        } else if session.alone_since.elapsed() > 2 * TELL && !session.trouble.nobody {
            session.trouble.nobody = true;
            let others: Vec<_> = session.crew.other_versions(version).into_iter().collect();
            let place = self.cluster.place();
            self.cluster.note(&if others.is_empty() {
                format!("no worker is there; start one with: tablero worker --nats {place}")
            } else {
                format!(
                    "the workers there have version {}, this is version {version}: start workers of \
                     this version",
                    others.join(", ")
                )
            });
        }
    }

    /// The end, for now: takes what nobody has begun out of the queue. What workers have begun they
    /// finish; if the run was stopped, its outputs are found when it is resumed.
    async fn leave(&self, session: &mut Session, state: &str, pending: &Pending<'_>) {
        let layout = &self.cluster.layout;
        let version = &self.cluster.settings.version;
        let tasks = format!("{}.>", task_subject(version, &self.run.id));
        let _ = layout.tasks.purge().filter(tasks).await;
        if pending.is_complete() {
            let results = format!("{}.>", result_subject(&self.run.id));
            let read = session.reader.next_sequence();
            let _ = layout.results.purge().filter(results).sequence(read).await;
        }
        session.info.state = state.into();
        session.info.updated = now();
        layout.tell(&self.run.id, &session.info).await;
    }

    /// Takes up the run: what an earlier process left in the queue is sent again in due time, what
    /// workers finished for it is kept.
    async fn begin(&self) -> Session {
        let layout = &self.cluster.layout;
        let version = &self.cluster.settings.version;
        let tasks = format!("{}.>", task_subject(version, &self.run.id));
        let _ = layout.tasks.purge().filter(tasks).await;
        let results = result_subject(&self.run.id);
        let mut reader = Reader::new(&results);
        let mut known = HashMap::new();
        let there = match layout.results.info_with_subjects(format!("{results}.>")).await {
            Ok(info) => info.count().await,
            Err(_) => 0,
        };
        for _ in 0..there {
            let Some((_, report)) = reader.next(layout, 10 * WAIT).await else { break };
            for output in report.outputs {
                let id = output.task.clone();
                // What failed is tried again: whoever resumes has perhaps mended it.
                known.extend(output.into_result().ok().map(|output| (id, output)));
            }
        }
        let moment = format!("{} {} {:.6}", host(), std::process::id(), now());
        Session {
            name: hex(&Sha256::digest(moment)[..6]),
            bundles: 0,
            reader,
            cleaned: 0,
            known,
            files: BTreeMap::new(),
            paces: HashMap::new(),
            crew: Crew::watch(self.cluster.client.clone()),
            info: RunInfo {
                name: self.run.name.clone(),
                host: host(),
                version: version.clone(),
                state: "running".into(),
                ..RunInfo::default()
            },
            told: None,
            alone_since: Instant::now(),
            trouble: Trouble::default(),
        }
    }
}

impl Session {
    /// Hands over what a worker reports.
    fn take(
        &mut self,
        kind: &'static str,
        sequence: u64,
        report: Report,
        pending: &mut Pending<'_>,
        done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (count, mut bytes, mut last) = (report.outputs.len(), 0, 0);
        for output in report.outputs {
            let places = pending.finish(&output.task);
            let result = output.into_result();
            bytes += result.as_ref().map_or(0, String::len);
            for index in places {
                last = last.max(index);
                self.info.done += 1;
                done(index, result.clone())?;
            }
        }
        pending.read(sequence, last);
        // Tasks that were given up took no time.
        if report.seconds > 0.0 {
            let pace = self.paces.entry(kind).or_default();
            pace.add(report.seconds, bytes as f64 / count.max(1) as f64);
        }
        ControlFlow::Continue(())
    }
}

/// Hands over outputs that were there before we began.
fn take_known(
    session: &mut Session,
    pending: &mut Pending<'_>,
    done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if session.known.is_empty() {
        return ControlFlow::Continue(());
    }
    for id in pending.ids().to_vec() {
        let Some(output) = session.known.remove(&id) else { continue };
        for index in pending.finish(&id) {
            session.info.done += 1;
            done(index, Ok(output.clone()))?;
        }
    }
    ControlFlow::Continue(())
}

fn raw(task: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(task.into()).ok()
}

impl Executor for JetStream {
    fn execute(
        &self,
        batch: &Batch<'_>,
        done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
    ) -> Result<(), JobError> {
        if batch.tasks.is_empty() {
            return Ok(());
        }
        if self.kinds.find(batch.kind).is_err() {
            return self.here.execute(batch, done);
        }
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.cluster.block_on(async {
            let session = match &mut *session {
                Some(session) => session,
                none => none.insert(self.begin().await),
            };
            self.drive(session, batch, done).await
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
            session.info.updated = now();
        }
        self.cluster.block_on(async {
            // While the server is away there is nobody to tell.
            tokio::select! {
                () = self.cluster.layout.tell(&self.run.id, &session.info) => {}
                () = sleep(Duration::from_secs(1)) => {}
            }
        });
    }
}
