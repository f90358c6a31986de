//! A thread pool for searches: a fixed number at a time, round-robin between owners, and a watchdog that
//! enforces time limits and preempts long searches while others are queued.
//!
//! Like a multilevel feedback queue, it keeps long searches from holding up short ones: a search that runs
//! for more than a time slice makes room for the next, and continues beside it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::api::DoneReason;

/// Stops one search; clones stop the same one.
#[derive(Clone, Default)]
pub(crate) struct StopHandle(Arc<StopState>);

#[derive(Default)]
struct StopState {
    flag: AtomicBool,
    finished: AtomicBool,
    reason: Mutex<Option<DoneReason>>,
}

impl StopHandle {
    /// Stops the search on request.
    pub(crate) fn stop(&self) {
        self.stop_with(DoneReason::Stopped);
    }

    /// Stops the search; the first reason wins.
    pub(crate) fn stop_with(&self, reason: DoneReason) {
        let mut known = self.0.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(reason);
        self.0.flag.store(true, Ordering::Relaxed);
    }

    /// The flag that the search polls.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0.flag
    }

    /// Marks the search as finished: it sends no more messages.
    pub(crate) fn finish(&self) {
        self.0.finished.store(true, Ordering::Relaxed);
    }

    /// Whether the search has finished.
    pub(crate) fn is_finished(&self) -> bool {
        self.0.finished.load(Ordering::Relaxed)
    }

    /// Why it was stopped, if it was.
    pub(crate) fn reason(&self) -> Option<DoneReason> {
        *self.0.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search to run.
pub(crate) struct Task {
    /// The unit of fairness: owners are served round-robin, no matter how many tasks each submits.
    pub(crate) owner: String,
    /// Whether it is expected to take long, so that others go first.
    pub(crate) is_slow: bool,
    pub(crate) stop_handle: StopHandle,
    pub(crate) time_limit: Duration,
    /// How long it runs before it may be preempted by queued tasks; `None` for never.
    pub(crate) preempt_after: Option<Duration>,
    /// The search; called even if it was stopped while queued.
    pub(crate) run: Box<dyn FnOnce() + Send>,
}

/// Worker threads and the queue that feeds them.
pub(crate) struct SearchPool {
    shared: Arc<Shared>,
}

/// The size of a pool.
#[derive(Clone, Copy)]
pub(crate) struct PoolSize {
    /// Searches in their first time slice.
    pub(crate) fresh: usize,
    /// Searches that continue after it.
    pub(crate) long: usize,
}

struct Shared {
    size: PoolSize,
    queue: Mutex<Queue>,
    /// Notified when a task is queued, starts or ends, and when the pool closes.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Tasks that are expected to be quick.
    quick: Lane,
    slow: Lane,
    /// Quick tasks that started since the last slow one.
    quick_in_a_row: usize,
    running: Vec<Running>,
    last_id: u64,
    closed: bool,
}

/// Queued tasks by owner.
#[derive(Default)]
struct Lane {
    /// Owners with queued tasks, next first.
    owners: VecDeque<String>,
    queued: HashMap<String, VecDeque<Task>>,
}

struct Running {
    id: u64,
    stop_handle: StopHandle,
    started: Instant,
    time_limit: Duration,
    preempt_after: Option<Duration>,
}

/// Searches recurse deeply: the usual size of a main thread's stack.
const STACK_SIZE: usize = 8 << 20;
/// The time slice. Searches that take longer are slow.
pub(crate) const TIME_SLICE: Duration = Duration::from_millis(250);
/// Quick tasks that start before a slow one has its turn.
const QUICK_PER_SLOW: usize = 4;
const WATCHDOG_INTERVAL: Duration = Duration::from_millis(100);

impl SearchPool {
    /// A pool of that size.
    pub(crate) fn new(name: &str, size: PoolSize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { size, queue: Mutex::default(), changed: Condvar::new() });
        let pool = Self { shared: Arc::clone(&shared) };
        for id in 0..size.fresh + size.long {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name(format!("{name}-{id}")).stack_size(STACK_SIZE);
            thread.spawn(move || shared.work())?;
        }
        let watchdog = thread::Builder::new().name(format!("{name}-watchdog"));
        watchdog.spawn(move || shared.watch())?;
        Ok(pool)
    }

    /// Queues a task; returns whether it has to wait.
    pub(crate) fn submit(&self, task: Task) -> bool {
        let mut queue = self.shared.lock();
        let lane = if task.is_slow { &mut queue.slow } else { &mut queue.quick };
        lane.push(task);
        let waiting = queue.quick.owners.len() + queue.slow.owners.len();
        let size = self.shared.size;
        let has_thread = queue.running.len() + waiting <= size.fresh + size.long;
        let is_queued = !has_thread || queue.fresh() + waiting > size.fresh;
        self.shared.changed.notify_all();
        is_queued
    }

    /// Stops running tasks, drops queued ones and ends the threads.
    pub(crate) fn close(&self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        (queue.quick, queue.slow) = Default::default();
        queue.running.iter().for_each(|running| running.stop_handle.stop());
        self.shared.changed.notify_all();
    }
}

