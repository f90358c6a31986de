//! The event loop of a worker.
//!
//! ```text
//! pull ──> prepare ──> ready ──────────────────────> thread pool ──> report ──> ack
//!             │          └─ quarantined (run alone) ───┘
//!             └─ settled: rejected, split, dead-lettered
//! ```
//! Every unacknowledged delivery gets an in-progress ack (`+WPI`) three times per `ack_wait`, which extends its
//! lease. A worker that stops sending them (crash, hang, lost connection) loses its deliveries to others.

mod balance;

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tablero_jobs::CancellationToken;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use crate::assets::{Assets, PING, run_and_batch};
use crate::handler::Delivery;
use crate::pool::{BatchResult, ReadyBatch, ThreadPool};
use crate::pull::{PullRejected, PullSubscription};
use crate::wire::{RunInfo, WorkerInfo};
use crate::{Cluster, ClusterError, Worker, WorkerStats};
use balance::{BALANCE_INTERVAL, GivenBack};

const RETRY_DELAY: Duration = Duration::from_millis(300);
/// How often to check for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(100);
/// How often statistics are logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// What happens to a delivery after it was pulled.
pub(crate) enum Event {
    /// Its batch can run.
    Prepared(ReadyBatch),
    /// Its quarantined batch can run: the attempt is on record.
    AttemptRecorded(ReadyBatch),
    /// A thread has started its batch.
    Started(u64),
    /// A thread has finished its batch.
    Finished(u64, BatchResult),
    /// It was acknowledged, one way or another.
    Settled(u64),
    /// Number of pull requests that wait at an empty queue.
    WaitingPulls(usize),
    /// Tasks were given back to the queue.
    GivenBack(GivenBack),
}

/// The progress of a delivery.
enum Stage {
    /// Not handed to the thread pool.
    Waiting,
    /// Handed to the thread pool, or being reported; with the start time while it runs.
    Dispatched(Option<Instant>),
}

pub(crate) struct WorkerLoop<'a> {
    worker: &'a Worker,
    pool: Arc<ThreadPool>,
    sender: UnboundedSender<Event>,
    events: UnboundedReceiver<Event>,
    consumer: PullConsumer,
    pull: PullSubscription,
    deliveries: HashMap<u64, (Arc<Delivery>, Stage)>,
    /// Prepared batches.
    ready: VecDeque<ReadyBatch>,
    /// Prepared batches that must run alone.
    quarantined: VecDeque<ReadyBatch>,
    /// The delivery that runs alone, if any.
    isolated: Option<u64>,
    last_delivery: u64,
    /// How long the last batch took.
    batch_time: Duration,
    /// Whether stalled tasks are being given back.
    is_balancing: bool,
    is_draining: bool,
    started: Instant,
    stats: WorkerStats,
    /// Times and numbers of games finished within [`LOG_INTERVAL`].
    recent_games: VecDeque<(Instant, u64)>,
    run_name: String,
    logged_stats: WorkerStats,
}

impl<'a> WorkerLoop<'a> {
    pub(crate) async fn new(
        worker: &'a Worker,
        pool: Arc<ThreadPool>,
        sender: UnboundedSender<Event>,
        events: UnboundedReceiver<Event>,
    ) -> Result<Self, ClusterError> {
        Ok(Self {
            worker,
            pool,
            sender,
            events,
            consumer: worker.cluster.assets.worker_consumer(&worker.cluster.settings).await?,
            pull: PullSubscription::new(&worker.cluster.client).await?,
            deliveries: HashMap::new(),
            ready: VecDeque::new(),
            quarantined: VecDeque::new(),
            isolated: None,
            last_delivery: 0,
            // Unknown: assumed to be long.
            batch_time: Duration::MAX,
            is_balancing: false,
            is_draining: false,
            started: Instant::now(),
            stats: WorkerStats::default(),
            recent_games: VecDeque::new(),
            run_name: String::new(),
            logged_stats: WorkerStats::default(),
        })
    }

