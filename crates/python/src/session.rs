//! Long work: without the GIL, with progress, ended by Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tablero_jobs::{CancellationToken, Progress, catch_panic};

use crate::errors::runtime_error;

/// How often Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(50);
/// How often progress is shown: work may report thousands of steps a second.
const SHOW: Duration = Duration::from_millis(50);

/// What a piece of work reports to and is cancelled by.
pub(crate) struct Session {
    pub(crate) cancel: CancellationToken,
    progress: Sender<Progress>,
    shown: Mutex<Shown>,
}

/// When progress was shown last, and what has not been shown since.
#[derive(Default)]
struct Shown {
    at: Option<Instant>,
    waiting: Option<Progress>,
}

impl Session {
    /// Reports progress to Python.
    pub(crate) fn report(&self, progress: &Progress) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.at.is_some_and(|at| at.elapsed() < SHOW) {
            shown.waiting = Some(progress.clone());
            return;
        }
        *shown = Shown { at: Some(Instant::now()), waiting: None };
        // Nobody listens any more: the work is about to be cancelled.
        let _ = self.progress.send(progress.clone());
    }
}

impl Drop for Session {
    /// The last progress is always shown.
    fn drop(&mut self) {
        let shown = self.shown.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(progress) = shown.waiting.take() {
            let _ = self.progress.send(progress);
        }
    }
}

/// Works on another thread without the GIL. Meanwhile calls `report(done, total, message)` of Python, if given, and
/// looks for signals: after Ctrl-C, or if `report` fails, the work is cancelled and its result dropped.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    cancel: &CancellationToken,
    report: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Session) -> T + Send,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let session = Session { cancel: cancel.clone(), progress: sender, shown: Mutex::default() };
    thread::scope(|scope| {
        // The session moves into the thread: when it is dropped, the loop below ends.
        let worker = thread::Builder::new()
            .spawn_scoped(scope, move || catch_panic(|| work(&session)))
            .map_err(runtime_error)?;
        let mut interruption = Ok(());
        loop {
            // Moved in and out, since it cannot be shared.
            let (event, returned) = py.detach(move || (receiver.recv_timeout(POLL), receiver));
            receiver = returned;
            let handled = match (event, report) {
                (Err(RecvTimeoutError::Disconnected), _) => break,
                (Ok(progress), Some(report)) => call(report, &progress),
                _ => Ok(()),
            };
            if let Err(error) = handled.and_then(|()| py.check_signals())
                && interruption.is_ok()
            {
                cancel.cancel();
                interruption = Err(error);
            }
        }
        let result = py.detach(|| worker.join());
        interruption?;
        let panicked = || "internal error".to_owned();
        let result = result.map_err(|_| panicked()).and_then(|result| result);
        result.map_err(|panic| runtime_error(format!("internal error: {panic}")))
    })
}

fn call(report: &Bound<'_, PyAny>, progress: &Progress) -> PyResult<()> {
    let metric = |metric: &tablero_jobs::Metric| match metric.value.abs() {
        100.0.. => format!("{} {:.0}", metric.name, metric.value),
        _ => format!("{} {:.3}", metric.name, metric.value),
    };
    let message = Some(progress.message.clone()).filter(|message| !message.is_empty());
    let words: Vec<_> = message.into_iter().chain(progress.metrics.iter().map(metric)).collect();
    report.call1((progress.done, progress.total, words.join("  ")))?;
    Ok(())
}
