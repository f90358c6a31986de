//! One thread of Lazy SMP: every thread runs the whole search, and they share only the
//! transposition table, node counts and the stop flags.
//!
//! The main thread watches the clock and reports; helpers fill the table ahead of it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tablero_core::{
    Evaluation, GameHistory, IncrementalEvaluation, Info, Purpose, Tactics, TreeStep,
};

use super::correction::CorrectionHistory;
use super::history::{Continuation, Histories, Row};
use super::options::AlphaBetaOptions;
use super::ordering::{MoveScorer, ScoredMove};
use super::reductions::LmrTable;
use super::root::Root;
use super::tt::TransTable;
use super::window::Window;
use crate::budget::Budget;
use crate::recorder::{Entry, Recorder};
use crate::repetition::RepetitionHistory;
use crate::score;

/// Maximum distance from the root.
pub(super) const MAX_PLY: usize = 128;
/// Maximum depth; leaves plies for extensions and quiescence.
pub(super) const MAX_DEPTH: u32 = 100;

/// State shared by all threads of a search.
pub(super) struct SharedState<'a, G: Tactics> {
    pub(super) options: &'a AlphaBetaOptions,
    pub(super) evaluation: &'a dyn Evaluation<G>,
    pub(super) tt: &'a TransTable,
    pub(super) budget: Budget,
    /// Set by the caller to stop the search.
    pub(super) stop: &'a AtomicBool,
    /// Set by the main thread when it is done.
    pub(super) done: AtomicBool,
    /// Nodes of all threads, as of their last flush.
    pub(super) nodes: AtomicU64,
}

/// Data of a thread that outlives a search.
pub(super) struct ThreadData<G: Tactics> {
    pub(super) stack: Vec<StackEntry<G>>,
    pub(super) histories: Histories,
    pub(super) correction: CorrectionHistory,
    pub(super) lmr_table: LmrTable,
    /// The evaluation with state of this thread, if it has any.
    incremental: Option<Box<dyn IncrementalEvaluation<G>>>,
}

/// The search stack: one entry per ply of the current line.
pub(super) struct StackEntry<G: Tactics> {
    pub(super) moves: Vec<ScoredMove<G::Move>>,
    pub(super) killers: [Option<G::Move>; 2],
    /// The principal variation from this ply on.
    pub(super) pv: Vec<G::Move>,
    /// Reached by a null move: no second one in a row.
    pub(super) after_null_move: bool,
    /// Static evaluation, if there is one.
    pub(super) static_eval: Option<i32>,
    /// The move being searched from here, for continuation history; none for a null move.
    pub(super) played: Option<Row>,
}

/// Receives progress of the search.
pub(super) type ReportFn<'a, G> = &'a mut dyn FnMut(&Info<G>);

/// One thread of one search.
pub(super) struct Worker<'a, G: Tactics> {
    pub(super) shared: &'a SharedState<'a, G>,
    pub(super) thread: &'a mut ThreadData<G>,
    pub(super) repetition: RepetitionHistory<G>,
    pub(super) root: Root<G>,
    pub(super) nodes: u64,
    pub(super) seldepth: usize,
    /// Count of values that a deeper search could change: evaluations, pruning, path-dependent
    /// draws.
    pub(super) heuristic_values: u64,
    /// The search was stopped: values returned from now on are invalid.
    pub(super) stopped: bool,
    flushed_nodes: u64,
    limit_check: LimitCheck,
    report: Option<ReportFn<'a, G>>,
    /// Records the tree, if somebody watches. Only the main thread has one.
    pub(super) recorder: Option<&'a mut Recorder<G::Move>>,
}

/// A search of a child, as it is recorded.
pub(super) struct Visit<M> {
    pub(super) step: TreeStep<M>,
    pub(super) purpose: Purpose,
    pub(super) depth: i32,
    pub(super) reduction: i32,
    pub(super) window: Window,
}

