//! The search graph: one node per position, so that transpositions share their statistics.
//!
//! Edges hold the statistics of moves (prior, visits, value sum), nodes the network's value and the
//! solver state. MCTS-Solver (Winands et al. 2008): a move to a lost position proves a win, and
//! only moves to won positions prove a loss.

use std::collections::HashMap;
use std::ops::Range;

use super::Fpu;

/// Priors with a smaller sum are replaced by uniform ones.
const MIN_PRIOR_SUM: f32 = 1e-4;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct NodeId(pub(super) u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(pub(super) u32);

/// The child of an edge that was never taken.
const NO_CHILD: NodeId = NodeId(u32::MAX);

/// The game-theoretic value of a position, for the player to move, as far as it is proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SolverState {
    /// Not proven.
    Unknown,
    /// A win in at most this many plies.
    Win(u32),
    /// A loss in at most this many plies.
    Loss(u32),
    /// The game is over and drawn.
    Draw,
}

struct Node {
    edges: Range<u32>,
    /// Sum of the edges' visits.
    visits: u32,
    /// The network's value for the player to move.
    value: f32,
    state: SolverState,
}

/// A move in a position.
pub(super) struct Edge<M> {
    pub(super) m: M,
    /// The network's prior.
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// Sum of values for the player who makes the move.
    value_sum: f64,
    child: NodeId,
}

pub(super) struct Tree<M> {
    nodes: Vec<Node>,
    edges: Vec<Edge<M>>,
    by_key: HashMap<u64, NodeId>,
    max_bytes: usize,
}

impl<M> Edge<M> {
    /// Mean value for the player who makes the move; none if unvisited.
    pub(super) fn q(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.value_sum / f64::from(self.visits))
    }
}

impl<M: Copy> Tree<M> {
    pub(super) fn new(max_bytes: usize) -> Self {
        // Edge ids are 32 bits.
        let max_bytes = max_bytes.min(u32::MAX as usize);
        Self { nodes: Vec::new(), edges: Vec::new(), by_key: HashMap::new(), max_bytes }
    }

    /// Nodes and edges.
    pub(super) const fn len(&self) -> [usize; 2] {
        [self.nodes.len(), self.edges.len()]
    }

