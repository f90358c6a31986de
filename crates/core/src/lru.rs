//! A least-recently-used cache within a budget, for players, networks and weights.
//!
//! Every value has a weight: its bytes, or 1 to count values. When the weights exceed the capacity, the least
//! recently used values are evicted. Lookups are linear, since a cache of things that are expensive to build
//! has few entries.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A least-recently-used cache. A key may have several values, as in a pool of idle players.
///
/// Evicted values are returned rather than dropped, so that a caller can drop them outside of its lock:
/// stopping an external engine takes a while.
///
/// ```
/// use tablero_core::LruCache;
///
/// let mut cache = LruCache::new(10, |text: &String| text.len());
/// assert!(cache.insert("a", "12345".into()).is_empty());
/// assert!(cache.insert("b", "12345".into()).is_empty());
/// assert!(cache.get("a").is_some());
/// let evicted = cache.insert("c", "123".into());
/// assert_eq!(evicted.len(), 1, "b was used least recently");
/// assert_eq!(cache.weight(), 8);
/// assert_eq!(cache.take("a").as_deref(), Some("12345"));
/// ```
#[derive(Debug)]
pub struct LruCache<K, V> {
    /// The least recently used first.
    entries: VecDeque<Entry<K, V>>,
    capacity: usize,
    weigh: fn(&V) -> usize,
    /// The total weight of values and reservations.
    weight: usize,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    weight: usize,
}

impl<K, V> LruCache<K, V> {
    /// An empty cache of values with a total weight of up to `capacity`.
    pub const fn new(capacity: usize, weigh: fn(&V) -> usize) -> Self {
        Self { entries: VecDeque::new(), capacity, weigh, weight: 0 }
    }

    /// An empty cache of up to `count` values.
    pub const fn with_count(count: usize) -> Self {
        Self::new(count, |_| 1)
    }

    /// The greatest total weight.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes the capacity. Nothing is evicted yet.
    pub const fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// The total weight of all values and reservations.
    pub const fn weight(&self) -> usize {
        self.weight
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reserves weight for a value outside of the cache, such as a player on loan. Nothing is evicted yet.
    pub const fn reserve(&mut self, weight: usize) {
        self.weight += weight;
    }

    /// Ends a reservation of that weight.
    pub const fn unreserve(&mut self, weight: usize) {
        self.weight -= weight;
    }

    /// Adds a value as the most recently used and evicts others, or the value itself if it is too heavy.
    #[must_use = "evicted values should be dropped outside of locks"]
    pub fn insert(&mut self, key: K, value: V) -> Vec<V> {
        self.push(key, value);
        self.evict()
    }

    /// Adds a value as the most recently used. The cache may exceed its capacity until the next
    /// [`evict`](Self::evict).
    pub fn push(&mut self, key: K, value: V) {
        let weight = (self.weigh)(&value);
        self.weight += weight;
        self.entries.push_back(Entry { key, value, weight });
    }

    /// Shrinks values, the least recently used first, until the cache is within its capacity. Returns whether
    /// any value was shrunk.
    pub fn shrink(&mut self, mut shrink: impl FnMut(&mut V)) -> bool {
        let is_over = self.weight > self.capacity;
        for entry in &mut self.entries {
            if self.weight <= self.capacity {
                break;
            }
            shrink(&mut entry.value);
            self.weight -= entry.weight;
            entry.weight = (self.weigh)(&entry.value);
            self.weight += entry.weight;
        }
        is_over && !self.entries.is_empty()
    }

    /// Removes values, the least recently used first, until the cache is within its capacity.
    #[must_use = "evicted values should be dropped outside of locks"]
    pub fn evict(&mut self) -> Vec<V> {
        let mut evicted = Vec::new();
        while self.weight > self.capacity
            && let Some(entry) = self.entries.pop_front()
        {
            self.weight -= entry.weight;
            evicted.push(entry.value);
        }
        evicted
    }

    /// Removes the values for which `is_kept` is false, and returns them.
    #[must_use = "removed values should be dropped outside of locks"]
    pub fn retain(&mut self, mut is_kept: impl FnMut(&K, &V) -> bool) -> Vec<V> {
        let mut removed = Vec::new();
        for entry in std::mem::take(&mut self.entries) {
            if is_kept(&entry.key, &entry.value) {
                self.entries.push_back(entry);
            } else {
                self.weight -= entry.weight;
                removed.push(entry.value);
            }
        }
        removed
    }

    /// The most recently used value of a key, which becomes the most recently used of all.
    pub fn get<Q: Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let entry = self.remove(key)?;
        self.entries.push_back(entry);
        self.entries.back().map(|entry| &entry.value)
    }

    /// Removes the most recently used value of a key.
    pub fn take<Q: Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entry = self.remove(key)?;
        self.weight -= entry.weight;
        Some(entry.value)
    }

    fn remove<Q: Eq + ?Sized>(&mut self, key: &Q) -> Option<Entry<K, V>>
    where
        K: Borrow<Q>,
    {
        let index = self.entries.iter().rposition(|entry| entry.key.borrow() == key)?;
        self.entries.remove(index)
    }
}

