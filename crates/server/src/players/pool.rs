//! The pool of engines between moves. A player stays assigned to its seat, so that its hash table and tree
//! are reused for the next move. All players, including those of the running job, share a memory budget with LRU
//! eviction; searches for which it has no room wait.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tablero_core::{AnyGameHistory, AnyMove, AnyPlayer, AnyPosition, LruCache};

use super::PlayerSpec;
use crate::api::{Problem, Side};

/// The engines of all live games.
pub(crate) struct PlayerPool {
    budget: usize,
    state: Mutex<State>,
    /// Notified when a lease ends.
    unleased: Condvar,
}

/// How long a search waits for memory.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(60);

/// A side of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    pub(crate) game: String,
    pub(crate) side: Side,
}

struct State {
    /// By seat and spec. Leased players are reservations of their bytes when the lease began.
    idle: LruCache<(Seat, PlayerSpec), IdlePlayer>,
    /// The number of leased players.
    leases: usize,
    /// The sum of their reservations and of those of jobs.
    leased_bytes: usize,
    /// Whether memory was freed since the last [`PlayerPool::take_freed`].
    freed: bool,
}

/// A player between two moves of its seat.
struct IdlePlayer {
    player: Box<AnyPlayer>,
    searched: SearchedLine,
    since: Instant,
}

/// The line that a player last searched.
struct SearchedLine {
    start: AnyPosition,
    moves: Vec<AnyMove>,
}

/// Memory reserved for the players of a job while it runs.
pub(crate) struct JobReservation {
    pool: Arc<PlayerPool>,
    bytes: usize,
}

/// A player on loan for a search. Dropped with its lease, unless it is released to the pool.
pub(crate) struct PlayerLease {
    pool: Arc<PlayerPool>,
    /// The reserved bytes, until the lease ends.
    reserved: Option<usize>,
    seat: Option<Seat>,
    spec: PlayerSpec,
    player: Option<Box<AnyPlayer>>,
    searched: Option<SearchedLine>,
}

impl PlayerPool {
    /// A pool with a budget in bytes.
    pub(crate) fn new(budget: usize) -> Arc<Self> {
        let idle = LruCache::new(budget, IdlePlayer::bytes);
        let state = State { idle, leases: 0, leased_bytes: 0, freed: false };
        Arc::new(Self { budget, state: Mutex::new(state), unleased: Condvar::new() })
    }

    /// The seat's player, or a new one if the seat has none of that spec. Waits while there is no memory
    /// for it.
    pub(crate) fn acquire(
        self: &Arc<Self>,
        seat: Option<Seat>,
        spec: PlayerSpec,
    ) -> Result<PlayerLease, Problem> {
        spec.check_memory(self.budget >> 20)?;
        let key = seat.clone().map(|seat| (seat, spec.clone()));
        let mut state = self.wait_for_room(spec.table_bytes())?;
        let found = key.and_then(|key| state.idle.take(&key));
        let bytes = found.as_ref().map_or(0, IdlePlayer::bytes).max(spec.table_bytes());
        state.leases += 1;
        state.leased_bytes += bytes;
        state.idle.reserve(bytes);
        let evicted = state.evict();
        drop(state);
        // Outside the lock: stopping an external engine may take long.
        drop(evicted);
        let (player, searched) = found.map(|idle| (idle.player, idle.searched)).unzip();
        let mut lease = PlayerLease {
            pool: Arc::clone(self),
            reserved: Some(bytes),
            seat,
            spec,
            player,
            searched,
        };
        if lease.player.is_none() {
            lease.player = Some(lease.spec.build()?);
        }
        Ok(lease)
    }

    /// Reserves memory for the players of a job, at most half of the budget, so that live games go on.
    pub(crate) fn reserve_for_job(self: &Arc<Self>, bytes: usize) -> JobReservation {
        let bytes = bytes.min(self.budget / 2);
        let mut state = self.lock();
        state.leased_bytes += bytes;
        state.idle.reserve(bytes);
        let evicted = state.evict();
        drop(state);
        drop(evicted);
        JobReservation { pool: Arc::clone(self), bytes }
    }

