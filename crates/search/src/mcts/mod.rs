//! Monte Carlo tree search with upper confidence bounds (UCT, Kocsis and Szepesvári 2006).
//!
//! Each iteration has four phases. *Selection* descends from the root to the child with the largest
//! `Q / N + 2 Cp sqrt(ln N_parent / N)` (UCB1); *expansion* adds a random untried move of the first
//! node that has one; *simulation* evaluates the new position by a [`Simulation`];
//! *backpropagation* updates the path, every node from the point of view of the player who moved
//! there.
//!
//! - `tree`: nodes, UCB1, rerooting; `worker`: iterations of one thread on its own tree;
//! - `merged`: statistics over the trees of all threads; `record`: the tree for people to see; `budget`:
//!   iterations and deadline.
//!
//! Threads use root parallelization (Chaslot et al. 2008): one tree each, nothing shared, visits
//! added up at the end. Seed, iterations and threads determine the move.

pub(crate) mod budget;
mod merged;
mod record;
mod shallow;
mod simulation;
mod tree;
mod worker;

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tablero_core::{
    Choice, ChoiceReason, Control, ForMover, GameHistory, GameType, Info, Limits, Player,
    PlayerError, Rng, SearchResult, SearchTree, TreeSummary, spawn_helper,
};

use crate::root_moves;
use budget::Budget;
pub use merged::MoveStatistics;
use merged::{MergedNode, lines};
pub use shallow::ShallowSearch;
pub use simulation::{HeuristicPlayout, PlayoutPolicy, RandomPlayout, StaticEvaluation};
pub use tablero_core::Simulation;
use tree::{Expansion, NodeId, Tree};
use worker::{RootContext, Worker};

/// Iterations per search if no limit is set.
const DEFAULT_ITERATIONS: u64 = 1000;
/// Time between reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// Options of an [`Mcts`] player.
#[derive(Clone, PartialEq, Debug)]
pub struct MctsOptions {
    /// Limits of every search: iterations ([`Limits::nodes`]), time, clock. Depth does not apply.
    pub limits: Limits,
    /// Exploration constant `Cp` of UCB1; the square root of 2 by default.
    pub cp: f32,
    /// Implicit minimax backups (Lanctot et al. 2014): selection values a move by its mean reward with a weight of
    /// `1 - minimax_weight`, and by the minimax value of the tree below it with this weight, from 0 to 1.
    pub minimax_weight: f32,
    /// How the move to play is selected at the root.
    pub final_move: FinalMove,
    /// Search threads, with a tree each.
    pub threads: usize,
    /// Memory limit of all trees together, in MiB. At the limit the search continues without
    /// expansion.
    pub memory_mb: usize,
    /// Reuse the tree for the next move.
    pub reuse_tree: bool,
    /// Number of principal variations to report.
    pub multi_pv: usize,
}

/// Final move selection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FinalMove {
    /// The most visited ("robust child").
    #[default]
    RobustChild,
    /// The largest upper confidence bound, as in Otelo. Much weaker, since the bound is large for
    /// rarely visited moves: with 1000 iterations it won 2 of 60 Othello games against
    /// [`RobustChild`](Self::RobustChild).
    MaxUcb,
}

/// The UCT player.
///
/// In its reports nodes are iterations, depth is the mean length of the selected paths, and values
/// are expected results times 100: 100 is a certain win, -100 a certain loss.
///
/// ```
/// # use tablero_core::{Control, GameType, Limits, GameHistory, Player};
/// # use tablero_search::mcts::{Mcts, MctsOptions, RandomPlayout};
/// # use std::sync::atomic::AtomicBool;
/// # fn example<G: GameType>() {
/// let game: GameHistory<G> = GameHistory::new(G::start(Default::default()));
/// let mut player = Mcts::new(MctsOptions::default(), RandomPlayout);
/// let stop = AtomicBool::new(false);
/// let result = player.choose(&game, &Limits::default(), &mut Control::new(&stop, &mut |_| {}));
/// assert_eq!(result.unwrap().info.nodes, 1000);
/// # }
/// # example::<tablero_tictactoe::TicTacToe>();
/// ```
pub struct Mcts<G: GameType, S = RandomPlayout> {
    options: MctsOptions,
    simulation: S,
    seed: u64,
    /// One per thread; empty before the first search of a game.
    workers: Vec<Worker<G, S>>,
    /// The game at the last search, whose current position is the root of the trees.
    last: Option<GameHistory<G>>,
}