/// A cache of shared values (such as `Arc`s) for many threads.
///
/// ```
/// use std::sync::Arc;
/// use tablero_core::SharedCache;
///
/// let cache = SharedCache::with_count(2);
/// let load = |file: &str| cache.get_or_load(file.to_owned(), || file.parse::<u32>().map(Arc::new));
/// assert_eq!(*load("7")?, 7);
/// assert!(Arc::ptr_eq(&load("7")?, &load("7")?), "loaded once");
/// assert!(load("x").is_err());
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
#[derive(Debug)]
pub struct SharedCache<K, V>(Mutex<LruCache<K, V>>);

impl<K, V> SharedCache<K, V> {
    /// An empty cache of values with a total weight of up to `capacity`.
    pub const fn new(capacity: usize, weigh: fn(&V) -> usize) -> Self {
        Self(Mutex::new(LruCache::new(capacity, weigh)))
    }

    /// An empty cache of up to `count` values.
    pub const fn with_count(count: usize) -> Self {
        Self(Mutex::new(LruCache::with_count(count)))
    }
}

impl<K: Eq, V: Clone> SharedCache<K, V> {
    /// The value of a key, loaded on first use. Other threads wait meanwhile, so that none loads it twice.
    pub fn get_or_load<E>(&self, key: K, load: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = cache.get(&key) {
            return Ok(value.clone());
        }
        let value = load()?;
        let evicted = cache.insert(key, value.clone());
        drop(cache);
        drop(evicted);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A cache of numbers that are their own weights.
    fn numbers(capacity: usize) -> LruCache<&'static str, usize> {
        LruCache::new(capacity, |number| *number)
    }

    #[test]
    fn the_least_recently_used_are_evicted_first() {
        let mut cache = numbers(10);
        for (key, number) in [("a", 2), ("b", 3), ("c", 4)] {
            assert!(cache.insert(key, number).is_empty());
        }
        assert_eq!(cache.get("a"), Some(&2));
        assert_eq!(cache.insert("d", 4), [3], "b, since a was used");
        assert_eq!(cache.get("b"), None);
        assert_eq!((cache.weight(), cache.len()), (10, 3));
        assert_eq!(cache.insert("e", 5), [4, 2], "c and a");
        assert_eq!(cache.weight(), 9);
    }

    #[test]
    fn values_heavier_than_the_capacity_are_not_kept() {
        let mut cache = numbers(10);
        assert!(cache.insert("a", 5).is_empty());
        assert_eq!(cache.insert("b", 11), [5, 11]);
        assert!(cache.is_empty() && cache.weight() == 0);
    }

    #[test]
    fn a_key_may_have_several_values() {
        let mut cache = LruCache::with_count(3);
        for (key, value) in [("a", 1), ("b", 2), ("a", 3)] {
            assert!(cache.insert(key.to_owned(), value).is_empty());
        }
        assert_eq!(cache.insert("a".to_owned(), 4), [1]);
        assert_eq!(cache.take("a"), Some(4), "the last one first");
        assert_eq!(cache.take("a"), Some(3));
        assert_eq!(cache.take("a"), None);
        assert_eq!(cache.weight(), 1);
    }

    #[test]
    fn reservations_count_against_the_capacity() {
        let mut cache = numbers(10);
        assert!(cache.insert("a", 4).is_empty() && cache.insert("b", 4).is_empty());
        cache.reserve(5);
        assert_eq!((cache.evict(), cache.weight()), (vec![4], 9));
        cache.unreserve(5);
        assert_eq!((cache.weight(), cache.get("b")), (4, Some(&4)));
    }

    #[test]
    fn values_are_shrunk_before_they_are_evicted() {
        let mut cache = numbers(10);
        for key in ["a", "b", "c"] {
            cache.push(key, 5);
        }
        assert!(cache.shrink(|number| *number = 1));
        assert_eq!(cache.weight(), 7, "a and b");
        assert_eq!(cache.get("c"), Some(&5));
        assert!(!cache.shrink(|number| *number = 0), "within the capacity");
        assert!(cache.evict().is_empty());
    }

    #[test]
    fn retain_returns_what_it_removes() {
        let mut cache = numbers(10);
        for (key, number) in [("a", 1), ("b", 2), ("c", 3)] {
            cache.push(key, number);
        }
        assert_eq!(cache.retain(|key, number| *key == "a" || *number == 3), [2]);
        assert_eq!((cache.len(), cache.weight()), (2, 4));
    }

    #[test]
    fn shared_values_are_loaded_once_and_errors_are_not_cached() {
        let (cache, loads) = (SharedCache::with_count(1), Cell::new(0));
        let load = |key: &'static str, result: Result<u32, ()>| {
            cache.get_or_load(key, || {
                loads.set(loads.get() + 1);
                result
            })
        };
        assert_eq!(load("a", Err(())), Err(()));
        assert_eq!(load("a", Ok(1)), Ok(1));
        assert_eq!(load("a", Ok(2)), Ok(1));
        assert_eq!(load("b", Ok(3)), Ok(3));
        assert_eq!((load("a", Ok(4)), loads.get()), (Ok(4), 4), "a was evicted");
    }
}
