//! Stop signal and time policy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tablero_core::TimePolicy;

/// Tells all threads of a search to stop.
pub(crate) struct StopSignal<'a> {
    /// Set by the caller.
    external: &'a AtomicBool,
    /// The search is complete, or out of time or nodes.
    stopped: AtomicBool,
    start: Instant,
    /// Hard time limit.
    time_limit: Option<Duration>,
}

impl<'a> StopSignal<'a> {
    /// For a search that starts now.
    pub(crate) fn new(external: &'a AtomicBool, time_limit: Option<Duration>) -> Self {
        Self { external, stopped: AtomicBool::new(false), start: Instant::now(), time_limit }
    }

    /// Stops the search.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the search was stopped, without checking the clock.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Checks the caller's flag and the clock; returns whether the search was stopped.
    pub(crate) fn poll(&self) -> bool {
        let is_out_of_time = || self.time_limit.is_some_and(|limit| self.elapsed() >= limit);
        if self.external.load(Ordering::Relaxed) || is_out_of_time() {
            self.stop();
        }
        self.is_stopped()
    }

    /// Time since the start of the search.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Time allocation by empties: with about twenty empties the game is solved, and later moves cost
/// little, so the time is spent before.
pub(crate) const fn time_policy(empties: u32) -> TimePolicy {
    TimePolicy {
        moves_left: empties.saturating_sub(20) / 2 + 3,
        soft_percent: 75,
        hard_shares: 3,
        by_stability: [130, 100, 60],
    }
}
