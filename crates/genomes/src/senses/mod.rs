//! What a small network sees of a position: a few numbers, for most of them the mover's minus the
//! other side's, of the order of one.

mod chess;
mod othello;
mod shobu;
mod tictactoe;

use tablero_core::Tactics;

/// No game has more senses.
pub(crate) const MOST: usize = 32;

/// A game whose positions can be seen as a few numbers.
pub trait Senses: Tactics {
    /// What each number is.
    const SENSES: &'static [&'static str];

    /// Writes the numbers of this position, as many as [`SENSES`](Self::SENSES) has.
    fn sense(&self, numbers: &mut [f32]);
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    fn senses_are_sound<G: Senses>() {
        assert!(G::SENSES.len() <= MOST);
        let mut rng = Rng::seeded(8);
        for _ in 0..50 {
            let mut position = G::start(G::Rules::default());
            for _ in 0..rng.below(60) {
                let Some(m) = position.random_move(&mut rng) else { break };
                position.play(m);
            }
            let seen = |position: &G| {
                let mut numbers = vec![f32::NAN; G::SENSES.len()];
                position.sense(&mut numbers);
                numbers
            };
            let numbers = seen(&position);
            assert!(numbers.iter().all(|n| n.abs() < 10.0), "{numbers:?} {position:?}");
        }
    }

    #[test]
    fn all_games_have_sound_senses() {
        senses_are_sound::<tablero_othello::Othello>();
        senses_are_sound::<tablero_chess::Chess>();
        senses_are_sound::<tablero_shobu::Shobu>();
        senses_are_sound::<tablero_tictactoe::TicTacToe>();
    }
}
