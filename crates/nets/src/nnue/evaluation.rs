//! The evaluation and its accumulators.

use std::marker::PhantomData;
use std::sync::Arc;

use tablero_core::{
    Evaluation, Explanation, ForMover, IncrementalEvaluation, LocalizedString, NO_FEATURE,
    Presentable, Side, SparseInputs, removal_terms,
};

use super::groups::GroupSums;
use super::kernel::{add_row, copy_replacing_row, replace_row, subtract_row};
use super::{NnueSpec, NnueWeights};
use crate::NetError;

/// A network as an evaluation function.
pub struct Nnue<G> {
    weights: Arc<NnueWeights>,
    game: PhantomData<fn() -> G>,
}

impl<G: SparseInputs> Nnue<G> {
    /// The evaluation with these weights, which must be the game's.
    pub fn new(weights: Arc<NnueWeights>) -> Result<Self, NetError> {
        weights.check(&NnueSpec::of::<G>())?;
        Ok(Self { weights, game: PhantomData })
    }
}

impl<G: SparseInputs + Presentable> Evaluation<G> for Nnue<G> {
    fn evaluate(&self, position: &G) -> ForMover<i32> {
        State::<G>::new(self.weights.clone()).evaluate(position, 0)
    }

    fn incremental(&self) -> Option<Box<dyn IncrementalEvaluation<G>>> {
        Some(match G::INPUT_GROUPS {
            0 => Box::new(State::new(self.weights.clone())),
            _ => Box::new(GroupSums::new(self.weights.clone())),
        })
    }

    /// What every piece is worth here, by taking it off the board; the rest is what they do together.
    fn explain(&self, position: &G) -> Explanation {
        let value = self.evaluate(position);
        let mut state = State::<G>::new(self.weights.clone());
        let units = f64::from(value.0) / 100.0;
        let terms = removal_terms(position, units, |without| {
            f64::from(state.evaluate(without, 0).0) / 100.0
        });
        let mut explanation = Explanation { value: units, terms, ..Explanation::default() }
            .with_remainder(|_| ("rest", rest_text()));
        let (bucket, buckets) = (position.output_bucket() + 1, G::OUTPUT_BUCKETS);
        explanation.facts.push(LocalizedString::new(
            format!("output bucket {bucket} of {buckets}"),
            format!("capa de salida {bucket} de {buckets}"),
        ));
        explanation
    }
}

/// The name of what is left when every piece has been taken off by itself.
pub(crate) fn rest_text() -> LocalizedString {
    LocalizedString::new(
        "what the pieces do together, and the side to move",
        "lo que hacen las piezas juntas, y el turno",
    )
}

/// The accumulators of a search thread: the last position evaluated at every ply.
///
/// A position's accumulators are those of the position evaluated last one ply above, which mostly is its parent, with
/// the rows of the slots that differ exchanged. What is not similar at all, as after a king's move to another bucket, is
/// summed anew. So the result never depends on what was evaluated before.
struct State<G> {
    weights: Arc<NnueWeights>,
    /// By ply: the position; none before the first.
    positions: Vec<Option<G>>,
    /// By ply and side: the features of the position in slots, and the sum of their rows.
    slots: Vec<u16>,
    accumulators: Vec<i16>,
    exchanged: ExchangedFeatures,
}

impl<G: SparseInputs> State<G> {
    fn new(weights: Arc<NnueWeights>) -> Self {
        Self {
            weights,
            positions: Vec::new(),
            slots: Vec::new(),
            accumulators: Vec::new(),
            exchanged: ExchangedFeatures::default(),
        }
    }

    /// Room for accumulators up to `ply`.
    fn reserve(&mut self, ply: usize) {
        if self.positions.len() <= ply {
            self.positions.resize_with(ply + 1, || None);
            let entries = Side::BOTH.len() * (ply + 1);
            self.slots.resize(entries * G::INPUT_SLOTS, NO_FEATURE);
            self.accumulators.resize(entries * self.weights.hidden(), 0);
        }
    }

    fn accumulator(&self, entry: usize) -> &[i16] {
        let hidden = self.weights.hidden();
        &self.accumulators[entry * hidden..][..hidden]
    }

