//! One interior node: principal variation search.
//!
//! The steps of [`search`](Worker::search), in the usual order: draw detection, check extension,
//! quiescence at the horizon, mate-distance pruning, transposition table probe, static evaluation, pruning
//! before any move is searched (`pruning`), internal iterative reduction, singular extension (`singular`),
//! then the move loop (`moves`).
//!
//! A value that took no evaluation, no pruning and no path-dependent draw is *proven*: the subtree
//! was searched exhaustively, and no other depth can change it. `Worker::heuristic_values` counts
//! the exceptions.

use tablero_core::{Cut, GameType, Leaf, Tactics, TreeStep};

use super::correction::CorrectionEntries;
use super::singular::Singularity;
use super::tt::{Bound, TtEntry};
use super::window::Window;
use super::worker::{MAX_PLY, Worker};
use crate::score;

/// A position on the current line of the search.
pub(super) struct Node<'p, G: GameType> {
    pub(super) position: &'p G,
    /// The parent position and the move made there; none after a null move.
    pub(super) parent: Option<(&'p G, G::Move)>,
    /// Plies from the root.
    pub(super) ply: usize,
    pub(super) key: u64,
}

/// A node whose moves are searched.
pub(super) struct NodeContext<'p, G: GameType> {
    pub(super) position: &'p G,
    pub(super) parent: Option<(&'p G, G::Move)>,
    pub(super) ply: usize,
    pub(super) key: u64,
    pub(super) depth: i32,
    pub(super) in_check: bool,
    /// The window is open: the value is wanted, not only a bound.
    pub(super) is_pv: bool,
    /// A beta cutoff is expected.
    pub(super) cut_node: bool,
    /// Static evaluation, corrected; none in check or where no pruning needs it.
    pub(super) static_eval: Option<i32>,
    /// The best estimate: the table's value if it improves on the static evaluation.
    pub(super) eval: Option<i32>,
    /// The value of a table entry that is nearly deep enough.
    pub(super) tt_value: Option<i32>,
    /// The static evaluation rose since the mover's last turn.
    pub(super) improving: bool,
    pub(super) correction: Option<CorrectionEntries>,
    /// Extension of the table move.
    pub(super) tt_extension: i32,
    /// The move to leave out, by index, in the test for a singular move.
    pub(super) excluded: Option<u16>,
}

impl<G: GameType> Node<'_, G> {
    /// The move to it, for the record.
    pub(super) fn step(&self) -> TreeStep<G::Move> {
        self.parent.map_or(TreeStep::NullMove, |(_, m)| TreeStep::Move(m))
    }
}

impl<'p, G: GameType> NodeContext<'p, G> {
    pub(super) const fn as_node(&self) -> Node<'p, G> {
        Node { position: self.position, parent: self.parent, ply: self.ply, key: self.key }
    }
}

/// Least depth for internal iterative reduction.
const IIR_DEPTH: i32 = 4;

