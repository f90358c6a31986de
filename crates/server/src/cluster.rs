//! The cluster of workers that the server may be started with.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tablero_jobs::{Executor, Job, Threads};

use crate::api::ClusterView;

/// A cluster of workers: the page shows its status, and jobs run on it. The transport is the
/// implementor's.
pub trait Workers: Send + Sync {
    /// The cluster's status. May block for a second.
    fn status(&self) -> ClusterView;

    /// An executor that runs the tasks of `job` on the workers, and those that cannot be distributed on
    /// `local`; `None` if there are no workers.
    fn executor(&self, job: &Job, local: Threads) -> Option<Box<dyn Executor>>;
}

/// Caches a cluster's status, so that concurrent requests query it once.
pub(crate) struct StatusCache {
    workers: Arc<dyn Workers>,
    cached: Mutex<Option<(Instant, ClusterView)>>,
}

const MAX_AGE: Duration = Duration::from_millis(1500);

impl StatusCache {
    pub(crate) const fn new(workers: Arc<dyn Workers>) -> Self {
        Self { workers, cached: Mutex::new(None) }
    }

    /// The cluster's status. Requests that arrive during a query wait for its answer.
    pub(crate) fn status(&self) -> ClusterView {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, view)) = &*cached
            && at.elapsed() < MAX_AGE
        {
            return view.clone();
        }
        let view = self.workers.status();
        *cached = Some((Instant::now(), view.clone()));
        view
    }
}
