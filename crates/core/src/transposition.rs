//! The transposition table, generic over the entries of a search.
//!
//! All threads share it without locks, by Hyatt's XOR trick (R. Hyatt and T. Mann, "A lock-less
//! transposition table implementation for parallel search chess engines", ICGA Journal 25(1), 2002): a slot
//! holds the data and the key XORed with the data, so that an entry corrupted by concurrent writes fails the key
//! comparison and counts as a miss. Four slots form a bucket of one cache line; an entry of low depth or
//! of an old search is replaced first.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{LargeTable, spawn_helper};

/// Slots of a bucket: one cache line.
const BUCKET: usize = 4;
/// The bit offset of the generation, above the packed entry.
const GENERATION_SHIFT: u32 = 56;

/// The key of a position.
pub trait TableKey: Copy {
    /// The bucket of the position, below `buckets`.
    fn bucket(self, buckets: usize) -> usize;

    /// The verification bits: distinguish positions of the same bucket.
    fn check(self) -> u64;
}

/// [`Game::key`](crate::Game::key): the high bits select the bucket, in tables of any size (Lemire's
/// multiply-shift), the whole key verifies.
impl TableKey for u64 {
    #[inline]
    fn bucket(self, buckets: usize) -> usize {
        ((u128::from(self) * buckets as u128) >> 64) as usize
    }

    #[inline]
    fn check(self) -> u64 {
        self
    }
}

/// What a search stores about a position.
pub trait TableEntry: Copy {
    /// The key type.
    type Key: TableKey;

    /// The entry in 56 bits, never 0.
    fn pack(self) -> u64;

    /// The inverse of [`pack`](Self::pack).
    fn unpack(bits: u64) -> Self;

    /// The value of keeping the entry, which was stored `age` searches ago (0 is the current search). The
    /// entry with the lowest priority of its bucket is replaced.
    fn retention_priority(self, age: u8) -> i64;
}

