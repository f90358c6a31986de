//! The threads on which a worker runs batches.
//!
//! A batch runs task by task, so its end can be cut off while it runs: [`ThreadPool::stalled`] lists tasks that wait
//! behind a long one, [`ThreadPool::cut`] removes them once they were given back to the queue.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use tablero_jobs::catch_panic;
use tokio::sync::mpsc::UnboundedSender;

use crate::wire::{Batch, MAX_TASK_BYTES, TaskOutput, task_id};
use crate::worker_loop::Event;
use crate::{ClusterError, Files, TaskError, TaskKinds};

/// Searches recurse deeply: the stack size of a main thread.
const STACK: usize = 8 << 20;

/// A batch whose files are on disk.
pub(crate) struct ReadyBatch {
    /// [`Delivery::id`](crate::handler::Delivery::id).
    pub(crate) delivery: u64,
    pub(crate) batch: Arc<Batch>,
    pub(crate) files: Files,
    /// Whether it must run alone, since it may be what crashed other workers.
    pub(crate) is_quarantined: bool,
    /// When it became ready.
    pub(crate) since: Instant,
}

/// Tasks of a delivery, from `from` on, that have waited for too long.
pub(crate) struct Stalled {
    pub(crate) delivery: u64,
    pub(crate) batch: Arc<Batch>,
    pub(crate) from: usize,
}

/// The result of a batch, as far as it was run.
pub(crate) struct BatchResult {
    pub(crate) batch: Arc<Batch>,
    /// The outputs, or why this worker rejects the batch.
    pub(crate) outputs: Result<Vec<TaskOutput>, String>,
    pub(crate) seconds_per_task: f64,
    pub(crate) games: u64,
    /// Index and error of each failed task.
    pub(crate) failed: Vec<(usize, String)>,
}

/// The queue in front of the threads.
#[derive(Default)]
pub(crate) struct ThreadPool {
    queue: Mutex<Queue>,
    ready: Condvar,
}

#[derive(Default)]
struct Queue {
    batches: VecDeque<ReadyBatch>,
    running: Vec<RunningBatch>,
    is_closed: bool,
}

/// The progress of a running batch.
struct RunningBatch {
    delivery: u64,
    batch: Arc<Batch>,
    /// The next task to start, and the end of the tasks to run.
    next: usize,
    end: usize,
    start: Instant,
}

impl ThreadPool {
    /// Starts threads that run submitted batches until the pool is closed.
    pub(crate) fn start(
        self: &Arc<Self>,
        threads: usize,
        kinds: &Arc<TaskKinds>,
        events: &UnboundedSender<Event>,
    ) -> Result<Vec<JoinHandle<()>>, ClusterError> {
        let start = |_| {
            let (pool, kinds, events) = (self.clone(), kinds.clone(), events.clone());
            Builder::new().stack_size(STACK).spawn(move || pool.run(&kinds, &events))
        };
        let threads = (0..threads).map(start).collect::<Result<_, _>>();
        threads.map_err(ClusterError::server("cannot start a thread"))
    }

    pub(crate) fn submit(&self, batch: ReadyBatch) {
        self.lock().batches.push_back(batch);
        self.ready.notify_one();
    }

    /// Removes and returns the batches that no thread has started.
    pub(crate) fn take_queued(&self) -> VecDeque<ReadyBatch> {
        take(&mut self.lock().batches)
    }

    /// Number of running batches.
    pub(crate) fn running(&self) -> usize {
        self.lock().running.len()
    }

    /// Number of batches that have run for at least `limit`.
    pub(crate) fn running_for(&self, limit: Duration) -> usize {
        self.lock().running.iter().filter(|running| running.start.elapsed() >= limit).count()
    }