    /// Waits until leased players leave room for `bytes` more. Idle ones can be evicted.
    fn wait_for_room(&self, bytes: usize) -> Result<MutexGuard<'_, State>, Problem> {
        let is_full = |state: &mut State| {
            state.leases > 0 && state.leased_bytes.saturating_add(bytes) > self.budget
        };
        let waited = self.unleased.wait_timeout_while(self.lock(), MEMORY_TIMEOUT, is_full);
        match waited.unwrap_or_else(PoisonError::into_inner) {
            (_, result) if result.timed_out() => {
                Err(Problem::MemoryBusy { budget: self.budget >> 20 })
            }
            (state, _) => Ok(state),
        }
    }

    /// Ends a lease.
    fn unlease(&self, reserved: Option<usize>) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Some(bytes) = reserved {
            state.leases -= 1;
            state.leased_bytes -= bytes;
            state.idle.unreserve(bytes);
            self.unleased.notify_all();
        }
        state
    }

    /// Evicts the players of a game.
    pub(crate) fn evict_game(&self, game: &str) {
        self.retain(|seat, _| seat.game != game);
    }

    /// Evicts players that have been idle for `timeout`.
    pub(crate) fn evict_idle(&self, timeout: Duration) {
        self.retain(|_, idle| idle.since.elapsed() < timeout);
    }

    /// Whether memory was freed since the last call that returned true; false while players search.
    pub(crate) fn take_freed(&self) -> bool {
        let mut state = self.lock();
        state.leases == 0 && std::mem::take(&mut state.freed)
    }

    fn retain(&self, is_kept: impl Fn(&Seat, &IdlePlayer) -> bool) {
        let mut state = self.lock();
        let evicted = state.idle.retain(|(seat, _), idle| is_kept(seat, idle));
        state.freed |= !evicted.is_empty();
        drop(state);
        drop(evicted);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Releases the memory of idle players, least recently used first, then evicts the players
    /// themselves, until the pool is within the budget.
    fn evict(&mut self) -> Vec<IdlePlayer> {
        self.freed |= self.idle.shrink(|idle| idle.player.release_memory());
        self.idle.evict()
    }
}

impl IdlePlayer {
    /// The memory of the player.
    fn bytes(&self) -> usize {
        self.player.memory()
    }
}

impl SearchedLine {
    fn new(game: &AnyGameHistory) -> Self {
        Self { start: game.start().clone(), moves: game.played().collect() }
    }

    /// Whether `game` continues this line.
    fn is_prefix_of(&self, game: &AnyGameHistory) -> bool {
        let mut played = game.played();
        self.start == *game.start() && self.moves.iter().all(|m| played.next() == Some(*m))
    }
}

impl PlayerLease {
    /// The player, ready to search `game`. If that is not a continuation of the game that it last
    /// searched, the player is reset with `seed`.
    pub(crate) fn prepare(&mut self, game: &AnyGameHistory, seed: u64) -> &mut AnyPlayer {
        let is_continuation = self.searched.as_ref().is_some_and(|line| line.is_prefix_of(game));
        self.searched = Some(SearchedLine::new(game));
        let player = self.player();
        if !is_continuation {
            player.new_game(seed);
        }
        player
    }

    /// The player as it is.
    pub(crate) fn player(&mut self) -> &mut AnyPlayer {
        // Taken only by `release` and `drop`.
        &mut **self.player.as_mut().expect("a player")
    }

    /// Returns the player to the pool, for its seat's next move.
    pub(crate) fn release(mut self) {
        let parts = (self.seat.take(), self.player.take(), self.searched.take());
        let (Some(seat), Some(player), Some(searched)) = parts else { return };
        let key = (seat, self.spec.clone());
        let (since, reserved) = (Instant::now(), self.reserved.take());
        let mut state = self.pool.unlease(reserved);
        // A stale search of the seat may have returned a second player.
        let duplicate = state.idle.take(&key);
        state.idle.push(key, IdlePlayer { player, searched, since });
        let mut evicted = state.evict();
        drop(state);
        evicted.extend(duplicate);
    }
}

impl Drop for JobReservation {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        state.leased_bytes -= self.bytes;
        state.idle.unreserve(self.bytes);
        self.pool.unleased.notify_all();
    }
}

impl Drop for PlayerLease {
    fn drop(&mut self) {
        // Its memory is free before others get it.
        let had_player = self.player.take().is_some();
        let mut state = self.pool.unlease(self.reserved.take());
        state.freed |= had_player;
    }
}

#[cfg(test)]
mod tests;
