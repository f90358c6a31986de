//! The simulation loop, with batched evaluation on several threads.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tablero_core::{Control, GameHistory, GameType, Info, spawn_helper};

use super::record::SimulationLog;
use super::root::Root;
use super::selection::{Leaf, LeafKind, Selection, Selector};
use super::tree::{EdgeId, NodeId, SolverState, Tree};
use super::{PolicyValue, PuctOptions};
use crate::mcts::budget::Budget;

/// Time between reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// One search.
pub(super) struct Search<'a, G: GameType> {
    pub(super) options: &'a PuctOptions,
    pub(super) tree: &'a mut Tree<G::Move>,
    pub(super) state: &'a mut SearchState<G>,
}

/// What a search has done.
pub(super) struct SearchState<G: GameType> {
    selector: Selector<G>,
    pub(super) root: Root<G>,
    start: Instant,
    simulations: u64,
    depth_sum: u64,
    seldepth: usize,
    /// The simulations, if the search is recorded.
    pub(super) log: Option<SimulationLog>,
}

impl<G: GameType> SearchState<G> {
    pub(super) fn new(game: &GameHistory<G>, root: Root<G>, start: Instant) -> Self {
        let selector = Selector::new(game);
        Self { selector, root, start, simulations: 0, depth_sum: 0, seldepth: 0, log: None }
    }
}

/// A selected leaf that waits for its evaluation.
pub(super) struct PendingLeaf<G: GameType> {
    path: Vec<(NodeId, EdgeId)>,
    pub(super) leaf: Leaf<G>,
}

/// The reward of a virtual loss.
const VIRTUAL_LOSS: f32 = -1.0;

impl<G: GameType> Search<'_, G> {
    /// Simulates until the budget is used up, the root is solved or the search is stopped.
    pub(super) fn run<E: PolicyValue<G>>(
        &mut self,
        evaluators: &mut [E],
        budget: &Budget,
        control: &mut Control<'_, G>,
    ) -> Info<G> {
        let Some((own, others)) = evaluators.split_first_mut() else { return self.info() };
        std::thread::scope(|scope| {
            let (results, evaluated) = channel();
            let mut helpers = Vec::new();
            for evaluator in others {
                let (requests, leaves) = channel();
                let results = results.clone();
                let help = move || evaluate_leaves(evaluator, &leaves, &results);
                if !spawn_helper(scope, help) {
                    break;
                }
                helpers.push(requests);
            }
            drop(results);
            let mut pool = EvaluatorPool { own, helpers, evaluated };
            self.simulate(&mut pool, budget, control);
        });
        let info = self.info();
        control.report(&info);
        info
    }

    fn simulate<E: PolicyValue<G>>(
        &mut self,
        pool: &mut EvaluatorPool<'_, G, E>,
        budget: &Budget,
        control: &mut Control<'_, G>,
    ) {
        let mut next_report = Instant::now() + REPORT_INTERVAL;
        // The time of a batch, about the longest of the last few: none is started that would end too late.
        let mut batch_time = Duration::ZERO;
        while self.is_unfinished(budget) {
            let now = Instant::now();
            if control.is_stopped() || budget.deadline.is_some_and(|end| now + batch_time >= end) {
                return;
            }
            if now >= next_report {
                control.report(&self.info());
                next_report = now + REPORT_INTERVAL;
            }
            let batch = self.select_batch(budget);
            for pending in pool.evaluate(batch) {
                self.expand(pending);
            }
            batch_time = now.elapsed().max(batch_time * 7 / 8);
        }
    }

    /// Whether simulations are left and the root is not solved.
    pub(super) fn is_unfinished(&self, budget: &Budget) -> bool {
        self.state.simulations < budget.iterations && !self.state.root.is_solved(self.tree)
    }

    /// Selects leaves to evaluate, as many as a batch has. Their paths get a virtual loss until they are
    /// evaluated, so that the next selection takes another path.
    pub(super) fn select_batch(&mut self, budget: &Budget) -> Vec<PendingLeaf<G>> {
        let left = budget.iterations - self.state.simulations;
        let count = left.min(self.options.batch_size.max(1) as u64);
        let mut batch: Vec<PendingLeaf<G>> = Vec::new();
        for _ in 0..count {
            let Some(first) = self.state.root.select(self.tree, self.options) else { break };
            let Selection { path, leaf } = self.state.selector.select_leaf(
                self.tree,
                self.state.root.node,
                first,
                self.options,
            );
            match leaf {
                LeafKind::Terminal(reward) => self.backpropagate(&path, reward),
                LeafKind::Unexpanded(leaf)
                    if batch.iter().any(|other| other.leaf.key == leaf.key) =>
                {
                    // A collision: the leaf is in the batch already.
                    self.state.root.unselect(first);
                    break;
                }
                LeafKind::Unexpanded(leaf) => {
                    for &(node, edge) in &path {
                        self.tree.add_visit(node, edge, VIRTUAL_LOSS);
                    }
                    batch.push(PendingLeaf { path, leaf });
                }
            }
        }
        batch
    }

    /// Adds an evaluated leaf to the tree and backpropagates its value.
    pub(super) fn expand(&mut self, PendingLeaf { path, leaf }: PendingLeaf<G>) {
        for &(node, edge) in &path {
            self.tree.remove_visit(node, edge, VIRTUAL_LOSS);
        }
        if self.tree.has_capacity(leaf.moves.len()) {
            let node = leaf.add_to(self.tree);
            if let Some(&(_, edge)) = path.last() {
                self.tree.set_child(edge, node);
            }
        }
        self.backpropagate(&path, -leaf.value);
    }

    /// Backpropagation; `reward` is for the player who made the last move of the path.
    fn backpropagate(&mut self, path: &[(NodeId, EdgeId)], reward: f32) {
        if let Some(log) = &mut self.state.log {
            log.add(path, reward);
        }
        let mut reward = reward;
        // A parent can only become proven if its child is.
        let child = path.last().and_then(|&(_, edge)| self.tree.child(edge));
        let mut proven =
            child.is_some_and(|node| self.tree.solver_state(node) != SolverState::Unknown);
        for &(node, edge) in path.iter().rev() {
            self.tree.add_visit(node, edge, reward);
            reward = -reward;
            proven = proven && self.tree.update_solver(node);
        }
        self.state.simulations += 1;
        self.state.depth_sum += path.len() as u64;
        self.state.seldepth = self.state.seldepth.max(path.len());
    }

    fn info(&self) -> Info<G> {
        Info {
            depth: (self.state.depth_sum as f64 / self.state.simulations.max(1) as f64).round()
                as u32,
            seldepth: self.state.seldepth as u32,
            nodes: self.state.simulations,
            time: self.state.start.elapsed(),
            lines: self.state.root.lines(self.tree, self.options.multi_pv),
            ..Info::default()
        }
    }
}

