//! Leaf evaluation of tree searches: by a network ([`PolicyValue`]) or by simulation.

use crate::{ForMover, Game, Rng};

/// Evaluates leaves with a policy and a value, as PUCT needs them: usually a network.
///
/// Every search thread has its own clone. Invalid outputs are harmless: the search treats priors that sum
/// to almost 0 as uniform, and a value that is not finite as 0.
pub trait PolicyValue<G: Game>: Clone + Send + 'static {
    /// Evaluates a position that is not over and has occurred `seen` times before. Writes the prior
    /// probability of each of `moves` to `priors`, which has the same length, and returns the value,
    /// from -1 (loss) to 1 (win).
    fn evaluate(
        &mut self,
        position: &G,
        seen: u32,
        moves: &[G::Move],
        priors: &mut [f32],
    ) -> ForMover<f32>;

    /// Evaluates leaves together; override it where that is cheaper than one by one.
    fn evaluate_batch(&mut self, leaves: &mut [LeafRequest<'_, G>]) {
        for leaf in leaves {
            leaf.value = self.evaluate(leaf.position, leaf.seen, leaf.moves, leaf.priors);
        }
    }
}

/// A leaf to be evaluated together with others; the fields are those of [`PolicyValue::evaluate`].
pub struct LeafRequest<'a, G: Game> {
    /// The position.
    pub position: &'a G,
    /// Earlier occurrences.
    pub seen: u32,
    /// The moves.
    pub moves: &'a [G::Move],
    /// Their priors, to be written.
    pub priors: &'a mut [f32],
    /// The value, to be written.
    pub value: ForMover<f32>,
}

impl<G: Game> LeafRequest<'_, G> {
    /// The same request, for a batch with others. Its priors are written here, its value is not.
    pub fn reborrow(&mut self) -> LeafRequest<'_, G> {
        LeafRequest { priors: self.priors, ..*self }
    }
}

/// Evaluates a leaf of a Monte Carlo tree search: usually by a random playout.
///
/// Any `Fn(&G) -> ForMover<f32> + Clone` is a simulation too, a static one. Every search thread has its
/// own clone.
pub trait Simulation<G: Game>: Clone + Send + 'static {
    /// The value of a position that is not over, from -1 (loss) to 1 (win). A game that lasts more than
    /// `plies_left` plies is drawn. All randomness comes from `rng`.
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32>;
}

impl<G: Game, F: Fn(&G) -> ForMover<f32> + Clone + Send + 'static> Simulation<G> for F {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self(position)
    }
}
