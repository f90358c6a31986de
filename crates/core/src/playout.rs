use crate::{Game, Outcome, Rng};

/// Plays random moves from `position` to the end of the game, for at most `limit` plies.
///
/// Gives the outcome and the number of plies played; a game that the limit cuts off, or that its
/// position declares drawn, is a draw. Repetition is not looked at: in random play it is too rare to
/// pay for.
#[inline]
pub fn random_playout<G: Game>(mut position: G, limit: u32, rng: &mut Rng) -> (Outcome, u32) {
    for plies in 0..limit {
        let Some(m) = position.random_move(rng) else {
            return (position.outcome().unwrap_or(Outcome::DRAW), plies);
        };
        position.play(m);
        if position.draw().is_some_and(|draw| draw.forced) {
            return (position.outcome().unwrap_or(Outcome::DRAW), plies + 1);
        }
    }
    (position.outcome().unwrap_or(Outcome::DRAW), limit)
}