    /// Unstarted tasks of batches that have been queued, or running, for at least `limit`.
    pub(crate) fn stalled(&self, limit: Duration) -> Vec<Stalled> {
        let queue = self.lock();
        let queued = queue.batches.iter().filter(|ready| ready.since.elapsed() >= limit);
        let queued = queued.map(|ready| Stalled {
            delivery: ready.delivery,
            batch: ready.batch.clone(),
            from: 0,
        });
        let running = queue
            .running
            .iter()
            .filter(|running| running.next < running.end && running.start.elapsed() >= limit);
        let running = running.map(|running| Stalled {
            delivery: running.delivery,
            batch: running.batch.clone(),
            from: running.next,
        });
        queued.chain(running).collect()
    }

    /// Removes the tasks of a delivery from `from` on, unless they have started meanwhile. Returns whether the
    /// whole batch was removed from the queue.
    pub(crate) fn cut(&self, delivery: u64, from: usize) -> bool {
        let mut queue = self.lock();
        let running = queue.running.iter_mut().find(|running| running.delivery == delivery);
        if let Some(running) = running {
            running.end = running.next.max(from);
            return false;
        }
        let queued = queue.batches.len();
        queue.batches.retain(|ready| ready.delivery != delivery);
        queue.batches.len() < queued
    }

    /// Threads exit after their current batch.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.ready.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<ReadyBatch> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(ready) = queue.batches.pop_front() {
                queue.running.push(RunningBatch {
                    delivery: ready.delivery,
                    batch: ready.batch.clone(),
                    next: 0,
                    end: ready.batch.tasks.len(),
                    start: Instant::now(),
                });
                return Some(ready);
            }
            queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, kinds: &TaskKinds, events: &UnboundedSender<Event>) {
        while let Some(batch) = self.next() {
            // Sending fails only once the worker loop is gone, and with it the process's purpose.
            let _ = events.send(Event::Started(batch.delivery));
            let delivery = batch.delivery;
            let result = self.run_batch(kinds, batch);
            self.lock().running.retain(|running| running.delivery != delivery);
            let _ = events.send(Event::Finished(delivery, result));
        }
    }

    /// Index of the next task of a running batch.
    fn start_task(&self, delivery: u64) -> Option<usize> {
        let mut queue = self.lock();
        let running = queue.running.iter_mut().find(|running| running.delivery == delivery)?;
        (running.next < running.end).then(|| {
            running.next += 1;
            running.next - 1
        })
    }

    fn run_batch(&self, kinds: &TaskKinds, ready: ReadyBatch) -> BatchResult {
        let ReadyBatch { delivery, batch, files, .. } = ready;
        let start = Instant::now();
        let (mut outputs, mut failed, mut games) = (Vec::new(), Vec::new(), 0);
        let rejected = |batch, reason| BatchResult {
            batch,
            outputs: Err(reason),
            seconds_per_task: 0.0,
            games: 0,
            failed: Vec::new(),
        };
        let kind = match kinds.find(&batch.kind) {
            Ok(kind) => kind,
            Err(reason) => return rejected(batch, reason),
        };
        while let Some(index) = self.start_task(delivery) {
            let task = &batch.tasks[index];
            let run = || kind.run(task.get(), &files);
            let result = catch_panic(run).unwrap_or_else(|panic| Err(TaskError::Failed(panic)));
            let result = match result {
                Ok(output) if output.len() > MAX_TASK_BYTES => {
                    Err(format!("an output of {} bytes is too large to be sent", output.len()))
                }
                Ok(output) => {
                    games += kind.games(task.get());
                    Ok(output)
                }
                Err(TaskError::Failed(error)) => Err(error),
                Err(TaskError::Refused(reason)) => return rejected(batch, reason),
            };
            if let Err(error) = &result {
                failed.push((index, error.clone()));
            }
            outputs.push(TaskOutput::new(task_id(&batch.kind, task.get()), result));
        }
        let seconds_per_task = start.elapsed().as_secs_f64() / outputs.len().max(1) as f64;
        BatchResult { batch, outputs: Ok(outputs), seconds_per_task, games, failed }
    }
}
