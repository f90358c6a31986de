//! Threads: how many a player may use, and helper threads that the system may refuse.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, Scope};

/// The maximum number of threads of a player on this machine: four per core, at least 16. More would only
/// take memory, since every thread has a stack and tables of its own.
pub fn max_threads() -> usize {
    const PER_CORE: usize = 4;
    const AT_LEAST: usize = 16;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (PER_CORE * cores).max(AT_LEAST)
}

/// Starts a helper thread. Returns false if the system refuses to, at its limit of threads or memory:
/// unlike [`Scope::spawn`] this does not panic, and the caller goes on with the threads that it has.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use tablero_core::spawn_helper;
///
/// let next = AtomicU32::new(0);
/// let work = || while next.fetch_add(1, Ordering::Relaxed) < 100 {};
/// std::thread::scope(|scope| {
///     let helpers = (0..3).take_while(|_| spawn_helper(scope, work)).count();
///     assert!(helpers <= 3);
///     work();
/// });
/// assert!(next.into_inner() >= 100);
/// ```
#[must_use]
pub fn spawn_helper<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> bool {
    Builder::new().spawn_scoped(scope, work).is_ok()
}

/// Works on items on several threads, in any order. Each thread has a state of its own, made by `state`.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tablero_core::in_parallel;
///
/// let sum = AtomicU64::new(0);
/// in_parallel((1..=10).collect(), 3, || (), |(), item: u64| {
///     sum.fetch_add(item, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 55);
/// ```
pub fn in_parallel<T: Send, S>(
    items: Vec<T>,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let helpers = threads.min(items.len()).saturating_sub(1);
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let mut state = state();
        while let Some(item) = next() {
            work(&mut state, item);
        }
    };
    thread::scope(|scope| {
        // As many as the system grants.
        let _ = (0..helpers).take_while(|_| spawn_helper(scope, run)).count();
        run();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_follows_the_cores() {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert!(max_threads() >= 16 && max_threads() >= 4 * cores);
        assert!(max_threads() <= 16.max(4 * cores));
    }
}
