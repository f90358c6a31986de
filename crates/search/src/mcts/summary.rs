//! What the trees of all threads say together.

use tablero_core::{ForMover, GameType, Line, Value};

use super::tree::{NodeId, Tree, uct};
use super::{FinalChoice, MctsOptions};
use crate::LEAST_VISITS;

/// So many visits say enough to rely on them alone.
const SETTLED_VISITS: u64 = 100;

/// What the search found out about one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveStatistics<M> {
    /// The move.
    pub m: M,
    /// How often it was looked at.
    pub visits: u64,
    /// The mean result for the player who makes the move, from -1 to 1.
    pub mean: f64,
}

/// A position as all trees know it: its node in each tree that has it.
pub(super) struct Place<'a, M> {
    nodes: Vec<(&'a Tree<M>, NodeId)>,
}

impl<'a, M: Copy + PartialEq> Place<'a, M> {
    /// The root of all trees.
    pub(super) fn root(trees: impl Iterator<Item = &'a Tree<M>>) -> Self {
        Self { nodes: trees.map(|tree| (tree, NodeId::ROOT)).collect() }
    }

    pub(super) fn visits(&self) -> u64 {
        self.nodes.iter().map(|(tree, node)| u64::from(tree.visits(*node))).sum()
    }

    /// The mean reward of whoever moved here.
    fn mean(&self) -> f64 {
        let total: f64 = self.nodes.iter().map(|(tree, node)| tree.total(*node)).sum();
        total / self.visits().max(1) as f64
    }

    /// The moves that were tried here and where they lead.
    fn children(&self) -> Vec<(M, Self)> {
        let mut children: Vec<(M, Self)> = Vec::new();
        for &(tree, node) in &self.nodes {
            for child in tree.children(node) {
                let m = tree.move_to(child);
                match children.iter_mut().find(|(known, _)| *known == m) {
                    Some((_, place)) => place.nodes.push((tree, child)),
                    None => children.push((m, Self { nodes: vec![(tree, child)] })),
                }
            }
        }
        children
    }

    /// The result to expect by whoever moved here if both go on with their most visited moves: the mean of
    /// the last position on that way that was visited often enough. What was only tried does not blur it, as it
    /// does the mean.
    pub(super) fn settled(&self) -> f64 {
        let next = self.children().into_iter().map(|(_, next)| next).max_by_key(Self::visits);
        match next.filter(|next| next.visits() >= SETTLED_VISITS) {
            Some(next) => -next.settled(),
            None => self.mean(),
        }
    }

    /// The moves that were looked at often enough for their results to mean something, with the results to
    /// expect.
    pub(super) fn expected(&self) -> Vec<(M, f64)> {
        let known = self.children().into_iter().filter(|(_, place)| place.visits() >= LEAST_VISITS);
        known.map(|(m, place)| (m, place.settled())).collect()
    }

    /// Like [`expected`](Self::expected), of replies to moves: for whoever would reply.
    pub(super) fn expected_replies(&self) -> Vec<([M; 2], f64)> {
        let replies = |(m, place): (M, Self)| {
            let known = place.expected().into_iter();
            known.map(move |(reply, result)| ([m, reply], result))
        };
        self.children().into_iter().flat_map(replies).collect()
    }

    /// What is known about every move that was tried, the most visited first.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics<M>> {
        self.ranked(FinalChoice::Visits, 0.0)
            .into_iter()
            .map(|(m, place)| MoveStatistics { m, visits: place.visits(), mean: place.mean() })
            .collect()
    }

    /// The moves that were tried, the one to play first.
    fn ranked(&self, by: FinalChoice, exploration: f32) -> Vec<(M, Self)> {
        let log = (self.visits() as f32).ln();
        let rank = |place: &Self| {
            let (visits, mean) = (place.visits() as f64, place.mean());
            match by {
                FinalChoice::Visits => (visits, mean),
                FinalChoice::Uct => {
                    (f64::from(uct(mean as f32, visits as f32, log, exploration)), visits)
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

/// The best lines from the root, the one to play first; each goes on with the most visited moves.
pub(super) fn lines<G: GameType>(root: &Place<'_, G::Move>, options: &MctsOptions) -> Vec<Line<G>> {
    let mut ranked = root.ranked(options.final_choice, options.exploration());
    ranked.truncate(options.lines.max(1));
    ranked.into_iter().map(|(m, place)| line(m, place)).collect()
}

fn line<G: GameType>(m: G::Move, place: Place<'_, G::Move>) -> Line<G> {
    let value = ForMover(Value::Hundredths((100.0 * place.mean()).round() as i32));
    let mut moves = vec![m];
    let mut place = place;
    while let Some((m, next)) = place.ranked(FinalChoice::Visits, 0.0).into_iter().next() {
        moves.push(m);
        place = next;
    }
    Line { value, moves }
}
