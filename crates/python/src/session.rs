//! Long work: without the GIL, with progress, ended by Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use tablero_jobs::{CancellationToken, Progress, catch_panic};

use crate::errors::runtime_error;

/// How often Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(50);

/// What a piece of work reports to and is cancelled by.
pub(crate) struct Session {
    pub(crate) cancel: CancellationToken,
    progress: Sender<Progress>,
}

impl Session {
    /// Reports progress to Python.
    pub(crate) fn report(&self, progress: &Progress) {
        // Nobody listens any more: the work is about to be cancelled.
        let _ = self.progress.send(progress.clone());
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
    let session = Session { cancel: cancel.clone(), progress: sender };
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
    let metric = |metric: &tablero_jobs::Metric| format!("{} {:.1}", metric.name, metric.value);
    let metrics: Vec<_> = progress.metrics.iter().map(metric).collect();
    report.call1((progress.done, progress.total, metrics.join("  ")))?;
    Ok(())
}
