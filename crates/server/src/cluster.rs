//! A cluster of workers, if the server was started with one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tablero_jobs::{Executor, Job, Threads};

use crate::api::ClusterView;

/// The workers of a cluster: the page shows how they are, and jobs run on them. Who leads us to them is
/// of no concern here.
pub trait Workers: Send + Sync {
    /// How the cluster is now. May take a second.
    fn look(&self) -> ClusterView;

    /// Who does the tasks of a job there, and `here` what only this process can do; none if there is
    /// nobody.
    fn executor(&self, job: &Job, here: Threads) -> Option<Box<dyn Executor>>;
}

/// What was last seen of a cluster, so that many who look ask it only once.
pub(crate) struct Watch {
    pub(crate) workers: Arc<dyn Workers>,
    seen: Mutex<Option<(Instant, ClusterView)>>,
}

/// What was seen is news for so long.
const NEWS: Duration = Duration::from_millis(1500);

impl Watch {
    pub(crate) const fn new(workers: Arc<dyn Workers>) -> Self {
        Self { workers, seen: Mutex::new(None) }
    }

    /// How the cluster is. Whoever comes while it is asked waits for the same answer.
    pub(crate) fn view(&self) -> ClusterView {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, view)) = &*seen
            && at.elapsed() < NEWS
        {
            return view.clone();
        }
        let view = self.workers.look();
        *seen = Some((Instant::now(), view.clone()));
        view
    }
}
