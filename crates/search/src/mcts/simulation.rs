use tablero_core::{ForMover, Game, Outcome, Rng, Side, Wdl, random_playout};

/// How the search finds out what a position that it has just added to its tree is worth.
///
/// [`RandomPlayout`] plays on; any function `Fn(&G) -> ForMover<f32>` that can be cloned is a
/// simulation too: it judges the position as it stands. Every thread has a clone of its own.
pub trait Simulation<G: Game>: Clone + Send + 'static {
    /// What a position that is not over is worth to its mover: -1 is a loss, 1 a win. After
    /// `plies_left` more plies the game will be a draw. All chance comes from `rng`.
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32>;
}

/// Plays random moves to the end of the game: 1 for a win, 0 for a draw, -1 for a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlayout;

impl<G: Game> Simulation<G> for RandomPlayout {
    #[inline]
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32> {
        let (outcome, _) = random_playout(position.clone(), plies_left, rng);
        reward(outcome, position.side())
    }
}

impl<G: Game, F: Fn(&G) -> ForMover<f32> + Clone + Send + 'static> Simulation<G> for F {
    fn value(&mut self, position: &G, _: u32, _: &mut Rng) -> ForMover<f32> {
        self(position)
    }
}

/// What an outcome is worth to `mover`.
pub(super) fn reward(outcome: Outcome, mover: Side) -> ForMover<f32> {
    ForMover(match outcome.wdl(mover) {
        Wdl::Loss => -1.0,
        Wdl::Draw => 0.0,
        Wdl::Win => 1.0,
    })
}
