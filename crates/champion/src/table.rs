//! Positions that were searched, with what is known of their values; shared by all threads.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread;

use tablero_core::LargeTable;

use crate::Board;

/// No square: a move that is not known.
pub(crate) const NO_MOVE: u8 = 64;

/// What is known of a position: its value lies from `lower` to `upper`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// Plies that were looked ahead.
    pub(crate) depth: u8,
    /// How sure the search was of its short cuts; see [`Selectivity`](crate::Selectivity).
    pub(crate) selectivity: u8,
    /// The two best moves, the best first, or [`NO_MOVE`].
    pub(crate) moves: [u8; 2],
    /// The logarithm of the nodes that it cost.
    cost: u8,
    /// The search that found it out.
    date: u8,
}

impl Entry {
    fn to_bits(self) -> u64 {
        u64::from_le_bytes([
            self.lower as u8,
            self.upper as u8,
            self.depth,
            self.selectivity,
            self.moves[0],
            self.moves[1],
            self.cost,
            self.date,
        ])
    }

    fn from_bits(bits: u64) -> Self {
        let [lower, upper, depth, selectivity, first, second, cost, date] = bits.to_le_bytes();
        Self {
            lower: lower as i8,
            upper: upper as i8,
            depth,
            selectivity,
            moves: [first, second],
            cost,
            date,
        }
    }
}

/// What a search found out.
pub(crate) struct Finding {
    pub(crate) depth: u32,
    pub(crate) selectivity: u8,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) score: i32,
    pub(crate) best: u8,
    /// Nodes that it cost.
    pub(crate) nodes: u64,
}

/// An entry and the position's second hash, laid over it so that a torn pair (two threads
/// wrote at once) is recognised.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    bits: AtomicU64,
}

/// The entries of a cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// The table.
pub(crate) struct Table {
    buckets: LargeTable<Bucket>,
    date: AtomicU8,
}

/// Where a position is, once looked for.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    bucket: usize,
    check: u64,
}

impl Table {
    /// A table of at most so many bytes (at least one bucket), a power of two.
    pub(crate) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<Bucket>();
        let count = if count == 0 { 1 } else { 1 << count.ilog2() };
        Self { buckets: LargeTable::new(count, Bucket::default), date: AtomicU8::new(1) }
    }

    /// Forgets everything; so many threads share the work.
    pub(crate) fn clear(&mut self, threads: usize) {
        let part = self.buckets.len().div_ceil(threads.max(1));
        thread::scope(|scope| {
            let mut parts = self.buckets.chunks_mut(part);
            let first = parts.next();
            for part in parts {
                scope.spawn(|| part.fill_with(Bucket::default));
            }
            first.into_iter().flatten().for_each(|bucket| *bucket = Bucket::default());
        });
        *self.date.get_mut() = 1;
    }

    /// Entries of earlier searches are from now on the first to go.
    pub(crate) fn next_search(&self) {
        let date = self.date.load(Ordering::Relaxed);
        self.date.store(if date == u8::MAX { 1 } else { date + 1 }, Ordering::Relaxed);
    }

    /// Where `board` is or would be; its bucket is on the way to the cache from now on.
    #[inline]
    pub(crate) fn place(&self, board: Board) -> Place {
        let (index, check) = board.hashes();
        let place = Place { bucket: index as usize & (self.buckets.len() - 1), check };
        self.prefetch(place);
        place
    }

    #[inline]
    fn prefetch(&self, place: Place) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect on the program, and the address is in the table.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = &self.buckets[place.bucket];
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    /// What is known of the position at `place`.
    #[inline]
    pub(crate) fn get(&self, place: Place) -> Option<Entry> {
        self.buckets[place.bucket].0.iter().find_map(|slot| {
            let bits = slot.bits.load(Ordering::Relaxed);
            let found = slot.check.load(Ordering::Relaxed) ^ bits == place.check && bits != 0;
            found.then(|| Entry::from_bits(bits))
        })
    }

    /// Keeps what was found out about the position at `place`.
    pub(crate) fn put(&self, place: Place, finding: &Finding) {
        let bucket = &self.buckets[place.bucket].0;
        let date = self.date.load(Ordering::Relaxed);
        let (mut worst, mut least) = (&bucket[0], u64::MAX);
        for slot in bucket {
            let bits = slot.bits.load(Ordering::Relaxed);
            if bits != 0 && slot.check.load(Ordering::Relaxed) ^ bits == place.check {
                let entry = Entry::from_bits(bits).updated(finding, date);
                slot.write(place.check, entry);
                return;
            }
            let entry = Entry::from_bits(bits);
            let worth = if bits == 0 { 0 } else { entry.worth(date) };
            if worth < least {
                (worst, least) = (slot, worth);
            }
        }
        worst.write(place.check, Entry::new(finding, date));
    }

    /// How full the table is with entries of this search, in thousandths.
    pub(crate) fn thousandths_full(&self) -> u32 {
        let date = self.date.load(Ordering::Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| Entry::from_bits(slot.bits.load(Ordering::Relaxed)).date == date)
            .count();
        (used * 1000 / (4 * sample.len())) as u32
    }
}

impl Slot {
    #[inline]
    fn write(&self, check: u64, entry: Entry) {
        let bits = entry.to_bits();
        self.bits.store(bits, Ordering::Relaxed);
        self.check.store(check ^ bits, Ordering::Relaxed);
    }
}

impl Entry {
    fn new(finding: &Finding, date: u8) -> Self {
        let (lower, upper) = finding.bounds();
        Self {
            lower,
            upper,
            depth: finding.depth as u8,
            selectivity: finding.selectivity,
            moves: [finding.best, NO_MOVE],
            cost: finding.cost(),
            date,
        }
    }

    /// This entry with what was found out now.
    fn updated(self, finding: &Finding, date: u8) -> Self {
        let mut new = Self::new(finding, date);
        if self.depth == new.depth && self.selectivity == new.selectivity {
            new.lower = new.lower.max(self.lower);
            new.upper = new.upper.min(self.upper);
            if new.lower > new.upper {
                (new.lower, new.upper) = finding.bounds();
            }
            new.cost = new.cost.max(self.cost);
        }
        new.moves = match new.moves[0] {
            NO_MOVE => self.moves,
            best if best == self.moves[0] => self.moves,
            best => [best, self.moves[0]],
        };
        new
    }

    /// How much would be lost with this entry: old searches first, then cheap ones.
    fn worth(self, date: u8) -> u64 {
        u64::from(self.date == date) << 32
            | u64::from(self.cost) << 16
            | u64::from(self.selectivity) << 8
            | u64::from(self.depth)
    }
}

impl Finding {
    fn bounds(&self) -> (i8, i8) {
        let score = self.score as i8;
        let lower = if self.score > self.alpha { score } else { -64 };
        let upper = if self.score < self.beta { score } else { 64 };
        (lower, upper)
    }

    fn cost(&self) -> u8 {
        self.nodes.max(1).ilog2() as u8
    }
}
