//! Tree search guided by a network (PUCT), as in Hatchet1 and AlphaZero, and beyond.
//!
//! Each simulation goes down the tree, at every position to the move with the largest
//! `Q + C P sqrt(N_sum) / (1 + N)`; `P` is what the network thinks of the move before anything is tried.
//! The first position that is not in the tree yet is judged by a [`PolicyValue`] and added; all moves on
//! the way count the result, each for the player who made it.
//!
//! - `tree`: what is known about positions, whichever way they were reached; the formula; proofs.
//! - `descent`: one way down the tree; draws that depend on the way.
//! - `search`: simulations until a limit, on several threads.
//! - `root`: what is special about the position to move in: noise, Gumbel, the final choice.
//!
//! Several threads share one tree: positions to be judged are picked one after the other, each as if the
//! ones before had been lost, and only judging is spread. So the same seed and batch give the same
//! move, whatever the number of threads.

mod descent;
mod root;
mod search;
#[cfg(test)]
mod tests;
mod tree;

use std::time::Instant;

use tablero_core::{Choice, Control, ForMover, GameType, Limits, Match, Player, PlayerError, Rng};

use crate::mcts::budget::Budget;
use crate::{LEAST_VISITS, candidates};
use root::Root;
pub use root::{RootMove, RootView};
use search::Search;
pub use tablero_core::PolicyValue;
use tree::Tree;

/// Simulations for a decision if nobody says how many, as in Hatchet1.
pub const DEFAULT_SIMULATIONS: u64 = 20;

/// How a search by [`Puct`] is done.
#[derive(Clone, PartialEq, Debug)]
pub struct PuctOptions {
    /// What bounds every decision: simulations ([`Limits::nodes`]), time, clock. A depth does not.
    pub limits: Limits,
    /// The constant `C` of the formula: how much to explore.
    pub c: f32,
    /// What a move that was never tried is taken to be worth.
    pub untried: Untried,
    /// What a draw is worth to the player whose move brings it about, from -1 to 1; to the other it is
    /// worth the opposite.
    pub draw: f32,
    /// How the moves to look at are chosen in the position to move in.
    pub selection: RootSelection,
    /// Chance in the choice of moves, so that games against itself differ; none for the best play.
    pub exploration: Option<Exploration>,
    /// Threads that judge positions.
    pub threads: usize,
    /// Positions that are picked before any of them is judged.
    pub batch: usize,
    /// The most that the tree may take, in MiB. When it is used up, the search goes on without adding
    /// positions.
    pub memory: usize,
    /// Keep what is known for the next move.
    pub reuse: bool,
    /// Lines to report.
    pub lines: usize,
}

/// What a move that was never tried is taken to be worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Untried {
    /// Nothing, as in Hatchet1.
    Zero,
    /// What the position is worth, less this much times the root of the priors tried so far.
    Less(f32),
}

/// How the moves to look at are chosen in the position to move in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootSelection {
    /// By the formula, as everywhere.
    Formula,
    /// So many of the best moves get the same number of simulations, then the better half of them, and so
    /// on (sequential halving, as in Gumbel AlphaZero). For searches that know how many simulations they
    /// have.
    Halving(usize),
}

/// Chance in the choice of moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exploration {
    /// The parameter of the Dirichlet noise that is mixed into the priors: small for few, large peaks;
    /// none for 10 divided by the number of moves.
    pub alpha: Option<f64>,
    /// The noise's share.
    pub share: f32,
    /// For so many of a player's own moves there is noise.
    pub noisy_moves: usize,
    /// Moves are played as often as their visits to the power of `1 / temperature` say.
    pub temperature: f64,
    /// For so many of a player's own moves; then the most visited is played.
    pub sampled_moves: usize,
}

impl Default for PuctOptions {
    fn default() -> Self {
        Self {
            limits: Limits { nodes: Some(DEFAULT_SIMULATIONS), ..Limits::default() },
            c: 2.0,
            untried: Untried::Less(0.2),
            draw: 0.0,
            selection: RootSelection::Formula,
            exploration: None,
            threads: 1,
            batch: 1,
            memory: 256,
            reuse: true,
            lines: 1,
        }
    }
}

impl Default for Exploration {
    /// That of Hatchet1.
    fn default() -> Self {
        Self { alpha: None, share: 0.25, noisy_moves: 30, temperature: 1.0, sampled_moves: 40 }
    }
}

/// A player that searches by PUCT.
///
/// In what it reports, nodes are simulations, the depth is how far down the tree they went on average,
/// and values are expected results in hundredths: 100 is a sure win, 0 an even game, -100 a sure loss;
/// where a win or loss is proven, and the game has no margin, its length.
pub struct Puct<G: GameType, J> {
    options: PuctOptions,
    /// One for each thread.
    judges: Vec<J>,
    tree: Tree<G::Move>,
    rng: Rng,
    /// The last decision, for whoever learns from it.
    root: Option<Root<G>>,
}

impl<G: GameType, J: PolicyValue<G>> Puct<G, J> {
    /// A player that searches so; see [`Player::new_game`] for its seed.
    pub fn new(options: PuctOptions, judge: J) -> Self {
        let tree = Tree::new(options.memory.saturating_mul(1 << 20));
        let judges = vec![judge; options.threads.max(1)];
        Self { options, judges, tree, rng: Rng::seeded(0), root: None }
    }

    /// What the last decision knew about its position and moves; none before the first one.
    pub fn root(&self) -> Option<RootView<G>> {
        Some(self.root.as_ref()?.view(&self.tree))
    }
}

impl<G: GameType, J: PolicyValue<G>> Player<G> for Puct<G, J> {
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
        let limits = self.options.limits.and(*limits);
        let budget = Budget::new(&limits, moves.len() == 1);
        if !self.options.reuse {
            self.tree.clear();
        }
        let judge = &mut self.judges[0];
        let root =
            Root::new(game, &moves, &mut self.tree, judge, &self.options, &budget, &mut self.rng);
        let mut search = Search::new(game, &self.options, &mut self.tree, root, begun);
        let info = search.run(&mut self.judges, &budget, control);
        let root = self.root.insert(search.into_root());
        let m = root.choice(&self.tree, &self.options, game.plies(), &mut self.rng);
        Ok(Choice { m: m.unwrap_or(any_move), info })
    }

    /// Of the moves that were tried often enough for their means to mean something.
    fn expected(&self) -> Vec<(G::Move, ForMover<f64>)> {
        let moves = self.root().map_or_else(Vec::new, |root| root.moves);
        let tried = moves.into_iter().filter(|known| u64::from(known.visits) >= LEAST_VISITS);
        tried.filter_map(|known| Some((known.m, ForMover(known.mean?)))).collect()
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
