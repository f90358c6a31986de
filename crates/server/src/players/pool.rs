//! Machines between two moves. A player stays with its seat, so that its tables and tree serve the next
//! move too; all of them together keep within a budget of memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tablero_core::{AnyMatch, AnyMove, AnyPlayer, AnyPosition, PlayerLineError};

use super::PlayerSpec;
use crate::api::Side;

/// The players of all open games.
pub(crate) struct PlayerPool {
    state: Mutex<State>,
    /// Bytes that all of them may take.
    budget: usize,
}

/// A side of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    pub(crate) game: String,
    pub(crate) side: Side,
}

#[derive(Default)]
struct State {
    /// The one that has waited longest first.
    idle: VecDeque<Idle>,
    /// What those who think took when they began.
    busy: HashMap<u64, usize>,
    last_ticket: u64,
    /// Whether memory was freed since somebody asked.
    freed: bool,
}

/// A player that waits for its seat's next move.
struct Idle {
    seat: Seat,
    spec: PlayerSpec,
    player: Box<AnyPlayer>,
    seen: Seen,
    bytes: usize,
    since: Instant,
}

/// The line of the position that a player was last asked about.
struct Seen {
    start: AnyPosition,
    moves: Vec<AnyMove>,
}

/// A player that thinks; it leaves when this is dropped, unless it is given back.
pub(crate) struct Busy {
    pool: Arc<PlayerPool>,
    ticket: u64,
    seat: Option<Seat>,
    spec: PlayerSpec,
    player: Option<Box<AnyPlayer>>,
    seen: Option<Seen>,
}

/// What another program counts as: how much it takes is not known.
pub(super) const PROGRAM_BYTES: usize = 64 << 20;

impl PlayerPool {
    /// Players that may take so many bytes together.
    pub(crate) fn new(budget: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), budget })
    }

    /// The player of a seat, or a new one if it has none of that spec or there is no seat.
    pub(crate) fn take(
        self: &Arc<Self>,
        seat: Option<Seat>,
        spec: PlayerSpec,
    ) -> Result<Busy, PlayerLineError> {
        let mut state = self.lock();
        let is_wanted = |idle: &Idle| Some(&idle.seat) == seat.as_ref() && idle.spec == spec;
        let place = state.idle.iter().position(is_wanted);
        let found = place.and_then(|place| state.idle.remove(place));
        let known = found.as_ref().map_or(0, |idle| idle.bytes);
        let ticket = state.enter(known.max(spec.table_bytes()));
        let gone = state.make_room(self.budget);
        drop(state);
        // Outside the lock: to end another program may take long.
        drop(gone);
        let (player, seen) = found.map(|idle| (idle.player, idle.seen)).unzip();
        let mut busy = Busy { pool: Arc::clone(self), ticket, seat, spec, player, seen };
        if busy.player.is_none() {
            busy.player = Some(busy.spec.build()?);
        }
        Ok(busy)
    }

    /// The players of a game leave.
    pub(crate) fn forget_game(&self, game: &str) {
        self.retain(|idle| idle.seat.game != game);
    }

    /// Players leave that nobody has asked for so long.
    pub(crate) fn forget_idle(&self, longest: Duration) {
        self.retain(|idle| idle.since.elapsed() < longest);
    }

    /// Whether memory was freed since the last call that said so, and nobody thinks now.
    pub(crate) fn has_freed(&self) -> bool {
        let mut state = self.lock();
        state.busy.is_empty() && std::mem::take(&mut state.freed)
    }

    fn retain(&self, is_kept: impl Fn(&Idle) -> bool) {
        let mut state = self.lock();
        let (kept, gone): (Vec<_>, Vec<_>) = state.idle.drain(..).partition(is_kept);
        state.idle = kept.into();
        state.freed |= !gone.is_empty();
        drop(state);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Somebody thinks who takes so many bytes; a number to leave by.
    fn enter(&mut self, bytes: usize) -> u64 {
        self.last_ticket += 1;
        self.busy.insert(self.last_ticket, bytes);
        self.last_ticket
    }

    fn bytes(&self) -> usize {
        self.busy.values().chain(self.idle.iter().map(|idle| &idle.bytes)).sum()
    }

    /// Takes memory from those who have waited longest, then the players themselves, until the rest
    /// keeps within the budget.
    fn make_room(&mut self, budget: usize) -> Vec<Idle> {
        let mut bytes = self.bytes();
        for idle in &mut self.idle {
            if bytes <= budget {
                return Vec::new();
            }
            bytes -= idle.bytes;
            idle.release_memory();
            bytes += idle.bytes;
            self.freed = true;
        }
        let mut gone = Vec::new();
        while bytes > budget
            && let Some(idle) = self.idle.pop_front()
        {
            bytes -= idle.bytes;
            gone.push(idle);
        }
        gone
    }
}

impl Idle {
    fn release_memory(&mut self) {
        self.player.release_memory();
        self.bytes = bytes_of(&self.spec, &*self.player);
    }
}

/// What a player takes now.
fn bytes_of(spec: &PlayerSpec, player: &AnyPlayer) -> usize {
    let program = if spec.starts_program() { PROGRAM_BYTES } else { 0 };
    program + player.memory()
}

impl Seen {
    fn new(game: &AnyMatch) -> Self {
        Self { start: game.start().clone(), moves: game.played().collect() }
    }

    /// Whether `game` goes on from there.
    fn leads_to(&self, game: &AnyMatch) -> bool {
        let mut played = game.played();
        self.start == *game.start() && self.moves.iter().all(|m| played.next() == Some(*m))
    }
}

impl Busy {
    /// The player, ready to choose in `game`. It forgets what it knows, and plays by `seed` from now on,
    /// only where that is not the game that it has been playing.
    pub(crate) fn follow(&mut self, game: &AnyMatch, seed: u64) -> &mut AnyPlayer {
        let goes_on = self.seen.as_ref().is_some_and(|seen| seen.leads_to(game));
        self.seen = Some(Seen::new(game));
        let player = self.player();
        if !goes_on {
            player.new_game(seed);
        }
        player
    }

    /// The player as it is.
    pub(crate) fn player(&mut self) -> &mut AnyPlayer {
        // There is one until this is given back or dropped.
        &mut **self.player.as_mut().expect("a player")
    }

    /// The player waits for its seat's next move.
    pub(crate) fn give_back(mut self) {
        let parts = (self.seat.take(), self.player.take(), self.seen.take());
        let (Some(seat), Some(player), Some(seen)) = parts else { return };
        let bytes = bytes_of(&self.spec, &*player);
        let spec = self.spec.clone();
        let mut state = self.pool.lock();
        state.busy.remove(&self.ticket);
        // An earlier search of the seat may have ended late, with a player of its own.
        let twin = state.idle.iter().position(|idle| idle.seat == seat && idle.spec == spec);
        let twin = twin.and_then(|place| state.idle.remove(place));
        state.idle.push_back(Idle { seat, spec, player, seen, bytes, since: Instant::now() });
        let mut gone = state.make_room(self.pool.budget);
        drop(state);
        gone.extend(twin);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let player = self.player.take();
        let mut state = self.pool.lock();
        state.busy.remove(&self.ticket);
        state.freed |= player.is_some();
        drop(state);
    }
}

#[cfg(test)]
mod tests;
