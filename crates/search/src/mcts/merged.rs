//! Statistics over the trees of all threads (root parallelization): visits and rewards added up.

use tablero_core::{ForMover, GameType, Pv, Value};

use super::tree::{NodeId, Tree, ucb1};
use super::{FinalMove, MctsOptions};
use crate::MIN_VISITS;

/// Minimum visits for a node's mean to stand for its parent's value.
const MIN_PV_VISITS: u64 = 100;

/// Statistics of a root move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// Visits.
    pub visits: u64,
    /// Mean reward of the player who makes the move, from -1 to 1.
    pub mean: f64,
}

/// A position's nodes in all trees that contain it.
pub(super) struct MergedNode<'a, M> {
    pub(super) nodes: Vec<(&'a Tree<M>, NodeId)>,
}

impl<'a, M: Copy + PartialEq> MergedNode<'a, M> {
    /// The roots of all trees.
    pub(super) fn root(trees: impl Iterator<Item = &'a Tree<M>>) -> Self {
        Self { nodes: trees.map(|tree| (tree, NodeId::ROOT)).collect() }
    }

    pub(super) fn visits(&self) -> u64 {
        self.nodes.iter().map(|(tree, node)| u64::from(tree.visits(*node))).sum()
    }

    /// Mean reward of the player who moved here.
    pub(super) fn mean(&self) -> f64 {
        let total: f64 = self.nodes.iter().map(|(tree, node)| tree.reward_sum(*node)).sum();
        total / self.visits().max(1) as f64
    }

    /// Moves and merged children.
    pub(super) fn children(&self) -> Vec<(M, Self)> {
        let mut children: Vec<(M, Self)> = Vec::new();
        for &(tree, node) in &self.nodes {
            for child in tree.children(node) {
                let m = tree.incoming_move(child);
                match children.iter_mut().find(|(other, _)| *other == m) {
                    Some((_, node)) => node.nodes.push((tree, child)),
                    None => children.push((m, Self { nodes: vec![(tree, child)] })),
                }
            }
        }
        children
    }

    /// Value at the end of the principal variation, for the player who moved here: the mean of the
    /// last node on the most visited path with enough visits. Unlike the mean here, it does not
    /// include the exploration of bad moves.
    pub(super) fn pv_value(&self) -> f64 {
        let next = self.children().into_iter().map(|(_, next)| next).max_by_key(Self::visits);
        match next.filter(|next| next.visits() >= MIN_PV_VISITS) {
            Some(next) => -next.pv_value(),
            None => self.mean(),
        }
    }

    /// Moves with enough visits, and their expected results.
    pub(super) fn expected(&self) -> Vec<(M, f64)> {
        let visited = self.children().into_iter().filter(|(_, node)| node.visits() >= MIN_VISITS);
        visited.map(|(m, node)| (m, node.pv_value())).collect()
    }

    /// Like [`expected`](Self::expected) one ply deeper, for the player who replies.
    pub(super) fn expected_replies(&self) -> Vec<([M; 2], f64)> {
        let replies = |(m, node): (M, Self)| {
            let replies = node.expected().into_iter();
            replies.map(move |(reply, result)| ([m, reply], result))
        };
        self.children().into_iter().flat_map(replies).collect()
    }

    /// Statistics of all visited moves, the most visited first.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics<M>> {
        self.sorted_children(FinalMove::RobustChild, 0.0)
            .into_iter()
            .map(|(m, node)| MoveStatistics { m, visits: node.visits(), mean: node.mean() })
            .collect()
    }

    /// Visited moves, the one to play first.
    fn sorted_children(&self, by: FinalMove, exploration: f32) -> Vec<(M, Self)> {
        let log = (self.visits() as f32).ln();
        let rank = |node: &Self| {
            let (visits, mean) = (node.visits() as f64, node.mean());
            match by {
                FinalMove::RobustChild => (visits, mean),
                FinalMove::MaxUcb => {
                    (f64::from(ucb1(mean as f32, visits as f32, log, exploration)), visits)
                }
            }
        };
        let mut children = self.children();
        children.sort_by(|(_, a), (_, b)| {
            let ((a0, a1), (b0, b1)) = (rank(a), rank(b));
            b0.total_cmp(&a0).then(b1.total_cmp(&a1))
        });
        children
    }
}

/// The best lines from the root; each continues with the most visited moves.
pub(super) fn lines<G: GameType>(
    root: &MergedNode<'_, G::Move>,
    options: &MctsOptions,
) -> Vec<Pv<G>> {
    let mut children = root.sorted_children(options.final_move, options.exploration());
    children.truncate(options.multi_pv.max(1));
    children.into_iter().map(|(m, node)| line(m, node)).collect()
}

fn line<G: GameType>(m: G::Move, node: MergedNode<'_, G::Move>) -> Pv<G> {
    let value = ForMover(Value::Centi((100.0 * node.mean()).round() as i32));
    let mut moves = vec![m];
    let mut node = node;
    while let Some((m, next)) = node.sorted_children(FinalMove::RobustChild, 0.0).into_iter().next()
    {
        moves.push(m);
        node = next;
    }
    Pv { value, moves }
}
