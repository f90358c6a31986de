//! What guides a tree search: whoever says what a new position is worth.

use crate::{ForMover, Game, Rng};

/// Who knows what a position is worth and which of its moves look good: a network, as a rule.
///
/// Every thread has a clone of its own. What is not a number or makes no sense does no harm: the search
/// takes priors that add up to almost nothing as equal, and values without meaning as 0.
pub trait PolicyValue<G: Game>: Clone + Send + 'static {
    /// Judges a position that is not over and has been on the board `seen` times before. Writes how
    /// likely each of `moves` looks to be the best into `priors`, which has the same length; gives
    /// the position's value, from -1 (lost) to 1 (won).
    fn judge(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32>;
}

/// How a Monte Carlo tree search finds out what a position that it has just added to its tree is worth.
///
/// Any function `Fn(&G) -> ForMover<f32>` that can be cloned is a simulation too: it evaluates the
/// position as it stands. Every thread has a clone of its own.
pub trait Simulation<G: Game>: Clone + Send + 'static {
    /// What a position that is not over is worth to its mover: -1 is a loss, 1 a win. After
    /// `plies_left` more plies the game will be a draw. All chance comes from `rng`.
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32>;
}

impl<G: Game, F: Fn(&G) -> ForMover<f32> + Clone + Send + 'static> Simulation<G> for F {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self(position)
    }
}
