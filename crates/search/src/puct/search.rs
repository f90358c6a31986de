//! Simulations until a limit.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tablero_core::{Control, GameType, Info, Match};

use super::descent::{Descent, End, Leaf, Start};
use super::root::Root;
use super::tree::{EdgeId, NodeId, Proof, Tree};
use super::{PolicyValue, PuctOptions};
use crate::mcts::budget::Budget;

/// How often a search that goes on tells what it knows.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// One decision.
pub(super) struct Search<'a, G: GameType> {
    options: &'a PuctOptions,
    tree: &'a mut Tree<G::Move>,
    start: Start<G>,
    root: Root<G>,
    begun: Instant,
    done: u64,
    sum_of_depths: u64,
    deepest: usize,
}

/// A way down whose end is to be judged.
struct Waiting<G: GameType> {
    path: Vec<(NodeId, EdgeId)>,
    leaf: Leaf<G>,
}

impl<'a, G: GameType> Search<'a, G> {
    pub(super) fn new(
        game: &Match<G>,
        options: &'a PuctOptions,
        tree: &'a mut Tree<G::Move>,
        root: Root<G>,
        begun: Instant,
    ) -> Self {
        let start = Start::new(game);
        Self { options, tree, start, root, begun, done: 0, sum_of_depths: 0, deepest: 0 }
    }

    pub(super) fn into_root(self) -> Root<G> {
        self.root
    }

    /// Simulates until the budget is used up, nothing is left to find out, or the search is stopped.
    pub(super) fn run<J: PolicyValue<G>>(
        &mut self,
        judges: &mut [J],
        budget: &Budget,
        control: &mut Control<'_, G>,
    ) -> Info<G> {
        let Some((own, others)) = judges.split_first_mut() else { return self.info() };
        std::thread::scope(|scope| {
            let (answers, judged) = channel();
            let mut helpers = Vec::new();
            for judge in others {
                let (leaves, questions) = channel();
                let answers = answers.clone();
                scope.spawn(move || help(judge, &questions, &answers));
                helpers.push(leaves);
            }
            drop(answers);
            let mut team = Team { own, helpers, judged };
            self.run_with(&mut team, budget, control);
        });
        let info = self.info();
        control.report(&info);
        info
    }

    fn run_with<J: PolicyValue<G>>(
        &mut self,
        team: &mut Team<'_, G, J>,
        budget: &Budget,
        control: &mut Control<'_, G>,
    ) {
        let mut next_report = Instant::now() + REPORT_EVERY;
        while self.done < budget.iterations && !self.root.is_decided(self.tree) {
            let now = Instant::now();
            if control.stopped() || budget.deadline.is_some_and(|deadline| now >= deadline) {
                return;
            }
            if now >= next_report {
                control.report(&self.info());
                next_report = now + REPORT_EVERY;
            }
            let left = budget.iterations - self.done;
            let waiting = self.pick(left.min(self.options.batch.max(1) as u64) as usize);
            for waiting in team.judge(waiting) {
                self.add(waiting);
            }
        }
    }

    /// Goes down the tree up to `count` times; gives the ways that end in new positions. On them every
    /// move counts as lost until the position is judged, so that the next way is another one.
    fn pick(&mut self, count: usize) -> Vec<Waiting<G>> {
        let mut waiting: Vec<Waiting<G>> = Vec::new();
        for _ in 0..count {
            let Some(first) = self.root.next(self.tree, self.options) else { break };
            let Descent { path, end } =
                self.start.descend(self.tree, self.root.node, first, self.options);
            match end {
                End::Known(reward) => self.back_up(&path, reward),
                End::New(leaf) if waiting.iter().any(|other| other.leaf.key == leaf.key) => {
                    // Somebody waits for this position already: go on when it is judged.
                    self.root.undo(first);
                    break;
                }
                End::New(leaf) => {
                    for &(node, edge) in &path {
                        self.tree.count(node, edge, -1.0);
                    }
                    waiting.push(Waiting { path, leaf });
                }
            }
        }
        waiting
    }

    /// Adds a position that was judged, and counts its value.
    fn add(&mut self, Waiting { path, leaf }: Waiting<G>) {
        for &(node, edge) in &path {
            self.tree.uncount(node, edge, -1.0);
        }
        if self.tree.has_room(leaf.moves.len()) {
            let node = self.tree.add(leaf.key, &leaf.moves, &leaf.priors, leaf.value);
            if let Some(&(_, edge)) = path.last() {
                self.tree.set_child(edge, node);
            }
        }
        self.back_up(&path, -leaf.value);
    }

    /// Counts a result along a way; `reward` is for the player who made the last move.
    fn back_up(&mut self, path: &[(NodeId, EdgeId)], reward: f32) {
        let mut reward = reward;
        // Only what was proven by now can prove more.
        let end = path.last().and_then(|&(_, edge)| self.tree.child(edge));
        let mut proves = end.is_some_and(|node| self.tree.proof(node) != Proof::None);
        for &(node, edge) in path.iter().rev() {
            self.tree.count(node, edge, reward);
            reward = -reward;
            proves = proves && self.tree.prove(node);
        }
        self.done += 1;
        self.sum_of_depths += path.len() as u64;
        self.deepest = self.deepest.max(path.len());
    }

    fn info(&self) -> Info<G> {
        Info {
            depth: (self.sum_of_depths as f64 / self.done.max(1) as f64).round() as u32,
            deepest: self.deepest as u32,
            nodes: self.done,
            time: self.begun.elapsed(),
            lines: self.root.lines(self.tree, self.options.lines),
            ..Info::default()
        }
    }
}

/// A position with its place in the batch.
type Numbered<G> = (usize, Leaf<G>);

/// All who judge.
struct Team<'a, G: GameType, J> {
    own: &'a mut J,
    helpers: Vec<Sender<Numbered<G>>>,
    judged: Receiver<Numbered<G>>,
}

/// Judges until nobody asks any more.
fn help<G: GameType, J: PolicyValue<G>>(
    judge: &mut J,
    questions: &Receiver<Numbered<G>>,
    answers: &Sender<Numbered<G>>,
) {
    for (index, mut leaf) in questions {
        leaf.ask(judge);
        if answers.send((index, leaf)).is_err() {
            return;
        }
    }
}

impl<G: GameType, J: PolicyValue<G>> Team<'_, G, J> {
    /// Judges all positions, in whatever order; gives them in theirs.
    fn judge(&mut self, waiting: Vec<Waiting<G>>) -> Vec<Waiting<G>> {
        if self.helpers.is_empty() || waiting.len() < 2 {
            let ask = |mut waiting: Waiting<G>| {
                waiting.leaf.ask(self.own);
                waiting
            };
            return waiting.into_iter().map(ask).collect();
        }
        let (mut paths, mut own, mut abroad) = (Vec::new(), Vec::new(), 0);
        for (index, Waiting { path, leaf }) in waiting.into_iter().enumerate() {
            paths.push(path);
            match index % (self.helpers.len() + 1) {
                0 => own.push((index, leaf)),
                // A helper is there as long as the search: sending cannot fail.
                helper => match self.helpers[helper - 1].send((index, leaf)) {
                    Ok(()) => abroad += 1,
                    Err(back) => own.push(back.0),
                },
            }
        }
        for (_, leaf) in &mut own {
            leaf.ask(self.own);
        }
        own.extend(self.judged.iter().take(abroad));
        own.sort_by_key(|(index, _)| *index);
        paths.into_iter().zip(own).map(|(path, (_, leaf))| Waiting { path, leaf }).collect()
    }
}
