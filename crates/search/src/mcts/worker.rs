//! One thread's share of the search: a tree of its own, and the iterations that make it grow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tablero_core::{ForMover, Game, Match, Rng};

use super::simulation::{Simulation, reward};
use super::tree::{NodeId, Stage, Tree};

/// Where a playout of a game without a longest length gives up and calls it a draw. Random chess,
/// the longest of our games, takes some 350 plies.
const LONGEST_PLAYOUT: usize = 5000;

/// What all threads need to know about the position to move in.
pub(super) struct Situation<G: Game> {
    position: G,
    plies: usize,
    /// The moves to choose from, if not all legal ones.
    only: Option<Vec<G::Move>>,
    /// The keys of all positions so far, if repetition matters.
    keys: Vec<u64>,
}

pub(super) struct Worker<G: Game, S> {
    pub(super) tree: Tree<G::Move>,
    simulation: S,
    rng: Rng,
    /// Iterations still to do in this decision.
    pub(super) left: u64,
    /// Iterations done in this decision, and how deep they went.
    pub(super) done: u64,
    pub(super) sum_of_depths: u64,
    pub(super) deepest: usize,
    /// The nodes of this iteration, the root first.
    path: Vec<NodeId>,
    /// The keys of the positions before and during this iteration, if repetition matters.
    keys: Vec<u64>,
    /// The moves of the position that gets a child, and which of them have been tried.
    moves: Vec<G::Move>,
    tried: Vec<bool>,
}

impl<G: Game> Situation<G> {
    pub(super) fn new(game: &Match<G>, only: Option<Vec<G::Move>>) -> Self {
        let keys = match repetitions_to_draw::<G>() {
            Some(_) => game.positions().map(Game::key).collect(),
            None => Vec::new(),
        };
        Self { position: game.position().clone(), plies: game.plies(), only, keys }
    }
}

impl<G: Game, S: Simulation<G>> Worker<G, S> {
    /// The most visits that a root may have: more would not fit the counters.
    const MOST_VISITS: u32 = i32::MAX as u32;

    pub(super) fn new(tree: Tree<G::Move>, simulation: S, rng: Rng) -> Self {
        Self {
            tree,
            simulation,
            rng,
            left: 0,
            done: 0,
            sum_of_depths: 0,
            deepest: 0,
            path: Vec::new(),
            keys: Vec::new(),
            moves: Vec::new(),
            tried: Vec::new(),
        }
    }

    /// Gets ready for a decision with that many iterations.
    pub(super) fn begin(&mut self, situation: &Situation<G>, iterations: u64) {
        let most = Self::MOST_VISITS - self.tree.visits(NodeId::ROOT);
        self.left = iterations.min(u64::from(most));
        (self.done, self.sum_of_depths, self.deepest) = (0, 0, 0);
        self.keys.clone_from(&situation.keys);
    }

    /// Iterates until the iterations are used up, it is time to pause, or `stop` is set.
    pub(super) fn run(
        &mut self,
        situation: &Situation<G>,
        exploration: f32,
        pause: Instant,
        stop: &AtomicBool,
    ) {
        while self.left > 0 {
            self.iterate(situation, exploration);
            self.left -= 1;
            self.done += 1;
            if stop.load(Ordering::Relaxed) || Instant::now() >= pause {
                break;
            }
        }
    }

    /// Selection, expansion, simulation and backup, once.
    fn iterate(&mut self, situation: &Situation<G>, exploration: f32) {
        let mut position = situation.position.clone();
        let mut node = NodeId::ROOT;
        self.path.clear();
        self.path.push(node);
        while self.tree.stage(node) == Stage::Complete {
            node = self.tree.select(node, exploration);
            let m = self.tree.move_to(node);
            self.step(&mut position, m, node);
        }
        let value = match self.tree.stage(node) {
            Stage::Over => ForMover(-self.tree.mean(node)),
            _ if !self.tree.has_room(node) => self.simulate(&position, situation),
            _ => self.expand(node, position, situation),
        };
        self.back_up(value);
        self.keys.truncate(situation.keys.len());
    }

