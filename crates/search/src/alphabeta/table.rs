//! The transposition table: what was found out about positions, kept for when they come again.
//!
//! All threads share it without locks. An entry is two words, the data and the key mixed with the
//! data; if two threads write at once, the mixture no longer matches any key and the entry is
//! simply not found.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use tablero_core::LargeTable;

/// Entries that a position may go to: a cache line.
const BUCKET: usize = 4;
/// Searches are numbered, so that entries of old ones are the first to go; numbers come again.
const AGES: u8 = 64;

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The value, as it holds wherever the position stands in the tree.
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// How deep the search was.
    pub(super) depth: u8,
    /// No evaluation and no short cut went into the value: no search can find another one.
    pub(super) proven: bool,
    /// The best move by its place in the order of generation.
    pub(super) best: Option<u16>,
}

/// What the value of an [`Entry`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The position is worth this or less.
    Upper,
    /// The position is worth this or more.
    Lower,
    /// The position is worth this.
    Exact,
}

pub(super) struct Table {
    buckets: LargeTable<Bucket>,
    age: AtomicU8,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

#[derive(Default)]
struct Slot {
    mixed: AtomicU64,
    data: AtomicU64,
}

impl Table {
    /// A table of that many megabytes; of none, the smallest that works.
    pub(super) fn new(megabytes: usize) -> Self {
        Self::with_buckets(((megabytes << 20) / size_of::<Bucket>()).max(1))
    }

    fn with_buckets(count: usize) -> Self {
        Self { buckets: LargeTable::new(count, Bucket::default), age: AtomicU8::new(0) }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        *self.age.get_mut() = 0;
    }

    /// A new search starts: what is in the table becomes older.
    pub(super) fn next_search(&mut self) {
        let age = self.age.get_mut();
        *age = (*age + 1) % AGES;
    }

    /// How much of the table this search has filled, in thousandths, by a sample.
    pub(super) fn thousandths_full(&self) -> u32 {
        const SAMPLE: usize = 250;
        let now = self.age.load(Ordering::Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(SAMPLE)];
        let slots = sample.iter().flat_map(|bucket| &bucket.0);
        let used = slots
            .map(|slot| slot.load().1)
            .filter(|&data| data != 0 && unpack(data).1 == now)
            .count();
        (used * 1000 / (sample.len() * BUCKET)) as u32
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// What is known about the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let words = self.bucket(key).0.iter().map(Slot::load);
        words
            .filter(|&(mixed, data)| mixed ^ data == key && data != 0)
            .map(|(_, data)| unpack(data).0)
            .next()
    }

    /// Remembers `entry`, in place of what is worth least.
    #[inline]
    pub(super) fn put(&self, key: u64, mut entry: Entry) {
        let now = self.age.load(Ordering::Relaxed);
        let bucket = self.bucket(key);
        let (mut place, mut least) = (&bucket.0[0], i32::MAX);
        for slot in &bucket.0 {
            let (mixed, data) = slot.load();
            let (old, age) = unpack(data);
            if data != 0 && mixed ^ data == key {
                if age == now && !entry.replaces(&old) {
                    return;
                }
                entry.best = entry.best.or(old.best);
                place = slot;
                break;
            }
            let worth = if data == 0 { -1000 } else { worth(&old, age, now) };
            if worth < least {
                (place, least) = (slot, worth);
            }
        }
        place.store(key, pack(&entry, now));
    }
}

impl Entry {
    /// Whether this is worth more than `old`, found out about the same position in the same search.
    fn replaces(&self, old: &Self) -> bool {
        self.proven
            || self.bound == Bound::Exact && !old.proven
            || self.depth + 3 >= old.depth && !old.proven
    }
}

/// How much is lost with an entry.
#[inline]
fn worth(entry: &Entry, age: u8, now: u8) -> i32 {
    let searches_ago = i32::from((now + AGES - age) % AGES);
    i32::from(entry.depth) - 8 * searches_ago
}

impl Slot {
    #[inline]
    fn load(&self) -> (u64, u64) {
        (self.mixed.load(Ordering::Relaxed), self.data.load(Ordering::Relaxed))
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        self.mixed.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// No best move.
const NONE: u16 = u16::MAX;

/// From the low end: 24 bits of value, 16 of move, 8 of depth, 6 of age, 2 of bound (never 0, so
/// that no entry is 0), 1 for proven.
#[inline]
fn pack(entry: &Entry, age: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(entry.value as u32 & 0x00ff_ffff)
        | u64::from(entry.best.unwrap_or(NONE)) << 24
        | u64::from(entry.depth) << 40
        | u64::from(age) << 48
        | bound << 54
        | u64::from(entry.proven) << 56
}

#[inline]
fn unpack(data: u64) -> (Entry, u8) {
    let best = (data >> 24) as u16;
    let entry = Entry {
        // Shifting up and down again spreads the sign.
        value: ((data as u32) << 8) as i32 >> 8,
        bound: match data >> 54 & 3 {
            3 => Bound::Exact,
            2 => Bound::Lower,
            _ => Bound::Upper,
        },
        depth: (data >> 40) as u8,
        proven: data >> 56 & 1 == 1,
        best: (best != NONE).then_some(best),
    };
    (entry, (data >> 48) as u8 % AGES)
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;
    use crate::score;

    fn entry(rng: &mut Rng) -> Entry {
        let range = 2 * score::INFINITE as u64 + 1;
        Entry {
            value: rng.below(range) as i32 - score::INFINITE,
            bound: [Bound::Upper, Bound::Lower, Bound::Exact][rng.below(3) as usize],
            depth: rng.bits() as u8 / 2,
            proven: rng.below(2) == 1,
            best: (rng.below(3) > 0).then(|| rng.below(u64::from(NONE)) as u16),
        }
    }

    #[test]
    fn entries_are_kept_whole() {
        let mut rng = Rng::seeded(1);
        for _ in 0..10_000 {
            let (entry, age) = (entry(&mut rng), rng.below(u64::from(AGES)) as u8);
            assert_eq!(unpack(pack(&entry, age)), (entry, age));
        }
    }

    #[test]
    fn finds_what_was_put_and_nothing_else() {
        let table = Table::new(1);
        let mut rng = Rng::seeded(2);
        let entries: Vec<(u64, Entry)> = (0..1000).map(|_| (rng.bits(), entry(&mut rng))).collect();
        for &(key, entry) in &entries {
            table.put(key, entry);
        }
        for &(key, entry) in &entries {
            assert_eq!(table.get(key), Some(entry));
            assert_eq!(table.get(key ^ 1), None);
        }
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let mut table = Table::new(0);
        let at_depth =
            |depth| Entry { value: 0, bound: Bound::Lower, depth, proven: false, best: None };
        for key in 1..=4 {
            table.put(key, at_depth(key as u8));
        }
        table.put(5, at_depth(2));
        assert_eq!(table.get(1), None, "the shallowest went");
        table.next_search();
        table.put(4, at_depth(4));
        for key in 6..=8 {
            table.put(key, at_depth(1));
        }
        assert!(table.get(4).is_some(), "the others are old");
        table.clear();
        assert_eq!(table.get(4), None);
    }
}
