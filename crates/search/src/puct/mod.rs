//! PUCT: Monte Carlo tree search guided by a policy and value network, as in AlphaZero.
//!
//! Each simulation *selects* from the root the move with the largest
//! `Q + c_puct P sqrt(N_sum) / (1 + N)`, where `P` is the network's prior; *evaluates* the leaf by a
//! [`PolicyValue`]; *expands* it; and *backpropagates* the value. Wins and losses at leaves are proven up the tree
//! (MCTS-Solver, Winands et al. 2008).
//!
//! - `tree`: nodes (one per position: transpositions are merged), edges, PUCT, FPU, the solver;
//! - `selection`: the path to a leaf; `search`: the simulation loop, batches with virtual loss; `stepped`: searches that
//!   share evaluations with others;
//! - `evaluation`: policy and value of a static evaluation, without a network;
//! - `root`: Dirichlet noise, Gumbel selection with sequential halving, the final move; `record`: the tree
//!   for people to see.
//!
//! Threads share one tree: leaves are selected by one thread, and only their evaluation is spread.
//! Seed and batch size determine the move, whatever the number of threads.

mod evaluation;
mod record;
mod root;
mod search;
mod selection;
mod stepped;
#[cfg(test)]
mod tests;
mod tree;

use std::time::Instant;

use tablero_core::{
    Choice, ChoiceReason, Control, ForMover, GameHistory, GameType, Limits, Player, PlayerError,
    Rng, SearchResult, SearchTree, TreeSummary,
};

use crate::mcts::budget::Budget;
use crate::{MIN_VISITS, root_moves};
pub use evaluation::EvaluationPolicy;
use record::SimulationLog;
use root::Root;
pub use root::{RootMoveStats, RootStats};
use search::{Search, SearchState};
pub use stepped::SteppedPuct;
pub use tablero_core::PolicyValue;
use tree::Tree;

/// Simulations per search if no limit is set, as in Hatchet1.
pub const DEFAULT_SIMULATIONS: u64 = 20;

/// Options of a [`Puct`] player.
#[derive(Clone, PartialEq, Debug)]
pub struct PuctOptions {
    /// Limits of every search: simulations ([`Limits::nodes`]), time, clock. Depth does not apply.
    pub limits: Limits,
    /// The exploration constant.
    pub c_puct: f32,
    /// The value of unvisited moves.
    pub fpu: Fpu,
    /// The value of a draw, from -1 to 1, for the player whose move makes it (contempt).
    pub draw_value: f32,
    /// The draws that have that value; others are worth 0.
    pub contempt: Contempt,
    /// How root moves are selected.
    pub root_selection: RootSelection,
    /// Noise and move sampling for self-play; none for the strongest play.
    pub exploration: Option<Exploration>,
    /// Threads that evaluate leaves.
    pub threads: usize,
    /// Leaves that are selected before they are evaluated together.
    pub batch_size: usize,
    /// Memory limit of the tree, in MiB. At the limit the search continues without expansion.
    pub memory_mb: usize,
    /// Reuse the tree for the next move.
    pub reuse_tree: bool,
    /// Number of principal variations to report.
    pub multi_pv: usize,
}

/// First-play urgency: the value of an unvisited move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fpu {
    /// 0, as in Hatchet1.
    Zero,
    /// The parent's value less this times the square root of the visited moves' prior mass, as in
    /// lc0.
    Reduction(f32),
}

/// The draws that [`PuctOptions::draw_value`] applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contempt {
    /// All.
    AllDraws,
    /// Draws on the board (stalemate), and those by repetition or move limit that nobody has to claim: in chess
    /// fivefold repetition and seventy-five moves. As in Hatchet1.
    AutomaticDraws,
}

/// How root moves are selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootSelection {
    /// By PUCT, as everywhere in the tree.
    Puct,
    /// Sequential halving over this many considered actions (Gumbel AlphaZero, Danihelka et al.
    /// 2022). Needs a limit on simulations.
    Gumbel(usize),
}

/// Noise and move sampling for self-play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exploration {
    /// Concentration of the Dirichlet noise at the root; 10 divided by the number of moves if none.
    pub dirichlet_alpha: Option<f64>,
    /// Fraction of the noise in the root priors.
    pub noise_fraction: f32,
    /// Plies of the game with noise.
    pub noise_plies: usize,
    /// Moves are sampled in proportion to their visits to the power of `1 / temperature`.
    pub temperature: f64,
    /// Plies of the game whose moves are sampled; then the most visited move is played.
    pub temperature_plies: usize,
}

impl Default for PuctOptions {
    fn default() -> Self {
        Self {
            limits: Limits { nodes: Some(DEFAULT_SIMULATIONS), ..Limits::default() },
            c_puct: 2.0,
            fpu: Fpu::Reduction(0.2),
            draw_value: 0.0,
            contempt: Contempt::AllDraws,
            root_selection: RootSelection::Puct,
            exploration: None,
            threads: 1,
            batch_size: 1,
            memory_mb: 256,
            reuse_tree: true,
            multi_pv: 1,
        }
    }
}

