//! One thread of the search: what it remembers, when it stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::selectivity::Selectivity;
use super::split::{Split, Team};
use crate::endgame::Endgame;
use crate::eval::Weights;
use crate::table::Table;

/// What all threads of one search share.
pub(crate) struct Shared<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) table: &'a Table,
    pub(crate) team: Team,
    /// Somebody outside wants the answer now.
    pub(crate) stop: &'a AtomicBool,
    /// The answer is found, or the search is out of time or nodes.
    pub(crate) halt: AtomicBool,
    pub(crate) start: Instant,
    /// The search breaks off after this time.
    pub(crate) time: Option<Duration>,
    /// The search breaks off after so many positions.
    pub(crate) node_limit: u64,
    /// Positions looked at by all threads, as far as they have told.
    pub(crate) nodes: AtomicU64,
}

/// One thread at work.
pub(crate) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) endgame: &'a mut Endgame,
    pub(super) selectivity: Selectivity,
    /// How many short cuts within short cuts.
    pub(super) probing: u32,
    /// The shared position that this thread works for, if any.
    pub(super) split: Option<Arc<Split>>,
    /// The search ends: values are no longer to be believed.
    halted: bool,
    told: u64,
    next_look: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>, endgame: &'a mut Endgame) -> Self {
        endgame.nodes = 0;
        Self {
            shared,
            endgame,
            selectivity: Selectivity::NONE,
            probing: 0,
            split: None,
            halted: false,
            told: 0,
            next_look: 0,
        }
    }

    /// Counts a position; whether the search goes on.
    #[inline]
    pub(super) fn enter(&mut self) -> bool {
        self.endgame.nodes += 1;
        if self.endgame.nodes >= self.next_look {
            self.look_around();
        }
        !self.is_over()
    }

    /// Whether values are no longer to be believed: the search ends, or nobody needs this part of it.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.halted || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    /// Whether the whole search ends.
    pub(super) const fn is_halted(&self) -> bool {
        self.halted
    }

    #[cold]
    fn look_around(&mut self) {
        /// Some tenths of a millisecond.
        const INTERVAL: u64 = 2_000;
        let total = self.tell_nodes();
        let shared = self.shared;
        if shared.stop.load(Ordering::Relaxed)
            || total >= shared.node_limit
            || shared.time.is_some_and(|time| shared.start.elapsed() >= time)
        {
            shared.halt.store(true, Ordering::Relaxed);
        }
        self.halted = shared.halt.load(Ordering::Relaxed);
        self.next_look = self.endgame.nodes + INTERVAL.min(shared.node_limit.saturating_sub(total));
    }

    /// Adds what this thread has counted to the sum and gives the sum.
    pub(crate) fn tell_nodes(&mut self) -> u64 {
        let new = self.endgame.nodes - self.told;
        self.told = self.endgame.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }
}