impl Drop for SearchPool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Lane {
    fn push(&mut self, task: Task) {
        let owner = task.owner.clone();
        let tasks = self.queued.entry(owner.clone()).or_default();
        tasks.push_back(task);
        if tasks.len() == 1 {
            self.owners.push_back(owner);
        }
    }

    /// The next task, round-robin between owners.
    fn pop(&mut self) -> Option<Task> {
        let owner = self.owners.pop_front()?;
        let tasks = self.queued.get_mut(&owner)?;
        let task = tasks.pop_front();
        if tasks.is_empty() {
            self.queued.remove(&owner);
        } else {
            self.owners.push_back(owner);
        }
        task
    }
}

impl Queue {
    /// The number of tasks in their first time slice.
    fn fresh(&self) -> usize {
        self.running.iter().filter(|running| running.started.elapsed() < TIME_SLICE).count()
    }

    /// The task that may start now.
    fn next(&mut self, size: PoolSize) -> Option<Task> {
        if self.fresh() >= size.fresh {
            return None;
        }
        if self.quick_in_a_row < QUICK_PER_SLOW
            && let Some(task) = self.quick.pop()
        {
            self.quick_in_a_row += 1;
            return Some(task);
        }
        self.quick_in_a_row = 0;
        self.slow.pop().or_else(|| self.quick.pop())
    }

    fn has_waiting(&self) -> bool {
        !(self.quick.owners.is_empty() && self.slow.owners.is_empty())
    }