    /// Runs until cancelled and everything is settled.
    pub(crate) async fn run(
        &mut self,
        cancellation: &CancellationToken,
    ) -> Result<WorkerStats, ClusterError> {
        let cluster = &self.worker.cluster;
        let pings = cluster.client.subscribe(PING).await;
        let mut pings = pings.map_err(ClusterError::server("cannot subscribe to pings"))?;
        let mut heartbeat = every(cluster.settings.ack_wait / 3);
        let (mut cancel_poll, mut log) = (every(CANCEL_POLL), every(LOG_INTERVAL));
        let mut balance = every(BALANCE_INTERVAL);
        let mut warned = HashSet::new();
        let epoch = &cluster.assets.epoch;
        let mut current = epoch.current();
        while !(self.is_draining && self.deliveries.is_empty() && !self.pull.is_open()) {
            if !self.pull.is_open() && !self.is_draining && !self.has_quarantined() {
                self.request().await;
            }
            tokio::select! {
                message = self.pull.next(&cluster.assets.context) => self.receive(message).await,
                Some(event) = self.events.recv() => self.handle(event).await,
                Some(ping) = pings.next() => {
                    if let Some(reply) = ping.reply {
                        let info = serde_json::to_vec(&self.info()).unwrap_or_default();
                        let _ = cluster.client.publish(reply, info.into()).await;
                    }
                }
                () = epoch.changed(current) => {
                    current = epoch.current();
                    self.pull.reset();
                    self.reopen_consumer().await;
                }
                _ = heartbeat.tick() => self.heartbeat().await?,
                _ = balance.tick() => self.find_idle_workers(),
                _ = cancel_poll.tick() => {
                    if cancellation.is_cancelled() && !self.is_draining {
                        self.drain().await;
                    }
                }
                _ = log.tick() => {
                    self.log_stats();
                    if self.deliveries.is_empty() && !self.is_draining {
                        self.reopen_consumer().await;
                    }
                    warn_of_other_versions(&cluster.assets, &cluster.settings.version, &mut warned,
                        &|text| cluster.log(text)).await;
                }
            }
        }
        Ok(self.stats)
    }

    /// Pulls a batch for each idle thread, and those to prefetch.
    async fn request(&mut self) {
        let max_pending = self.worker.threads + self.prefetch();
        let room = max_pending.saturating_sub(self.deliveries.len());
        if room == 0 {
            return;
        }
        if !self.pull.request(&self.consumer, room).await {
            sleep(RETRY_DELAY).await;
        }
    }

    async fn receive(&mut self, message: Result<Option<Message>, PullRejected>) {
        match message {
            Ok(Some(message)) => self.accept(message).await,
            Ok(None) => {}
            Err(PullRejected) => {
                sleep(RETRY_DELAY).await;
                self.reopen_consumer().await;
            }
        }
    }

    /// Recreates the assets if they are gone, since the server may have lost its disk. (A server of version
    /// 2.9 does not reject pull requests for a missing consumer.)
    async fn reopen_consumer(&mut self) {
        let Cluster { client, assets, settings, .. } = &self.worker.cluster;
        let mut consumer = assets.worker_consumer(settings).await;
        if consumer.is_err() {
            let _ = Assets::open(client.clone(), assets.epoch.clone(), settings).await;
            consumer = assets.worker_consumer(settings).await;
        }
        if let Ok(consumer) = consumer {
            self.consumer = consumer;
        }
    }

    async fn accept(&mut self, message: Message) {
        let delivered = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        let Some((run, name)) = run_and_batch(&message.subject) else { return };
        self.last_delivery += 1;
        let (id, run, name) = (self.last_delivery, run.to_owned(), name.to_owned());
        let delivery = Arc::new(Delivery { id, acker, run, name, delivered });
        self.deliveries.insert(id, (delivery.clone(), Stage::Waiting));
        let (handler, sender) = (self.worker.handler.clone(), self.sender.clone());
        tokio::spawn(async move {
            let event = match handler.prepare(&delivery, &message.payload).await {
                Some(batch) => Event::Prepared(batch),
                None => Event::Settled(delivery.id),
            };
            // Sending fails only once the loop is gone.
            let _ = sender.send(event);
        });
    }

    async fn handle(&mut self, event: Event) {
        match event {
            Event::Prepared(batch) if self.is_draining => self.give_back_late(batch).await,
            Event::Prepared(batch) if batch.is_quarantined => self.quarantined.push_back(batch),
            Event::Prepared(batch) => self.ready.push_back(batch),
            Event::AttemptRecorded(batch) => self.pool.submit(batch),
            Event::Started(delivery) => {
                if let Some((_, stage)) = self.deliveries.get_mut(&delivery) {
                    *stage = Stage::Dispatched(Some(Instant::now()));
                }
            }
            Event::Finished(delivery, result) => self.report(delivery, result),
            Event::Settled(delivery) => {
                self.deliveries.remove(&delivery);
                self.isolated.take_if(|isolated| *isolated == delivery);
            }
            Event::WaitingPulls(count) => self.give_back(count).await,
            Event::GivenBack(tasks) => self.cut(tasks).await,
        }
        if !self.is_draining {
            self.dispatch();
        }
    }

    fn has_quarantined(&self) -> bool {
        self.isolated.is_some() || !self.quarantined.is_empty()
    }

    /// Hands ready batches to the threads. A quarantined batch starts once everything else is settled, and
    /// nothing starts until it is settled: if the process crashes, the batch is the cause.
    fn dispatch(&mut self) {
        if self.isolated.is_some() {
            return;
        }
        if self.quarantined.is_empty() {
            for batch in take(&mut self.ready) {
                self.mark_dispatched(&batch);
                self.pool.submit(batch);
            }
        } else if self.deliveries.values().all(|(_, stage)| matches!(stage, Stage::Waiting))
            && let Some(batch) = self.quarantined.pop_front()
            && let Some(delivery) = self.mark_dispatched(&batch)
        {
            self.isolated = Some(batch.delivery);
            let (handler, sender) = (self.worker.handler.clone(), self.sender.clone());
            tokio::spawn(async move {
                handler.record_attempt(&delivery).await;
                let _ = sender.send(Event::AttemptRecorded(batch));
            });
        }
    }