impl<G: Tactics> Worker<'_, G> {
    /// Fail-soft value of a position searched to `depth`: exact inside the window, otherwise a
    /// bound.
    pub(super) fn search(
        &mut self,
        node: &Node<'_, G>,
        depth: i32,
        window: Window,
        cut_node: bool,
    ) -> i32 {
        let &Node { position, ply, key, .. } = node;
        self.thread.stack[ply].pv.clear();
        if !self.enter_node(ply) {
            return 0;
        }
        if let Some(value) = self.repetition.draw_score(position, key, ply) {
            self.heuristic_values += 1;
            self.record(|recorder| recorder.leaf(Leaf::Draw));
            return value;
        }
        let in_check = position.in_check();
        let depth = depth + self.check_extension(in_check, ply);
        if depth <= 0 || ply + 1 >= MAX_PLY {
            return self.qsearch(node, window, self.shared.options.quiescence);
        }
        let window = window.mate_distance_pruned::<G>(ply);
        if window.is_empty() {
            self.record(|recorder| recorder.cut(Cut::MateDistance));
            return window.alpha;
        }
        // Before the table is probed, whose memory is on its way meanwhile.
        let raw_eval = self.raw_eval(node, in_check);
        let tt_entry = self.shared.tt.probe(key);
        if let Some(entry) = tt_entry
            && window.is_null_window()
            && let Some(value) = self.tt_cutoff(&entry, depth, window, ply)
        {
            self.record(|recorder| recorder.cut(Cut::TranspositionTable));
            return value;
        }
        let mut node = self.node_context(node, depth, in_check, !window.is_null_window(), cut_node);
        self.evaluate_node(&mut node, raw_eval, tt_entry);
        if let Some((value, cut)) = self.static_pruning(&node, window) {
            self.heuristic_values += 1;
            self.record(|recorder| recorder.cut(cut));
            return value;
        }
        let tt_move = tt_entry.and_then(|entry| entry.main_move());
        self.internal_iterative_reduction(&mut node, tt_move);
        if let Some(entry) = tt_entry {
            match self.singularity(&node, &entry, window) {
                Singularity::Extension(plies) => node.tt_extension = plies,
                Singularity::Cutoff(value) => {
                    self.record(|recorder| recorder.cut(Cut::MultiCut));
                    return value;
                }
            }
        }
        self.search_moves(&node, window, tt_move)
    }

    fn node_context<'p>(
        &self,
        node: &Node<'p, G>,
        depth: i32,
        in_check: bool,
        is_pv: bool,
        cut_node: bool,
    ) -> NodeContext<'p, G> {
        let &Node { position, parent, ply, key } = node;
        NodeContext {
            position,
            parent,
            ply,
            key,
            depth,
            in_check,
            is_pv,
            cut_node: cut_node && !is_pv,
            static_eval: None,
            eval: None,
            tt_value: None,
            improving: false,
            correction: None,
            tt_extension: 0,
            excluded: None,
        }
    }

    fn check_extension(&self, in_check: bool, ply: usize) -> i32 {
        let extends = in_check && self.shared.options.selectivity.check_extension;
        // Bounds the depth of perpetual checks.
        i32::from(extends && ply < 2 * self.root.root_depth as usize)
    }

    /// Nodes without a table move are ordered badly: search them one ply less deep.
    fn internal_iterative_reduction(&self, node: &mut NodeContext<'_, G>, tt_move: Option<u16>) {
        let enabled = self.shared.options.selectivity.internal_iterative_reduction;
        if enabled && node.depth >= IIR_DEPTH && tt_move.is_none() && (node.is_pv || node.cut_node)
        {
            node.depth -= 1;
        }
    }

    /// The value stored in the transposition table, if it is deep enough and decides the window.
    pub(super) fn tt_cutoff(
        &mut self,
        entry: &TtEntry,
        depth: i32,
        window: Window,
        ply: usize,
    ) -> Option<i32> {
        let tt_depth = i32::from(entry.depth);
        let deeper = self.shared.options.selectivity.deeper_tt_entries;
        if tt_depth != depth && !(deeper && (tt_depth > depth || entry.proven)) {
            return None;
        }
        let value = score::from_tt::<G>(entry.value, ply);
        let cutoff = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= window.beta,
            Bound::Upper => value <= window.alpha,
        };
        if cutoff && !entry.proven {
            self.heuristic_values += 1;
        }
        cutoff.then_some(value)
    }

    /// The static evaluation, where pruning or reductions will ask for it.
    fn raw_eval(&mut self, node: &Node<'_, G>, in_check: bool) -> Option<i32> {
        let needed = self.shared.options.selectivity.needs_static_eval();
        let is_evaluated = needed && !in_check && node.position.outcome().is_none();
        is_evaluated.then(|| self.static_eval(node.position, node.ply, node.parent))
    }

    /// Corrects the static evaluation, and compares it with the table's value.
    fn evaluate_node(
        &mut self,
        node: &mut NodeContext<'_, G>,
        raw_eval: Option<i32>,
        tt_entry: Option<TtEntry>,
    ) {
        self.thread.stack[node.ply].static_eval = None;
        let Some(mut static_eval) = raw_eval else { return };
        node.correction = self.thread.correction.entries(node.position);
        if let Some(entries) = node.correction {
            static_eval = self.thread.correction.corrected(entries, static_eval);
        }
        self.thread.stack[node.ply].static_eval = Some(static_eval);
        node.static_eval = Some(static_eval);
        self.record(|recorder| recorder.static_eval(static_eval));
        node.improving = self.is_improving(node.ply, static_eval);
        node.eval = Some(match tt_entry {
            Some(entry) => entry.refine::<G>(static_eval, node.ply),
            None => static_eval,
        });
        node.tt_value = tt_entry
            .filter(|entry| i32::from(entry.depth) >= node.depth - 3)
            .map(|entry| score::from_tt::<G>(entry.value, node.ply));
    }

    fn is_improving(&self, ply: usize, static_eval: i32) -> bool {
        let before = |plies: usize| {
            ply.checked_sub(plies).and_then(|ply| self.thread.stack[ply].static_eval)
        };
        before(2).or_else(|| before(4)).is_some_and(|earlier| static_eval > earlier)
    }

    /// Searches all moves and stores the result in the transposition table.
    pub(super) fn search_moves(
        &mut self,
        node: &NodeContext<'_, G>,
        window: Window,
        tt_move: Option<u16>,
    ) -> i32 {
        let heuristic_values = self.heuristic_values;
        self.generate_moves(node, tt_move);
        if self.thread.stack[node.ply].moves.is_empty() {
            self.record(|recorder| recorder.leaf(Leaf::GameOver));
            let outcome = node.position.outcome();
            return outcome.map_or(0, |outcome| {
                score::from_outcome::<G>(outcome, node.position.side(), node.ply)
            });
        }
        self.repetition.push(node.key);
        let best = self.move_loop(node, window, tt_move);
        self.repetition.pop();
        if self.stopped || node.excluded.is_some() {
            return best.value;
        }
        debug_assert!(node.depth > 0);
        let bound = Bound::of(best.value, window);
        let entry = TtEntry {
            value: score::to_tt::<G>(best.value, node.ply),
            bound,
            depth: node.depth as u8,
            proven: self.heuristic_values == heuristic_values,
            best_index: best.index,
        };
        entry.store(self.shared.tt, node.key);
        if !best.is_noisy {
            self.learn_correction(node, best.value, bound);
        }
        best.value
    }

    /// Corrects the static evaluation by the value of the search, if the bound contradicts it.
    fn learn_correction(&mut self, node: &NodeContext<'_, G>, value: i32, bound: Bound) {
        if let (Some(entries), Some(static_eval)) = (node.correction, node.static_eval)
            && !score::is_decisive(value)
            && bound.contradicts(value, static_eval)
        {
            self.thread.correction.update(entries, value - static_eval, node.depth);
        }
    }
}
