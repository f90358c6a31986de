//! What is known about positions. A position has one node, whichever way it was reached.

use std::collections::HashMap;
use std::ops::Range;

use super::Untried;

/// Priors that add up to less than this say nothing.
const LEAST_PRIORS: f32 = 1e-4;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct NodeId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(u32);

const NOWHERE: NodeId = NodeId(u32::MAX);

/// What is proven about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Proof {
    None,
    /// The player to move wins in at most so many plies.
    Win(u32),
    /// The player to move loses, and cannot make it last longer than so many plies.
    Loss(u32),
    /// The game is over, without a winner.
    Drawn,
}

struct Node {
    edges: Range<u32>,
    /// How often a move was tried here.
    visits: u32,
    /// What the judge said, for the player to move.
    value: f32,
    proof: Proof,
}

/// A move in a position.
pub(super) struct Edge<M> {
    pub(super) m: M,
    /// How good it looked before anything was tried.
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// The sum of results, for the player who makes the move.
    total: f64,
    child: NodeId,
}

pub(super) struct Tree<M> {
    nodes: Vec<Node>,
    edges: Vec<Edge<M>>,
    places: HashMap<u64, NodeId>,
    most_bytes: usize,
}

impl<M> Edge<M> {
    /// The mean result for the player who makes the move; none if it was never tried.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.total / f64::from(self.visits))
    }
}

impl<M: Copy> Tree<M> {
    pub(super) fn new(most_bytes: usize) -> Self {
        // Numbers of edges must fit 32 bits.
        let most_bytes = most_bytes.min(u32::MAX as usize);
        Self { nodes: Vec::new(), edges: Vec::new(), places: HashMap::new(), most_bytes }
    }

