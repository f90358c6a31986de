//! Transposition table entries: lower and upper bound, depth, selectivity, two best moves and cost.

use tablero_core::{LazyTable, TableEntry, TranspositionTable};

use crate::board::BoardKey;

/// The table shared by all threads of a search, or a thread's small endgame table.
pub(crate) type TransTable = TranspositionTable<TtEntry>;

/// A table of at most `bytes`; a power of two, as [`BoardKey`] needs.
pub(crate) fn new_table(bytes: usize) -> LazyTable<TtEntry> {
    LazyTable::new(bytes.checked_ilog2().map_or(0, |log| 1 << log))
}

/// No move, or a pass.
pub(crate) const NO_MOVE: u8 = 64;

/// Bounds of a position's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TtEntry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// Depth of the search; at least one.
    pub(crate) depth: u8,
    /// Level of its [`Selectivity`](crate::Selectivity).
    pub(crate) selectivity: u8,
    /// The two best moves, the best first, or [`NO_MOVE`].
    pub(crate) moves: [u8; 2],
    /// Logarithm of its node count.
    cost: u8,
}

/// The result of a node to be stored.
pub(crate) struct NodeResult {
    pub(crate) depth: u32,
    pub(crate) selectivity: u8,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) score: i32,
    pub(crate) best: u8,
    /// Nodes of the subtree.
    pub(crate) nodes: u64,
}

impl TableEntry for TtEntry {
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

    /// Replacement priority: entries of this search, then the most expensive ones.
    #[inline]
    fn retention_priority(self, age: u8) -> i64 {
        i64::from(age == 0) << 32
            | i64::from(self.cost) << 16
            | i64::from(self.selectivity) << 8
            | i64::from(self.depth)
    }
}

impl TtEntry {
    fn new(result: &NodeResult) -> Self {
        let (lower, upper) = result.bounds();
        Self {
            lower,
            upper,
            depth: result.depth as u8,
            selectivity: result.selectivity,
            moves: [result.best, NO_MOVE],
            cost: result.cost(),
        }
    }

    /// This entry merged with a new result.
    fn updated(self, result: &NodeResult) -> Self {
        let mut new = Self::new(result);
        if self.depth == new.depth && self.selectivity == new.selectivity {
            new.lower = new.lower.max(self.lower);
            new.upper = new.upper.min(self.upper);
            if new.lower > new.upper {
                (new.lower, new.upper) = result.bounds();
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

impl NodeResult {
    /// Stores the result, merged with an existing entry.
    pub(crate) fn store(&self, table: &TransTable, key: BoardKey) {
        table.store(key, |stored| {
            Some(stored.map_or_else(|| TtEntry::new(self), |(old, _)| old.updated(self)))
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
