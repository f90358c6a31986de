use tablero_core::{ForMover, GameType, Outcome, Rng, Side, Simulation, Wdl, random_playout};

/// A random playout to the end of the game: 1 for a win, 0 for a draw, -1 for a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlayout;

impl<G: GameType> Simulation<G> for RandomPlayout {
    #[inline]
    fn value(&mut self, position: &G, plies_left: u32, rng: &mut Rng) -> ForMover<f32> {
        let (outcome, _) = random_playout(position.clone(), plies_left, rng);
        reward(outcome, position.side())
    }
}

/// The reward of an outcome for `mover`.
pub(super) fn reward(outcome: Outcome, mover: Side) -> ForMover<f32> {
    ForMover(match outcome.wdl(mover) {
        Wdl::Loss => -1.0,
        Wdl::Draw => 0.0,
        Wdl::Win => 1.0,
    })
}