    fn mark_dispatched(&mut self, batch: &ReadyBatch) -> Option<Arc<Delivery>> {
        self.run_name.clone_from(&batch.batch.name);
        let (delivery, stage) = self.deliveries.get_mut(&batch.delivery)?;
        *stage = Stage::Dispatched(None);
        Some(delivery.clone())
    }

    fn report(&mut self, id: u64, result: BatchResult) {
        if let Ok(outputs) = &result.outputs {
            self.stats.tasks += outputs.len() as u64;
            self.stats.games += result.games;
            self.stats.failed += result.failed.len() as u64;
            self.recent_games.push_back((Instant::now(), result.games));
        }
        let Some((delivery, stage)) = self.deliveries.get_mut(&id) else { return };
        if let Stage::Dispatched(Some(start)) = stage {
            self.batch_time = start.elapsed();
        }
        *stage = Stage::Dispatched(None);
        let (delivery, handler, sender) =
            (delivery.clone(), self.worker.handler.clone(), self.sender.clone());
        tokio::spawn(async move {
            handler.report(&delivery, result).await;
            let _ = sender.send(Event::Settled(id));
        });
    }

    /// Extends the lease of all deliveries; fails if a batch has exceeded its timeout.
    async fn heartbeat(&self) -> Result<(), ClusterError> {
        let timeout = self.worker.cluster.settings.task_timeout;
        for (delivery, stage) in self.deliveries.values() {
            if matches!(stage, Stage::Dispatched(Some(start)) if start.elapsed() > timeout) {
                let seconds = timeout.as_secs_f64();
                let reason = format!("tasks of {} took more than {seconds} s", self.run_name);
                return Err(ClusterError::TaskTimeout(reason));
            }
            let _ = delivery.acker.ack_with(AckKind::Progress).await;
        }
        Ok(())
    }

    /// Stops pulling and gives back the tasks that have not started.
    async fn drain(&mut self) {
        self.is_draining = true;
        self.worker.cluster.log(&format!("draining: {} batches running", self.pool.running()));
        self.give_back_unstarted().await;
    }

    /// Returns a delivery to the queue, for immediate redelivery.
    async fn nak(&mut self, id: u64) {
        if let Some((delivery, _)) = self.deliveries.remove(&id) {
            let _ = delivery.acker.ack_with(AckKind::Nak(None)).await;
        }
    }

    fn games_per_second(&mut self) -> f64 {
        while self.recent_games.front().is_some_and(|(at, _)| at.elapsed() > LOG_INTERVAL) {
            self.recent_games.pop_front();
        }
        let games: u64 = self.recent_games.iter().map(|(_, games)| games).sum();
        games as f64 / LOG_INTERVAL.min(self.started.elapsed()).as_secs_f64().max(0.1)
    }

    fn info(&mut self) -> WorkerInfo {
        let is_busy = !self.deliveries.is_empty();
        WorkerInfo {
            id: self.worker.id.clone(),
            version: self.worker.cluster.settings.version.clone(),
            threads: self.worker.threads,
            ack_pending: self.deliveries.len(),
            tasks: self.stats.tasks,
            games: self.stats.games,
            failed: self.stats.failed,
            games_per_second: self.games_per_second(),
            run: if is_busy { self.run_name.clone() } else { String::new() },
            uptime_seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    /// Logs the statistics if they have changed.
    fn log_stats(&mut self) {
        if self.stats == self.logged_stats {
            return;
        }
        self.logged_stats = self.stats;
        let (WorkerStats { tasks, games, failed }, rate) = (self.stats, self.games_per_second());
        let name = &self.run_name;
        let text =
            format!("{name}: {tasks} tasks, {games} games, {rate:.1} games/s, {failed} failed");
        self.worker.cluster.log(&text);
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period.max(Duration::from_millis(10)));
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Logs, once per run, that its tasks need another version of the program.
async fn warn_of_other_versions(
    assets: &Assets,
    version: &str,
    warned: &mut HashSet<String>,
    log: &dyn Fn(&str),
) {
    let Ok(mut runs) = assets.runs.keys().await else { return };
    while let Some(Ok(run)) = runs.next().await {
        if warned.contains(&run) {
            continue;
        }
        let Ok(Some(info)) = assets.runs.get(run.clone()).await else { continue };
        let Ok(info) = serde_json::from_slice::<RunInfo>(&info) else { continue };
        if info.state == "running" && info.version != version {
            log(&format!(
                "ignoring the tasks of {} on {}: they need version {}, this is version {version}",
                info.name, info.host, info.version
            ));
            warned.insert(run);
        }
    }
}