    /// Stops tasks over their time limit, and preempts one if others wait for its thread.
    fn enforce_limits(&self, size: PoolSize) {
        for running in &self.running {
            if running.started.elapsed() >= running.time_limit {
                running.stop_handle.stop_with(DoneReason::TimeLimit);
            }
        }
        // One at a time, the oldest first.
        let is_preemptible = |running: &&Running| {
            running.preempt_after.is_some_and(|after| running.started.elapsed() >= after)
        };
        let is_full = self.running.len() >= size.fresh + size.long;
        if is_full
            && self.has_waiting()
            && let Some(oldest) = self.running.iter().find(is_preemptible)
        {
            oldest.stop_handle.stop_with(DoneReason::Preempted);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut queue = self.lock();
        while !queue.closed {
            let Some(task) = queue.next(self.size) else {
                queue = self.wait(queue);
                continue;
            };
            queue.last_id += 1;
            let id = queue.last_id;
            queue.running.push(Running {
                id,
                stop_handle: task.stop_handle,
                started: Instant::now(),
                time_limit: task.time_limit,
                preempt_after: task.preempt_after,
            });
            // The watchdog sleeps while nothing runs.
            self.changed.notify_all();
            drop(queue);
            // Tasks report their own panics; the worker survives them.
            let _ = tablero_jobs::catch_panic(task.run);
            queue = self.lock();
            queue.running.retain(|running| running.id != id);
            self.changed.notify_all();
        }
    }

    fn watch(&self) {
        let mut queue = self.lock();
        while !queue.closed {
            if queue.running.is_empty() {
                queue = self.wait(queue);
                continue;
            }
            queue.enforce_limits(self.size);
            if queue.has_waiting() {
                // The time slice of a running task may be over.
                self.changed.notify_all();
            }
            drop(queue);
            thread::sleep(WATCHDOG_INTERVAL);
            queue = self.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const ONE: PoolSize = PoolSize { fresh: 1, long: 0 };

    fn task(owner: &str, run: impl FnOnce() + Send + 'static) -> Task {
        Task {
            owner: owner.into(),
            is_slow: false,
            stop_handle: StopHandle::default(),
            time_limit: Duration::from_secs(60),
            preempt_after: None,
            run: Box::new(run),
        }
    }

    #[test]
    fn owners_are_served_round_robin() {
        let pool = SearchPool::new("test", ONE).unwrap();
        let (open, opened) = mpsc::channel::<()>();
        let (sender, receiver) = mpsc::channel();
        assert!(!pool.submit(task("blocker", move || opened.recv().unwrap())));
        for (owner, count) in [("greedy", 5), ("modest", 2), ("late", 1)] {
            for number in 0..count {
                let sender = sender.clone();
                let name = format!("{owner} {number}");
                assert!(pool.submit(task(owner, move || sender.send(name).unwrap())));
            }
        }
        open.send(()).unwrap();
        let order: Vec<String> = (0..8).map(|_| receiver.recv().unwrap()).collect();
        let expected = [
            "greedy 0", "modest 0", "late 0", "greedy 1", "modest 1", "greedy 2", "greedy 3",
            "greedy 4",
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn long_searches_are_preempted_and_time_limited() {
        let pool = SearchPool::new("test", ONE).unwrap();
        let stop_handle = StopHandle::default();
        let polled = stop_handle.clone();
        let endless = move || {
            while !polled.flag().load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let preempt_after = Some(Duration::ZERO);
        pool.submit(Task { stop_handle: stop_handle.clone(), preempt_after, ..task("a", endless) });
        let (sender, receiver) = mpsc::channel();
        pool.submit(task("b", move || sender.send(()).unwrap()));
        receiver.recv().unwrap();
        assert_eq!(stop_handle.reason(), Some(DoneReason::Preempted));

        let stop_handle = StopHandle::default();
        let (polled, (sender, receiver)) = (stop_handle.clone(), mpsc::channel());
        let endless = move || {
            while !polled.flag().load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            sender.send(()).unwrap();
        };
        let time_limit = Duration::ZERO;
        pool.submit(Task { stop_handle: stop_handle.clone(), time_limit, ..task("a", endless) });
        receiver.recv().unwrap();
        assert_eq!(stop_handle.reason(), Some(DoneReason::TimeLimit));
    }

    #[test]
    fn workers_survive_panics() {
        let pool = SearchPool::new("test", ONE).unwrap();
        pool.submit(task("a", || panic!("on purpose")));
        let (sender, receiver) = mpsc::channel();
        pool.submit(task("a", move || sender.send(()).unwrap()));
        receiver.recv().unwrap();
    }

    #[test]
    fn quick_tasks_go_first_but_not_always() {
        let pool = SearchPool::new("test", ONE).unwrap();
        let (open, opened) = mpsc::channel::<()>();
        let (sender, receiver) = mpsc::channel();
        pool.submit(task("blocker", move || opened.recv().unwrap()));
        for (is_slow, name) in [(true, "slow"), (false, "quick")] {
            for number in 0..6 {
                let sender = sender.clone();
                let run = move || sender.send(name).unwrap();
                pool.submit(Task { is_slow, ..task(&format!("{name} {number}"), run) });
            }
        }
        open.send(()).unwrap();
        let order: Vec<&str> = (0..8).map(|_| receiver.recv().unwrap()).collect();
        // The blocker was a quick one, too.
        assert_eq!(order, ["quick", "quick", "quick", "slow", "quick", "quick", "quick", "slow"]);
    }

    #[test]
    fn long_tasks_make_room() {
        let pool = SearchPool::new("test", PoolSize { fresh: 1, long: 2 }).unwrap();
        let handles: Vec<StopHandle> = (0..3).map(|_| StopHandle::default()).collect();
        for (number, stop_handle) in handles.iter().enumerate() {
            let polled = stop_handle.clone();
            let endless = move || {
                while !polled.flag().load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            };
            let (owner, stop_handle) = (format!("endless {number}"), stop_handle.clone());
            let preempt_after = Some(Duration::ZERO);
            pool.submit(Task { stop_handle, preempt_after, ..task(&owner, endless) });
        }
        let (sender, receiver) = mpsc::channel();
        pool.submit(task("short", move || sender.send(()).unwrap()));
        receiver.recv().unwrap();
        let reasons = handles.iter().map(StopHandle::reason);
        let preempted = reasons.filter(|reason| *reason == Some(DoneReason::Preempted)).count();
        assert!(preempted >= 1, "all three threads were taken");
        assert!(handles[0].reason().is_some(), "the oldest is preempted first");
        handles.iter().for_each(StopHandle::stop);
    }
}
