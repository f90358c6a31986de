//! One search thread: its tree and the iterations on it (selection, expansion, simulation,
//! backpropagation).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tablero_core::{ForMover, GameHistory, GameType, Rng, Simulation};

use super::simulation::reward;
use super::tree::{Expansion, NodeId, Tree};
use crate::repetition::RepetitionHistory;

/// Playouts of games without a ply limit are drawn after this many plies. Random chess games, the
/// longest, take about 350.
const MAX_PLAYOUT_PLIES: usize = 5000;

/// The root position, shared by all threads.
pub(super) struct RootContext<G: GameType> {
    position: G,
    plies: usize,
    /// The root moves to search, if not all.
    searchmoves: Option<Vec<G::Move>>,
    repetition: RepetitionHistory<G>,
}

pub(super) struct Worker<G: GameType, S> {
    pub(super) tree: Tree<G::Move>,
    simulation: S,
    rng: Rng,
    /// Iterations left in this search.
    pub(super) iterations_left: u64,
    /// Iterations done in this search, and their depths.
    pub(super) iterations_done: u64,
    pub(super) depth_sum: u64,
    pub(super) seldepth: usize,
    /// The nodes of this iteration, from the root.
    path: Vec<NodeId>,
    /// The moves of the node that is expanded, and which of them have children.
    moves: Vec<G::Move>,
    tried: Vec<bool>,
    /// The iterations of this search, if it is recorded.
    pub(super) log: Option<IterationLog>,
}

/// For the first iterations of a search the node at the end of the path, and the value for the player to move at the
/// root.
pub(super) struct IterationLog {
    pub(super) iterations: Vec<(NodeId, f32)>,
    pub(super) max: usize,
}

impl<G: GameType> RootContext<G> {
    pub(super) fn new(game: &GameHistory<G>, searchmoves: Option<Vec<G::Move>>) -> Self {
        let repetition = RepetitionHistory::new(game);
        Self { position: game.position().clone(), plies: game.plies(), searchmoves, repetition }
    }
}

impl<G: GameType, S: Simulation<G>> Worker<G, S> {
    /// Maximum visits of the root: the counters are converted through `i32`.
    const MAX_VISITS: u32 = i32::MAX as u32;

    pub(super) fn new(tree: Tree<G::Move>, simulation: S, rng: Rng) -> Self {
        Self {
            tree,
            simulation,
            rng,
            iterations_left: 0,
            iterations_done: 0,
            depth_sum: 0,
            seldepth: 0,
            path: Vec::new(),
            moves: Vec::new(),
            tried: Vec::new(),
            log: None,
        }
    }

    /// Prepares for a search of this many iterations.
    pub(super) fn start(&mut self, iterations: u64) {
        let max = Self::MAX_VISITS - self.tree.visits(NodeId::ROOT);
        self.iterations_left = iterations.min(u64::from(max));
        (self.iterations_done, self.depth_sum, self.seldepth) = (0, 0, 0);
    }

    /// Iterates until the iterations are used up, `until` is reached or `stop` is set.
    pub(super) fn run(
        &mut self,
        context: &RootContext<G>,
        exploration: f32,
        until: Instant,
        stop: &AtomicBool,
    ) {
        let mut repetition = context.repetition.clone();
        while self.iterations_left > 0 {
            self.run_iteration(context, &mut repetition, exploration);
            self.iterations_left -= 1;
            self.iterations_done += 1;
            if stop.load(Ordering::Relaxed) || Instant::now() >= until {
                break;
            }
        }
    }

    /// One iteration of selection, expansion, simulation and backpropagation.
    fn run_iteration(
        &mut self,
        context: &RootContext<G>,
        repetition: &mut RepetitionHistory<G>,
        exploration: f32,
    ) {
        let mut position = context.position.clone();
        let mut node = NodeId::ROOT;
        let mut is_repetition = false;
        self.path.clear();
        self.path.push(node);
        while !is_repetition && self.tree.expansion(node) == Expansion::Full {
            node = self.tree.select(node, exploration);
            let m = self.tree.incoming_move(node);
            is_repetition = self.descend(&mut position, repetition, m, node);
        }
        let value = match self.tree.expansion(node) {
            _ if is_repetition => ForMover(0.0),
            Expansion::Terminal => ForMover(-self.tree.mean(node)),
            _ if !self.tree.has_capacity(node) => self.simulate(&position, context),
            _ => self.expand(node, position, repetition, context),
        };
        self.backpropagate(value);
        for _ in 1..self.path.len() {
            repetition.pop();
        }
    }

