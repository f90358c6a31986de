//! Several threads at one position: once its first move has been searched, idle threads take the
//! others ("young brothers wait").

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::node::{Move, Node};
use super::selectivity::Selectivity;
use super::worker::Worker;

/// Work below this depth is not worth sharing.
const SHARE_FROM: u32 = 12;

/// The threads of a search, and the positions at which help is welcome.
pub(crate) struct Team {
    splits: Mutex<Vec<Arc<Split>>>,
    changed: Condvar,
    idle: AtomicUsize,
}

/// A position whose moves are searched by several threads.
pub(super) struct Split {
    /// The shared position that this one is part of.
    parent: Option<Arc<Split>>,
    node: Node,
    alpha: i32,
    depth: u32,
    selectivity: Selectivity,
    probing: u32,
    moves: Vec<Move>,
    /// The next move to take.
    next: AtomicUsize,
    /// Threads that work here, beside the one that shares.
    helpers: AtomicUsize,
    /// A move above alpha is found.
    cut: AtomicBool,
    best: Mutex<(i32, u8)>,
}

impl Split {
    /// Whether the value of nothing below this position matters any more.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    fn is_within(&self, split: &Arc<Split>) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| Arc::ptr_eq(parent, split) || parent.is_within(split))
    }

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len() && !self.is_cut()
    }
}

/// Nothing is done under these locks that could panic half-way.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Team {
    pub(crate) fn new() -> Self {
        Self { splits: Mutex::new(Vec::new()), changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    /// Whether a thread waits, and `moves` moves of a position at that depth are worth sharing.
    #[inline]
    pub(super) fn wants_work(&self, depth: u32, moves: usize) -> bool {
        depth >= SHARE_FROM && moves >= 2 && self.idle.load(Ordering::Relaxed) > 0
    }

    /// Tells waiting threads to look at the halt flag.
    pub(crate) fn wake(&self) {
        let _splits = locked(&self.splits);
        self.changed.notify_all();
    }

    /// A position to help with, one that `fits`; the caller is counted as its helper.
    fn join(&self, splits: &[Arc<Split>], fits: impl Fn(&Split) -> bool) -> Option<Arc<Split>> {
        // The oldest have the most work below them.
        let split = splits.iter().find(|split| split.has_moves() && fits(split))?;
        split.helpers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(split))
    }
}

impl Worker<'_> {
    /// Helps others until the search halts.
    pub(crate) fn help(&mut self) {
        let team = &self.shared.team;
        loop {
            let mut splits = locked(&team.splits);
            team.idle.fetch_add(1, Ordering::Relaxed);
            let joined = loop {
                if self.shared.watch.is_halted() {
                    break None;
                }
                if let Some(split) = team.join(&splits, |_| true) {
                    break Some(split);
                }
                splits = team.changed.wait(splits).unwrap_or_else(PoisonError::into_inner);
            };
            team.idle.fetch_sub(1, Ordering::Relaxed);
            drop(splits);
            match joined {
                Some(split) => self.work_for(&split),
                None => break,
            }
        }
        self.tell_nodes();
    }

    /// Searches moves of a shared position that this thread has joined.
    fn work_for(&mut self, split: &Arc<Split>) {
        let mine = (self.split.take(), self.selectivity, self.probing);
        self.split = Some(Arc::clone(split));
        (self.selectivity, self.probing) = (split.selectivity, split.probing);
        self.take_moves(split);
        (self.split, self.selectivity, self.probing) = mine;
        split.helpers.fetch_sub(1, Ordering::Release);
    }

    /// Searches moves of a shared position until there are none left.
    fn take_moves(&mut self, split: &Split) {
        while !self.is_over() {
            let Some(m) = split.moves.get(split.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let value = -self.null_window(&split.node.after(m), !split.alpha, split.depth - 1);
            if self.is_over() {
                return;
            }
            let mut best = locked(&split.best);
            if value > best.0 {
                *best = (value, m.square);
                if value > split.alpha {
                    split.cut.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// Searches `moves` together with whoever is idle; `best` is what is known so far.
    pub(super) fn share(
        &mut self,
        node: &Node,
        moves: &[Move],
        alpha: i32,
        depth: u32,
        best: (i32, u8),
    ) -> (i32, u8) {
        let split = Arc::new(Split {
            parent: self.split.clone(),
            node: *node,
            alpha,
            depth,
            selectivity: self.selectivity,
            probing: self.probing,
            moves: moves.to_vec(),
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            best: Mutex::new(best),
        });
        let team = &self.shared.team;
        locked(&team.splits).push(Arc::clone(&split));
        team.changed.notify_one();

        let outer = self.split.replace(Arc::clone(&split));
        self.take_moves(&split);
        self.split = outer;

        locked(&team.splits).retain(|other| !Arc::ptr_eq(other, &split));
        self.wait_for_helpers(&split);
        *locked(&split.best)
    }

    /// Waits until nobody works at `split` any more, and meanwhile helps those who do.
    fn wait_for_helpers(&mut self, split: &Arc<Split>) {
        let team = &self.shared.team;
        if split.helpers.load(Ordering::Acquire) == 0 {
            return;
        }
        team.idle.fetch_add(1, Ordering::Relaxed);
        while split.helpers.load(Ordering::Acquire) > 0 {
            let joined = team.join(&locked(&team.splits), |other| other.is_within(split));
            match joined {
                Some(below) => {
                    team.idle.fetch_sub(1, Ordering::Relaxed);
                    self.work_for(&below);
                    team.idle.fetch_add(1, Ordering::Relaxed);
                }
                None => std::hint::spin_loop(),
            }
        }
        team.idle.fetch_sub(1, Ordering::Relaxed);
    }
}
