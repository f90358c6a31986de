//! The threads on which a worker does tasks.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use tablero_jobs::catch_panic;
use tokio::sync::mpsc::UnboundedSender;

use crate::desk::Event;
use crate::wire::{Bundle, MOST_TASK_BYTES, Output, task_id};
use crate::{ClusterError, Files, Kinds, TaskError};

/// Searches recurse deeply; as much as a main thread has.
const STACK: usize = 8 << 20;

/// A bundle that is ready to be done.
pub(crate) struct Job {
    /// By which the worker knows it.
    pub(crate) ticket: u64,
    pub(crate) bundle: Bundle,
    pub(crate) files: Files,
    /// Whether it is to be done alone, as it may be why workers ended.
    pub(crate) is_suspect: bool,
}

/// What came out of a bundle.
pub(crate) struct Outcome {
    pub(crate) bundle: Bundle,
    /// The outputs, or why this worker will not do these tasks.
    pub(crate) outputs: Result<Vec<Output>, String>,
    /// How long a task took, in seconds.
    pub(crate) seconds: f64,
    pub(crate) games: u64,
    /// The tasks that failed, and why.
    pub(crate) failed: Vec<(usize, String)>,
}

/// Bundles that wait for a thread.
#[derive(Default)]
pub(crate) struct Pool {
    waiting: Mutex<Waiting>,
    ready: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

impl Pool {
    /// Starts threads that do what is put in, until the pool is closed.
    pub(crate) fn start(
        self: &Arc<Self>,
        threads: usize,
        kinds: &Arc<Kinds>,
        events: &UnboundedSender<Event>,
    ) -> Result<Vec<JoinHandle<()>>, ClusterError> {
        let start = |_| {
            let (pool, kinds, events) = (self.clone(), kinds.clone(), events.clone());
            Builder::new().stack_size(STACK).spawn(move || pool.work(&kinds, &events))
        };
        let threads = (0..threads).map(start).collect::<Result<_, _>>();
        threads.map_err(ClusterError::server("no thread"))
    }

    pub(crate) fn put(&self, job: Job) {
        self.lock().jobs.push_back(job);
        self.ready.notify_one();
    }

    /// Takes back what no thread has begun.
    pub(crate) fn take_back(&self) -> Vec<u64> {
        self.lock().jobs.drain(..).map(|job| job.ticket).collect()
    }

    /// Threads end when they have done what they have begun.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.ready.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_closed {
                return None;
            }
            if let Some(job) = waiting.jobs.pop_front() {
                return Some(job);
            }
            waiting = self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, kinds: &Kinds, events: &UnboundedSender<Event>) {
        while let Some(job) = self.next() {
            // Who no longer listens has ended, and everything with it.
            let _ = events.send(Event::Begun(job.ticket));
            let ticket = job.ticket;
            let outcome = do_bundle(kinds, job);
            let _ = events.send(Event::Done(ticket, outcome));
        }
    }
}

fn do_bundle(kinds: &Kinds, Job { bundle, files, .. }: Job) -> Outcome {
    let start = Instant::now();
    let (mut outputs, mut failed, mut games) = (Vec::new(), Vec::new(), 0);
    let refused = |bundle, why| Outcome {
        bundle,
        outputs: Err(why),
        seconds: 0.0,
        games: 0,
        failed: Vec::new(),
    };
    let kind = match kinds.find(&bundle.kind) {
        Ok(kind) => kind,
        Err(why) => return refused(bundle, why),
    };
    for (index, task) in bundle.tasks.iter().enumerate() {
        let run = || kind.run(task.get(), &files);
        let result = catch_panic(run).unwrap_or_else(|panic| Err(TaskError::Failed(panic)));
        let result = match result {
            Ok(output) if output.len() > MOST_TASK_BYTES => {
                Err(format!("an output of {} bytes is too large to be sent", output.len()))
            }
            Ok(output) => {
                games += kind.games(task.get());
                Ok(output)
            }
            Err(TaskError::Failed(why)) => Err(why),
            Err(TaskError::Refused(why)) => return refused(bundle, why),
        };
        if let Err(why) = &result {
            failed.push((index, why.clone()));
        }
        outputs.push(Output::new(task_id(&bundle.kind, task.get()), result));
    }
    let seconds = start.elapsed().as_secs_f64() / bundle.tasks.len().max(1) as f64;
    Outcome { bundle, outputs: Ok(outputs), seconds, games, failed }
}
