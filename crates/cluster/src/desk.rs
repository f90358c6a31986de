//! A worker at work: what it holds, what its threads do, what it tells.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tablero_jobs::Stop;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use crate::layout::{Layout, PING, run_and_bundle};
use crate::office::Held;
use crate::pool::{Job, Outcome, Pool};
use crate::pulls::{Pulls, Unanswered};
use crate::wire::{RunInfo, WorkerInfo};
use crate::{Cluster, ClusterError, Tally, Worker};

const PAUSE: Duration = Duration::from_millis(300);
/// How often to see whether we should stop.
const LOOK: Duration = Duration::from_millis(100);
/// How often to tell what was done, if anything was.
const TELL: Duration = Duration::from_secs(10);

/// What happens to bundles of tasks.
pub(crate) enum Event {
    /// One can be done.
    Ready(Job),
    /// One that is done alone has been counted, and can be done.
    Counted(Job),
    /// A thread has begun.
    Begun(u64),
    /// A thread is done.
    Done(u64, Outcome),
    /// It is out of our hands.
    Settled(u64),
}

/// How far we are with a bundle.
enum Stage {
    /// No thread was given it yet.
    Waiting,
    /// A thread was given it, and has perhaps begun; or it is being reported.
    Out(Option<Instant>),
}

/// A worker at work.
pub(crate) struct Desk<'a> {
    worker: &'a Worker,
    pool: Arc<Pool>,
    sender: UnboundedSender<Event>,
    events: UnboundedReceiver<Event>,
    consumer: PullConsumer,
    pulls: Pulls,
    held: HashMap<u64, (Arc<Held>, Stage)>,
    /// What threads can be given.
    ready: VecDeque<Job>,
    /// What is to be done alone.
    suspects: VecDeque<Job>,
    /// The suspect at work.
    lone: Option<u64>,
    tickets: u64,
    is_draining: bool,
    began: Instant,
    tally: Tally,
    /// When games were played lately, and how many.
    lately: VecDeque<(Instant, u64)>,
    run_name: String,
    told: Tally,
}

impl<'a> Desk<'a> {
    pub(crate) async fn new(
        worker: &'a Worker,
        pool: Arc<Pool>,
        sender: UnboundedSender<Event>,
        events: UnboundedReceiver<Event>,
    ) -> Result<Self, ClusterError> {
        Ok(Self {
            worker,
            pool,
            sender,
            events,
            consumer: worker.cluster.layout.workers(&worker.cluster.settings).await?,
            pulls: Pulls::new(&worker.cluster.client).await?,
            held: HashMap::new(),
            ready: VecDeque::new(),
            suspects: VecDeque::new(),
            lone: None,
            tickets: 0,
            is_draining: false,
            began: Instant::now(),
            tally: Tally::default(),
            lately: VecDeque::new(),
            run_name: String::new(),
            told: Tally::default(),
        })
    }

    /// Works until it is asked to stop.
    pub(crate) async fn run(&mut self, stop: &Stop) -> Result<Tally, ClusterError> {
        let cluster = &self.worker.cluster;
        let calls = cluster.client.subscribe(PING).await;
        let mut calls = calls.map_err(ClusterError::server("cannot listen for calls"))?;
        let mut progress = every(cluster.settings.ack_wait / 3);
        let (mut look, mut tell) = (every(LOOK), every(TELL));
        let mut strangers = HashSet::new();
        let line = &cluster.layout.line;
        let mut lost = line.lost();
        while !(self.is_draining && self.held.is_empty() && !self.pulls.is_open()) {
            if !self.pulls.is_open() && !self.is_draining && !self.has_suspects() {
                self.ask().await;
            }
            tokio::select! {
                answer = self.pulls.next(&cluster.layout.context) => self.receive(answer).await,
                Some(event) = self.events.recv() => self.handle(event).await,
                Some(call) = calls.next() => {
                    if let Some(reply) = call.reply {
                        let info = serde_json::to_vec(&self.info()).unwrap_or_default();
                        let _ = cluster.client.publish(reply, info.into()).await;
                    }
                }
                () = line.breaks(lost) => {
                    lost = line.lost();
                    self.pulls.forget();
                    self.register().await;
                }
                _ = progress.tick() => self.still_here().await?,
                _ = look.tick() => {
                    if stop.is_requested() && !self.is_draining {
                        self.drain().await;
                    }
                }
                _ = tell.tick() => {
                    self.tell();
                    if self.held.is_empty() && !self.is_draining {
                        self.register().await;
                    }
                    greet_strangers(&cluster.layout, &cluster.settings.version, &mut strangers,
                        &|text| cluster.note(text)).await;
                }
            }
        }
        Ok(self.tally)
    }