    /// Bytes allocated.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge<M>>()
            + self.by_key.capacity() * size_of::<(u64, NodeId)>()
    }

    /// Removes all nodes and frees the memory.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.max_bytes);
    }

    pub(super) fn find(&self, key: u64) -> Option<NodeId> {
        self.by_key.get(&key).copied()
    }

    /// Whether there is memory for a node with this many moves.
    pub(super) fn has_capacity(&self, moves: usize) -> bool {
        // A map entry is about as large as a node.
        let nodes = (self.nodes.len() + 1) * 3 * size_of::<Node>();
        nodes + (self.edges.len() + moves) * size_of::<Edge<M>>() <= self.max_bytes
    }

    /// Adds a node with these moves, priors and network value.
    pub(super) fn add(&mut self, key: u64, moves: &[M], priors: &[f32], value: f32) -> NodeId {
        let first = self.edges.len() as u32;
        let new = moves.iter().zip(priors);
        self.edges.extend(new.map(|(&m, &prior)| Edge {
            m,
            prior,
            visits: 0,
            value_sum: 0.0,
            child: NO_CHILD,
        }));
        self.push(key, first..self.edges.len() as u32, value, SolverState::Unknown)
    }

    /// Adds a node without moves.
    pub(super) fn add_terminal(&mut self, key: u64, state: SolverState) -> NodeId {
        self.push(key, 0..0, 0.0, state)
    }

    fn push(&mut self, key: u64, edges: Range<u32>, value: f32, state: SolverState) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { edges, visits: 0, value, state });
        self.by_key.insert(key, id);
        id
    }

    pub(super) fn edges(&self, node: NodeId) -> &[Edge<M>] {
        let edges = &self.node(node).edges;
        &self.edges[edges.start as usize..edges.end as usize]
    }

    /// Edge `index` of `node`.
    pub(super) fn edge_id(&self, node: NodeId, index: usize) -> EdgeId {
        EdgeId(self.node(node).edges.start + index as u32)
    }

    pub(super) fn edge(&self, edge: EdgeId) -> &Edge<M> {
        &self.edges[edge.0 as usize]
    }

    pub(super) fn child(&self, edge: EdgeId) -> Option<NodeId> {
        let child = self.edge(edge).child;
        (child != NO_CHILD).then_some(child)
    }

    pub(super) fn set_child(&mut self, edge: EdgeId, child: NodeId) {
        self.edges[edge.0 as usize].child = child;
    }

    pub(super) fn solver_state(&self, node: NodeId) -> SolverState {
        self.node(node).state
    }

    pub(super) fn visits(&self, node: NodeId) -> u32 {
        self.node(node).visits
    }

    /// The network's value for the player to move.
    pub(super) fn value(&self, node: NodeId) -> f32 {
        self.node(node).value
    }

    /// The solver state of an edge's child, for the player to move there.
    pub(super) fn edge_state(&self, edge: &Edge<M>) -> SolverState {
        if edge.child == NO_CHILD { SolverState::Unknown } else { self.solver_state(edge.child) }
    }

    /// Mean value for the player to move at `node`, with the network's value as the first visit.
    pub(super) fn mean_value(&self, node: NodeId) -> f64 {
        let sum: f64 = self.edges(node).iter().map(|edge| edge.value_sum).sum();
        let visits = f64::from(self.visits(node));
        (f64::from(self.value(node)) + sum) / (1.0 + visits)
    }

    /// The allowed edge with the largest PUCT value; ties go to the largest prior. Proven losses
    /// are selected only if there is nothing else.
    pub(super) fn select(
        &self,
        node: NodeId,
        c_puct: f32,
        fpu: Fpu,
        prior: impl Fn(usize) -> f32,
        is_allowed: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let edges = self.edges(node);
        let sqrt_visits = (self.visits(node) as f32).sqrt();
        let fpu_value = self.fpu_value(node, fpu, &prior);
        let mut best: Option<(usize, [f32; 3])> = None;
        for (index, edge) in edges.iter().enumerate().filter(|(index, _)| is_allowed(*index)) {
            let (q, unproven) = match (self.edge_state(edge), edge.q()) {
                (SolverState::Loss(_), _) => return Some(index),
                (SolverState::Win(_), _) => (-1.0, 0.0),
                (_, None) => (fpu_value, 1.0),
                (_, Some(q)) => (q as f32, 1.0),
            };
            let p = prior(index);
            let score = [unproven, puct(q, c_puct, p, sqrt_visits, edge.visits as f32), p];
            if best.is_none_or(|(_, best)| score > best) {
                best = Some((index, score));
            }
        }
        best.map(|(index, _)| index)
    }

    /// First-play urgency at `node`.
    pub(super) fn fpu_value(&self, node: NodeId, fpu: Fpu, prior: impl Fn(usize) -> f32) -> f32 {
        let Fpu::Reduction(reduction) = fpu else { return 0.0 };
        let edges = self.edges(node).iter().enumerate();
        let visited_priors: f32 =
            edges.filter(|(_, edge)| edge.visits > 0).map(|(index, _)| prior(index)).sum();
        (self.mean_value(node) as f32 - reduction * visited_priors.sqrt()).max(-1.0)
    }

    /// Adds a visit of `edge` at `node` with `reward` for the player who makes the move.
    pub(super) fn add_visit(&mut self, node: NodeId, edge: EdgeId, reward: f32) {
        self.nodes[node.0 as usize].visits += 1;
        let edge = &mut self.edges[edge.0 as usize];
        edge.visits += 1;
        edge.value_sum += f64::from(reward);
    }

    /// Reverts [`add_visit`](Self::add_visit), for virtual losses.
    pub(super) fn remove_visit(&mut self, node: NodeId, edge: EdgeId, reward: f32) {
        self.nodes[node.0 as usize].visits -= 1;
        let edge = &mut self.edges[edge.0 as usize];
        edge.visits -= 1;
        edge.value_sum -= f64::from(reward);
    }

    /// MCTS-Solver: derives the state of `node` from its children; returns whether it is proven.
    pub(super) fn update_solver(&mut self, node: NodeId) -> bool {
        let (mut shortest_win, mut longest_loss, mut all_lost) = (u32::MAX, 0, true);
        for edge in self.edges(node) {
            match self.edge_state(edge) {
                SolverState::Loss(plies) => shortest_win = shortest_win.min(plies),
                SolverState::Win(plies) => longest_loss = longest_loss.max(plies),
                SolverState::Unknown | SolverState::Draw => all_lost = false,
            }
        }
        let state = if shortest_win < u32::MAX {
            SolverState::Win(shortest_win + 1)
        } else if all_lost && !self.edges(node).is_empty() {
            SolverState::Loss(longest_loss + 1)
        } else {
            return false;
        };
        self.nodes[node.0 as usize].state = state;
        true
    }

    /// Removes all nodes that are unreachable from `root`; returns its new id.
    pub(super) fn reroot(&mut self, root: NodeId) -> NodeId {
        let mut kept = vec![root];
        let mut new_ids = HashMap::from([(root, NodeId(0))]);
        let mut next = 0;
        while next < kept.len() {
            for edge in self.edges(kept[next]) {
                if edge.child != NO_CHILD && !new_ids.contains_key(&edge.child) {
                    new_ids.insert(edge.child, NodeId(kept.len() as u32));
                    kept.push(edge.child);
                }
            }
            next += 1;
        }
        let mut tree = Self::new(self.max_bytes);
        for &old in &kept {
            let first = tree.edges.len() as u32;
            let edges = self.edges(old).iter().map(|edge| Edge {
                child: new_ids.get(&edge.child).copied().unwrap_or(NO_CHILD),
                ..*edge
            });
            tree.edges.extend(edges);
            let node = self.node(old);
            tree.nodes.push(Node { edges: first..tree.edges.len() as u32, ..*node });
        }
        let by_key = self.by_key.iter();
        tree.by_key = by_key.filter_map(|(&key, node)| Some((key, *new_ids.get(node)?))).collect();
        *self = tree;
        NodeId(0)
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }
}

