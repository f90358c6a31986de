//! The evaluation of IAGO (Rosenbloom 1982): mobility, potential mobility, stable discs and edge
//! table, with weights interpolated between three game phases.

use tablero_core::Weight;

use super::feature::{self, Feature};
use super::squares::sets;
use super::{difference, edges, phases};
use crate::Othello;
use crate::bitboard::{dilate, moves};
use crate::stability::stable_discs;

/// Names of the features, in the order of the weights.
pub(super) const FEATURES: [&str; 6] = ["mobility", "potential", "stable", "edges", "x", "discs"];
/// What they measure.
pub(super) const DESCRIPTIONS: [Feature; FEATURES.len()] = [
    feature::MOBILITY,
    feature::POTENTIAL,
    feature::STABLE,
    feature::EDGES,
    Feature::new(
        "x",
        "X-squares next to empty corners",
        "casillas X junto a esquinas vacías",
        |p| [p.mover(), p.other()].map(|own| own & exposed_squares(p.empties())),
    ),
    feature::DISCS,
];
/// The phases between which weights are interpolated: 60, 30 and 0 empty squares.
const PHASES: [&str; 3] = ["opening", "middle", "end"];
/// Hand-tuned weights in discs, one row per phase.
pub(super) const HAND_TUNED: [[f64; FEATURES.len()]; PHASES.len()] = [
    [12.0, 8.0, 2.0, 0.6, -2.0, -0.30],
    [16.0, 10.0, 2.5, 1.0, -2.0, -0.15],
    [8.0, 4.0, 1.5, 0.8, -0.5, 0.40],
];

pub(super) fn weights() -> Vec<Weight> {
    phases::weights(&PHASES, &FEATURES, |phase, feature| HAND_TUNED[phase][feature])
}

pub(super) fn build(weights: &[f64]) -> phases::Phased<{ FEATURES.len() }> {
    phases::Phased::new(features, DESCRIPTIONS.to_vec(), PHASES.len(), weights)
}

pub(super) fn features(position: &Othello) -> [f64; FEATURES.len()] {
    let (mover, other) = (position.mover(), position.other());
    let empty = !(mover | other);
    let count = |set: u64| f64::from(set.count_ones());
    let mobility = normalized_difference(count(moves(mover, other)), count(moves(other, mover)));
    // Potential mobility: empty squares next to the opponent's frontier discs.
    let potential =
        normalized_difference(count(dilate(other) & empty), count(dilate(mover) & empty));
    let stable = count(stable_discs(mover, other)) - count(stable_discs(other, mover));
    let edges = f64::from(edges::edge_score(mover, other)) / 100.0;
    let x = f64::from(exposed_x_squares(mover, empty) - exposed_x_squares(other, empty));
    [mobility, potential, stable, edges, x, f64::from(difference(position, u64::MAX))]
}

/// A difference scaled to -1..1, so that lacking moves costs more than extra moves gain.
fn normalized_difference(own: f64, other: f64) -> f64 {
    (own - other) / (own + other + 2.0)
}

/// Discs on X-squares whose corner is empty.
const fn exposed_x_squares(own: u64, empty: u64) -> i32 {
    (own & exposed_squares(empty)).count_ones() as i32
}

/// X-squares whose corner is empty.
const fn exposed_squares(empty: u64) -> u64 {
    let corners = empty & sets::CORNERS;
    // Each empty corner, moved one square diagonally inwards.
    (corners & 1) << 9
        | (corners & 1 << 7) << 7
        | (corners & 1 << 56) >> 7
        | (corners & 1 << 63) >> 9
}