impl<M> Visit<M> {
    /// Another search of the same position.
    pub(super) const fn stay(purpose: Purpose, depth: i32, window: Window) -> Self {
        Self { step: TreeStep::Stay, purpose, depth, reduction: 0, window }
    }
}

/// Schedules the limit checks: about one per millisecond, measured in nodes.
struct LimitCheck {
    next_node: u64,
    interval: u64,
    last: Duration,
    reported: Duration,
}

impl<'a, G: Tactics> Worker<'a, G> {
    /// A thread ready to search; the main thread is the one with `report`.
    pub(super) fn new(
        shared: &'a SharedState<'a, G>,
        thread: &'a mut ThreadData<G>,
        game: &GameHistory<G>,
        searchmoves: Option<&[G::Move]>,
        report: Option<ReportFn<'a, G>>,
    ) -> Self {
        thread.new_search();
        let position = game.position();
        let scorer = MoveScorer {
            tt_move: shared.tt.probe(position.key()).and_then(|entry| entry.best_index),
            killers: [None; 2],
            histories: &thread.histories,
            continuation: thread.continuation(0),
        };
        let root = Root::new(position, searchmoves, &scorer);
        let mut worker = Self {
            shared,
            root,
            thread,
            repetition: RepetitionHistory::new(game),
            nodes: 0,
            seldepth: 0,
            heuristic_values: 0,
            stopped: false,
            flushed_nodes: 0,
            limit_check: LimitCheck {
                next_node: 1,
                interval: 1,
                last: Duration::ZERO,
                reported: Duration::ZERO,
            },
            report,
            recorder: None,
        };
        let static_eval = worker.static_eval(position, 0, None);
        worker.root.set_static_eval(static_eval);
        worker.thread.stack[0].static_eval = (!position.in_check()).then_some(static_eval);
        worker
    }

    /// Calls `observe` with the recorder, if the search is recorded. Unrecorded it costs a predictable branch.
    #[inline(always)]
    pub(super) fn record(&mut self, observe: impl FnOnce(&mut Recorder<G::Move>)) {
        if let Some(recorder) = &mut self.recorder {
            observe(recorder);
        }
    }

    /// Records `search` as a child of the current node. Window and value are for the side to move in the child.
    #[inline(always)]
    pub(super) fn recorded(
        &mut self,
        about: impl FnOnce() -> Visit<G::Move>,
        search: impl FnOnce(&mut Self) -> i32,
    ) -> i32 {
        if self.recorder.is_some() {
            self.record_entry(about());
        }
        let value = search(self);
        if self.recorder.is_some() {
            self.record_exit(value);
        }
        value
    }

    #[cold]
    #[inline(never)]
    fn record_entry(&mut self, visit: Visit<G::Move>) {
        let Visit { step, purpose, depth, reduction, window } = visit;
        let nodes = self.nodes;
        let entry = Entry { step, purpose, depth, reduction, window: [window.alpha, window.beta] };
        self.record(|recorder| recorder.enter(entry, nodes));
    }

    #[cold]
    #[inline(never)]
    fn record_exit(&mut self, value: i32) {
        let (value, nodes) = ((!self.stopped).then_some(value), self.nodes);
        self.record(|recorder| recorder.leave(value, nodes));
    }

    /// Static evaluation of a position that is not over, `ply` plies from the root; `parent` is the
    /// previous position and the move made there, none at the root and after a null move.
    #[inline]
    pub(super) fn static_eval(
        &mut self,
        position: &G,
        ply: usize,
        parent: Option<(&G, G::Move)>,
    ) -> i32 {
        match &mut self.thread.incremental {
            Some(evaluation) => score::clamp(evaluation.evaluate(position, ply)),
            None => score::static_eval(self.shared.evaluation, position, parent),
        }
    }

    /// Whether this thread reports, keeps the clock and returns the result.
    pub(super) const fn is_main_thread(&self) -> bool {
        self.report.is_some()
    }

