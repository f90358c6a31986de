//! What the transposition table keeps of a position.

use tablero_core::{TableEntry, TranspositionTable};

/// The table of a search.
pub(super) type Table = TranspositionTable<Entry>;

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

impl Entry {
    /// Keeps this for the position with that key, unless the same search found out something better.
    #[inline]
    pub(super) fn store(self, table: &Table, key: u64) {
        table.store(key, |known| match known {
            Some((old, 0)) if !self.replaces(&old) => None,
            Some((old, _)) => Some(Self { best: self.best.or(old.best), ..self }),
            None => Some(self),
        });
    }

    /// Whether this is worth more than `old`, found out about the same position in the same search.
    fn replaces(&self, old: &Self) -> bool {
        self.proven
            || self.bound == Bound::Exact && !old.proven
            || self.depth + 3 >= old.depth && !old.proven
    }
}

/// No best move.
const NONE: u16 = u16::MAX;

impl TableEntry for Entry {
    type Key = u64;

    /// From the low end: 24 bits of value, 16 of move, 8 of depth, 2 of bound (never 0, so that no
    /// entry is 0), 1 for proven.
    #[inline]
    fn pack(self) -> u64 {
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(self.value as u32 & 0x00ff_ffff)
            | u64::from(self.best.unwrap_or(NONE)) << 24
            | u64::from(self.depth) << 40
            | bound << 48
            | u64::from(self.proven) << 50
    }

    #[inline]
    fn unpack(bits: u64) -> Self {
        let best = (bits >> 24) as u16;
        Self {
            // Shifting up and down again spreads the sign.
            value: ((bits as u32) << 8) as i32 >> 8,
            bound: match bits >> 48 & 3 {
                3 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
            depth: (bits >> 40) as u8,
            proven: bits >> 50 & 1 == 1,
            best: (best != NONE).then_some(best),
        }
    }

    /// Deep entries are worth more; every search since costs as much as eight plies.
    #[inline]
    fn worth(self, age: u8) -> i64 {
        i64::from(self.depth) - 8 * i64::from(age)
    }
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
            let entry = entry(&mut rng);
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_one_of_the_same_search() {
        let mut table = Table::new(1 << 20);
        let at_depth =
            |depth, best| Entry { value: 0, bound: Bound::Lower, depth, proven: false, best };
        at_depth(9, Some(3)).store(&table, 1);
        at_depth(5, Some(4)).store(&table, 1);
        assert_eq!(table.probe(1), Some(at_depth(9, Some(3))));
        table.new_search();
        at_depth(5, None).store(&table, 1);
        assert_eq!(table.probe(1), Some(at_depth(5, Some(3))), "the move is still worth trying");
    }
}
