//! The tree of a search for people to see: the most visited moves, and how the tree grew.
//!
//! The search has one node per position, so its graph is unfolded: a position has its moves where it was visited
//! most, other moves to it refer to that place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tablero_core::{
    BestFirstNode, Bound, Choice, GameType, Growth, Numbers, Proven, SearchTree, TreeNode,
    TreeStep, TreeSummary,
};

use super::PuctOptions;
use super::root::Root;
use super::tree::{EdgeId, NodeId, SolverState, Tree, puct};

/// The first simulations of a search: their paths and rewards.
pub(super) struct SimulationLog {
    max_nodes: usize,
    /// The paths, one after the other.
    edges: Vec<EdgeId>,
    /// The end of each path, and the reward for the player to move at the root.
    ends: Vec<(usize, f32)>,
}

/// Mean length of paths for which there is room.
const PATH_LENGTH: usize = 16;

impl SimulationLog {
    /// For a record of `max_nodes`.
    pub(super) const fn new(max_nodes: usize) -> Self {
        Self { max_nodes, edges: Vec::new(), ends: Vec::new() }
    }

    /// Adds a simulation; `reward` is for the player who made the last move.
    pub(super) fn add(&mut self, path: &[(NodeId, EdgeId)], reward: f32) {
        let is_full = self.ends.len() >= self.max_nodes
            || self.edges.len() + path.len() > PATH_LENGTH * self.max_nodes;
        if !is_full {
            self.edges.extend(path.iter().map(|&(_, edge)| edge));
            let is_roots_move = path.len() % 2 == 1;
            self.ends.push((self.edges.len(), if is_roots_move { reward } else { -reward }));
        }
    }
}

/// The root's index in the record.
const ROOT: u32 = 0;

/// The record while it is made.
struct Unfolding<'a, G: GameType> {
    tree: &'a Tree<G::Move>,
    root: &'a Root<G>,
    options: &'a PuctOptions,
    gumbel_parts: Option<Vec<[f64; 2]>>,
    nodes: Vec<TreeNode<G::Move>>,
    /// The record of every edge.
    of_edge: Vec<Option<u32>>,
    /// The record whose children are a node's moves.
    of_node: Vec<Option<u32>>,
    /// Edges to record, the most visited first: visits, order of discovery, node, index, parent.
    heap: BinaryHeap<(u32, Reverse<usize>, NodeId, usize, u32)>,
    found: usize,
}

/// The tree of a search from `root`.
pub(super) fn recorded_tree<G: GameType>(
    tree: &Tree<G::Move>,
    root: &Root<G>,
    options: &PuctOptions,
    log: &SimulationLog,
    choice: Choice<G::Move>,
) -> SearchTree<G::Move> {
    let [nodes, edges] = tree.len();
    let mut unfolding = Unfolding {
        tree,
        root,
        options,
        gumbel_parts: root.gumbel_parts(tree),
        nodes: Vec::new(),
        of_edge: vec![None; edges],
        of_node: vec![None; nodes],
        heap: BinaryHeap::new(),
        found: 0,
    };
    unfolding.unfold(log.max_nodes.max(1));
    let bound = match unfolding.gumbel_parts {
        Some(_) => Bound::GumbelPuct,
        None => Bound::Puct,
    };
    let growth = unfolding.growth(log);
    let summary = TreeSummary {
        tree_nodes: edges as u64 + 1,
        bound: Some(bound),
        growth: Some(growth),
        ..TreeSummary::default()
    };
    SearchTree { search: "puct", nodes: unfolding.nodes, choice, summary }
}