    /// Bytes taken now.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge<M>>()
            + self.places.capacity() * size_of::<(u64, NodeId)>()
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most_bytes);
    }

    pub(super) fn find(&self, key: u64) -> Option<NodeId> {
        self.places.get(&key).copied()
    }

    /// Whether a position with so many moves can be added.
    pub(super) fn has_room(&self, moves: usize) -> bool {
        // A place in the map is about as large as a node.
        let nodes = (self.nodes.len() + 1) * 3 * size_of::<Node>();
        nodes + (self.edges.len() + moves) * size_of::<Edge<M>>() <= self.most_bytes
    }

    /// Adds a position that goes on with these moves and priors.
    pub(super) fn add(&mut self, key: u64, moves: &[M], priors: &[f32], value: f32) -> NodeId {
        let first = self.edges.len() as u32;
        let new = moves.iter().zip(priors);
        self.edges.extend(new.map(|(&m, &prior)| Edge {
            m,
            prior,
            visits: 0,
            total: 0.0,
            child: NOWHERE,
        }));
        self.push(key, first..self.edges.len() as u32, value, Proof::None)
    }

    /// Adds a position in which the game is over.
    pub(super) fn add_over(&mut self, key: u64, proof: Proof) -> NodeId {
        self.push(key, 0..0, 0.0, proof)
    }

    fn push(&mut self, key: u64, edges: Range<u32>, value: f32, proof: Proof) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { edges, visits: 0, value, proof });
        self.places.insert(key, id);
        id
    }

    pub(super) fn edges(&self, node: NodeId) -> &[Edge<M>] {
        let edges = &self.node(node).edges;
        &self.edges[edges.start as usize..edges.end as usize]
    }

    /// The edge number `index` of `node`.
    pub(super) fn edge_id(&self, node: NodeId, index: usize) -> EdgeId {
        EdgeId(self.node(node).edges.start + index as u32)
    }

    pub(super) fn edge(&self, edge: EdgeId) -> &Edge<M> {
        &self.edges[edge.0 as usize]
    }

    pub(super) fn child(&self, edge: EdgeId) -> Option<NodeId> {
        let child = self.edge(edge).child;
        (child != NOWHERE).then_some(child)
    }

    pub(super) fn set_child(&mut self, edge: EdgeId, child: NodeId) {
        self.edges[edge.0 as usize].child = child;
    }

    pub(super) fn proof(&self, node: NodeId) -> Proof {
        self.node(node).proof
    }

    pub(super) fn visits(&self, node: NodeId) -> u32 {
        self.node(node).visits
    }

    /// What the judge said about the position, for the player to move.
    pub(super) fn value(&self, node: NodeId) -> f32 {
        self.node(node).value
    }

    /// What is proven about the position to which an edge leads.
    pub(super) fn proof_of(&self, edge: &Edge<M>) -> Proof {
        if edge.child == NOWHERE { Proof::None } else { self.proof(edge.child) }
    }

    /// The mean result for the player to move at `node`, what the judge said being the first.
    pub(super) fn mean(&self, node: NodeId) -> f64 {
        let total: f64 = self.edges(node).iter().map(|edge| edge.total).sum();
        let visits = f64::from(self.visits(node));
        (f64::from(self.value(node)) + total) / (1.0 + visits)
    }

    /// The number of the edge for which `Q + C P sqrt(N_sum) / (1 + N)` is largest, of those that
    /// `may_take` allows; of equal ones the one with the largest prior. Moves that are proven to lose are
    /// left out as long as there are others.
    pub(super) fn select(
        &self,
        node: NodeId,
        c: f32,
        untried: Untried,
        prior: impl Fn(usize) -> f32,
        may_take: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let edges = self.edges(node);
        let root = (self.visits(node) as f32).sqrt();
        let first_worth = self.worth_of_untried(node, untried, &prior);
        let mut best: Option<(usize, [f32; 3])> = None;
        for (index, edge) in edges.iter().enumerate().filter(|(index, _)| may_take(*index)) {
            let (q, hope) = match (self.proof_of(edge), edge.mean()) {
                (Proof::Loss(_), _) => return Some(index),
                (Proof::Win(_), _) => (-1.0, 0.0),
                (_, None) => (first_worth, 1.0),
                (_, Some(mean)) => (mean as f32, 1.0),
            };
            let p = prior(index);
            let score = [hope, puct(q, c, p, root, edge.visits as f32), p];
            if best.is_none_or(|(_, least)| score > least) {
                best = Some((index, score));
            }
        }
        best.map(|(index, _)| index)
    }

    fn worth_of_untried(
        &self,
        node: NodeId,
        untried: Untried,
        prior: impl Fn(usize) -> f32,
    ) -> f32 {
        let Untried::Less(less) = untried else { return 0.0 };
        let edges = self.edges(node).iter().enumerate();
        let tried: f32 =
            edges.filter(|(_, edge)| edge.visits > 0).map(|(index, _)| prior(index)).sum();
        (self.mean(node) as f32 - less * tried.sqrt()).max(-1.0)
    }

    /// Counts a try of `edge` at `node` that brought `reward` to the player who made the move.
    pub(super) fn count(&mut self, node: NodeId, edge: EdgeId, reward: f32) {
        self.nodes[node.0 as usize].visits += 1;
        let edge = &mut self.edges[edge.0 as usize];
        edge.visits += 1;
        edge.total += f64::from(reward);
    }

    /// The reverse of [`count`](Self::count).
    pub(super) fn uncount(&mut self, node: NodeId, edge: EdgeId, reward: f32) {
        self.nodes[node.0 as usize].visits -= 1;
        let edge = &mut self.edges[edge.0 as usize];
        edge.visits -= 1;
        edge.total -= f64::from(reward);
    }

    /// Looks whether what is proven about the next positions proves something about `node`; gives
    /// whether it does.
    pub(super) fn prove(&mut self, node: NodeId) -> bool {
        let (mut quickest_win, mut longest_loss, mut all_lose) = (u32::MAX, 0, true);
        for edge in self.edges(node) {
            match self.proof_of(edge) {
                Proof::Loss(plies) => quickest_win = quickest_win.min(plies),
                Proof::Win(plies) => longest_loss = longest_loss.max(plies),
                Proof::None | Proof::Drawn => all_lose = false,
            }
        }
        let proof = if quickest_win < u32::MAX {
            Proof::Win(quickest_win + 1)
        } else if all_lose && !self.edges(node).is_empty() {
            Proof::Loss(longest_loss + 1)
        } else {
            return false;
        };
        self.nodes[node.0 as usize].proof = proof;
        true
    }

    /// Forgets all positions that cannot be reached from `root` any more; gives its new name.
    pub(super) fn keep_only(&mut self, root: NodeId) -> NodeId {
        let mut kept = vec![root];
        let mut names = HashMap::from([(root, NodeId(0))]);
        let mut next = 0;
        while next < kept.len() {
            for edge in self.edges(kept[next]) {
                if edge.child != NOWHERE && !names.contains_key(&edge.child) {
                    names.insert(edge.child, NodeId(kept.len() as u32));
                    kept.push(edge.child);
                }
            }
            next += 1;
        }
        let mut tree = Self::new(self.most_bytes);
        for &old in &kept {
            let first = tree.edges.len() as u32;
            let edges = self.edges(old).iter().map(|edge| Edge {
                child: names.get(&edge.child).copied().unwrap_or(NOWHERE),
                ..*edge
            });
            tree.edges.extend(edges);
            let node = self.node(old);
            tree.nodes.push(Node { edges: first..tree.edges.len() as u32, ..*node });
        }
        let places = self.places.iter();
        tree.places = places.filter_map(|(&key, node)| Some((key, *names.get(node)?))).collect();
        *self = tree;
        NodeId(0)
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }
}

/// What a move is worth so far, and the more the better it looked and the less it was tried.
#[inline]
fn puct(q: f32, c: f32, prior: f32, root_of_visits: f32, visits: f32) -> f32 {
    q + c * prior * root_of_visits / (1.0 + visits)
}