/// PUCT: Q plus the exploration bonus.
#[inline]
pub(super) fn puct(q: f32, c_puct: f32, prior: f32, sqrt_parent_visits: f32, visits: f32) -> f32 {
    q + c_puct * prior * sqrt_parent_visits / (1.0 + visits)
}

/// Normalizes priors to a sum of 1; invalid or vanishing ones become uniform.
pub(super) fn normalize(priors: &mut [f32]) {
    let sum: f32 = priors.iter().sum();
    let is_valid = sum.is_finite() && priors.iter().all(|&prior| prior >= 0.0);
    if is_valid && sum >= MIN_PRIOR_SUM {
        priors.iter_mut().for_each(|prior| *prior /= sum);
    } else {
        priors.fill(1.0 / priors.len() as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(children: &[(f32, u32, f64)]) -> (Tree<u8>, NodeId) {
        let mut tree = Tree::new(1 << 20);
        let moves: Vec<u8> = (0..children.len() as u8).collect();
        let priors: Vec<f32> = children.iter().map(|child| child.0).collect();
        let node = tree.add(1, &moves, &priors, 0.0);
        for (index, &(_, visits, total)) in children.iter().enumerate() {
            for _ in 0..visits {
                let edge = tree.edge_id(node, index);
                tree.add_visit(node, edge, (total / f64::from(visits)) as f32);
            }
        }
        (tree, node)
    }

    fn selected(tree: &Tree<u8>, node: NodeId, c_puct: f32) -> Option<usize> {
        let prior = |index: usize| tree.edges(node)[index].prior;
        tree.select(node, c_puct, Fpu::Zero, prior, |_| true)
    }

    #[test]
    fn puct_matches_a_hand_computed_value() {
        // 0.25 + 2 * 0.5 * sqrt(16) / (1 + 3)
        assert_eq!(puct(0.25, 2.0, 0.5, 4.0, 3.0), 1.25);
    }

    #[test]
    fn selection_matches_hand_computed_values() {
        // N_sum = 9, square root 3, c_puct = 2:
        //   0.5 + 2 * 0.2 * 3 / 5 = 0.74;  0.2 + 2 * 0.3 * 3 / 6 = 0.5;  0 + 2 * 0.5 * 3 / 1 = 3
        let (tree, node) = tree(&[(0.2, 4, 2.0), (0.3, 5, 1.0), (0.5, 0, 0.0)]);
        assert_eq!(selected(&tree, node, 2.0), Some(2));
        assert_eq!(selected(&tree, node, 0.0), Some(0));
    }

    #[test]
    fn without_visits_the_prior_decides() {
        let (tree, node) = tree(&[(0.2, 0, 0.0), (0.5, 0, 0.0), (0.3, 0, 0.0)]);
        assert_eq!(selected(&tree, node, 2.0), Some(1));
    }

    #[test]
    fn fpu_reduction_matches_a_hand_computed_value() {
        // (0 + 2) / (1 + 4) - 0.5 * sqrt(0.25)
        let (tree, node) = tree(&[(0.25, 4, 2.0), (0.75, 0, 0.0)]);
        let prior = |index: usize| tree.edges(node)[index].prior;
        let fpu = tree.fpu_value(node, Fpu::Reduction(0.5), prior);
        assert!((fpu - 0.15).abs() < 1e-6, "{fpu}");
        assert_eq!(tree.fpu_value(node, Fpu::Zero, prior), 0.0);
    }

    #[test]
    fn invalid_priors_become_uniform() {
        let normal = |priors: &[f32]| {
            let mut priors = priors.to_vec();
            normalize(&mut priors);
            priors
        };
        assert_eq!(normal(&[0.5, 1.5]), [0.25, 0.75]);
        assert_eq!(normal(&[4e-5, 5e-5]), [0.5, 0.5]);
        assert_eq!(normal(&[2e-4, 0.0]), [1.0, 0.0]);
        assert_eq!(normal(&[f32::NAN, 1.0]), [0.5, 0.5]);
        assert_eq!(normal(&[f32::INFINITY, 1.0]), [0.5, 0.5]);
        assert_eq!(normal(&[-1.0, 3.0]), [0.5, 0.5]);
        assert!(normal(&[]).is_empty());
    }

    #[test]
    fn the_solver_proves_wins_and_losses() {
        let (mut tree, node) = tree(&[(0.5, 0, 0.0), (0.5, 0, 0.0)]);
        let (first, second) = (tree.edge_id(node, 0), tree.edge_id(node, 1));
        let won = tree.add_terminal(2, SolverState::Win(4));
        let drawn = tree.add_terminal(3, SolverState::Draw);
        let lost = tree.add_terminal(4, SolverState::Loss(2));
        tree.set_child(first, won);
        assert!(!tree.update_solver(node));
        // A proven loss is not selected while there is another move.
        assert_eq!(selected(&tree, node, 2.0), Some(1));
        tree.set_child(second, drawn);
        assert!(!tree.update_solver(node));
        tree.set_child(second, won);
        assert!(tree.update_solver(node));
        assert_eq!(tree.solver_state(node), SolverState::Loss(5));
        tree.set_child(second, lost);
        assert!(tree.update_solver(node));
        assert_eq!(tree.solver_state(node), SolverState::Win(3));
        assert_eq!(selected(&tree, node, 2.0), Some(1));
    }

    #[test]
    fn rerooting_keeps_reachable_nodes() {
        let (mut tree, root) = tree(&[(0.5, 3, 1.0), (0.5, 2, 1.0)]);
        let kept = tree.add(2, &[7, 8], &[0.9, 0.1], 0.5);
        let dropped = tree.add(3, &[9], &[1.0], 0.5);
        // A cycle.
        let again = tree.edge_id(kept, 1);
        tree.set_child(again, kept);
        tree.add_visit(kept, again, 1.0);
        for (index, child) in [kept, dropped].into_iter().enumerate() {
            let edge = tree.edge_id(root, index);
            tree.set_child(edge, child);
        }
        let new_root = tree.reroot(kept);
        assert_eq!(tree.find(2), Some(new_root));
        assert_eq!((tree.find(1), tree.find(3)), (None, None));
        assert_eq!((tree.nodes.len(), tree.edges.len()), (1, 2));
        assert_eq!(tree.child(tree.edge_id(new_root, 1)), Some(new_root));
        assert_eq!(tree.edges(new_root)[1].q(), Some(1.0));
    }
}