    /// Descends to `child` by move `m`; returns whether the position is a repetition.
    ///
    /// This is not stored in the node: once the repeated position was on the board, after
    /// rerooting, the same node need not be a draw any more.
    #[inline]
    fn descend(
        &mut self,
        position: &mut G,
        repetition: &mut RepetitionHistory<G>,
        m: G::Move,
        child: NodeId,
    ) -> bool {
        position.play(m);
        self.path.push(child);
        if !RepetitionHistory::<G>::ENABLED {
            return false;
        }
        let key = position.key();
        let is_repetition = repetition.is_repetition(key);
        repetition.push(key);
        is_repetition
    }

    /// Expansion: adds a child for a random untried move of `node` and returns the child's value.
    fn expand(
        &mut self,
        node: NodeId,
        mut position: G,
        repetition: &mut RepetitionHistory<G>,
        context: &RootContext<G>,
    ) -> ForMover<f32> {
        self.moves.clear();
        match &context.searchmoves {
            Some(searchmoves) if node == NodeId::ROOT => self.moves.extend(searchmoves),
            _ => position.each_distinct_move(|m| self.moves.push(m)),
        }
        let untried = match self.tree.expansion(node) {
            Expansion::Partial(untried) => usize::from(untried),
            _ => self.moves.len(),
        };
        let index = self.pick_untried(node, untried);
        let m = self.moves[index];
        let child = self.tree.add_child(node, m, index);
        self.tree.set_untried(node, untried - 1);
        if self.descend(&mut position, repetition, m, child) {
            return ForMover(0.0);
        }
        if let Some(value) = self.terminal_value(&position, context) {
            self.tree.set_terminal(child);
            return value;
        }
        self.simulate(&position, context)
    }

    /// The index of a uniformly random untried move of `node`.
    fn pick_untried(&mut self, node: NodeId, untried: usize) -> usize {
        let mut nth = self.rng.below(untried as u64) as usize;
        if untried == self.moves.len() {
            return nth;
        }
        self.tried.clear();
        self.tried.resize(self.moves.len(), false);
        for child in self.tree.children(node) {
            self.tried[self.tree.index(child)] = true;
        }
        let mut index = 0;
        loop {
            if !self.tried[index] {
                if nth == 0 {
                    return index;
                }
                nth -= 1;
            }
            index += 1;
        }
    }

    /// The value of the position at the end of the path if the game is over there, repetitions
    /// aside. In a tree every node has one path, so the result can be stored with the node.
    fn terminal_value(&self, position: &G, context: &RootContext<G>) -> Option<ForMover<f32>> {
        if let Some(outcome) = position.outcome() {
            return Some(reward(outcome, position.side()));
        }
        // A claimable draw counts as a draw.
        let drawn = position.draw().is_some() || self.plies_left(context) == 0;
        drawn.then_some(ForMover(0.0))
    }

    /// Plies from the end of the path to the ply limit of the game.
    fn plies_left(&self, context: &RootContext<G>) -> u32 {
        let plies = context.plies + self.path.len() - 1;
        let left =
            G::HISTORY.draw_at_ply.map_or(MAX_PLAYOUT_PLIES, |limit| limit.saturating_sub(plies));
        left as u32
    }

    fn simulate(&mut self, position: &G, context: &RootContext<G>) -> ForMover<f32> {
        let plies_left = self.plies_left(context);
        let ForMover(value) = self.simulation.value(position, plies_left, &mut self.rng);
        // NaN of a broken evaluation counts as a draw.
        ForMover(if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) })
    }

    /// Backpropagation along the path; `value` is for the player to move at its end.
    fn backpropagate(&mut self, ForMover(value): ForMover<f32>) {
        if let Some(log) = &mut self.log
            && log.iterations.len() < log.max
            && let Some(&leaf) = self.path.last()
        {
            let is_root_to_move = self.path.len() % 2 == 1;
            log.iterations.push((leaf, if is_root_to_move { value } else { -value }));
        }
        let mut reward = -value;
        for &node in self.path.iter().rev() {
            self.tree.update(node, reward);
            reward = -reward;
        }
        let depth = self.path.len() - 1;
        self.depth_sum += depth as u64;
        self.seldepth = self.seldepth.max(depth);
    }
}