/// Makes priors add up to 1; equal ones of those that say nothing.
pub(super) fn normalise(priors: &mut [f32]) {
    let sum: f32 = priors.iter().sum();
    let is_sound = sum.is_finite() && priors.iter().all(|&prior| prior >= 0.0);
    if is_sound && sum >= LEAST_PRIORS {
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
                tree.count(node, edge, (total / f64::from(visits)) as f32);
            }
        }
        (tree, node)
    }

    fn selected(tree: &Tree<u8>, node: NodeId, c: f32) -> Option<usize> {
        let prior = |index: usize| tree.edges(node)[index].prior;
        tree.select(node, c, Untried::Zero, prior, |_| true)
    }

    #[test]
    fn formula_by_hand() {
        // 0.25 + 2 * 0.5 * sqrt(16) / (1 + 3)
        assert_eq!(puct(0.25, 2.0, 0.5, 4.0, 3.0), 1.25);
    }

    #[test]
    fn selection_by_hand() {
        // N_sum = 9, root 3, C = 2:
        //   0.5 + 2 * 0.2 * 3 / 5 = 0.74;  0.2 + 2 * 0.3 * 3 / 6 = 0.5;  0 + 2 * 0.5 * 3 / 1 = 3
        let (tree, node) = tree(&[(0.2, 4, 2.0), (0.3, 5, 1.0), (0.5, 0, 0.0)]);
        assert_eq!(selected(&tree, node, 2.0), Some(2));
        assert_eq!(selected(&tree, node, 0.0), Some(0));
    }

    #[test]
    fn before_the_first_try_the_prior_decides() {
        let (tree, node) = tree(&[(0.2, 0, 0.0), (0.5, 0, 0.0), (0.3, 0, 0.0)]);
        assert_eq!(selected(&tree, node, 2.0), Some(1));
    }

    #[test]
    fn untried_moves_are_taken_as_somewhat_worse() {
        // (0 + 2) / (1 + 4) less 0.5 times the root of 0.25.
        let (tree, node) = tree(&[(0.25, 4, 2.0), (0.75, 0, 0.0)]);
        let prior = |index: usize| tree.edges(node)[index].prior;
        let worth = tree.worth_of_untried(node, Untried::Less(0.5), prior);
        assert!((worth - 0.15).abs() < 1e-6, "{worth}");
        assert_eq!(tree.worth_of_untried(node, Untried::Zero, prior), 0.0);
    }

    #[test]
    fn priors_without_meaning_become_equal() {
        let normal = |priors: &[f32]| {
            let mut priors = priors.to_vec();
            normalise(&mut priors);
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
    fn proofs() {
        let (mut tree, node) = tree(&[(0.5, 0, 0.0), (0.5, 0, 0.0)]);
        let (first, second) = (tree.edge_id(node, 0), tree.edge_id(node, 1));
        let won = tree.add_over(2, Proof::Win(4));
        let drawn = tree.add_over(3, Proof::Drawn);
        let lost = tree.add_over(4, Proof::Loss(2));
        tree.set_child(first, won);
        assert!(!tree.prove(node));
        // A move that loses is no choice while there is another, however good it looked.
        assert_eq!(selected(&tree, node, 2.0), Some(1));
        tree.set_child(second, drawn);
        assert!(!tree.prove(node));
        tree.set_child(second, won);
        assert!(tree.prove(node));
        assert_eq!(tree.proof(node), Proof::Loss(5));
        tree.set_child(second, lost);
        assert!(tree.prove(node));
        assert_eq!(tree.proof(node), Proof::Win(3));
        assert_eq!(selected(&tree, node, 2.0), Some(1));
    }

    #[test]
    fn only_what_can_be_reached_is_kept() {
        let (mut tree, root) = tree(&[(0.5, 3, 1.0), (0.5, 2, 1.0)]);
        let kept = tree.add(2, &[7, 8], &[0.9, 0.1], 0.5);
        let dropped = tree.add(3, &[9], &[1.0], 0.5);
        // A position may come again further down.
        let again = tree.edge_id(kept, 1);
        tree.set_child(again, kept);
        tree.count(kept, again, 1.0);
        for (index, child) in [kept, dropped].into_iter().enumerate() {
            let edge = tree.edge_id(root, index);
            tree.set_child(edge, child);
        }
        let new_root = tree.keep_only(kept);
        assert_eq!(tree.find(2), Some(new_root));
        assert_eq!((tree.find(1), tree.find(3)), (None, None));
        assert_eq!((tree.nodes.len(), tree.edges.len()), (1, 2));
        assert_eq!(tree.child(tree.edge_id(new_root, 1)), Some(new_root));
        assert_eq!(tree.edges(new_root)[1].mean(), Some(1.0));
    }
}
