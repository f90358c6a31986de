//! Monte Carlo tree search with upper confidence bounds (UCT).
//!
//! Each iteration goes down the tree, at every node to the child with the largest
//! `Q / N + 2 Cp sqrt(ln N_parent / N)`; at the first node with moves that were never tried it tries
//! one of them at random and adds it to the tree; a [`Simulation`] says what the new position is
//! worth; and every node on the way counts the result, each for the player who moved there.
//!
//! - `tree`: nodes, the formula, giving parts of the tree back.
//! - `worker`: iterations, on one thread with one tree.
//! - `summary`: what the trees of all threads say together.
//! - `budget`: what limits and clocks allow.
//!
//! Several threads grow a tree each, with nothing shared between them; their counts are added up in
//! the end. So the same seed, number of iterations and number of threads give the same move.

pub(crate) mod budget;
mod simulation;
mod summary;
mod tree;
mod worker;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tablero_core::{
    Choice, Control, ForMover, GameType, Info, Limits, Match, Player, PlayerError, Rng,
};

use crate::candidates;
use budget::Budget;
pub use simulation::RandomPlayout;
pub use summary::MoveStatistics;
use summary::{Place, lines};
pub use tablero_core::Simulation;
use tree::{NodeId, Stage, Tree};
use worker::{Situation, Worker};

/// Iterations for a decision if nobody says how many.
const DEFAULT_ITERATIONS: u64 = 1000;
/// How often a search that goes on tells what it knows.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// How a search by [`Mcts`] is done.
#[derive(Clone, PartialEq, Debug)]
pub struct MctsOptions {
    /// What bounds every decision: iterations ([`Limits::nodes`]), time, clock. A depth does not.
    pub limits: Limits,
    /// The constant `Cp` of the formula: how much to explore. The root of 2 if not set otherwise.
    pub cp: f32,
    /// Which move to play in the end.
    pub final_choice: FinalChoice,
    /// Trees that grow at the same time, each on a thread of its own.
    pub threads: usize,
    /// The most that all trees together may take, in MiB. When it is used up, the search goes on
    /// without adding nodes.
    pub memory: usize,
    /// Keep what is known about the position for the next move.
    pub reuse: bool,
    /// Lines to report.
    pub lines: usize,
}

/// Which move to play in the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FinalChoice {
    /// The most visited.
    #[default]
    Visits,
    /// The one with the largest confidence bound, as Otelo does. Much weaker, since the bound is
    /// large for moves that were hardly looked at: at 1000 iterations it won 2 of 60 Othello games
    /// against the most visited.
    Uct,
}

/// A player that searches by UCT.
///
/// In what it reports, nodes are iterations, the depth is how far down the tree the iterations went
/// on average, and values are expected results in hundredths: 100 is a sure win, 0 an even game,
/// -100 a sure loss.
///
/// ```
/// # use tablero_core::{Control, GameType, Limits, Match, Player};
/// # use tablero_search::mcts::{Mcts, MctsOptions, RandomPlayout};
/// # use std::sync::atomic::AtomicBool;
/// # fn example<G: GameType>() {
/// let game: Match<G> = Match::new(G::start(Default::default()));
/// let mut player = Mcts::new(MctsOptions::default(), RandomPlayout);
/// let stop = AtomicBool::new(false);
/// let choice = player.choose(&game, &Limits::default(), &mut Control::new(&stop, &mut |_| {}));
/// assert_eq!(choice.unwrap().info.nodes, 1000);
/// # }
/// # example::<tablero_tictactoe::TicTacToe>();
/// ```
pub struct Mcts<G: GameType, S = RandomPlayout> {
    options: MctsOptions,
    simulation: S,
    seed: u64,
    /// One for each thread; none before the first decision of a game.
    workers: Vec<Worker<G, S>>,
    /// The match at the last decision: the roots of the trees stand for its last position.
    last: Option<Match<G>>,
}

impl Default for MctsOptions {
    fn default() -> Self {
        Self {
            limits: Limits { nodes: Some(DEFAULT_ITERATIONS), ..Limits::default() },
            cp: std::f32::consts::SQRT_2,
            final_choice: FinalChoice::default(),
            threads: 1,
            memory: 256,
            reuse: true,
            lines: 1,
        }
    }
}

impl MctsOptions {
    /// The factor before the root in the formula.
    fn exploration(&self) -> f32 {
        2.0 * self.cp
    }
}

