use crate::{Game, Outcome, Rng};

/// Plays uniformly random moves to the end of the game, for at most `limit` plies.
///
/// Returns the outcome and the number of plies. A game that reaches the limit, or is drawn by rule, is a
/// draw. Repetition is not detected: in random play it is too rare to justify the cost.
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