    /// Asks for as many bundles as there is room for: one for each thread and a few to go on with.
    async fn ask(&mut self) {
        let most = self.worker.threads + self.worker.threads.div_ceil(2);
        let room = most.saturating_sub(self.held.len());
        if room == 0 {
            return;
        }
        if !self.pulls.ask(&self.consumer, room).await {
            sleep(PAUSE).await;
        }
    }

    async fn receive(&mut self, answer: Result<Option<Message>, Unanswered>) {
        match answer {
            Ok(Some(message)) => self.admit(message).await,
            Ok(None) => {}
            Err(Unanswered) => {
                sleep(PAUSE).await;
                self.register().await;
            }
        }
    }

    /// Makes sure that the server knows us: it may have come back without its disk. (One of version
    /// 2.9 does not say so when it is asked for tasks.)
    async fn register(&mut self) {
        let Cluster { client, layout, settings, .. } = &self.worker.cluster;
        let mut consumer = layout.workers(settings).await;
        if consumer.is_err() {
            let _ = Layout::open(client.clone(), layout.line.clone(), settings).await;
            consumer = layout.workers(settings).await;
        }
        if let Ok(consumer) = consumer {
            self.consumer = consumer;
        }
    }

    async fn admit(&mut self, message: Message) {
        if self.is_draining {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return;
        }
        let delivered = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        let Some((run, name)) = run_and_bundle(&message.subject) else { return };
        self.tickets += 1;
        let (run, name) = (run.to_owned(), name.to_owned());
        let held = Arc::new(Held { ticket: self.tickets, acker, run, name, delivered });
        self.held.insert(self.tickets, (held.clone(), Stage::Waiting));
        let (office, sender) = (self.worker.office.clone(), self.sender.clone());
        tokio::spawn(async move {
            let event = match office.prepare(&held, &message.payload).await {
                Some(job) => Event::Ready(job),
                None => Event::Settled(held.ticket),
            };
            // Who no longer listens has ended, and everything with it.
            let _ = sender.send(event);
        });
    }

    async fn handle(&mut self, event: Event) {
        match event {
            Event::Ready(job) if self.is_draining => self.give_back(job.ticket).await,
            Event::Ready(job) if job.is_suspect => self.suspects.push_back(job),
            Event::Ready(job) => self.ready.push_back(job),
            Event::Counted(job) => self.pool.put(job),
            Event::Begun(ticket) => {
                if let Some((_, stage)) = self.held.get_mut(&ticket) {
                    *stage = Stage::Out(Some(Instant::now()));
                }
            }
            Event::Done(ticket, outcome) => self.done(ticket, outcome),
            Event::Settled(ticket) => {
                self.held.remove(&ticket);
                self.lone.take_if(|lone| *lone == ticket);
            }
        }
        self.hand_out();
    }

    fn has_suspects(&self) -> bool {
        self.lone.is_some() || !self.suspects.is_empty()
    }

    /// Gives threads what is ready. A suspect is begun when all else is done and reported, and until
    /// it is reported nothing else is begun: if the process ends, then because of it.
    fn hand_out(&mut self) {
        if self.lone.is_some() {
            return;
        }
        if self.suspects.is_empty() {
            for job in take(&mut self.ready) {
                self.mark_out(&job);
                self.pool.put(job);
            }
        } else if self.held.values().all(|(_, stage)| matches!(stage, Stage::Waiting))
            && let Some(job) = self.suspects.pop_front()
            && let Some(held) = self.mark_out(&job)
        {
            self.lone = Some(job.ticket);
            let (office, sender) = (self.worker.office.clone(), self.sender.clone());
            tokio::spawn(async move {
                office.count_try(&held).await;
                let _ = sender.send(Event::Counted(job));
            });
        }
    }

    fn mark_out(&mut self, job: &Job) -> Option<Arc<Held>> {
        self.run_name.clone_from(&job.bundle.name);
        let (held, stage) = self.held.get_mut(&job.ticket)?;
        *stage = Stage::Out(None);
        Some(held.clone())
    }