impl<G: GameType, S: Simulation<G>> Player<G> for Mcts<G, S> {
    fn choose(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<Choice<G>, PlayerError> {
        let begun = Instant::now();
        let moves = candidates(game, control);
        let Some(&any_move) = moves.first() else {
            return Err(PlayerError::GameOver);
        };
        let restricted = control.only().is_some();
        let limits = self.options.limits.and(*limits);
        let budget = Budget::new(&limits, moves.len() == 1);
        self.set_up(game, any_move, restricted);
        let situation = Situation::new(game, restricted.then_some(moves));
        let info = self.search(&situation, &budget, begun, control);
        let best = info.lines.first().and_then(|line| line.moves.first());
        Ok(Choice { m: best.copied().unwrap_or(any_move), info })
    }

    fn expected(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let known = self.root().expected().into_iter();
        known.map(|(m, result)| (m, ForMover(result))).collect()
    }

    fn expected_replies(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        let known = self.root().expected_replies().into_iter();
        known.map(|(moves, result)| (moves, ForMover(result))).collect()
    }

    fn memory(&self) -> usize {
        self.workers.iter().map(|worker| worker.tree.memory()).sum()
    }

    fn release_memory(&mut self) {
        self.workers.iter_mut().for_each(|worker| worker.tree.release());
        self.last = None;
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        self.workers.clear();
        self.last = None;
    }
}

impl<G: GameType, S: Simulation<G>> Mcts<G, S> {
    /// A player that searches so; see [`Player::new_game`] for its seed.
    pub const fn new(options: MctsOptions, simulation: S) -> Self {
        Self { options, simulation, seed: 0, workers: Vec::new(), last: None }
    }

    /// What the last decision knew about each move that it tried, the most visited first.
    pub fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        self.root().statistics()
    }

    fn search(
        &mut self,
        situation: &Situation<G>,
        budget: &Budget,
        begun: Instant,
        control: &mut Control<'_, G>,
    ) -> Info<G> {
        let threads = self.workers.len();
        for (thread, worker) in self.workers.iter_mut().enumerate() {
            worker.begin(budget.iterations_of(thread, threads));
        }
        loop {
            let pause = Instant::now() + REPORT_EVERY;
            let pause = budget.deadline.map_or(pause, |deadline| deadline.min(pause));
            self.run(situation, pause, control.stop_flag());
            let info = self.info(begun);
            control.report(&info);
            let out_of_time = budget.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let done = self.workers.iter().all(|worker| worker.left == 0);
            if done || out_of_time || control.stopped() {
                return info;
            }
        }
    }

    /// Lets all threads work until it is time to pause.
    fn run(&mut self, situation: &Situation<G>, pause: Instant, stop: &AtomicBool) {
        let exploration = self.options.exploration();
        let Some((own, others)) = self.workers.split_first_mut() else {
            return;
        };
        std::thread::scope(|scope| {
            for worker in others {
                scope.spawn(move || worker.run(situation, exploration, pause, stop));
            }
            own.run(situation, exploration, pause, stop);
        });
    }

    /// Makes the roots of all trees stand for the last position of `game`. A root with only some of
    /// its moves is of no use to other decisions, nor they to it.
    fn set_up(&mut self, game: &Match<G>, any_move: G::Move, restricted: bool) {
        if self.workers.is_empty() {
            let threads = self.options.threads.max(1);
            let bytes = self.options.memory.saturating_mul(1 << 20) / threads;
            let worker = |thread| {
                let rng = Rng::for_part(self.seed, thread as u64);
                Worker::new(Tree::new(any_move, bytes), self.simulation.clone(), rng)
            };
            self.workers = (0..threads).map(worker).collect();
        }
        let useful = self.options.reuse && !restricted;
        let last =
            std::mem::replace(&mut self.last, useful.then(|| game.clone())).filter(|_| useful);
        for worker in &mut self.workers {
            match last.as_ref().and_then(|last| descendant(&worker.tree, last, game)) {
                Some(node) => worker.tree.keep_only(node),
                None => worker.tree.clear(),
            }
        }
    }

    fn info(&self, begun: Instant) -> Info<G> {
        let sum = |of: fn(&Worker<G, S>) -> u64| self.workers.iter().map(of).sum::<u64>();
        let nodes = sum(|worker| worker.done);
        let depths = sum(|worker| worker.sum_of_depths);
        let deepest = self.workers.iter().map(|worker| worker.deepest).max().unwrap_or(0);
        Info {
            depth: (depths as f64 / nodes.max(1) as f64).round() as u32,
            deepest: deepest as u32,
            nodes,
            time: begun.elapsed(),
            lines: lines(&self.root(), &self.options),
            ..Info::default()
        }
    }

    fn root(&self) -> Place<'_, G::Move> {
        Place::root(self.workers.iter().map(|worker| &worker.tree))
    }
}

/// The node of `tree`, whose root is the end of `last`, that stands for the end of `game`, if the
/// one match goes on from the other and the tree knows how.
fn descendant<G: GameType>(
    tree: &Tree<G::Move>,
    last: &Match<G>,
    game: &Match<G>,
) -> Option<NodeId> {
    let goes_on = last.start() == game.start()
        && last.plies() <= game.plies()
        && last.played().eq(game.played().take(last.plies()));
    if !goes_on {
        return None;
    }
    let mut node = NodeId::ROOT;
    let mut before = last.position();
    for after in game.positions().skip(last.plies() + 1) {
        // By position, not by move: of moves that lead to the same the tree has only one.
        let leads_there = |child: &NodeId| before.after(tree.move_to(*child)) == *after;
        node = tree.children(node).find(leads_there)?;
        before = after;
    }
    // Where the tree saw a draw that nobody claimed, it knows nothing about how to play on.
    (tree.stage(node) != Stage::Over).then_some(node)
}

#[cfg(test)]
mod tests;
