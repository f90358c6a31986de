//! Idle players between games, within a memory budget for all players of the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use tablero_core::{AnyPlayer, LruCache, player_budget};
use thiserror::Error;

/// Keeps players between games: external engines are slow to start, large tables slow to allocate.
///
/// Players are weighed by [`Player::memory`](tablero_core::Player::memory). The least recently used are
/// dropped when they do not fit into the budget beside the [reservations](Self::reserve) of running tasks.
#[derive(Debug)]
pub struct PlayerPool {
    state: Mutex<State>,
    /// A reservation ended.
    released: Condvar,
    /// Held by the task that reserves next, so that small tasks do not starve large ones.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct State {
    /// Its capacity is the budget.
    idle: LruCache<Key, IdlePlayer>,
    reserved: usize,
}

/// The user that players belong to, and their line.
type Key = (u64, String);

struct IdlePlayer(Box<AnyPlayer>);

/// What a player takes besides its tables: evaluation, network buffers.
const PLAYER_BYTES: usize = 1 << 20;

impl IdlePlayer {
    fn bytes(&self) -> usize {
        PLAYER_BYTES + self.0.memory()
    }
}

impl std::fmt::Debug for IdlePlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a player of {} bytes", self.bytes())
    }
}

/// Memory reserved for the players of a running task.
#[derive(Debug)]
pub struct Reservation<'a> {
    pool: &'a PlayerPool,
    bytes: usize,
}

/// A task needs more memory than the whole budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the players need {} MB, and all players together may take {} MB", bytes >> 20, budget >> 20)]
pub struct OverBudget {
    /// The bytes that it needs.
    pub bytes: usize,
    /// The budget in bytes.
    pub budget: usize,
}

impl PlayerPool {
    /// An empty pool with a budget in bytes.
    pub const fn new(budget: usize) -> Self {
        let idle = LruCache::new(budget, IdlePlayer::bytes);
        Self {
            state: Mutex::new(State { idle, reserved: 0 }),
            released: Condvar::new(),
            turn: Mutex::new(()),
        }
    }

    /// The pool of all matches of this process that have no other, with a budget of
    /// [`player_budget`].
    pub fn shared() -> Arc<Self> {
        static POOL: LazyLock<Arc<PlayerPool>> =
            LazyLock::new(|| Arc::new(PlayerPool::new(player_budget())));
        Arc::clone(&POOL)
    }

    /// Changes the budget, and drops idle players for which it has no room.
    pub fn set_budget(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.idle.set_capacity(bytes);
        let evicted = state.idle.evict();
        drop(state);
        self.released.notify_all();
        drop(evicted);
    }

    /// Reserves memory for the players of a task until the reservation is dropped. Waits until other tasks
    /// leave enough of the budget, and drops idle players.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, OverBudget> {
        let _turn = lock(&self.turn);
        let mut state = lock(&self.state);
        loop {
            let budget = state.idle.capacity();
            if bytes > budget {
                return Err(OverBudget { bytes, budget });
            }
            if state.reserved + bytes <= budget {
                break;
            }
            state = self.released.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.reserved += bytes;
        state.idle.reserve(bytes);
        let evicted = state.idle.evict();
        drop(state);
        // Outside of the lock, here and below: stopping an external engine takes a while.
        drop(evicted);
        Ok(Reservation { pool: self, bytes })
    }

    /// A user of the pool; its players are not given to others.
    pub(crate) fn new_user() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn take(&self, user: u64, line: &str) -> Option<Box<AnyPlayer>> {
        let player = lock(&self.state).idle.take(&(user, line.to_owned()));
        player.map(|idle| idle.0)
    }

    pub(crate) fn put(&self, user: u64, line: &str, player: Box<AnyPlayer>) {
        let mut state = lock(&self.state);
        state.idle.push((user, line.to_owned()), IdlePlayer(player));
        // The player of a task with a reservation is part of that until the task ends.
        let evicted = if state.reserved == 0 { state.idle.evict() } else { Vec::new() };
        drop(state);
        drop(evicted);
    }

    /// Drops the players of a user.
    pub(crate) fn remove_user(&self, user: u64) {
        let removed = lock(&self.state).idle.retain(|(owner, _), _| *owner != user);
        drop(removed);
    }

    /// The number of idle players.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).idle.len()
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        state.reserved -= self.bytes;
        state.idle.unreserve(self.bytes);
        let evicted = state.idle.evict();
        drop(state);
        self.pool.released.notify_all();
        drop(evicted);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::Duration;

    use tablero_core::{
        AnyControl, AnyGameHistory, AnyPosition, AnySearchResult, Limits, Player, PlayerError,
    };

    use super::*;

    /// A player with tables of this many MB.
    struct Tables(usize);

    impl Player<AnyPosition> for Tables {
        fn choose(
            &mut self,
            _: &AnyGameHistory,
            _: &Limits,
            _: &mut AnyControl<'_>,
        ) -> Result<AnySearchResult, PlayerError> {
            Err(PlayerError::Resigned)
        }

        fn memory(&self) -> usize {
            self.0 << 20
        }

        fn new_game(&mut self, _: u64) {}
    }

    fn pool_of(megabytes: usize) -> PlayerPool {
        PlayerPool::new(megabytes << 20)
    }

    #[test]
    fn idle_players_are_dropped_by_memory() {
        let (pool, user) = (pool_of(100), PlayerPool::new_user());
        for _ in 0..20 {
            pool.put(user, "large", Box::new(Tables(29)));
        }
        assert_eq!(pool.len(), 3, "90 of 100 MB");
        pool.put(user, "huge", Box::new(Tables(200)));
        assert_eq!(pool.len(), 0, "too large to keep");
        for _ in 0..200 {
            pool.put(user, "small", Box::new(Tables(0)));
        }
        assert_eq!(pool.len(), 100);
        let other = PlayerPool::new_user();
        assert!(pool.take(other, "small").is_none() && pool.take(user, "small").is_some());
        pool.remove_user(other);
        assert_eq!(pool.len(), 99);
        pool.set_budget(50 << 20);
        assert_eq!(pool.len(), 50, "a smaller budget");
        pool.remove_user(user);
        assert_eq!(pool.len(), 0);
    }

    #[test]
    fn running_tasks_count_against_the_budget() {
        let (pool, user) = (pool_of(100), PlayerPool::new_user());
        for _ in 0..3 {
            pool.put(user, "large", Box::new(Tables(29)));
        }
        let first = pool.reserve(50 << 20).expect("within the budget");
        assert_eq!(pool.len(), 1, "two made room");
        pool.put(user, "its own", Box::new(Tables(49)));
        assert_eq!(pool.len(), 2, "part of the reservation until the task ends");
        drop(first);
        assert_eq!(pool.len(), 2);
        let over = pool.reserve(101 << 20).expect_err("more than everything");
        assert_eq!(
            over.to_string(),
            "the players need 101 MB, and all players together may take 100 MB"
        );
    }

    #[test]
    fn a_task_waits_until_there_is_memory() {
        let (pool, is_reserved) = (pool_of(100), AtomicBool::new(false));
        let first = pool.reserve(60 << 20).expect("within the budget");
        thread::scope(|scope| {
            scope.spawn(|| {
                let _second = pool.reserve(60 << 20).expect("within the budget");
                is_reserved.store(true, Ordering::Relaxed);
            });
            thread::sleep(Duration::from_millis(50));
            assert!(!is_reserved.load(Ordering::Relaxed));
            drop(first);
        });
        assert!(is_reserved.into_inner());
    }
}
