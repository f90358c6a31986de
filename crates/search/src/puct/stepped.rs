//! Searches that pause at their leaves, so that one batch serves many of them.

use std::time::Instant;

use tablero_core::{GameHistory, GameType, Rng};

use super::root::{Root, root_leaf};
use super::search::{PendingLeaf, Search, SearchState};
use super::selection::Leaf;
use super::tree::Tree;
use super::{PolicyValue, PuctOptions, RootStats};
use crate::mcts::budget::Budget;

/// A [`Puct`](super::Puct) player without an evaluator: its searches pause where leaves are to be evaluated, together
/// with those of other games. Moves and statistics are those of `Puct` without tree reuse.
///
/// ```
/// # use tablero_core::{ForMover, Game, GameHistory, StandardRules};
/// # use tablero_search::puct::{PolicyValue, PuctOptions, SteppedPuct};
/// # use tablero_tictactoe::TicTacToe;
/// # #[derive(Clone)]
/// # struct Uniform;
/// # impl PolicyValue<TicTacToe> for Uniform {
/// #     fn evaluate(&mut self, _: &TicTacToe, _: u32, _: &[u8], priors: &mut [f32]) -> ForMover<f32> {
/// #         priors.fill(1.0);
/// #         ForMover(0.0)
/// #     }
/// # }
/// # let mut network = Uniform;
/// let game = GameHistory::new(TicTacToe::start(StandardRules));
/// let mut searches = [1, 2, 3].map(|seed| {
///     let mut search = SteppedPuct::new(PuctOptions::default());
///     search.new_game(seed);
///     search.start(&game);
///     search
/// });
/// while searches.iter().any(SteppedPuct::is_waiting) {
///     SteppedPuct::evaluate_all(&mut searches, &mut network);
///     searches.iter_mut().for_each(|search| search.resume(&game));
/// }
/// for mut search in searches {
///     let (_best, stats) = search.finish(&game).expect("a move");
///     assert_eq!(stats.moves.len(), 9);
/// }
/// ```
pub struct SteppedPuct<G: GameType> {
    options: PuctOptions,
    tree: Tree<G::Move>,
    rng: Rng,
    phase: Phase<G>,
}

enum Phase<G: GameType> {
    Idle,
    /// The root waits for its evaluation.
    Root(Leaf<G>),
    /// These leaves wait, if any: else the search is finished.
    Leaves(Box<SearchState<G>>, Vec<PendingLeaf<G>>),
}

impl<G: GameType> SteppedPuct<G> {
    /// A player with these options, of which limits are in simulations and threads do not apply.
    pub fn new(options: PuctOptions) -> Self {
        let tree = Tree::new(options.memory_mb.saturating_mul(1 << 20));
        Self { options, tree, rng: Rng::seeded(0), phase: Phase::Idle }
    }

    /// Prepares for a new game.
    pub fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
        self.tree.clear();
        self.phase = Phase::Idle;
    }

    /// Starts the search of the current position of `game`.
    pub fn start(&mut self, game: &GameHistory<G>) {
        self.tree.clear();
        self.phase = Phase::Root(root_leaf(game));
    }

    /// Whether leaves wait for their evaluation.
    pub fn is_waiting(&self) -> bool {
        match &self.phase {
            Phase::Idle => false,
            Phase::Root(_) => true,
            Phase::Leaves(_, leaves) => !leaves.is_empty(),
        }
    }

    /// Evaluates the waiting leaves of searches together.
    pub fn evaluate_all<'a, E: PolicyValue<G>>(
        searches: impl IntoIterator<Item = &'a mut Self>,
        evaluator: &mut E,
    ) {
        Leaf::evaluate_all(searches.into_iter().flat_map(Self::leaves), evaluator);
    }

    /// Goes on to the next leaves, or to the end, with those evaluated that waited. `game` is that of
    /// [`start`](Self::start).
    pub fn resume(&mut self, game: &GameHistory<G>) {
        let moves = game.moves();
        let budget = Budget::new(&self.options.limits, moves.len() == 1);
        let (mut state, evaluated) = match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => return,
            Phase::Root(leaf) => {
                let node = leaf.add_to(&mut self.tree);
                let (tree, rng) = (&self.tree, &mut self.rng);
                let root = Root::new(game, &moves, node, tree, &self.options, &budget, rng);
                (Box::new(SearchState::new(game, root, Instant::now())), Vec::new())
            }
            Phase::Leaves(state, leaves) => (state, leaves),
        };
        let mut search = Search { options: &self.options, tree: &mut self.tree, state: &mut state };
        evaluated.into_iter().for_each(|leaf| search.expand(leaf));
        let mut leaves = Vec::new();
        while leaves.is_empty() && search.is_unfinished(&budget) {
            leaves = search.select_batch(&budget);
        }
        self.phase = Phase::Leaves(state, leaves);
    }

    /// The move to play and the root's statistics, once no leaf waits; none if no search was started or the game is
    /// over.
    pub fn finish(&mut self, game: &GameHistory<G>) -> Option<(G::Move, RootStats<G>)> {
        let Phase::Leaves(state, _) = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return None;
        };
        let (root, tree) = (&state.root, &self.tree);
        let choice = root.final_move(tree, &self.options, game.plies(), &mut self.rng);
        let m = choice.map(|choice| choice.m).or_else(|| game.moves().first().copied())?;
        Some((m, root.stats(tree)))
    }

    fn leaves(&mut self) -> impl Iterator<Item = &mut Leaf<G>> {
        let (root, leaves) = match &mut self.phase {
            Phase::Idle => (None, None),
            Phase::Root(leaf) => (Some(leaf), None),
            Phase::Leaves(_, leaves) => (None, Some(leaves)),
        };
        let leaves = leaves.into_iter().flatten().map(|pending| &mut pending.leaf);
        root.into_iter().chain(leaves)
    }
}