impl Default for Exploration {
    /// The settings of Hatchet1, its 30 and 40 taken for moves of each player.
    fn default() -> Self {
        Self {
            dirichlet_alpha: None,
            noise_fraction: 0.25,
            noise_plies: 60,
            temperature: 1.0,
            temperature_plies: 80,
        }
    }
}

/// The PUCT player.
///
/// In its reports nodes are simulations, depth is the mean length of the selected paths, and values
/// are expected results times 100: 100 is a certain win, -100 a certain loss. Proven results of
/// games without a margin are reported as mates.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tablero_core::{
///     Control, ForMover, GameHistory, Limits, Notation, Player, StandardRules, Value,
/// };
/// use tablero_search::puct::{PolicyValue, Puct, PuctOptions};
/// use tablero_tictactoe::TicTacToe;
///
/// /// A network that knows nothing.
/// #[derive(Clone)]
/// struct Uniform;
///
/// impl PolicyValue<TicTacToe> for Uniform {
///     fn evaluate(
///         &mut self,
///         _: &TicTacToe,
///         _repetitions: u32,
///         _moves: &[u8],
///         priors: &mut [f32],
///     ) -> ForMover<f32> {
///         priors.fill(1.0);
///         ForMover(0.0)
///     }
/// }
///
/// let position = TicTacToe::parse_position("x xx. oo. ...", StandardRules).expect("a position");
/// let mut player = Puct::new(PuctOptions::default(), Uniform);
/// let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
/// let mut control = Control::new(&stop, &mut ignore);
/// let result = player.choose(&GameHistory::new(position), &Limits::default(), &mut control);
/// let pv = &result.expect("a move").info.lines[0];
/// assert_eq!(pv.value.0, Value::WinIn(1), "proven by the solver");
/// ```
pub struct Puct<G: GameType, E> {
    options: PuctOptions,
    /// One per thread.
    evaluators: Vec<E>,
    tree: Tree<G::Move>,
    rng: Rng,
    /// The root of the last search.
    root: Option<Root<G>>,
}

impl<G: GameType, E: PolicyValue<G>> Puct<G, E> {
    /// A player with these options; its seed is set by [`Player::new_game`].
    pub fn new(options: PuctOptions, evaluator: E) -> Self {
        let tree = Tree::new(options.memory_mb.saturating_mul(1 << 20));
        let evaluators = vec![evaluator; options.threads.max(1)];
        Self { options, evaluators, tree, rng: Rng::seeded(0), root: None }
    }

    /// Root statistics of the last search, from which a network is trained.
    pub fn root_stats(&self) -> Option<RootStats<G>> {
        Some(self.root.as_ref()?.stats(&self.tree))
    }
}

impl<G: GameType, E: PolicyValue<G>> Player<G> for Puct<G, E> {
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
        let limits = self.options.limits.and(*limits);
        let budget = Budget::new(&limits, moves.len() == 1);
        if !self.options.reuse_tree {
            self.tree.clear();
        }
        let (options, tree) = (&self.options, &mut self.tree);
        let node = root::reroot(game, tree).unwrap_or_else(|| {
            let mut leaf = root::root_leaf(game);
            leaf.evaluate(&mut self.evaluators[0]);
            leaf.add_to(tree)
        });
        let root = Root::new(game, &moves, node, tree, options, &budget, &mut self.rng);
        let reused_visits = u64::from(tree.visits(root.node));
        let mut state = SearchState::new(game, root, start);
        state.log = control.max_tree_nodes().map(SimulationLog::new);
        let mut search = Search { options, tree, state: &mut state };
        let info = search.run(&mut self.evaluators, &budget, control);
        let SearchState { root, log, .. } = state;
        let root = self.root.insert(root);
        let choice = root.final_move(&self.tree, &self.options, game.plies(), &mut self.rng);
        let only = Choice { m: any_move, reason: ChoiceReason::OnlyMove };
        let choice = choice.unwrap_or(only);
        if let Some(log) = log {
            let tree = record::recorded_tree(&self.tree, root, &self.options, &log, choice);
            let summary = TreeSummary { searched: info.nodes, reused_visits, ..tree.summary };
            control.record(SearchTree { summary, ..tree });
        }
        Ok(SearchResult { m: choice.m, info })
    }

    fn records_tree(&self) -> bool {
        true
    }

    /// Of moves with enough visits.
    fn root_q_values(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let moves = self.root_stats().map_or_else(Vec::new, |root| root.moves);
        let visited = moves.into_iter().filter(|stats| u64::from(stats.visits) >= MIN_VISITS);
        visited.filter_map(|stats| Some((stats.m, ForMover(stats.q?)))).collect()
    }

    fn memory(&self) -> usize {
        self.tree.memory()
    }

    fn release_memory(&mut self) {
        self.tree.clear();
        self.root = None;
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
        self.release_memory();
    }
}
