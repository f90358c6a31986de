//! Threads for searches: only so many at once, and everyone gets a turn.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::api::DoneReason;

/// Stops one search; clones stop the same one.
#[derive(Clone, Default)]
pub(crate) struct Stopper(Arc<StopState>);

#[derive(Default)]
struct StopState {
    flag: AtomicBool,
    over: AtomicBool,
    reason: Mutex<Option<DoneReason>>,
}

impl Stopper {
    /// On request.
    pub(crate) fn stop(&self) {
        self.stop_because(DoneReason::Stopped);
    }

    pub(crate) fn stop_because(&self, reason: DoneReason) {
        let mut known = self.0.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(reason);
        self.0.flag.store(true, Ordering::Relaxed);
    }

    /// Set when the search should end.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0.flag
    }

    /// The search has said its last word.
    pub(crate) fn finish(&self) {
        self.0.over.store(true, Ordering::Relaxed);
    }

    /// Whether the search has said its last word.
    pub(crate) fn is_over(&self) -> bool {
        self.0.over.load(Ordering::Relaxed)
    }

    /// Why it was stopped, if it was.
    pub(crate) fn reason(&self) -> Option<DoneReason> {
        *self.0.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search to run.
pub(crate) struct Task {
    /// For whom. Owners take turns, however many searches each of them asks for.
    pub(crate) owner: String,
    pub(crate) stopper: Stopper,
    /// It is stopped after so long.
    pub(crate) longest: Duration,
    /// It may be stopped after so long if others wait.
    pub(crate) patience: Option<Duration>,
    /// Runs it; is called even if it was stopped before its turn came.
    pub(crate) run: Box<dyn FnOnce() + Send>,
}

/// Some threads and the searches that wait for them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    workers: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Something waits or runs, or it is over.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Owners with waiting searches, the next one first.
    turns: VecDeque<String>,
    waiting: HashMap<String, VecDeque<Task>>,
    running: Vec<Running>,
    number: u64,
    closed: bool,
}

struct Running {
    number: u64,
    stopper: Stopper,
    since: Instant,
    longest: Duration,
    patience: Option<Duration>,
}

/// Searches recurse deeply; as much as a main thread has.
const STACK: usize = 8 << 20;
/// How often the warden looks at running searches.
const LOOK: Duration = Duration::from_millis(100);

