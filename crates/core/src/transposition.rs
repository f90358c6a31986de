//! The transposition table: what was found out about positions, kept for when they come again.
//!
//! All threads share it without locks. An entry is two words, the data and the check mixed with the
//! data; if two threads write at once, the mixture no longer matches any position and the entry is
//! simply not found.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::LargeTable;

/// Entries that a position may go to: a cache line.
const BUCKET: usize = 4;
/// Where the generation of an entry lies in its data, above what the entry itself says.
const GENERATION_SHIFT: u32 = 56;

/// How a table finds a position.
pub trait TableKey: Copy {
    /// The bucket of the position, below `buckets`.
    fn bucket(self, buckets: usize) -> usize;

    /// What tells it from other positions of the same bucket.
    fn check(self) -> u64;
}

/// One hash for both, as [`Game::key`](crate::Game::key) gives it: its high bits choose the bucket, in tables
/// of any size.
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

/// What a search keeps of a position.
pub trait TableEntry: Copy {
    /// How positions are found.
    type Key: TableKey;

    /// The entry as a number below 2^56, never 0.
    fn pack(self) -> u64;

    /// The entry that [`pack`](Self::pack) made a number of.
    fn unpack(bits: u64) -> Self;

    /// How much would be lost with the entry, which an earlier search found: the one `age` searches ago, 0
    /// being the present one. What is worth least is replaced first.
    fn worth(self, age: u8) -> i64;
}

/// A table of entries for a search with any number of threads.
pub struct TranspositionTable<E> {
    buckets: LargeTable<Bucket>,
    /// The present search; after 256 of them numbers come again.
    generation: u8,
    entry: PhantomData<E>,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

#[derive(Default)]
struct Slot {
    mixed: AtomicU64,
    data: AtomicU64,
}

impl<E: TableEntry> TranspositionTable<E> {
    /// Bytes of a bucket: no table is smaller.
    pub const BUCKET_BYTES: usize = size_of::<Bucket>();

    /// An empty table of at most so many bytes, but at least one bucket.
    #[inline]
    pub fn new(bytes: usize) -> Self {
        let count = (bytes / Self::BUCKET_BYTES).max(1);
        let buckets = LargeTable::new(count, Bucket::default);
        Self { buckets, generation: 0, entry: PhantomData }
    }

    /// Forgets everything; so many threads share the work.
    #[inline]
    pub fn clear(&mut self, threads: usize) {
        let part = self.buckets.len().div_ceil(threads.max(1));
        thread::scope(|scope| {
            let mut parts = self.buckets.chunks_mut(part);
            let own = parts.next();
            for part in parts {
                scope.spawn(|| part.fill_with(Bucket::default));
            }
            if let Some(own) = own {
                own.fill_with(Bucket::default);
            }
        });
        self.generation = 0;
    }

    /// A new search starts: what is in the table becomes older.
    #[inline]
    pub fn new_search(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Bytes taken.
    #[inline]
    pub fn memory(&self) -> usize {
        self.buckets.len() * Self::BUCKET_BYTES
    }

    /// How much of the table this search has filled, in thousandths, by a sample.
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

    /// Brings the bucket of a position on the way to the processor's cache.
    #[inline]
    pub fn prefetch(&self, key: E::Key) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect on the program, and the address is in the table.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about a position.
    #[inline]
    pub fn probe(&self, key: E::Key) -> Option<E> {
        let check = key.check();
        self.bucket(key).0.iter().find_map(|slot| {
            let (mixed, data) = slot.load();
            (mixed ^ data == check && data != 0).then(|| unpack(data))
        })
    }

    /// Keeps an entry for a position, in place of what is worth least.
    ///
    /// `merge` makes the entry, given what is known about the position and how many searches ago that was
    /// found; if it makes none, the table stays as it is.
    #[inline]
    pub fn store(&self, key: E::Key, merge: impl FnOnce(Option<(E, u8)>) -> Option<E>) {
        let (check, bucket) = (key.check(), self.bucket(key));
        let (mut place, mut least) = (&bucket.0[0], i64::MAX);
        for slot in &bucket.0 {
            let (mixed, data) = slot.load();
            let (old, age) = (unpack::<E>(data), self.age(data));
            if data != 0 && mixed ^ data == check {
                if let Some(entry) = merge(Some((old, age))) {
                    slot.store(check, self.data(entry));
                }
                return;
            }
            let worth = if data == 0 { i64::MIN } else { old.worth(age) };
            if worth < least {
                (place, least) = (slot, worth);
            }
        }
        if let Some(entry) = merge(None) {
            place.store(check, self.data(entry));
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

    /// How many searches ago an entry was found.
    #[inline]
    const fn age(&self, data: u64) -> u8 {
        self.generation.wrapping_sub((data >> GENERATION_SHIFT) as u8)
    }
}

/// A table that takes memory only from the first search on that needs it, until it is released.
pub struct LazyTable<E> {
    bytes: usize,
    table: Option<TranspositionTable<E>>,
}

impl<E: TableEntry> LazyTable<E> {
    /// A table of at most so many bytes, once there is one.
    #[inline]
    pub const fn new(bytes: usize) -> Self {
        Self { bytes, table: None }
    }

    /// The table, for a search that goes on with what is in it.
    #[inline]
    pub fn get(&mut self) -> &mut TranspositionTable<E> {
        self.table.get_or_insert_with(|| TranspositionTable::new(self.bytes))
    }

    /// The table, for a [new search](TranspositionTable::new_search).
    #[inline]
    pub fn new_search(&mut self) -> &TranspositionTable<E> {
        let table = self.get();
        table.new_search();
        table
    }

    /// Forgets everything, but keeps the memory; so many threads share the work.
    #[inline]
    pub fn clear(&mut self, threads: usize) {
        if let Some(table) = &mut self.table {
            table.clear(threads);
        }
    }

    /// Bytes taken now.
    #[inline]
    pub fn memory(&self) -> usize {
        self.table.as_ref().map_or(0, TranspositionTable::memory)
    }

    /// Whether there is a table now.
    #[inline]
    pub const fn is_allocated(&self) -> bool {
        self.table.is_some()
    }

    /// Forgets everything and gives the memory back.
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

    /// A depth and what was found at it.
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

        fn worth(self, age: u8) -> i64 {
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
    fn old_and_shallow_entries_go_first() {
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
    fn what_is_known_can_be_merged_or_kept() {
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
    fn a_lazy_table_takes_memory_while_it_is_needed() {
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
    fn only_entries_of_this_search_count_as_full() {
        let mut table = Table::new(0);
        for key in 1..=4 {
            put(&table, key, Found(1, 1));
        }
        assert_eq!(table.hashfull(), 1000);
        table.new_search();
        assert_eq!(table.hashfull(), 0);
        put(&table, 1, Found(1, 1));
        assert_eq!(table.hashfull(), 250);
        // Numbers of searches come again.
        (0..256).for_each(|_| table.new_search());
        assert_eq!(table.hashfull(), 250);
    }
}
