//! Parallel search by the Young Brothers Wait Concept (YBWC, Feldmann 1993): once the first move of
//! a null-window node is searched, idle threads help with its siblings.
//!
//! A node that is searched by several threads is a split point. Idle threads take the oldest one
//! with moves left; a thread that has run out of moves at its split point helps below it until all
//! helpers are done (helpful master). A move above alpha is a cutoff, which aborts everything below
//! the split point.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::node::{Move, Node};
use super::selectivity::Selectivity;
use super::worker::Worker;

/// Minimum depth of a split point.
const MIN_SPLIT_DEPTH: u32 = 12;

/// The open split points and the idle threads.
pub(crate) struct SplitPool {
    splits: Mutex<Vec<Arc<SplitPoint>>>,
    changed: Condvar,
    idle: AtomicUsize,
}

/// A null-window node whose moves are searched by several threads.
pub(super) struct SplitPoint {
    /// The split point above this one.
    parent: Option<Arc<SplitPoint>>,
    node: Node,
    alpha: i32,
    depth: u32,
    selectivity: Selectivity,
    moves: Vec<Move>,
    /// The next move to take.
    next: AtomicUsize,
    /// Threads at work here, besides the owner.
    helpers: AtomicUsize,
    /// A move above alpha was found.
    cutoff: AtomicBool,
    best: Mutex<(i32, u8)>,
}

impl SplitPoint {
    /// Whether this split point or one above it was cut off.
    #[inline]
    pub(super) fn cutoff_occurred(&self) -> bool {
        self.cutoff.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.cutoff_occurred())
    }

    fn is_descendant_of(&self, split: &Arc<SplitPoint>) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| Arc::ptr_eq(parent, split) || parent.is_descendant_of(split))
    }

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len() && !self.cutoff_occurred()
    }
}

/// Locks a mutex; no code under these locks panics, so poisoning does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SplitPool {
    pub(crate) fn new() -> Self {
        Self { splits: Mutex::new(Vec::new()), changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    /// Whether a thread is idle, and a node of this depth with this many moves left is worth
    /// splitting.
    #[inline]
    pub(super) fn can_split(&self, depth: u32, moves: usize) -> bool {
        depth >= MIN_SPLIT_DEPTH && moves >= 2 && self.idle.load(Ordering::Relaxed) > 0
    }

    /// Wakes waiting threads to check the stop signal.
    pub(crate) fn wake(&self) {
        let _splits = lock(&self.splits);
        self.changed.notify_all();
    }

    /// Joins the first split point that `fits` as a helper.
    fn join(
        &self,
        splits: &[Arc<SplitPoint>],
        fits: impl Fn(&SplitPoint) -> bool,
    ) -> Option<Arc<SplitPoint>> {
        // The oldest is the highest in the tree, with the most work.
        let split = splits.iter().find(|split| split.has_moves() && fits(split))?;
        split.helpers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(split))
    }
}

impl Worker<'_> {
    /// Helps at split points until the search is stopped.
    pub(crate) fn idle_loop(&mut self) {
        let pool = &self.shared.split_pool;
        loop {
            let mut splits = lock(&pool.splits);
            pool.idle.fetch_add(1, Ordering::Relaxed);
            let joined = loop {
                if self.shared.stop_signal.is_stopped() {
                    break None;
                }
                if let Some(split) = pool.join(&splits, |_| true) {
                    break Some(split);
                }
                splits = pool.changed.wait(splits).unwrap_or_else(PoisonError::into_inner);
            };
            pool.idle.fetch_sub(1, Ordering::Relaxed);
            drop(splits);
            match joined {
                Some(split) => self.search_split(&split),
                None => break,
            }
        }
        self.flush_nodes();
    }

    /// Searches at a split point that this thread has joined.
    fn search_split(&mut self, split: &Arc<SplitPoint>) {
        let mine = (self.split.take(), self.selectivity);
        self.split = Some(Arc::clone(split));
        self.selectivity = split.selectivity;
        self.search_split_moves(split);
        (self.split, self.selectivity) = mine;
        split.helpers.fetch_sub(1, Ordering::Release);
    }

    /// Searches moves of a split point until there are none left.
    fn search_split_moves(&mut self, split: &SplitPoint) {
        while !self.is_aborted() {
            let Some(m) = split.moves.get(split.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let value =
                -self.null_window_search(&split.node.after(m), !split.alpha, split.depth - 1);
            if self.is_aborted() {
                return;
            }
            let mut best = lock(&split.best);
            if value > best.0 {
                *best = (value, m.square);
                if value > split.alpha {
                    split.cutoff.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// Opens a split point for the remaining `moves`; `best` is the best value and move so far.
    pub(super) fn split_node(
        &mut self,
        node: &Node,
        moves: &[Move],
        alpha: i32,
        depth: u32,
        best: (i32, u8),
    ) -> (i32, u8) {
        let split = Arc::new(SplitPoint {
            parent: self.split.clone(),
            node: *node,
            alpha,
            depth,
            selectivity: self.selectivity,
            moves: moves.to_vec(),
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            cutoff: AtomicBool::new(false),
            best: Mutex::new(best),
        });
        let pool = &self.shared.split_pool;
        lock(&pool.splits).push(Arc::clone(&split));
        pool.changed.notify_one();

        let outer = self.split.replace(Arc::clone(&split));
        self.search_split_moves(&split);
        self.split = outer;

        lock(&pool.splits).retain(|other| !Arc::ptr_eq(other, &split));
        self.wait_for_helpers(&split);
        *lock(&split.best)
    }

    /// Waits for the helpers at `split`, and helps them meanwhile.
    fn wait_for_helpers(&mut self, split: &Arc<SplitPoint>) {
        let pool = &self.shared.split_pool;
        if split.helpers.load(Ordering::Acquire) == 0 {
            return;
        }
        pool.idle.fetch_add(1, Ordering::Relaxed);
        while split.helpers.load(Ordering::Acquire) > 0 {
            let joined = pool.join(&lock(&pool.splits), |other| other.is_descendant_of(split));
            match joined {
                Some(below) => {
                    pool.idle.fetch_sub(1, Ordering::Relaxed);
                    self.search_split(&below);
                    pool.idle.fetch_add(1, Ordering::Relaxed);
                }
                None => std::hint::spin_loop(),
            }
        }
        pool.idle.fetch_sub(1, Ordering::Relaxed);
    }
}
