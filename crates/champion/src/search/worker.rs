//! One search thread: its endgame solver, node count and limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::selectivity::Selectivity;
use super::split::{SplitPoint, SplitPool};
use crate::clock::StopSignal;
use crate::endgame::Endgame;
use crate::eval::Weights;
use crate::tt::TransTable;

/// State shared by all threads of a search.
pub(crate) struct Shared<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) tt: &'a TransTable,
    pub(crate) split_pool: SplitPool,
    pub(crate) stop_signal: StopSignal<'a>,
    /// Node limit.
    pub(crate) node_limit: u64,
    /// Nodes of all threads, as of their last flush.
    pub(crate) nodes: AtomicU64,
}

/// One search thread.
pub(crate) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) endgame: Endgame<'a>,
    pub(super) selectivity: Selectivity,
    /// The split point that this thread works for, if any.
    pub(super) split: Option<Arc<SplitPoint>>,
    flushed_nodes: u64,
    next_check: u64,
    /// Called now and then with the total node count, so that long searches report progress.
    on_progress: Option<&'a mut dyn FnMut(u64)>,
    next_progress: u64,
}

/// Nodes between two calls of `on_progress`: some tenths of a second.
pub(super) const PROGRESS_INTERVAL: u64 = 1 << 22;

impl<'a> Worker<'a> {
    /// A thread with its own endgame table.
    pub(crate) fn new(shared: &'a Shared<'a>, endgame_table: &'a TransTable) -> Self {
        Self {
            shared,
            endgame: Endgame::new(endgame_table, &shared.stop_signal),
            selectivity: Selectivity::NONE,
            split: None,
            flushed_nodes: 0,
            next_check: 0,
            on_progress: None,
            next_progress: PROGRESS_INTERVAL,
        }
    }

    /// The same, with a progress callback.
    pub(crate) fn with_progress(self, on_progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { on_progress: Some(on_progress), ..self }
    }

    /// Counts a node; false if the search is aborted.
    #[inline]
    pub(super) fn enter_node(&mut self) -> bool {
        self.endgame.nodes += 1;
        if self.endgame.nodes >= self.next_check {
            self.check_limits();
        }
        !self.is_aborted()
    }

    /// Whether values are invalid from now on: the search was stopped, or a split point above was
    /// cut off.
    #[inline]
    pub(super) fn is_aborted(&self) -> bool {
        self.endgame.stopped || self.split.as_ref().is_some_and(|split| split.cutoff_occurred())
    }

    /// Whether the whole search was stopped.
    pub(super) const fn is_stopped(&self) -> bool {
        self.endgame.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        /// Some tenths of a millisecond.
        const INTERVAL: u64 = 2_000;
        let total = self.flush_nodes();
        let limit = self.shared.node_limit;
        if total >= limit {
            self.shared.stop_signal.stop();
        }
        self.endgame.stopped = self.shared.stop_signal.poll();
        self.next_check = self.endgame.nodes + INTERVAL.min(limit.saturating_sub(total));
        if let Some(on_progress) = &mut self.on_progress
            && self.endgame.nodes >= self.next_progress
        {
            self.next_progress = self.endgame.nodes + PROGRESS_INTERVAL;
            on_progress(total);
        }
    }

    /// Adds this thread's new nodes to the shared count; returns the total.
    pub(crate) fn flush_nodes(&mut self) -> u64 {
        let new = self.endgame.nodes - self.flushed_nodes;
        self.flushed_nodes = self.endgame.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }
}