impl Default for MctsOptions {
    fn default() -> Self {
        Self {
            limits: Limits { nodes: Some(DEFAULT_ITERATIONS), ..Limits::default() },
            cp: std::f32::consts::SQRT_2,
            minimax_weight: 0.0,
            final_move: FinalMove::default(),
            threads: 1,
            memory_mb: 256,
            reuse_tree: true,
            multi_pv: 1,
        }
    }
}

impl MctsOptions {
    /// The factor of the square root in UCB1.
    fn exploration(&self) -> f32 {
        2.0 * self.cp
    }

    /// Why the final move is selected.
    const fn reason(&self) -> ChoiceReason {
        match self.final_move {
            FinalMove::RobustChild => ChoiceReason::MostVisits,
            FinalMove::MaxUcb => ChoiceReason::LargestBound,
        }
    }
}

impl<G: GameType, S: Simulation<G>> Player<G> for Mcts<G, S> {
    fn choose(
        &mut self,
        game: &GameHistory<G>,
        limits: &Limits,
        control: &mut Control<'_, G>,
    ) -> Result<SearchResult<G>, PlayerError> {
        let start = Instant::now();
        let moves = root_moves(game, control);
        let Some(&any_move) = moves.first() else {
            return Err(PlayerError::GameOver);
        };
        let restricted = control.searchmoves().is_some();
        let limits = self.options.limits.and(*limits);
        let budget = Budget::new(&limits, moves.len() == 1);
        self.prepare_trees(game, any_move, restricted);
        let (is_forced, reused_visits) = (moves.len() == 1, self.root().visits());
        let context = RootContext::new(game, restricted.then_some(moves));
        self.start_log(control.max_tree_nodes());
        let info = self.search(&context, &budget, start, control);
        let best = info.lines.first().and_then(|line| line.moves.first());
        let m = best.copied().unwrap_or(any_move);
        if let Some(max_nodes) = control.max_tree_nodes() {
            let reason = if is_forced { ChoiceReason::OnlyMove } else { self.options.reason() };
            let tree = self.recorded_tree(max_nodes, Choice { m, reason }, info.nodes);
            let summary = TreeSummary { reused_visits, ..tree.summary };
            control.record(SearchTree { summary, ..tree });
        }
        Ok(SearchResult { m, info })
    }

    fn records_tree(&self) -> bool {
        true
    }

    fn root_q_values(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let moves = self.root().expected().into_iter();
        moves.map(|(m, result)| (m, ForMover(result))).collect()
    }

    fn reply_q_values(&self) -> Vec<([G::Move; 2], ForMover<f64>)> {
        let replies = self.root().expected_replies().into_iter();
        replies.map(|(moves, result)| (moves, ForMover(result))).collect()
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
    /// A player with these options; its seed is set by [`Player::new_game`].
    pub const fn new(options: MctsOptions, simulation: S) -> Self {
        Self { options, simulation, seed: 0, workers: Vec::new(), last: None }
    }

    /// Root statistics of the last search, the most visited move first.
    pub fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        self.root().statistics()
    }

    fn search(
        &mut self,
        context: &RootContext<G>,
        budget: &Budget,
        start: Instant,
        control: &mut Control<'_, G>,
    ) -> Info<G> {
        let threads = self.workers.len();
        for (thread, worker) in self.workers.iter_mut().enumerate() {
            worker.start(budget.iterations_for(thread, threads));
        }
        loop {
            let until = Instant::now() + REPORT_INTERVAL;
            let until = budget.deadline.map_or(until, |deadline| deadline.min(until));
            self.run(context, until, control.stop_flag());
            let info = self.info(start);
            control.report(&info);
            let out_of_time = budget.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let done = self.workers.iter().all(|worker| worker.iterations_left == 0);
            if done || out_of_time || control.is_stopped() {
                return info;
            }
        }
    }