    /// Counts a node and checks the limits now and then; false if the search must stop.
    #[inline]
    pub(super) fn enter_node(&mut self, ply: usize) -> bool {
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.limit_check.next_node {
            self.check_limits();
        }
        !self.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        let SharedState { budget, .. } = self.shared;
        let (total, elapsed) = (self.flush_nodes(), budget.time.elapsed());
        self.stopped = self.shared.stop.load(Ordering::Relaxed)
            || self.shared.done.load(Ordering::Relaxed)
            || total >= budget.nodes
            || self.is_main_thread() && budget.time.is_spent(elapsed);
        let interval = self.limit_check.next_interval(elapsed);
        self.limit_check.next_node = self.nodes + interval.min(budget.nodes.saturating_sub(total));
        if elapsed >= self.limit_check.reported + Duration::from_secs(1) {
            self.report();
        }
    }

    /// Adds this thread's new nodes to the shared count; returns the total.
    pub(super) fn flush_nodes(&mut self) -> u64 {
        let new = self.nodes - self.flushed_nodes;
        self.flushed_nodes = self.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Reports progress, if this is the main thread.
    pub(super) fn report(&mut self) {
        if let Some(report) = self.report.take() {
            let info = self.info();
            self.limit_check.reported = info.time;
            report(&info);
            self.report = Some(report);
        }
    }

    /// Progress of the search.
    pub(super) fn info(&mut self) -> Info<G> {
        Info {
            depth: self.root.completed_depth,
            seldepth: self.seldepth as u32,
            nodes: self.flush_nodes(),
            time: self.shared.budget.time.elapsed(),
            hashfull: Some(self.shared.tt.hashfull()),
            lines: self.root.lines(self.shared.options.multi_pv),
            ..Info::default()
        }
    }
}

impl LimitCheck {
    /// Nodes until the next check, adapted to take about a millisecond.
    fn next_interval(&mut self, now: Duration) -> u64 {
        const MAX_INTERVAL: u64 = 4096;
        let since = now.saturating_sub(self.last);
        self.last = now;
        if since > Duration::from_millis(1) {
            self.interval = (self.interval / 2).max(1);
        } else if since < Duration::from_micros(400) {
            self.interval = (self.interval * 2).min(MAX_INTERVAL);
        }
        self.interval
    }
}

impl<G: Tactics> ThreadData<G> {
    pub(super) fn new(options: &AlphaBetaOptions, evaluation: &dyn Evaluation<G>) -> Self {
        Self {
            incremental: evaluation.incremental(),
            stack: (0..=MAX_PLY).map(|_| StackEntry::new()).collect(),
            histories: Histories::new(G::HISTORY_SLOTS),
            correction: CorrectionHistory::new(options.selectivity.correction_history),
            lmr_table: LmrTable::new(),
        }
    }

    /// For a new game.
    pub(super) fn clear(&mut self) {
        self.histories.clear();
        self.correction.clear();
    }

    /// The continuation history rows of a node at `ply`.
    #[inline]
    pub(super) fn continuation(&self, ply: usize) -> Continuation {
        let played = |back| ply.checked_sub(back).and_then(|ply: usize| self.stack[ply].played);
        self.histories.continuation([played(1), played(2)])
    }

    fn new_search(&mut self) {
        self.histories.age();
        for entry in &mut self.stack {
            entry.killers = [None; 2];
            entry.after_null_move = false;
            entry.static_eval = None;
            entry.played = None;
        }
    }

    /// The PV at `ply` becomes `m` followed by the child's PV.
    pub(super) fn update_pv(&mut self, ply: usize, m: G::Move) {
        let (here, below) = self.stack.split_at_mut(ply + 1);
        let pv = &mut here[ply].pv;
        pv.clear();
        pv.push(m);
        pv.extend_from_slice(&below[0].pv);
    }
}

impl<G: Tactics> StackEntry<G> {
    fn new() -> Self {
        Self {
            moves: Vec::new(),
            killers: [None; 2],
            pv: Vec::new(),
            after_null_move: false,
            static_eval: None,
            played: None,
        }
    }
}
