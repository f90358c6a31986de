//! One way down the tree.

use tablero_core::{GameType, Match, Wdl};

use super::tree::{EdgeId, NodeId, Proof, Tree};
use super::{PolicyValue, PuctOptions};
use crate::repetition::RepetitionHistory;

/// A way down the tree, and what is at its end.
pub(super) struct Descent<G: GameType> {
    /// From the root on: positions, and the moves made there.
    pub(super) path: Vec<(NodeId, EdgeId)>,
    pub(super) end: End<G>,
}

/// What is at the end of a way down.
pub(super) enum End<G: GameType> {
    /// A position whose value is known: what it is worth to the player who moved there.
    Known(f32),
    /// A position to be judged.
    New(Leaf<G>),
}

/// A position to be judged.
pub(super) struct Leaf<G: GameType> {
    position: G,
    pub(super) key: u64,
    seen: u32,
    pub(super) moves: Vec<G::Move>,
    pub(super) priors: Vec<f32>,
    /// For the player to move.
    pub(super) value: f32,
}

impl<G: GameType> Leaf<G> {
    pub(super) fn new(position: G, key: u64, seen: u32) -> Self {
        let mut moves = Vec::new();
        position.each_distinct_move(|m| moves.push(m));
        let priors = vec![0.0; moves.len()];
        Self { position, key, seen, moves, priors, value: 0.0 }
    }

    /// Fills in priors and value, both sound, whatever the judge says.
    pub(super) fn ask<J: PolicyValue<G>>(&mut self, judge: &mut J) {
        let value = judge.judge(&self.position, self.seen, &self.moves, &mut self.priors).0;
        self.value = if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) };
        super::tree::normalise(&mut self.priors);
    }
}

/// Where descents begin.
pub(super) struct Start<G: GameType> {
    position: G,
    repetition: RepetitionHistory<G>,
}

impl<G: GameType> Start<G> {
    pub(super) fn new(game: &Match<G>) -> Self {
        Self { position: game.position().clone(), repetition: RepetitionHistory::new(game) }
    }

    /// Goes from `root` over its edge number `first` down to a position whose value is known or that is
    /// to be judged.
    pub(super) fn descend(
        &mut self,
        tree: &mut Tree<G::Move>,
        root: NodeId,
        first: usize,
        options: &PuctOptions,
    ) -> Descent<G> {
        let mut position = self.position.clone();
        let mut path = Vec::new();
        let (mut node, mut index) = (root, first);
        let end = loop {
            let edge = tree.edge_id(node, index);
            path.push((node, edge));
            position.play(tree.edge(edge).m);
            let key = position.key();
            let arrival = self.arrive(tree, edge, &position, key, options);
            self.repetition.push(key);
            let next = match arrival {
                Arrival::Through(next) => next,
                Arrival::End(end) => break end,
            };
            let prior = |index: usize| tree.edges(next)[index].prior;
            match tree.select(next, options.c, options.untried, prior, |_| true) {
                Some(best) => (node, index) = (next, best),
                // No position that goes on is without moves.
                None => break End::Known(0.0),
            }
        };
        for _ in &path {
            self.repetition.pop();
        }
        Descent { path, end }
    }

    /// Whether the way ends at `position`, to which `edge` leads.
    fn arrive(
        &self,
        tree: &mut Tree<G::Move>,
        edge: EdgeId,
        position: &G,
        key: u64,
        options: &PuctOptions,
    ) -> Arrival<G> {
        let known = tree.child(edge).or_else(|| tree.find(key));
        if let Some(node) = known {
            tree.set_child(edge, node);
        }
        let proof = match known {
            Some(node) => tree.proof(node),
            None => end_on_board(tree, edge, position, key),
        };
        // A draw by the rules depends on how the position was reached, so no node knows of it.
        let is_drawn = || self.repetition.is_drawn(position, key);
        match (proof, known) {
            (Proof::Win(_), _) => Arrival::End(End::Known(-1.0)),
            (Proof::Loss(_), _) => Arrival::End(End::Known(1.0)),
            (Proof::Drawn, _) => Arrival::End(End::Known(options.draw)),
            (Proof::None, _) if is_drawn() => Arrival::End(End::Known(options.draw)),
            (Proof::None, Some(node)) => Arrival::Through(node),
            (Proof::None, None) => {
                let seen = self.repetition.seen(key);
                Arrival::End(End::New(Leaf::new(position.clone(), key, seen)))
            }
        }
    }
}

enum Arrival<G: GameType> {
    Through(NodeId),
    End(End<G>),
}

/// What a new position proves if the game is over there; if there is room, the tree remembers it.
fn end_on_board<G: GameType>(
    tree: &mut Tree<G::Move>,
    edge: EdgeId,
    position: &G,
    key: u64,
) -> Proof {
    let Some(outcome) = position.outcome() else { return Proof::None };
    let proof = match outcome.wdl(position.side()) {
        Wdl::Win => Proof::Win(0),
        Wdl::Loss => Proof::Loss(0),
        Wdl::Draw => Proof::Drawn,
    };
    if tree.has_room(0) {
        let node = tree.add_over(key, proof);
        tree.set_child(edge, node);
    }
    proof
}
