//! Accumulators of games whose slots fall into [groups](SparseInputs::INPUT_GROUPS).

use std::marker::PhantomData;
use std::sync::Arc;

use tablero_core::{ForMover, IncrementalEvaluation, NO_FEATURE, Side, SparseInputs};

use super::NnueWeights;
use super::evaluation::output;
use super::kernel::add_row;

/// Sums per group, a power of two; with 64 hidden units a megabyte for four groups.
const ENTRIES: usize = 1 << 11;
/// The largest number of slots of a group.
const MAX_SLOTS: usize = 32;
/// No key of a group.
const EMPTY: u64 = u64::MAX;

/// The sums of groups that a search thread met: in the tree of a search the same parts of positions recur all the time.
/// The newest with a hash stays.
pub(super) struct GroupSums<G> {
    weights: Arc<NnueWeights>,
    /// By group and hash: the key, and the sum of the group's rows.
    keys: Vec<u64>,
    sums: Vec<i16>,
    /// The accumulators of the position, by side.
    accumulators: [Vec<i16>; 2],
    game: PhantomData<fn() -> G>,
}

impl<G: SparseInputs> GroupSums<G> {
    pub(super) fn new(weights: Arc<NnueWeights>) -> Self {
        const { assert!(G::INPUT_GROUPS == 0 || G::INPUT_SLOTS <= MAX_SLOTS * G::INPUT_GROUPS) };
        let entries = G::INPUT_GROUPS * ENTRIES;
        Self {
            keys: vec![EMPTY; entries],
            sums: vec![0; entries * weights.hidden()],
            accumulators: Side::BOTH.map(|_| weights.bias.clone()),
            weights,
            game: PhantomData,
        }
    }

    /// The entry of a group, up to date.
    #[inline]
    fn entry(&mut self, position: &G, side: Side, group: usize) -> usize {
        let key = position.group_key(side, group);
        let entry = group * ENTRIES + hash(key);
        if self.keys[entry] != key {
            self.keys[entry] = key;
            self.sum(position, side, group, entry);
        }
        entry
    }

    #[cold]
    fn sum(&mut self, position: &G, side: Side, group: usize, entry: usize) {
        let mut slots = [NO_FEATURE; MAX_SLOTS];
        let slots = &mut slots[..G::INPUT_SLOTS / G::INPUT_GROUPS];
        position.write_group(side, group, slots);
        let hidden = self.weights.hidden();
        let sum = &mut self.sums[entry * hidden..][..hidden];
        sum.fill(0);
        for &feature in slots.iter().filter(|&&feature| feature != NO_FEATURE) {
            add_row(sum, self.weights.row(feature));
        }
    }
}

/// Fibonacci hashing.
#[inline]
const fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - ENTRIES.ilog2())) as usize
}

impl<G: SparseInputs> IncrementalEvaluation<G> for GroupSums<G> {
    fn evaluate(&mut self, position: &G, _ply: usize) -> ForMover<i32> {
        let hidden = self.weights.hidden();
        for side in Side::BOTH {
            self.accumulators[side.index()].copy_from_slice(&self.weights.bias);
            for group in 0..G::INPUT_GROUPS {
                let entry = self.entry(position, side, group);
                let sum = &self.sums[entry * hidden..][..hidden];
                add_row(&mut self.accumulators[side.index()], sum);
            }
        }
        let [first, second] = &self.accumulators;
        output(&self.weights, position, [first, second])
    }
}
