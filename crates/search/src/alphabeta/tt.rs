//! Entries of the transposition table: probed and stored by key, shared by all threads.
//!
//! An entry packs value, bound, depth and best move into 64 bits. The best move is kept as its
//! index in generation order, which fits 16 bits in every game.

use tablero_core::{GameType, TableEntry, TranspositionTable};

use super::window::Window;
use crate::score;

/// The transposition table of alpha-beta.
pub(super) type TransTable = TranspositionTable<TtEntry>;

/// A search result for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TtEntry {
    /// The value, with mates counted from this position (see
    /// [`score::to_tt`](crate::score::to_tt)).
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// Remaining depth of the search.
    pub(super) depth: u8,
    /// The value is game-theoretic: no evaluation and no pruning went into it.
    pub(super) proven: bool,
    /// The best move, by its index in generation order: among all moves, or among the noisy ones in an
    /// entry of quiescence search, which has depth 0.
    pub(super) best_index: Option<u16>,
}

/// How the value of a [`TtEntry`] bounds the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// All-node: the search failed low.
    Upper,
    /// Cut-node: the search failed high.
    Lower,
    /// PV-node.
    Exact,
}

impl Bound {
    /// The bound of a fail-soft value.
    #[inline]
    pub(super) const fn of(value: i32, window: Window) -> Self {
        if value >= window.beta {
            Self::Lower
        } else if value > window.alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }

    /// Whether a value with this bound says that `other` is wrong.
    #[inline]
    pub(super) const fn contradicts(self, value: i32, other: i32) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => value > other,
            Self::Upper => value < other,
        }
    }
}

impl TtEntry {
    /// The best of all moves, by index.
    #[inline]
    pub(super) fn main_move(&self) -> Option<u16> {
        self.best_index.filter(|_| self.depth > 0)
    }

    /// The best move for quiescence search, which looks at all moves in check, else at noisy ones.
    #[inline]
    pub(super) fn quiescence_move(&self, in_check: bool) -> Option<u16> {
        self.best_index.filter(|_| in_check == (self.depth > 0))
    }

    /// The entry's value if its bound says that `static_eval` is wrong, else `static_eval`.
    #[inline]
    pub(super) fn refine<G: GameType>(&self, static_eval: i32, ply: usize) -> i32 {
        let value = score::from_tt::<G>(self.value, ply);
        let better = !score::is_decisive(value) && self.bound.contradicts(value, static_eval);
        if better { value } else { static_eval }
    }

    /// Stores the entry, unless the same search already stored a better one for this key.
    #[inline]
    pub(super) fn store(self, table: &TransTable, key: u64) {
        table.store(key, |stored| match stored {
            Some((old, 0)) if !self.replaces(&old) => None,
            // Indices of quiescence search count other moves.
            Some((old, _)) if (old.depth == 0) == (self.depth == 0) => {
                Some(Self { best_index: self.best_index.or(old.best_index), ..self })
            }
            Some(_) => Some(self),
            None => Some(self),
        });
    }

    /// Replacement within one search: proven, then exact, then about as deep as `old`.
    fn replaces(&self, old: &Self) -> bool {
        if self.depth == 0 {
            return old.depth == 0;
        }
        self.proven
            || self.bound == Bound::Exact && !old.proven
            || self.depth + 3 >= old.depth && !old.proven
    }
}

/// Encodes a missing best move.
const NO_MOVE: u16 = u16::MAX;

impl TableEntry for TtEntry {
    type Key = u64;

    /// From the low end: value 24 bits, move 16, depth 8, bound 2 (never 0, so no entry is 0),
    /// proven 1.
    #[inline]
    fn pack(self) -> u64 {
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(self.value as u32 & 0x00ff_ffff)
            | u64::from(self.best_index.unwrap_or(NO_MOVE)) << 24
            | u64::from(self.depth) << 40
            | bound << 48
            | u64::from(self.proven) << 50
    }

    #[inline]
    fn unpack(bits: u64) -> Self {
        let best_index = (bits >> 24) as u16;
        Self {
            // Sign extension of 24 bits.
            value: ((bits as u32) << 8) as i32 >> 8,
            bound: match bits >> 48 & 3 {
                3 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
            depth: (bits >> 40) as u8,
            proven: bits >> 50 & 1 == 1,
            best_index: (best_index != NO_MOVE).then_some(best_index),
        }
    }

    /// Replacement priority: depth, less eight plies per search since.
    #[inline]
    fn retention_priority(self, age: u8) -> i64 {
        i64::from(self.depth) - 8 * i64::from(age)
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    fn entry(rng: &mut Rng) -> TtEntry {
        let range = 2 * score::INFINITE as u64 + 1;
        TtEntry {
            value: rng.below(range) as i32 - score::INFINITE,
            bound: [Bound::Upper, Bound::Lower, Bound::Exact][rng.below(3) as usize],
            depth: rng.bits() as u8 / 2,
            proven: rng.below(2) == 1,
            best_index: (rng.below(3) > 0).then(|| rng.below(u64::from(NO_MOVE)) as u16),
        }
    }

    #[test]
    fn packing_round_trips() {
        let mut rng = Rng::seeded(1);
        for _ in 0..10_000 {
            let entry = entry(&mut rng);
            assert_eq!(TtEntry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_one_of_the_same_search() {
        let mut table = TransTable::new(1 << 20);
        let at_depth = |depth, best_index| TtEntry {
            value: 0,
            bound: Bound::Lower,
            depth,
            proven: false,
            best_index,
        };
        at_depth(9, Some(3)).store(&table, 1);
        at_depth(5, Some(4)).store(&table, 1);
        assert_eq!(table.probe(1), Some(at_depth(9, Some(3))));
        table.new_search();
        at_depth(5, None).store(&table, 1);
        assert_eq!(table.probe(1), Some(at_depth(5, Some(3))), "the old best move is kept");
    }
}
