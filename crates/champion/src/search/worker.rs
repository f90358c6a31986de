//! One thread of the search: what it remembers, when it stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::selectivity::Selectivity;
use super::split::{Split, Team};
use crate::clock::Watch;
use crate::endgame::Endgame;
use crate::eval::Weights;
use crate::table::Table;

/// What all threads of one search share.
pub(crate) struct Shared<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) table: &'a Table,
    pub(crate) team: Team,
    pub(crate) watch: Watch<'a>,
    /// The search breaks off after so many positions.
    pub(crate) node_limit: u64,
    /// Positions looked at by all threads, as far as they have told.
    pub(crate) nodes: AtomicU64,
}

/// One thread at work.
pub(crate) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) endgame: Endgame<'a>,
    pub(super) selectivity: Selectivity,
    /// How many short cuts within short cuts.
    pub(super) probing: u32,
    /// The shared position that this thread works for, if any.
    pub(super) split: Option<Arc<Split>>,
    told: u64,
    next_look: u64,
    /// Hears now and then how many positions were looked at, so that long searches are not silent.
    pulse: Option<&'a mut dyn FnMut(u64)>,
    next_pulse: u64,
}

/// Positions between two pulses: some tenths of a second.
pub(super) const PULSE: u64 = 1 << 22;

impl<'a> Worker<'a> {
    /// A thread with a small table of its own for the endgame.
    pub(crate) fn new(shared: &'a Shared<'a>, small_table: &'a Table) -> Self {
        Self {
            shared,
            endgame: Endgame::new(small_table, &shared.watch),
            selectivity: Selectivity::NONE,
            probing: 0,
            split: None,
            told: 0,
            next_look: 0,
            pulse: None,
            next_pulse: PULSE,
        }
    }

    /// The same, with somebody to tell that it goes on.
    pub(crate) fn with_pulse(self, pulse: &'a mut dyn FnMut(u64)) -> Self {
        Self { pulse: Some(pulse), ..self }
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
        self.endgame.halted || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    /// Whether the whole search ends.
    pub(super) const fn is_halted(&self) -> bool {
        self.endgame.halted
    }

    #[cold]
    fn look_around(&mut self) {
        /// Some tenths of a millisecond.
        const INTERVAL: u64 = 2_000;
        let total = self.tell_nodes();
        let limit = self.shared.node_limit;
        if total >= limit {
            self.shared.watch.halt();
        }
        self.endgame.halted = self.shared.watch.is_over();
        self.next_look = self.endgame.nodes + INTERVAL.min(limit.saturating_sub(total));
        if let Some(pulse) = &mut self.pulse
            && self.endgame.nodes >= self.next_pulse
        {
            self.next_pulse = self.endgame.nodes + PULSE;
            pulse(total);
        }
    }

    /// Adds what this thread has counted to the sum and gives the sum.
    pub(crate) fn tell_nodes(&mut self) -> u64 {
        let new = self.endgame.nodes - self.told;
        self.told = self.endgame.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }
}
