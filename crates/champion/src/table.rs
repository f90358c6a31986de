//! What tables keep of positions that were searched.

use tablero_core::{LazyTable, TableEntry, TranspositionTable};

use crate::board::BoardKey;

/// The table that all threads of a search share, or a small one of a thread for its endgames.
pub(crate) type Table = TranspositionTable<Entry>;

/// A table of at most so many bytes, a power of two as [`BoardKey`] needs it.
pub(crate) fn table_of(bytes: usize) -> LazyTable<Entry> {
    LazyTable::new(bytes.checked_ilog2().map_or(0, |log| 1 << log))
}

/// No square: a move that is not known.
pub(crate) const NO_MOVE: u8 = 64;

/// What is known of a position: its value lies from `lower` to `upper`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// Plies that were looked ahead; at least one.
    pub(crate) depth: u8,
    /// How sure the search was of its short cuts; see [`Selectivity`](crate::Selectivity).
    pub(crate) selectivity: u8,
    /// The two best moves, the best first, or [`NO_MOVE`].
    pub(crate) moves: [u8; 2],
    /// The logarithm of the nodes that it cost.
    cost: u8,
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

impl TableEntry for Entry {
    type Key = BoardKey;

    #[inline]
    fn pack(self) -> u64 {
        let [first, second] = self.moves;
        let (lower, upper) = (self.lower as u8, self.upper as u8);
        let bytes = [lower, upper, self.depth, self.selectivity, first, second, self.cost, 0];
        u64::from_le_bytes(bytes)
    }

    #[inline]
    fn unpack(bits: u64) -> Self {
        let [lower, upper, depth, selectivity, first, second, cost, _] = bits.to_le_bytes();
        let (lower, upper) = (lower as i8, upper as i8);
        Self { lower, upper, depth, selectivity, moves: [first, second], cost }
    }

    /// Entries of this search are worth more than old ones, then those that cost more.
    #[inline]
    fn worth(self, age: u8) -> i64 {
        i64::from(age == 0) << 32
            | i64::from(self.cost) << 16
            | i64::from(self.selectivity) << 8
            | i64::from(self.depth)
    }
}

impl Entry {
    fn new(finding: &Finding) -> Self {
        let (lower, upper) = finding.bounds();
        Self {
            lower,
            upper,
            depth: finding.depth as u8,
            selectivity: finding.selectivity,
            moves: [finding.best, NO_MOVE],
            cost: finding.cost(),
        }
    }

    /// This entry with what was found out now.
    fn updated(self, finding: &Finding) -> Self {
        let mut new = Self::new(finding);
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
}

impl Finding {
    /// Keeps this for a position, with what was known of it before.
    pub(crate) fn store(&self, table: &Table, key: BoardKey) {
        table.store(key, |known| {
            Some(known.map_or_else(|| Entry::new(self), |(old, _)| old.updated(self)))
        });
    }

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
