//! Machines between two moves.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tablero_catalog::players::PlayerLineError;
use tablero_core::Player;

use super::Describe;
use super::maker::Placed;

/// Players that wait for their next move, in whatever game: to make one anew costs more than a shallow
/// search (a table of some megabytes, or the start of another program).
pub(crate) struct Idle {
    players: Mutex<VecDeque<(Key, Box<dyn Any + Send>)>>,
    most: usize,
}

/// What players can stand in for each other.
#[derive(Clone, PartialEq)]
struct Key {
    game: &'static str,
    placed: Placed,
}

impl Key {
    fn new<G: Describe>(placed: &Placed) -> Self {
        Self { game: G::NAME, placed: placed.clone() }
    }
}

impl Idle {
    /// Keeps so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { players: Mutex::default(), most }
    }

    /// A player of that line, which may have played before.
    pub(super) fn take<G: Describe>(
        &self,
        placed: &Placed,
    ) -> Result<Box<dyn Player<G>>, PlayerLineError> {
        let key = Key::new::<G>(placed);
        let mut players = self.lock();
        let place = players.iter().position(|(known, _)| *known == key);
        let found = place.and_then(|place| players.remove(place));
        drop(players);
        match found.and_then(|(_, player)| player.downcast::<Box<dyn Player<G>>>().ok()) {
            Some(player) => Ok(*player),
            None => placed.build::<G>(),
        }
    }

    /// A player that is whole may be asked again; the one that waited longest makes room for it.
    pub(super) fn give_back<G: Describe>(&self, placed: &Placed, player: Box<dyn Player<G>>) {
        let mut players = self.lock();
        players.push_back((Key::new::<G>(placed), Box::new(player)));
        let gone = (players.len() > self.most).then(|| players.pop_front());
        drop(players);
        // Ending another program may take long.
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Key, Box<dyn Any + Send>)>> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