    /// Runs all threads until `until`, or until their iterations are used up.
    fn run(&mut self, context: &RootContext<G>, until: Instant, stop: &AtomicBool) {
        let exploration = self.options.exploration();
        let Some((first, others)) = self.workers.split_first_mut() else {
            return;
        };
        let count = others.len();
        let others = Mutex::new(others.iter_mut());
        let next = || others.lock().unwrap_or_else(PoisonError::into_inner).next();
        let help = || {
            if let Some(worker) = next() {
                worker.run(context, exploration, until, stop);
            }
        };
        std::thread::scope(|scope| {
            let started = (0..count).take_while(|_| spawn_helper(scope, help)).count();
            // This thread runs the trees of helpers that did not start in turn.
            let turns = (1 + count - started) as u32;
            let now = Instant::now();
            let end = |turn| now + until.saturating_duration_since(now) * turn / turns;
            first.run(context, exploration, end(1), stop);
            for (turn, worker) in (2..=turns).map_while(|turn| Some((turn, next()?))) {
                worker.run(context, exploration, end(turn), stop);
            }
        });
    }

    /// Reroots all trees at the current position of `game`, or clears them. A search restricted to
    /// some root moves shares no tree with others.
    fn prepare_trees(&mut self, game: &GameHistory<G>, any_move: G::Move, restricted: bool) {
        if self.workers.is_empty() {
            let threads = self.options.threads.max(1);
            let bytes = self.options.memory_mb.saturating_mul(1 << 20) / threads;
            let worker = |thread| {
                let rng = Rng::for_stream(self.seed, thread as u64);
                let tree = Tree::new(any_move, bytes, self.options.minimax_weight);
                Worker::new(tree, self.simulation.clone(), rng)
            };
            self.workers = (0..threads).map(worker).collect();
        }
        let useful = self.options.reuse_tree && !restricted;
        let last =
            std::mem::replace(&mut self.last, useful.then(|| game.clone())).filter(|_| useful);
        for worker in &mut self.workers {
            match last.as_ref().and_then(|last| find_descendant(&worker.tree, last, game)) {
                Some(node) => worker.tree.reroot(node),
                None => worker.tree.clear(),
            }
        }
    }

    fn info(&self, start: Instant) -> Info<G> {
        let sum = |of: fn(&Worker<G, S>) -> u64| self.workers.iter().map(of).sum::<u64>();
        let nodes = sum(|worker| worker.iterations_done);
        let depths = sum(|worker| worker.depth_sum);
        let seldepth = self.workers.iter().map(|worker| worker.seldepth).max().unwrap_or(0);
        Info {
            depth: (depths as f64 / nodes.max(1) as f64).round() as u32,
            seldepth: seldepth as u32,
            nodes,
            time: start.elapsed(),
            lines: lines(&self.root(), &self.options),
            ..Info::default()
        }
    }

    fn root(&self) -> MergedNode<'_, G::Move> {
        MergedNode::root(self.workers.iter().map(|worker| &worker.tree))
    }
}

/// The node of `tree`, rooted at the current position of `last`, for the current position of
/// `game`, if `game` continues `last` within the tree.
fn find_descendant<G: GameType>(
    tree: &Tree<G::Move>,
    last: &GameHistory<G>,
    game: &GameHistory<G>,
) -> Option<NodeId> {
    let continues = last.start() == game.start()
        && last.plies() <= game.plies()
        && last.played().eq(game.played().take(last.plies()));
    if !continues {
        return None;
    }
    let mut node = NodeId::ROOT;
    let mut before = last.position();
    for after in game.positions().skip(last.plies() + 1) {
        // By position, not by move: the tree has one of several moves to the same position.
        let matches = |child: &NodeId| before.after(tree.incoming_move(*child)) == *after;
        node = tree.children(node).find(matches)?;
        before = after;
    }
    // A claimable draw that was not claimed is terminal in the tree, but the game continues.
    (tree.expansion(node) != Expansion::Terminal).then_some(node)
}

#[cfg(test)]
mod tests;