impl<G: GameType> Unfolding<'_, G> {
    fn unfold(&mut self, max_nodes: usize) {
        let root = self.root.node;
        self.of_node[root.0 as usize] = Some(ROOT);
        let numbers = BestFirstNode {
            visits: u64::from(self.tree.visits(root)),
            q: Some(self.tree.mean_value(root)),
            network_value: Some(f64::from(self.tree.value(root))),
            proven: proven(self.tree.solver_state(root)).map(Proven::negated),
            ..BestFirstNode::default()
        };
        let numbers = Numbers::BestFirst(numbers);
        self.nodes.push(TreeNode { parent: ROOT, step: TreeStep::Stay, numbers });
        self.push_edges(root, ROOT);
        while self.nodes.len() < max_nodes
            && let Some((_, _, node, index, parent)) = self.heap.pop()
        {
            self.add(node, index, parent);
        }
    }

    fn push_edges(&mut self, node: NodeId, parent: u32) {
        for (index, edge) in self.tree.edges(node).iter().enumerate() {
            if node == self.root.node && self.root.allowed[index].is_none() {
                continue;
            }
            self.found += 1;
            self.heap.push((edge.visits, Reverse(self.found), node, index, parent));
        }
    }

    fn add(&mut self, node: NodeId, index: usize, parent: u32) {
        let id = self.nodes.len() as u32;
        let edge = self.tree.edge_id(node, index);
        self.of_edge[edge.0 as usize] = Some(id);
        let mut numbers = self.numbers(node, index);
        if let Some(child) = self.tree.child(edge) {
            let home = &mut self.of_node[child.0 as usize];
            match *home {
                // A terminal node has nothing to share.
                Some(other) if !numbers.is_terminal => numbers.transposes_to = Some(other),
                Some(_) => {}
                None => {
                    *home = Some(id);
                    self.push_edges(child, id);
                }
            }
        }
        let m = self.tree.edge(edge).m;
        let m = if node == self.root.node { self.root.allowed[index].unwrap_or(m) } else { m };
        let numbers = Numbers::BestFirst(numbers);
        self.nodes.push(TreeNode { parent, step: TreeStep::Move(m), numbers });
    }

    fn numbers(&self, node: NodeId, index: usize) -> BestFirstNode {
        let (tree, options) = (self.tree, self.options);
        let edge = &tree.edges(node)[index];
        let is_root = node == self.root.node;
        let priors = |index: usize| {
            if is_root { self.root.priors[index] } else { tree.edges(node)[index].prior }
        };
        let prior = priors(index);
        let q = edge.q();
        let exploitation =
            q.unwrap_or_else(|| f64::from(tree.fpu_value(node, options.fpu, priors)));
        let sqrt_visits = (tree.visits(node) as f32).sqrt();
        let exploration = puct(0.0, options.c_puct, prior, sqrt_visits, edge.visits as f32);
        let gumbel = self.gumbel_parts.as_ref().filter(|_| is_root).map(|parts| parts[index]);
        let child = tree.child(tree.edge_id(node, index));
        let is_terminal = child.is_some_and(|child| tree.edges(child).is_empty());
        BestFirstNode {
            visits: u64::from(edge.visits),
            q,
            prior: Some(f64::from(prior)),
            bound: Some(gumbel.unwrap_or([exploitation, f64::from(exploration)])),
            network_value: child
                .filter(|_| !is_terminal)
                .map(|child| -f64::from(tree.value(child))),
            proven: proven(tree.edge_state(edge)),
            is_terminal,
            transposes_to: None,
        }
    }

    /// The logged simulations in terms of the record.
    fn growth(&self, log: &SimulationLog) -> Growth {
        let mut growth = Growth::default();
        let mut start = 0;
        for (simulation, &(end, value)) in (0..).zip(&log.ends) {
            let path = log.edges[start..end].iter().map_while(|edge| self.of_edge[edge.0 as usize]);
            let path: Vec<u32> = path.collect();
            start = end;
            let jumps = path.windows(2).rev();
            let jumps = jumps.filter(|pair| self.nodes[pair[1] as usize].parent != pair[0]);
            let jumps: Vec<u32> = jumps.map(|pair| pair[0]).collect();
            if !jumps.is_empty() {
                growth.jumps.push((simulation, jumps));
            }
            growth.leaves.push(path.last().copied().unwrap_or(ROOT));
            growth.values.push(value);
        }
        growth
    }
}

/// A child's state for the player who moved there.
const fn proven(state: SolverState) -> Option<Proven> {
    match state {
        SolverState::Unknown => None,
        SolverState::Win(plies) => Some(Proven::Loss(plies)),
        SolverState::Loss(plies) => Some(Proven::Win(plies)),
        SolverState::Draw => Some(Proven::Draw),
    }
}
