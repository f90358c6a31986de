//! Positions for tests.

use tablero_core::{Game, Rng, StandardRules};
use tablero_othello::Othello;

/// Positions of random games with this many empties.
pub(crate) fn positions(empties: u32, count: usize, seed: u64) -> Vec<Othello> {
    let mut rng = Rng::seeded(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Othello::start(StandardRules);
        while position.empties().count_ones() > empties {
            let Some(m) = position.random_move(&mut rng) else { break };
            position.play(m);
        }
        if position.empties().count_ones() == empties && position.outcome().is_none() {
            found.push(position);
        }
    }
    found
}