impl Pool {
    /// A pool that runs so many searches at once.
    pub(crate) fn new(name: &str, workers: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new() });
        let pool = Self { shared: Arc::clone(&shared), workers };
        for number in 0..workers {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name(format!("{name}-{number}")).stack_size(STACK);
            thread.spawn(move || shared.work())?;
        }
        let warden = thread::Builder::new().name(format!("{name}-warden"));
        warden.spawn(move || shared.guard(workers))?;
        Ok(pool)
    }

    /// Runs a task when its turn comes; whether it has to wait.
    pub(crate) fn submit(&self, task: Task) -> bool {
        let mut queue = self.shared.lock();
        let owner = task.owner.clone();
        let tasks = queue.waiting.entry(owner.clone()).or_default();
        tasks.push_back(task);
        if tasks.len() == 1 {
            queue.turns.push_back(owner);
        }
        let waits = queue.running.len() + queue.turns.len() > self.workers;
        self.shared.changed.notify_all();
        waits
    }

    /// Stops what runs, forgets what waits, and ends the threads.
    pub(crate) fn close(&self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.waiting.clear();
        queue.turns.clear();
        queue.running.iter().for_each(|running| running.stopper.stop());
        self.shared.changed.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Queue {
    /// The next search, by turns.
    fn next(&mut self) -> Option<Task> {
        let owner = self.turns.pop_front()?;
        let tasks = self.waiting.get_mut(&owner)?;
        let task = tasks.pop_front();
        if tasks.is_empty() {
            self.waiting.remove(&owner);
        } else {
            self.turns.push_back(owner);
        }
        task
    }

    /// Stops searches that run too long, and one that has run long enough if others wait.
    fn look(&self, workers: usize) {
        let others_wait = !self.turns.is_empty() && self.running.len() >= workers;
        for running in &self.running {
            if running.since.elapsed() >= running.longest {
                running.stopper.stop_because(DoneReason::TimeLimit);
            }
        }
        // One at a time: the one that has run longest.
        let impatient = |running: &&Running| {
            running.patience.is_some_and(|patience| running.since.elapsed() >= patience)
        };
        if others_wait && let Some(oldest) = self.running.iter().find(impatient) {
            oldest.stopper.stop_because(DoneReason::OthersWaited);
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
            let Some(task) = queue.next() else {
                queue = self.wait(queue);
                continue;
            };
            queue.number += 1;
            let number = queue.number;
            queue.running.push(Running {
                number,
                stopper: task.stopper,
                since: Instant::now(),
                longest: task.longest,
                patience: task.patience,
            });
            // The warden sleeps while nothing runs.
            self.changed.notify_all();
            drop(queue);
            // A search that panics has told so itself; the thread lives on.
            let _ = tablero_jobs::catch_panic(task.run);
            queue = self.lock();
            queue.running.retain(|running| running.number != number);
            self.changed.notify_all();
        }
    }

    fn guard(&self, workers: usize) {
        let mut queue = self.lock();
        while !queue.closed {
            if queue.running.is_empty() {
                queue = self.wait(queue);
                continue;
            }
            queue.look(workers);
            drop(queue);
            thread::sleep(LOOK);
            queue = self.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn task(owner: &str, run: impl FnOnce() + Send + 'static) -> Task {
        Task {
            owner: owner.into(),
            stopper: Stopper::default(),
            longest: Duration::from_secs(60),
            patience: None,
            run: Box::new(run),
        }
    }

    #[test]
    fn owners_take_turns() {
        let pool = Pool::new("test", 1).unwrap();
        let (gate, opened) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        assert!(!pool.submit(task("gate", move || opened.recv().unwrap())));
        for (owner, count) in [("greedy", 5), ("modest", 2), ("late", 1)] {
            for number in 0..count {
                let tell = tell.clone();
                let name = format!("{owner} {number}");
                assert!(pool.submit(task(owner, move || tell.send(name).unwrap())));
            }
        }
        gate.send(()).unwrap();
        let order: Vec<String> = (0..8).map(|_| told.recv().unwrap()).collect();
        let expected = [
            "greedy 0", "modest 0", "late 0", "greedy 1", "modest 1", "greedy 2", "greedy 3",
            "greedy 4",
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn long_searches_give_way_and_end() {
        let pool = Pool::new("test", 1).unwrap();
        let stopper = Stopper::default();
        let flag = stopper.clone();
        let endless = move || {
            while !flag.flag().load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let patience = Some(Duration::ZERO);
        pool.submit(Task { stopper: stopper.clone(), patience, ..task("a", endless) });
        let (tell, told) = mpsc::channel();
        pool.submit(task("b", move || tell.send(()).unwrap()));
        told.recv().unwrap();
        assert_eq!(stopper.reason(), Some(DoneReason::OthersWaited));

        let stopper = Stopper::default();
        let (flag, (tell, told)) = (stopper.clone(), mpsc::channel());
        let endless = move || {
            while !flag.flag().load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            tell.send(()).unwrap();
        };
        let longest = Duration::ZERO;
        pool.submit(Task { stopper: stopper.clone(), longest, ..task("a", endless) });
        told.recv().unwrap();
        assert_eq!(stopper.reason(), Some(DoneReason::TimeLimit));
    }

    #[test]
    fn a_panic_does_not_cost_a_thread() {
        let pool = Pool::new("test", 1).unwrap();
        pool.submit(task("a", || panic!("as asked")));
        let (tell, told) = mpsc::channel();
        pool.submit(task("a", move || tell.send(()).unwrap()));
        told.recv().unwrap();
    }
}