/// A leaf with its index in the batch.
type IndexedLeaf<G> = (usize, Leaf<G>);

/// The evaluators of all threads.
struct EvaluatorPool<'a, G: GameType, E> {
    own: &'a mut E,
    helpers: Vec<Sender<IndexedLeaf<G>>>,
    evaluated: Receiver<IndexedLeaf<G>>,
}

/// Evaluates leaves until the channel is closed.
fn evaluate_leaves<G: GameType, E: PolicyValue<G>>(
    evaluator: &mut E,
    leaves: &Receiver<IndexedLeaf<G>>,
    results: &Sender<IndexedLeaf<G>>,
) {
    for (index, mut leaf) in leaves {
        leaf.evaluate(evaluator);
        if results.send((index, leaf)).is_err() {
            return;
        }
    }
}

impl<G: GameType, E: PolicyValue<G>> EvaluatorPool<'_, G, E> {
    /// Evaluates a batch on all threads; keeps its order.
    fn evaluate(&mut self, mut batch: Vec<PendingLeaf<G>>) -> Vec<PendingLeaf<G>> {
        if self.helpers.is_empty() || batch.len() < 2 {
            Leaf::evaluate_all(batch.iter_mut().map(|pending| &mut pending.leaf), self.own);
            return batch;
        }
        let (mut paths, mut own, mut in_flight) = (Vec::new(), Vec::new(), 0);
        for (index, PendingLeaf { path, leaf }) in batch.into_iter().enumerate() {
            paths.push(path);
            match index % (self.helpers.len() + 1) {
                0 => own.push((index, leaf)),
                // Helpers live as long as the search, so sending does not fail.
                helper => match self.helpers[helper - 1].send((index, leaf)) {
                    Ok(()) => in_flight += 1,
                    Err(unsent) => own.push(unsent.0),
                },
            }
        }
        Leaf::evaluate_all(own.iter_mut().map(|(_, leaf)| leaf), self.own);
        own.extend(self.evaluated.iter().take(in_flight));
        own.sort_by_key(|(index, _)| *index);
        paths.into_iter().zip(own).map(|(path, (_, leaf))| PendingLeaf { path, leaf }).collect()
    }
}