    fn done(&mut self, ticket: u64, outcome: Outcome) {
        if let Ok(outputs) = &outcome.outputs {
            self.tally.tasks += outputs.len() as u64;
            self.tally.games += outcome.games;
            self.tally.failed += outcome.failed.len() as u64;
            self.lately.push_back((Instant::now(), outcome.games));
        }
        let Some((held, stage)) = self.held.get_mut(&ticket) else { return };
        *stage = Stage::Out(None);
        let (held, office, sender) =
            (held.clone(), self.worker.office.clone(), self.sender.clone());
        tokio::spawn(async move {
            office.report(&held, outcome).await;
            let _ = sender.send(Event::Settled(ticket));
        });
    }

    /// Tells the server that we are still at it, and sees whether a task has hung.
    async fn still_here(&self) -> Result<(), ClusterError> {
        let limit = self.worker.cluster.settings.task_limit;
        for (held, stage) in self.held.values() {
            if matches!(stage, Stage::Out(Some(begun)) if begun.elapsed() > limit) {
                let seconds = limit.as_secs_f64();
                let problem = format!("tasks of {} took more than {seconds} s", self.run_name);
                return Err(ClusterError::Hung(problem));
            }
            let _ = held.acker.ack_with(AckKind::Progress).await;
        }
        Ok(())
    }

    async fn drain(&mut self) {
        self.is_draining = true;
        let unbegun = take(&mut self.ready).into_iter().chain(take(&mut self.suspects));
        let mut tickets: Vec<u64> = unbegun.map(|job| job.ticket).collect();
        // A suspect that was counted is done.
        if self.lone.is_none() {
            tickets.extend(self.pool.take_back());
        }
        for ticket in tickets {
            self.give_back(ticket).await;
        }
        self.worker.cluster.note(&format!("finishing {} bundles of tasks", self.held.len()));
    }

    /// Somebody else shall do it, at once.
    async fn give_back(&mut self, ticket: u64) {
        if let Some((held, _)) = self.held.remove(&ticket) {
            let _ = held.acker.ack_with(AckKind::Nak(None)).await;
        }
    }

    fn games_per_second(&mut self) -> f64 {
        while self.lately.front().is_some_and(|(at, _)| at.elapsed() > TELL) {
            self.lately.pop_front();
        }
        let games: u64 = self.lately.iter().map(|(_, games)| games).sum();
        games as f64 / TELL.min(self.began.elapsed()).as_secs_f64().max(0.1)
    }

    fn info(&mut self) -> WorkerInfo {
        let is_busy = !self.held.is_empty();
        WorkerInfo {
            id: self.worker.id.clone(),
            version: self.worker.cluster.settings.version.clone(),
            threads: self.worker.threads,
            held: self.held.len(),
            tasks: self.tally.tasks,
            games: self.tally.games,
            failed: self.tally.failed,
            games_per_second: self.games_per_second(),
            run: if is_busy { self.run_name.clone() } else { String::new() },
            up_seconds: self.began.elapsed().as_secs_f64(),
        }
    }

    fn tell(&mut self) {
        if self.tally == self.told {
            return;
        }
        self.told = self.tally;
        let (Tally { tasks, games, failed }, rate) = (self.tally, self.games_per_second());
        let name = &self.run_name;
        let text =
            format!("{name}: {tasks} tasks, {games} games, {rate:.1} games/s, {failed} failed");
        self.worker.cluster.note(&text);
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period.max(Duration::from_millis(10)));
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Says, once for each run, whose tasks we do not take because they want another version.
async fn greet_strangers(
    layout: &Layout,
    version: &str,
    known: &mut HashSet<String>,
    note: &dyn Fn(&str),
) {
    let Ok(mut runs) = layout.runs.keys().await else { return };
    while let Some(Ok(run)) = runs.next().await {
        if known.contains(&run) {
            continue;
        }
        let Ok(Some(info)) = layout.runs.get(run.clone()).await else { continue };
        let Ok(info) = serde_json::from_slice::<RunInfo>(&info) else { continue };
        if info.state == "running" && info.version != version {
            note(&format!(
                "not taking the tasks of {} from {}: it has version {}, this is version {version}",
                info.name, info.host, info.version
            ));
            known.insert(run);
        }
    }
}
