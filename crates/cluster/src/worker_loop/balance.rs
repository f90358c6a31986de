//! Load balancing between workers: no worker holds tasks that it does not run while others are idle.
//!
//! - Prefetch only while batches are short. For long ones the round trip of a pull is negligible, and a
//!   prefetched batch would wait behind a running one.
//! - Unstarted tasks of a batch that has been queued or running for [`STALL_LIMIT`] are given back to the queue as
//!   soon as some worker, or another thread of this one, is idle. An idle worker shows on the server as a
//!   waiting pull request at an empty queue (`num_waiting`, `num_pending` of the consumer).

use std::mem::take;
use std::time::Duration;

use async_nats::jetstream::AckKind;

use super::{Event, WorkerLoop};
use crate::pool::{ReadyBatch, Stalled};
use crate::pull::EXPIRES;

/// Batches shorter than this are prefetched.
const PREFETCH_LIMIT: Duration = Duration::from_millis(500);
/// Unstarted tasks may be given back after this time. A pull request for prefetching has expired by then, so they
/// do not return to the same worker.
const STALL_LIMIT: Duration = PREFETCH_LIMIT.saturating_add(EXPIRES);
/// How often to look for stalled tasks.
pub(super) const BALANCE_INTERVAL: Duration = Duration::from_millis(500);

/// The outcome of giving back tasks.
pub(crate) struct GivenBack {
    /// Deliveries whose tasks from the given index on are in the queue again.
    tasks: Vec<(u64, usize)>,
    /// Deliveries that the queue did not take.
    failed: Vec<u64>,
}

impl WorkerLoop<'_> {
    /// Number of batches to prefetch: one for every two threads that will soon be idle.
    pub(super) fn prefetch(&self) -> usize {
        if self.batch_time >= PREFETCH_LIMIT {
            return 0;
        }
        let busy = self.pool.running_for(PREFETCH_LIMIT);
        self.worker.threads.saturating_sub(busy).div_ceil(2)
    }

    /// Unstarted tasks that have waited for `limit`.
    fn stalled(&self, limit: Duration) -> Vec<Stalled> {
        let ready = self.ready.iter().filter(|ready| ready.since.elapsed() >= limit);
        let ready = ready.map(|ready| Stalled {
            delivery: ready.delivery,
            batch: ready.batch.clone(),
            from: 0,
        });
        ready.chain(self.pool.stalled(limit)).collect()
    }

    fn has_stalled_quarantined(&self) -> bool {
        self.quarantined.iter().any(|ready| ready.since.elapsed() >= STALL_LIMIT)
    }

    /// If tasks are stalled, queries the server for idle workers.
    pub(super) fn find_idle_workers(&mut self) {
        let is_stalled = || !self.stalled(STALL_LIMIT).is_empty() || self.has_stalled_quarantined();
        if self.is_balancing || self.is_draining || !is_stalled() {
            return;
        }
        self.is_balancing = true;
        let (consumer, sender) = (self.consumer.clone(), self.sender.clone());
        tokio::spawn(async move {
            let info = consumer.get_info().await;
            let waiting = info.map(|info| if info.num_pending == 0 { info.num_waiting } else { 0 });
            let _ = sender.send(Event::WaitingPulls(waiting.unwrap_or(0)));
        });
    }

    /// Gives stalled tasks back to the queue if there are idle workers, or idle threads of our own.
    pub(super) async fn give_back(&mut self, waiting_pulls: usize) {
        let own_pull = usize::from(self.pull.is_open());
        let idle_workers = waiting_pulls.saturating_sub(own_pull);
        let idle_threads = self.worker.threads - self.pool.running().min(self.worker.threads);
        let has_idle_thread = own_pull > 0 && idle_threads > 0;
        let idle = idle_workers + usize::from(has_idle_thread);
        let is_idle = idle > 0 && !self.is_draining;
        let stalled = if is_idle { self.stalled(STALL_LIMIT) } else { Vec::new() };
        // The busy thread, once it is idle, takes a share too.
        let shares = idle + 1;
        if idle_workers > 0 && !self.is_draining {
            self.nak_quarantined().await;
        }
        self.republish(stalled, shares);
    }

    /// Gives back all tasks that have not started, since this worker will not run them.
    pub(super) async fn give_back_unstarted(&mut self) {
        self.nak_quarantined().await;
        // A quarantined batch whose attempt is on record runs; it is alone in the pool.
        if self.isolated.is_none() {
            self.ready.extend(self.pool.take_queued());
        }
        let mut unstarted = self.stalled(Duration::ZERO);
        unstarted.retain(|stalled| Some(stalled.delivery) != self.isolated);
        self.republish(unstarted, 1);
    }

    /// Gives back a batch that became ready too late.
    pub(super) async fn give_back_late(&mut self, ready: ReadyBatch) {
        if ready.is_quarantined {
            return self.nak(ready.delivery).await;
        }
        let (delivery, batch) = (ready.delivery, ready.batch.clone());
        self.ready.push_back(ready);
        self.republish(vec![Stalled { delivery, batch, from: 0 }], 1);
    }

    /// A nak keeps the number of deliveries, and with it the quarantine.
    async fn nak_quarantined(&mut self) {
        for batch in take(&mut self.quarantined) {
            self.nak(batch.delivery).await;
        }
    }

    /// Publishes tasks again, for `shares` workers.
    fn republish(&self, stalled: Vec<Stalled>, shares: usize) {
        let find = |stalled: Stalled| {
            let (delivery, _) = self.deliveries.get(&stalled.delivery)?;
            Some((delivery.clone(), stalled))
        };
        let stalled: Vec<_> = stalled.into_iter().filter_map(find).collect();
        let (handler, sender) = (self.worker.handler.clone(), self.sender.clone());
        tokio::spawn(async move {
            let mut given_back = GivenBack { tasks: Vec::new(), failed: Vec::new() };
            for (delivery, Stalled { batch, from, .. }) in stalled {
                if handler.give_back(&delivery, &batch, from, shares).await {
                    given_back.tasks.push((delivery.id, from));
                } else {
                    given_back.failed.push(delivery.id);
                }
            }
            let _ = sender.send(Event::GivenBack(given_back));
        });
    }

    /// Drops tasks that are in the queue again. Those that have started meanwhile run twice, which is
    /// idempotent.
    pub(super) async fn cut(&mut self, GivenBack { tasks, failed }: GivenBack) {
        self.is_balancing = false;
        for (id, from) in tasks {
            let is_removed = self.remove_ready(id) || self.pool.cut(id, from);
            if is_removed && let Some((delivery, _)) = self.deliveries.remove(&id) {
                self.worker.handler.ack(&delivery, AckKind::Ack).await;
            }
        }
        for id in failed {
            // The server redelivers it.
            if self.is_draining && self.remove_ready(id) {
                self.nak(id).await;
            }
        }
    }

    fn remove_ready(&mut self, id: u64) -> bool {
        let ready = self.ready.len();
        self.ready.retain(|batch| batch.delivery != id);
        self.ready.len() < ready
    }
}
