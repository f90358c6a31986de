//! The evaluation and its accumulators.

use std::iter::repeat_n;
use std::marker::PhantomData;
use std::sync::Arc;

use tablero_core::{
    Evaluation, Explanation, ForMover, IncrementalEvaluation, LocalizedString, NO_FEATURE,
    Presentable, Side, SparseInputs, removal_terms,
};

use super::groups::GroupSums;
use super::kernel::{add_row, replace_row, subtract_row};
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
/// A position is evaluated by correcting the accumulators of a similar one, slot by slot: its parent's, or its
/// sibling's at the same ply, whichever differs less. What is not similar at all, as after a king's move to another
/// bucket, is summed anew. So the result never depends on what was evaluated before.
struct State<G> {
    weights: Arc<NnueWeights>,
    /// By ply: the position; none before the first.
    positions: Vec<Option<G>>,
    /// By ply and side: the features of the position in slots, and the sum of their rows.
    slots: Vec<u16>,
    accumulators: Vec<i16>,
}

impl<G: SparseInputs> State<G> {
    const fn new(weights: Arc<NnueWeights>) -> Self {
        Self { weights, positions: Vec::new(), slots: Vec::new(), accumulators: Vec::new() }
    }

    /// Accumulators up to `ply`; new ones are those of an empty board.
    fn reserve(&mut self, ply: usize) {
        while self.positions.len() <= ply {
            self.positions.push(None);
            for _ in Side::BOTH {
                self.slots.extend(repeat_n(NO_FEATURE, G::INPUT_SLOTS));
                self.accumulators.extend_from_slice(&self.weights.bias);
            }
        }
    }

    fn slots(&self, entry: usize) -> &[u16] {
        &self.slots[entry * G::INPUT_SLOTS..][..G::INPUT_SLOTS]
    }

    fn accumulator(&self, entry: usize) -> &[i16] {
        let hidden = self.weights.hidden();
        &self.accumulators[entry * hidden..][..hidden]
    }

    /// Brings the accumulator of a side at `ply` up to date.
    fn update(&mut self, position: &G, ply: usize, side: Side) {
        let mut features = [NO_FEATURE; MAX_SLOTS];
        let features = &mut features[..G::INPUT_SLOTS];
        let entry = 2 * ply + side.index();
        match ply.checked_sub(1).and_then(|parent| self.positions[parent].as_ref()) {
            Some(parent) => {
                features.copy_from_slice(self.slots(entry - 2));
                position.update_inputs(parent, side, features);
            }
            None => position.write_inputs(side, features),
        }
        let own = differences(self.slots(entry), features);
        let active = features.iter().filter(|&&feature| feature != NO_FEATURE).count();
        let parent = match ply {
            0 => usize::MAX,
            _ => differences(self.slots(entry - 2), features),
        };
        let hidden = self.weights.hidden();
        if own.min(parent) > active {
            self.slots[entry * G::INPUT_SLOTS..][..G::INPUT_SLOTS].fill(NO_FEATURE);
            self.accumulators[entry * hidden..][..hidden].copy_from_slice(&self.weights.bias);
        } else if parent < own {
            let from = entry - 2;
            self.slots.copy_within(
                from * G::INPUT_SLOTS..(from + 1) * G::INPUT_SLOTS,
                entry * G::INPUT_SLOTS,
            );
            self.accumulators.copy_within(from * hidden..(from + 1) * hidden, entry * hidden);
        }
        let slots = &mut self.slots[entry * G::INPUT_SLOTS..][..G::INPUT_SLOTS];
        let accumulator = &mut self.accumulators[entry * hidden..][..hidden];
        correct(&self.weights, accumulator, slots, features);
    }
}

/// The largest number of slots of a game.
const MAX_SLOTS: usize = 128;

/// Slots that are compared at once: a register of 128 bits.
const BLOCK: usize = 8;

/// The number of slots that differ.
#[inline]
fn differences(a: &[u16], b: &[u16]) -> usize {
    a.iter().zip(b).map(|(a, b)| u16::from(a != b)).sum::<u16>().into()
}

/// Makes the accumulator of `old` that of `new`.
#[inline]
fn correct(weights: &NnueWeights, accumulator: &mut [i16], old: &mut [u16], new: &[u16]) {
    let (old_blocks, old_rest) = old.as_chunks_mut::<BLOCK>();
    let (new_blocks, new_rest) = new.as_chunks::<BLOCK>();
    for (old, new) in old_blocks.iter_mut().zip(new_blocks) {
        if old != new {
            correct_slots(weights, accumulator, old, new);
        }
    }
    correct_slots(weights, accumulator, old_rest, new_rest);
}

#[inline]
fn correct_slots(weights: &NnueWeights, accumulator: &mut [i16], old: &mut [u16], new: &[u16]) {
    for (old, new) in old.iter_mut().zip(new) {
        match (*old, *new) {
            (old, new) if old == new => {}
            (NO_FEATURE, new) => add_row(accumulator, weights.row(new)),
            (old, NO_FEATURE) => subtract_row(accumulator, weights.row(old)),
            (old, new) => replace_row(accumulator, weights.row(old), weights.row(new)),
        }
        *old = *new;
    }
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
