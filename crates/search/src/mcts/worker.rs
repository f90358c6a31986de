//! One thread's share of the search: a tree of its own, and the iterations that make it grow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tablero_core::{ForMover, GameType, Match, Rng, Simulation};

use super::simulation::reward;
use super::tree::{NodeId, Stage, Tree};
use crate::repetition::RepetitionHistory;

/// Where a playout of a game without a longest length gives up and calls it a draw. Random chess,
/// the longest of our games, takes some 350 plies.
const LONGEST_PLAYOUT: usize = 5000;

/// What all threads need to know about the position to move in.
pub(super) struct Situation<G: GameType> {
    position: G,
    plies: usize,
    /// The moves to choose from, if not all legal ones.
    only: Option<Vec<G::Move>>,
    /// The positions so far.
    repetition: RepetitionHistory<G>,
}

pub(super) struct Worker<G: GameType, S> {
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
    /// The moves of the position that gets a child, and which of them have been tried.
    moves: Vec<G::Move>,
    tried: Vec<bool>,
}

impl<G: GameType> Situation<G> {
    pub(super) fn new(game: &Match<G>, only: Option<Vec<G::Move>>) -> Self {
        let repetition = RepetitionHistory::new(game);
        Self { position: game.position().clone(), plies: game.plies(), only, repetition }
    }
}

impl<G: GameType, S: Simulation<G>> Worker<G, S> {
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
            moves: Vec::new(),
            tried: Vec::new(),
        }
    }

    /// Gets ready for a decision with that many iterations.
    pub(super) fn begin(&mut self, iterations: u64) {
        let most = Self::MOST_VISITS - self.tree.visits(NodeId::ROOT);
        self.left = iterations.min(u64::from(most));
        (self.done, self.sum_of_depths, self.deepest) = (0, 0, 0);
    }

    /// Iterates until the iterations are used up, it is time to pause, or `stop` is set.
    pub(super) fn run(
        &mut self,
        situation: &Situation<G>,
        exploration: f32,
        pause: Instant,
        stop: &AtomicBool,
    ) {
        let mut repetition = situation.repetition.clone();
        while self.left > 0 {
            self.iterate(situation, &mut repetition, exploration);
            self.left -= 1;
            self.done += 1;
            if stop.load(Ordering::Relaxed) || Instant::now() >= pause {
                break;
            }
        }
    }

    /// Selection, expansion, simulation and backup, once.
    fn iterate(
        &mut self,
        situation: &Situation<G>,
        repetition: &mut RepetitionHistory<G>,
        exploration: f32,
    ) {
        let mut position = situation.position.clone();
        let mut node = NodeId::ROOT;
        let mut repeats = false;
        self.path.clear();
        self.path.push(node);
        while !repeats && self.tree.stage(node) == Stage::Complete {
            node = self.tree.select(node, exploration);
            let m = self.tree.move_to(node);
            repeats = self.step(&mut position, repetition, m, node);
        }
        let value = match self.tree.stage(node) {
            _ if repeats => ForMover(0.0),
            Stage::Over => ForMover(-self.tree.mean(node)),
            _ if !self.tree.has_room(node) => self.simulate(&position, situation),
            _ => self.expand(node, position, repetition, situation),
        };
        self.back_up(value);
        for _ in 1..self.path.len() {
            repetition.pop();
        }
    }

    /// Goes on to `child` by the move `m`; gives whether the position there is a repetition.
    ///
    /// No node knows of that: what repeats a position of the tree need not be a draw any more once the
    /// first one was on the board.
    #[inline]
    fn step(
        &mut self,
        position: &mut G,
        repetition: &mut RepetitionHistory<G>,
        m: G::Move,
        child: NodeId,
    ) -> bool {
        position.play(m);
        self.path.push(child);
        if !RepetitionHistory::<G>::MATTERS {
            return false;
        }
        let key = position.key();
        let repeats = repetition.repeats(key);
        repetition.push(key);
        repeats
    }

    /// Tries one of the untried moves of `node` and gives the value of where it leads.
    fn expand(
        &mut self,
        node: NodeId,
        mut position: G,
        repetition: &mut RepetitionHistory<G>,
        situation: &Situation<G>,
    ) -> ForMover<f32> {
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
        if self.step(&mut position, repetition, m, child) {
            return ForMover(0.0);
        }
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

    /// What the position at the end of the path is worth if the game is over there, repetition aside. There
    /// is only one way to each node, so what is true once stays true.
    fn final_value(&self, position: &G, situation: &Situation<G>) -> Option<ForMover<f32>> {
        if let Some(outcome) = position.outcome() {
            return Some(reward(outcome, position.side()));
        }
        // Whoever could claim a draw is taken to do so.
        let drawn = position.draw().is_some() || self.plies_left(situation) == 0;
        drawn.then_some(ForMover(0.0))
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