/// A transposition table for any number of threads.
///
/// ```
/// use tablero_core::{TableEntry, TranspositionTable};
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Entry {
///     depth: u8,
///     score: i16,
/// }
///
/// impl TableEntry for Entry {
///     type Key = u64;
///     fn pack(self) -> u64 {
///         1 << 24 | u64::from(self.depth) << 16 | u64::from(self.score as u16)
///     }
///     fn unpack(bits: u64) -> Self {
///         Self { depth: (bits >> 16) as u8, score: bits as u16 as i16 }
///     }
///     fn retention_priority(self, age: u8) -> i64 {
///         i64::from(self.depth) - 8 * i64::from(age)
///     }
/// }
///
/// let table = TranspositionTable::new(1 << 20);
/// let entry = Entry { depth: 5, score: -30 };
/// table.store(0x1234, |_old| Some(entry));
/// assert_eq!(table.probe(0x1234), Some(entry));
/// assert_eq!(table.probe(0x1235), None);
/// ```
pub struct TranspositionTable<E> {
    buckets: LargeTable<Bucket>,
    /// The number of the current search, modulo 256.
    generation: u8,
    entry: PhantomData<E>,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

#[derive(Default)]
struct Slot {
    /// Key XOR data.
    mixed: AtomicU64,
    data: AtomicU64,
}

impl<E: TableEntry> TranspositionTable<E> {
    /// Bytes of a bucket, the minimum size of a table.
    pub const BUCKET_BYTES: usize = size_of::<Bucket>();

    /// An empty table of at most `bytes`, at least one bucket.
    #[inline]
    pub fn new(bytes: usize) -> Self {
        let count = (bytes / Self::BUCKET_BYTES).max(1);
        let buckets = LargeTable::new(count, Bucket::default);
        Self { buckets, generation: 0, entry: PhantomData }
    }

    /// Clears the table, on `threads` threads.
    #[inline]
    pub fn clear(&mut self, threads: usize) {
        let part = self.buckets.len().div_ceil(threads.max(1));
        let helpers = self.buckets.len().div_ceil(part) - 1;
        let parts = Mutex::new(self.buckets.chunks_mut(part));
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let clear = || {
            while let Some(part) = next() {
                part.fill_with(Bucket::default);
            }
        };
        thread::scope(|scope| {
            // This thread clears the parts of helpers that do not start.
            let _started = (0..helpers).take_while(|_| spawn_helper(scope, clear)).count();
            clear();
        });
        self.generation = 0;
    }

    /// Starts a new search: all entries age.
    #[inline]
    pub fn new_search(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// The size in bytes.
    #[inline]
    pub fn memory(&self) -> usize {
        self.buckets.len() * Self::BUCKET_BYTES
    }

    /// Occupancy by entries of the current search, in permill, from a sample (UCI `hashfull`).
    #[inline]
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 250;
        let sample = &self.buckets[..self.buckets.len().min(SAMPLE)];
        let slots = sample.iter().flat_map(|bucket| &bucket.0);
        let used = slots
            .map(|slot| slot.load().1)
            .filter(|&data| data != 0 && self.age(data) == 0)
            .count();
        (used * 1000 / (sample.len() * BUCKET)) as u32
    }

    /// Prefetches the bucket of a position.
    #[inline]
    pub fn prefetch(&self, key: E::Key) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: a prefetch has no architectural effect, and the address is in the table.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        let _ = key;
    }

    /// Looks up a position.
    #[inline]
    pub fn probe(&self, key: E::Key) -> Option<E> {
        let check = key.check();
        self.bucket(key).0.iter().find_map(|slot| {
            let (mixed, data) = slot.load();
            (mixed ^ data == check && data != 0).then(|| unpack(data))
        })
    }

    /// Stores an entry, replacing the position's own or the one with the lowest
    /// [priority](TableEntry::retention_priority) of the bucket.
    ///
    /// `merge` makes the new entry from the old one of the position and its age, if there is one; `None`
    /// leaves the table unchanged.
    #[inline]
    pub fn store(&self, key: E::Key, merge: impl FnOnce(Option<(E, u8)>) -> Option<E>) {
        let (check, bucket) = (key.check(), self.bucket(key));
        let (mut victim, mut least) = (&bucket.0[0], i64::MAX);
        for slot in &bucket.0 {
            let (mixed, data) = slot.load();
            let (old, age) = (unpack::<E>(data), self.age(data));
            if data != 0 && mixed ^ data == check {
                if let Some(entry) = merge(Some((old, age))) {
                    slot.store(check, self.data(entry));
                }
                return;
            }
            let priority = if data == 0 { i64::MIN } else { old.retention_priority(age) };
            if priority < least {
                (victim, least) = (slot, priority);
            }
        }
        if let Some(entry) = merge(None) {
            victim.store(check, self.data(entry));
        }
    }

    #[inline]
    fn bucket(&self, key: E::Key) -> &Bucket {
        &self.buckets[key.bucket(self.buckets.len())]
    }

    #[inline]
    fn data(&self, entry: E) -> u64 {
        let bits = entry.pack();
        debug_assert!(bits != 0 && bits >> GENERATION_SHIFT == 0, "{bits:x}");
        bits | u64::from(self.generation) << GENERATION_SHIFT
    }

    /// The age of an entry, in searches.
    #[inline]
    const fn age(&self, data: u64) -> u8 {
        self.generation.wrapping_sub((data >> GENERATION_SHIFT) as u8)
    }
}

/// A table that is allocated by the first search that needs it, and can be released again.
pub struct LazyTable<E> {
    bytes: usize,
    table: Option<TranspositionTable<E>>,
}

impl<E: TableEntry> LazyTable<E> {
    /// A table of at most `bytes` once allocated.
    #[inline]
    pub const fn new(bytes: usize) -> Self {
        Self { bytes, table: None }
    }

    /// The table, allocated if necessary.
    #[inline]
    pub fn get(&mut self) -> &mut TranspositionTable<E> {
        self.table.get_or_insert_with(|| TranspositionTable::new(self.bytes))
    }

    /// The table after [`TranspositionTable::new_search`], allocated if necessary.
    #[inline]
    pub fn new_search(&mut self) -> &TranspositionTable<E> {
        let table = self.get();
        table.new_search();
        table
    }

    /// Clears the table on `threads` threads, keeping its memory.
    #[inline]
    pub fn clear(&mut self, threads: usize) {
        if let Some(table) = &mut self.table {
            table.clear(threads);
        }
    }

    /// Allocated bytes.
    #[inline]
    pub fn memory(&self) -> usize {
        self.table.as_ref().map_or(0, TranspositionTable::memory)
    }

    /// Whether the table is allocated.
    #[inline]
    pub const fn is_allocated(&self) -> bool {
        self.table.is_some()
    }

    /// Frees the table.
    #[inline]
    pub fn release(&mut self) {
        self.table = None;
    }
}

#[inline]
fn unpack<E: TableEntry>(data: u64) -> E {
    E::unpack(data & ((1 << GENERATION_SHIFT) - 1))
}

impl Slot {
    #[inline]
    fn load(&self) -> (u64, u64) {
        (self.mixed.load(Ordering::Relaxed), self.data.load(Ordering::Relaxed))
    }

    #[inline]
    fn store(&self, check: u64, data: u64) {
        self.mixed.store(check ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// A depth and a score.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Found(u8, u32);

    impl TableEntry for Found {
        type Key = u64;

        fn pack(self) -> u64 {
            1 << 55 | u64::from(self.0) << 32 | u64::from(self.1)
        }

        fn unpack(bits: u64) -> Self {
            Self((bits >> 32) as u8, bits as u32)
        }

        fn retention_priority(self, age: u8) -> i64 {
            i64::from(self.0) - 8 * i64::from(age)
        }
    }

    type Table = TranspositionTable<Found>;

    fn put(table: &Table, key: u64, found: Found) {
        table.store(key, |_| Some(found));
    }

    #[test]
    fn finds_what_was_stored_and_nothing_else() {
        let table = Table::new(1 << 20);
        assert_eq!(table.memory(), 1 << 20);
        let mut rng = Rng::seeded(2);
        let found: Vec<(u64, Found)> =
            (0..1000).map(|_| (rng.bits(), Found(rng.bits() as u8, rng.bits() as u32))).collect();
        found.iter().for_each(|&(key, found)| put(&table, key, found));
        for &(key, found) in &found {
            table.prefetch(key);
            assert_eq!(table.probe(key), Some(found));
            assert_eq!(table.probe(key ^ 1), None);
        }
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let mut table = Table::new(0);
        assert_eq!(table.memory(), Table::BUCKET_BYTES);
        for key in 1..=4 {
            put(&table, key, Found(key as u8, 0));
        }
        put(&table, 5, Found(2, 0));
        assert_eq!(table.probe(1), None, "the shallowest went");
        table.new_search();
        put(&table, 4, Found(4, 0));
        for key in 6..=8 {
            put(&table, key, Found(1, 0));
        }
        assert!(table.probe(4).is_some(), "the others are old");
        table.clear(3);
        assert_eq!(table.probe(4), None);
    }

    #[test]
    fn entries_can_be_merged_or_kept() {
        let mut table = Table::new(1 << 12);
        put(&table, 7, Found(3, 30));
        table.new_search();
        table.store(7, |old| {
            assert_eq!(old, Some((Found(3, 30), 1)));
            None
        });
        assert_eq!(table.probe(7), Some(Found(3, 30)));
        table.store(7, |old| old.map(|(Found(depth, value), _)| Found(depth + 1, value)));
        assert_eq!(table.probe(7), Some(Found(4, 30)));
        table.store(8, |old| {
            assert_eq!(old, None);
            None
        });
        assert_eq!(table.probe(8), None);
    }

    #[test]
    fn a_lazy_table_allocates_on_first_use() {
        let mut lazy: LazyTable<Found> = LazyTable::new(1 << 16);
        lazy.clear(2);
        assert_eq!((lazy.memory(), lazy.is_allocated()), (0, false));
        put(lazy.new_search(), 7, Found(1, 2));
        assert_eq!((lazy.memory(), lazy.is_allocated()), (1 << 16, true));
        assert_eq!(lazy.get().probe(7), Some(Found(1, 2)));
        lazy.clear(2);
        assert_eq!((lazy.memory(), lazy.get().probe(7)), (1 << 16, None));
        lazy.release();
        assert_eq!(lazy.memory(), 0);
    }

    #[test]
    fn hashfull_counts_entries_of_the_current_search() {
        let mut table = Table::new(0);
        for key in 1..=4 {
            put(&table, key, Found(1, 1));
        }
        assert_eq!(table.hashfull(), 1000);
        table.new_search();
        assert_eq!(table.hashfull(), 0);
        put(&table, 1, Found(1, 1));
        assert_eq!(table.hashfull(), 250);
        // Generation numbers wrap.
        (0..256).for_each(|_| table.new_search());
        assert_eq!(table.hashfull(), 250);
    }
}
