//! How long to think, and when to break off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tablero_core::TimePolicy;

/// What tells every part of a search that it is over.
pub(crate) struct Watch<'a> {
    /// Somebody outside wants the answer now.
    stop: &'a AtomicBool,
    /// The answer is found, or the search is out of time or nodes.
    halt: AtomicBool,
    start: Instant,
    /// The search breaks off after this time.
    time: Option<Duration>,
}

impl<'a> Watch<'a> {
    /// Of a search that begins now.
    pub(crate) fn new(stop: &'a AtomicBool, time: Option<Duration>) -> Self {
        Self { stop, halt: AtomicBool::new(false), start: Instant::now(), time }
    }

    /// Ends the search.
    pub(crate) fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Whether the search has been ended; costs next to nothing.
    pub(crate) fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Whether the search is over, for whatever reason; then for all its threads.
    pub(crate) fn is_over(&self) -> bool {
        let is_late = || self.time.is_some_and(|time| self.elapsed() >= time);
        if self.stop.load(Ordering::Relaxed) || is_late() {
            self.halt();
        }
        self.is_halted()
    }

    /// Time since the search began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// How to spend a clock with so many empty squares.
///
/// The game is decided where it is solved, with some twenty empty squares; from there on moves cost
/// little. So the time is for the moves until then.
pub(crate) const fn time_policy(empties: u32) -> TimePolicy {
    TimePolicy {
        moves_left: empties.saturating_sub(20) / 2 + 3,
        soft_percent: 75,
        hard_shares: 3,
        by_stability: [130, 100, 60],
    }
}
