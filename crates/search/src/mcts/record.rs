//! The tree of a search for people to see: the most visited nodes of all threads together, and how they grew.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tablero_core::{
    BestFirstNode, Bound, Choice, GameType, Growth, Numbers, Proven, SearchTree, Simulation,
    TreeNode, TreeStep, TreeSummary,
};

use super::Mcts;
use super::merged::MergedNode;
use super::tree::{Expansion, NodeId, Tree, ucb1};
use super::worker::IterationLog;

/// The root's index in the record.
const ROOT: u32 = 0;

/// A node that may be recorded next: the most visited first, of equals the one found first.
struct Candidate<'a, M> {
    order: (u64, Reverse<usize>),
    parent: u32,
    m: M,
    node: MergedNode<'a, M>,
}

impl<M> PartialEq for Candidate<'_, M> {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl<M> Eq for Candidate<'_, M> {}

impl<M> PartialOrd for Candidate<'_, M> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Candidate<'_, M> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

/// The record of every node of the trees, by thread and node; none if it is not recorded.
type RecordIds = Vec<Vec<Option<u32>>>;

impl<G: GameType, S: Simulation<G>> Mcts<G, S> {
    /// Logs the iterations of the next search, enough for a record of `max_nodes`; none logs nothing.
    pub(super) fn start_log(&mut self, max_nodes: Option<usize>) {
        let threads = self.workers.len().max(1);
        for worker in &mut self.workers {
            worker.log = max_nodes
                .map(|max| IterationLog { iterations: Vec::new(), max: max.div_ceil(threads) });
        }
    }

    /// The tree of the last search, of at most `max_nodes`.
    pub(super) fn recorded_tree(
        &mut self,
        max_nodes: usize,
        choice: Choice<G::Move>,
        searched: u64,
    ) -> SearchTree<G::Move> {
        let trees: Vec<&Tree<G::Move>> = self.workers.iter().map(|worker| &worker.tree).collect();
        let (nodes, mut ids, is_complete) =
            record_nodes(&trees, max_nodes, self.options.exploration());
        let counts = trees.iter().zip(&mut ids).map(|(tree, ids)| inherit(tree, ids));
        let all = counts.sum::<u64>().saturating_sub(trees.len() as u64 - 1);
        let tree_nodes = if is_complete { nodes.len() as u64 } else { all };
        let logs = self.workers.iter_mut().map(|worker| worker.log.take());
        let growth = growth(logs.flatten().collect(), &ids);
        let summary = TreeSummary {
            searched,
            tree_nodes,
            bound: Some(Bound::Ucb1),
            growth: Some(growth),
            ..TreeSummary::default()
        };
        SearchTree { search: "mcts", nodes, choice, summary }
    }
}

/// The most visited nodes, and whether they are all.
fn record_nodes<M: Copy + PartialEq>(
    trees: &[&Tree<M>],
    max_nodes: usize,
    exploration: f32,
) -> (Vec<TreeNode<M>>, RecordIds, bool) {
    let mut ids: RecordIds = trees.iter().map(|tree| vec![None; tree.index_limit()]).collect();
    ids.iter_mut().for_each(|ids| ids[NodeId::ROOT.index()] = Some(ROOT));
    let root = MergedNode::root(trees.iter().copied());
    // The root's reward is for the player who moved there: the opponent.
    let at_root = BestFirstNode { q: Some(-root.mean()), bound: None, ..numbers(&root, 0.0, 0.0) };
    let at_root = Numbers::BestFirst(at_root);
    let mut nodes = vec![TreeNode { parent: ROOT, step: TreeStep::Stay, numbers: at_root }];
    let mut heap = BinaryHeap::new();
    let mut found = 0;
    let mut add_children = |heap: &mut BinaryHeap<_>, children: Vec<_>, parent: u32| {
        for (m, node) in children {
            let node: MergedNode<'_, M> = node;
            found += 1;
            heap.push(Candidate { order: (node.visits(), Reverse(found)), parent, m, node });
        }
    };
    let mut logs = vec![(root.visits() as f32).ln()];
    add_children(&mut heap, root.children(), ROOT);
    while let Some(Candidate { parent, m, node, .. }) = heap.pop() {
        if nodes.len() >= max_nodes {
            return (nodes, ids, false);
        }
        let id = nodes.len() as u32;
        for &(tree, at) in &node.nodes {
            if let Some(thread) = trees.iter().position(|other| std::ptr::eq(*other, tree)) {
                ids[thread][at.index()] = Some(id);
            }
        }
        let numbers = Numbers::BestFirst(numbers(&node, logs[parent as usize], exploration));
        nodes.push(TreeNode { parent, step: TreeStep::Move(m), numbers });
        logs.push((node.visits() as f32).ln());
        add_children(&mut heap, node.children(), id);
    }
    (nodes, ids, true)
}

fn numbers<M: Copy + PartialEq>(
    node: &MergedNode<'_, M>,
    log_parent_visits: f32,
    exploration: f32,
) -> BestFirstNode {
    let (visits, mean) = (node.visits(), node.mean());
    let bonus = ucb1(0.0, visits as f32, log_parent_visits, exploration);
    let is_terminal =
        node.nodes.iter().any(|(tree, at)| tree.expansion(*at) == Expansion::Terminal);
    BestFirstNode {
        visits,
        q: (visits > 0).then_some(mean),
        bound: Some([mean, f64::from(bonus)]),
        proven: is_terminal.then_some(match mean {
            mean if mean > 0.0 => Proven::Win(0),
            mean if mean < 0.0 => Proven::Loss(0),
            _ => Proven::Draw,
        }),
        is_terminal,
        ..BestFirstNode::default()
    }
}

/// Nodes without a record get that of their nearest recorded ancestor; returns the number of nodes.
fn inherit<M: Copy>(tree: &Tree<M>, ids: &mut [Option<u32>]) -> u64 {
    let (mut stack, mut count) = (vec![NodeId::ROOT], 0);
    while let Some(node) = stack.pop() {
        count += 1;
        for child in tree.children(node) {
            let inherited = ids[node.index()];
            ids[child.index()] = ids[child.index()].or(inherited);
            stack.push(child);
        }
    }
    count
}

/// The iterations of all threads, in turns.
fn growth(logs: Vec<IterationLog>, ids: &RecordIds) -> Growth {
    let longest = logs.iter().map(|log| log.iterations.len()).max().unwrap_or(0);
    let mut growth = Growth::default();
    for at in 0..longest {
        for (log, ids) in logs.iter().zip(ids) {
            if let Some(&(leaf, value)) = log.iterations.get(at) {
                growth.leaves.push(ids[leaf.index()].unwrap_or(ROOT));
                growth.values.push(value);
            }
        }
    }
    growth
}
