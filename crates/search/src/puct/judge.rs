use tablero_core::{ForMover, Game};

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