    /// Computes the accumulator of a side at `ply`.
    #[inline]
    fn update(&mut self, position: &G, ply: usize, side: Side) {
        let entry = Side::BOTH.len() * ply + side.index();
        let (above, slots) = self.slots.split_at_mut(entry * G::INPUT_SLOTS);
        let slots = &mut slots[..G::INPUT_SLOTS];
        let (sums_above, sum) = self.accumulators.split_at_mut(entry * self.weights.hidden());
        let sum = &mut sum[..self.weights.hidden()];
        let parent = ply.checked_sub(1).and_then(|parent| self.positions[parent].as_ref());
        if let Some(parent) = parent {
            let before = &above[(entry - 2) * G::INPUT_SLOTS..][..G::INPUT_SLOTS];
            slots.copy_from_slice(before);
            let changed = position.update_inputs(parent, side, slots);
            self.exchanged.collect(before, slots, changed);
            if self.exchanged.rows() <= FEW_ROWS || self.exchanged.rows() <= active(slots) {
                let sum_above = &sums_above[(entry - 2) * sum.len()..][..sum.len()];
                self.exchanged.apply(&self.weights, sum_above, sum);
                return;
            }
        } else {
            position.write_inputs(side, slots);
        }
        sum.copy_from_slice(&self.weights.bias);
        for &feature in slots.iter().filter(|&&feature| feature != NO_FEATURE) {
            add_row(sum, self.weights.row(feature));
        }
    }
}

/// The largest number of slots of a game: a bit each in [`SparseInputs::update_inputs`].
const MAX_SLOTS: usize = u128::BITS as usize;

/// So few rows are exchanged without counting those of the whole position.
const FEW_ROWS: usize = 6;

/// Features that differ between two positions.
#[derive(Default)]
struct ExchangedFeatures {
    removed: Vec<u16>,
    added: Vec<u16>,
}

impl ExchangedFeatures {
    /// Those of the slots that are bits of `changed`.
    #[inline]
    fn collect(&mut self, before: &[u16], after: &[u16], mut changed: u128) {
        self.removed.clear();
        self.added.clear();
        if changed == u128::MAX {
            before.iter().zip(after).for_each(|(old, new)| self.push(*old, *new));
            return;
        }
        while changed != 0 {
            let slot = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            self.push(before[slot], after[slot]);
        }
    }

    #[inline]
    fn push(&mut self, old: u16, new: u16) {
        if old != new {
            self.removed.extend((old != NO_FEATURE).then_some(old));
            self.added.extend((new != NO_FEATURE).then_some(new));
        }
    }

    fn rows(&self) -> usize {
        self.removed.len() + self.added.len()
    }

    /// Writes `before` with the features exchanged to `after`.
    #[inline]
    fn apply(&self, weights: &NnueWeights, before: &[i16], after: &mut [i16]) {
        let pairs = self.removed.len().min(self.added.len());
        let rows = |features: &[u16], pair: usize| weights.row(features[pair]);
        if pairs == 0 {
            after.copy_from_slice(before);
        } else {
            // A quiet move takes this pass only.
            copy_replacing_row(before, after, rows(&self.removed, 0), rows(&self.added, 0));
        }
        for pair in 1..pairs {
            replace_row(after, rows(&self.removed, pair), rows(&self.added, pair));
        }
        for &feature in &self.removed[pairs..] {
            subtract_row(after, weights.row(feature));
        }
        for &feature in &self.added[pairs..] {
            add_row(after, weights.row(feature));
        }
    }
}

/// The number of slots with a feature.
#[inline]
fn active(slots: &[u16]) -> usize {
    slots.iter().map(|&feature| u16::from(feature != NO_FEATURE)).sum::<u16>().into()
}

impl<G: SparseInputs> IncrementalEvaluation<G> for State<G> {
    fn evaluate(&mut self, position: &G, ply: usize) -> ForMover<i32> {
        const { assert!(G::INPUT_SLOTS <= MAX_SLOTS && G::INPUT_FEATURES < NO_FEATURE as usize) };
        self.reserve(ply);
        self.update(position, ply, Side::First);
        self.update(position, ply, Side::Second);
        self.positions[ply] = Some(position.clone());
        let accumulators = Side::BOTH.map(|side| self.accumulator(2 * ply + side.index()));
        output(&self.weights, position, accumulators)
    }
}

/// The value of a position from its accumulators, by side.
#[inline]
pub(super) fn output<G: SparseInputs>(
    weights: &NnueWeights,
    position: &G,
    accumulators: [&[i16]; 2],
) -> ForMover<i32> {
    let (bucket, side) = (position.output_bucket(), position.side());
    let [own, other] = [side, !side].map(|side| accumulators[side.index()]);
    let dots = weights.output_dot(bucket, own, other);
    position.with_endgame_knowledge(ForMover(weights.centi_units(dots, bucket)))
}
