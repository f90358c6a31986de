//! Mobility, potential mobility, stability and edges, weighed by phase: the features of IAGO.

use tablero_core::{Evaluation, ForMover, Weight};

use super::squares::sets;
use super::{difference, edges, hundredths};
use crate::Othello;
use crate::bits::moves;
use crate::stability::stable_discs;

/// What is weighed, in the order of the weights.
const FEATURES: [&str; 6] = ["mobility", "potential", "stable", "edges", "x", "discs"];
/// The phases between which the weights are interpolated: empty squares at each, the first first.
const PHASES: [&str; 3] = ["opening", "middle", "end"];
/// Hand-set weights in discs, one row a phase.
const BY_HAND: [[f64; FEATURES.len()]; PHASES.len()] = [
    [12.0, 8.0, 2.0, 0.6, -2.0, -0.30],
    [16.0, 10.0, 2.5, 1.0, -2.0, -0.15],
    [8.0, 4.0, 1.5, 0.8, -0.5, 0.40],
];

pub(super) fn weights() -> Vec<Weight> {
    let name = |phase: usize, feature: usize| format!("{}-{}", PHASES[phase], FEATURES[feature]);
    (0..PHASES.len())
        .flat_map(|phase| (0..FEATURES.len()).map(move |feature| (phase, feature)))
        .map(|(phase, feature)| Weight {
            name: name(phase, feature),
            value: BY_HAND[phase][feature],
            min: -50.0,
            max: 50.0,
        })
        .collect()
}

pub(super) struct Iago {
    /// For every number of empty squares the weights, already interpolated.
    by_empties: Vec<[f64; FEATURES.len()]>,
}

impl Iago {
    pub(super) fn new(weights: &[f64]) -> Self {
        let at = |phase: usize, feature: usize| {
            weights.get(phase * FEATURES.len() + feature).copied().unwrap_or(0.0)
        };
        let interpolated = |empties: usize| {
            // 60 empty squares are the opening, 30 the middle, 0 the end.
            let progress = (60 - empties.min(60)) as f64 / 30.0;
            let phase = (progress as usize).min(PHASES.len() - 2);
            let share = progress - phase as f64;
            std::array::from_fn(|feature| {
                at(phase, feature) * (1.0 - share) + at(phase + 1, feature) * share
            })
        };
        Self { by_empties: (0..=64).map(interpolated).collect() }
    }
}

impl Evaluation<Othello> for Iago {
    fn evaluate(&self, position: &Othello) -> ForMover<i32> {
        let features = features(position);
        let weights = &self.by_empties[position.empties().count_ones() as usize];
        let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        ForMover(hundredths(sum))
    }
}

fn features(position: &Othello) -> [f64; FEATURES.len()] {
    let (mover, other) = (position.mover(), position.other());
    let empty = !(mover | other);
    let count = |set: u64| f64::from(set.count_ones());
    let mobility = ratio(count(moves(mover, other)), count(moves(other, mover)));
    let potential = ratio(count(around(other) & empty), count(around(mover) & empty));
    let stable = count(stable_discs(mover, other)) - count(stable_discs(other, mover));
    let edges = f64::from(edges::all_edges(mover, other)) / 100.0;
    let x = f64::from(x_squares(mover, empty) - x_squares(other, empty));
    [mobility, potential, stable, edges, x, f64::from(difference(position, u64::MAX))]
}

/// Between -1 and 1: few moves hurt more than many more help.
fn ratio(own: f64, other: f64) -> f64 {
    (own - other) / (own + other + 2.0)
}

/// Every square next to a square of the set, and the set.
fn around(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let row = set | (set & NOT_H) << 1 | (set & NOT_A) >> 1;
    row | row << 8 | row >> 8
}

/// Discs on X-squares whose corner is empty.
fn x_squares(own: u64, empty: u64) -> i32 {
    let corners = empty & sets::CORNERS;
    // From each corner towards the centre.
    let exposed = (corners & 1) << 9
        | (corners & 1 << 7) << 7
        | (corners & 1 << 56) >> 7
        | (corners & 1 << 63) >> 9;
    (own & exposed).count_ones() as i32
}