    /// Goes on to `child` by the move `m`.
    #[inline]
    fn step(&mut self, position: &mut G, m: G::Move, child: NodeId) {
        position.play(m);
        self.path.push(child);
        if repetitions_to_draw::<G>().is_some() {
            self.keys.push(position.key());
        }
    }

    /// Tries one of the untried moves of `node` and gives the value of where it leads.
    fn expand(&mut self, node: NodeId, mut position: G, situation: &Situation<G>) -> ForMover<f32> {
        self.moves.clear();
        match &situation.only {
            Some(only) if node == NodeId::ROOT => self.moves.extend(only),
            _ => position.each_distinct_move(|m| self.moves.push(m)),
        }
        let untried = match self.tree.stage(node) {
            Stage::Open(untried) => usize::from(untried),
            _ => self.moves.len(),
        };
        let index = self.pick_untried(node, untried);
        let m = self.moves[index];
        let child = self.tree.add_child(node, m, index);
        self.tree.set_untried(node, untried - 1);
        self.step(&mut position, m, child);
        if let Some(value) = self.final_value(&position, situation) {
            self.tree.set_over(child);
            return value;
        }
        self.simulate(&position, situation)
    }

    /// The index of one of the untried moves of `node`, each as likely as the other.
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

    /// What the position at the end of the path is worth if the game is over there.
    fn final_value(&self, position: &G, situation: &Situation<G>) -> Option<ForMover<f32>> {
        if let Some(outcome) = position.outcome() {
            return Some(reward(outcome, position.side()));
        }
        // Whoever could claim a draw is taken to do so.
        let drawn =
            position.draw().is_some() || self.plies_left(situation) == 0 || self.is_repeated();
        drawn.then_some(ForMover(0.0))
    }

    /// Whether the last position has come so often that the game is drawn, or may be.
    ///
    /// There is only one way to each node, and no way back before the root: what is true once stays
    /// true, and need be found out only when the node is added.
    fn is_repeated(&self) -> bool {
        let (Some(limit), Some(key)) = (repetitions_to_draw::<G>(), self.keys.last()) else {
            return false;
        };
        self.keys.iter().filter(|&earlier| earlier == key).count() >= limit as usize
    }

    /// Plies from the end of the path to the longest game there is.
    fn plies_left(&self, situation: &Situation<G>) -> u32 {
        let plies = situation.plies + self.path.len() - 1;
        let left =
            G::HISTORY.draw_at_ply.map_or(LONGEST_PLAYOUT, |limit| limit.saturating_sub(plies));
        left as u32
    }

    fn simulate(&mut self, position: &G, situation: &Situation<G>) -> ForMover<f32> {
        let plies_left = self.plies_left(situation);
        let ForMover(value) = self.simulation.value(position, plies_left, &mut self.rng);
        // What is not a number says nothing about who is better.
        ForMover(if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) })
    }

    /// Counts the visit along the path; `value` is for the player to move at its end.
    fn back_up(&mut self, ForMover(value): ForMover<f32>) {
        let mut reward = -value;
        for &node in self.path.iter().rev() {
            self.tree.visit(node, reward);
            reward = -reward;
        }
        let depth = self.path.len() - 1;
        self.sum_of_depths += depth as u64;
        self.deepest = self.deepest.max(depth);
    }
}

/// How often a position must come for a draw, claimed or declared, if repetition matters.
const fn repetitions_to_draw<G: Game>() -> Option<u32> {
    match (G::HISTORY.claim_at_repetition, G::HISTORY.draw_at_repetition) {
        (Some(claim), Some(draw)) if draw < claim => Some(draw),
        (Some(claim), _) => Some(claim),
        (None, draw) => draw,
    }
}
