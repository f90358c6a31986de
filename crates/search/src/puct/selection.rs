//! Selection: from the root down the tree to a leaf.

use tablero_core::{ForMover, GameHistory, GameType, LeafRequest, Wdl};

use super::tree::{EdgeId, NodeId, SolverState, Tree};
use super::{Contempt, PolicyValue, PuctOptions};
use crate::repetition::RepetitionHistory;

/// A path from the root to a leaf.
pub(super) struct Selection<G: GameType> {
    /// Nodes and the edges taken there, from the root.
    pub(super) path: Vec<(NodeId, EdgeId)>,
    pub(super) leaf: LeafKind<G>,
}

/// The end of a path.
pub(super) enum LeafKind<G: GameType> {
    /// Terminal, drawn or proven: the value for the player who moved there.
    Terminal(f32),
    /// Not in the tree yet.
    Unexpanded(Leaf<G>),
}

/// A position to be evaluated by the network.
pub(super) struct Leaf<G: GameType> {
    position: G,
    pub(super) key: u64,
    repetitions: u32,
    pub(super) moves: Vec<G::Move>,
    pub(super) priors: Vec<f32>,
    /// For the player to move.
    pub(super) value: f32,
}

impl<G: GameType> Leaf<G> {
    pub(super) fn new(position: G, key: u64, repetitions: u32) -> Self {
        let mut moves = Vec::new();
        position.each_distinct_move(|m| moves.push(m));
        let priors = vec![0.0; moves.len()];
        Self { position, key, repetitions, moves, priors, value: 0.0 }
    }

    /// Sets priors and value; both are valid whatever the evaluator returns.
    pub(super) fn evaluate<E: PolicyValue<G>>(&mut self, evaluator: &mut E) {
        Self::evaluate_all(std::iter::once(self), evaluator);
    }

    /// Evaluates leaves together.
    pub(super) fn evaluate_all<'a, E: PolicyValue<G>>(
        leaves: impl Iterator<Item = &'a mut Self>,
        evaluator: &mut E,
    ) {
        let (mut requests, mut values): (Vec<_>, Vec<_>) = leaves.map(Self::request).unzip();
        evaluator.evaluate_batch(&mut requests);
        for (request, value) in requests.into_iter().zip(&mut values) {
            let LeafRequest { value: ForMover(found), priors, .. } = request;
            **value = if found.is_nan() { 0.0 } else { found.clamp(-1.0, 1.0) };
            super::tree::normalize(priors);
        }
    }

    /// Adds the evaluated leaf to the tree.
    pub(super) fn add_to(&self, tree: &mut Tree<G::Move>) -> NodeId {
        tree.add(self.key, &self.moves, &self.priors, self.value)
    }

    fn request(&mut self) -> (LeafRequest<'_, G>, &mut f32) {
        let Self { position, repetitions, moves, priors, value, .. } = self;
        let request =
            LeafRequest { position, seen: *repetitions, moves, priors, value: ForMover(0.0) };
        (request, value)
    }
}

/// Selects leaves below the root position.
pub(super) struct Selector<G: GameType> {
    position: G,
    repetition: RepetitionHistory<G>,
}

/// What a move of the selection leads to.
enum Step<G: GameType> {
    Descend(NodeId),
    Leaf(LeafKind<G>),
}

impl<G: GameType> Selector<G> {
    pub(super) fn new(game: &GameHistory<G>) -> Self {
        Self { position: game.position().clone(), repetition: RepetitionHistory::new(game) }
    }

    /// Follows edge `first` of `root`, then the largest PUCT value at every node, to a leaf.
    pub(super) fn select_leaf(
        &mut self,
        tree: &mut Tree<G::Move>,
        root: NodeId,
        first: usize,
        options: &PuctOptions,
    ) -> Selection<G> {
        let mut position = self.position.clone();
        let mut path = Vec::new();
        let (mut node, mut index) = (root, first);
        let leaf = loop {
            let edge = tree.edge_id(node, index);
            path.push((node, edge));
            position.play(tree.edge(edge).m);
            let key = position.key();
            let step = self.step(tree, edge, &position, key, options);
            self.repetition.push(key);
            let child = match step {
                Step::Descend(child) => child,
                Step::Leaf(leaf) => break leaf,
            };
            let prior = |index: usize| tree.edges(child)[index].prior;
            match tree.select(child, options.c_puct, options.fpu, prior, |_| true) {
                Some(best) => (node, index) = (child, best),
                // Unreachable: an expanded node has moves.
                None => break LeafKind::Terminal(0.0),
            }
        };
        for _ in &path {
            self.repetition.pop();
        }
        Selection { path, leaf }
    }

    /// Whether selection ends at `position`, the child of `edge`.
    fn step(
        &self,
        tree: &mut Tree<G::Move>,
        edge: EdgeId,
        position: &G,
        key: u64,
        options: &PuctOptions,
    ) -> Step<G> {
        let child = tree.child(edge).or_else(|| tree.find(key));
        if let Some(node) = child {
            tree.set_child(edge, node);
        }
        let state = match child {
            Some(node) => tree.solver_state(node),
            None => terminal_state(tree, edge, position, key),
        };
        // Draws by repetition depend on the path, so they are not stored in the (transposed) node.
        let is_draw = || self.repetition.is_draw(position, key);
        match (state, child) {
            (SolverState::Win(_), _) => Step::Leaf(LeafKind::Terminal(-1.0)),
            (SolverState::Loss(_), _) => Step::Leaf(LeafKind::Terminal(1.0)),
            (SolverState::Draw, _) => Step::Leaf(LeafKind::Terminal(options.draw_value)),
            (SolverState::Unknown, _) if is_draw() => {
                let has_value = options.contempt == Contempt::AllDraws
                    || self.repetition.is_automatic_draw(position, key);
                Step::Leaf(LeafKind::Terminal(if has_value { options.draw_value } else { 0.0 }))
            }
            (SolverState::Unknown, Some(node)) => Step::Descend(node),
            (SolverState::Unknown, None) => {
                let repetitions = self.repetition.occurrences(key);
                Step::Leaf(LeafKind::Unexpanded(Leaf::new(position.clone(), key, repetitions)))
            }
        }
    }
}

/// The solver state of a new position: known if the game is over. Terminal nodes are added to the
/// tree if there is memory.
fn terminal_state<G: GameType>(
    tree: &mut Tree<G::Move>,
    edge: EdgeId,
    position: &G,
    key: u64,
) -> SolverState {
    let Some(outcome) = position.outcome() else { return SolverState::Unknown };
    let state = match outcome.wdl(position.side()) {
        Wdl::Win => SolverState::Win(0),
        Wdl::Loss => SolverState::Loss(0),
        Wdl::Draw => SolverState::Draw,
    };
    if tree.has_capacity(0) {
        let node = tree.add_terminal(key, state);
        tree.set_child(edge, node);
    }
    state
}
