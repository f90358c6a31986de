//! IAGO's features and fifteen more, in five phases: a genome with room to beat the hand-tuned `iago`, which its
//! own hand-tuned weights equal.

use tablero_core::{Features, Weight};

use super::feature::{Feature, discs_on, nowhere};
use super::lines::line_sums;
use super::squares::sets;
use super::{difference, iago, phases};
use crate::Othello;
use crate::bitboard::moves;
use crate::features::SQUARE_CLASSES;

/// The features after those of `iago`; then follow the classes of squares.
const MORE: [&str; 5] = ["line-mobility", "line-potential", "sequences", "corner-moves", "c"];
const N: usize = iago::FEATURES.len() + MORE.len() + SQUARE_CLASSES.len();
/// The phases by empty squares.
const PHASES: [&str; 5] = ["60", "45", "30", "15", "0"];

pub(super) fn weights() -> Vec<Weight> {
    let classes = &Othello::FEATURES[..SQUARE_CLASSES.len()];
    let names: Vec<&str> = iago::FEATURES.iter().chain(&MORE).chain(classes).copied().collect();
    phases::weights(&PHASES, &names, |phase, feature| {
        let known = |phase: usize| iago::HAND_TUNED[phase].get(feature).copied().unwrap_or(0.0);
        // Two of these phases are one of `iago`.
        f64::midpoint(known(phase / 2), known(phase.div_ceil(2)))
    })
}

pub(super) fn build(weights: &[f64]) -> phases::Phased<N> {
    phases::Phased::new(features, descriptions(), PHASES.len(), weights)
}

/// What the features measure.
fn descriptions() -> Vec<Feature> {
    let more = [
        Feature::new(MORE[0], "mobility by lines", "movilidad por líneas", nowhere),
        Feature::new(
            MORE[1],
            "potential mobility by lines",
            "movilidad potencial por líneas",
            nowhere,
        ),
        Feature::new(MORE[2], "exposed sequences", "secuencias expuestas", nowhere),
        Feature::new(MORE[3], "moves to corners", "jugadas a las esquinas", |p| {
            [moves(p.mover(), p.other()), moves(p.other(), p.mover())]
                .map(|set| set & sets::CORNERS)
        }),
        Feature::new(
            MORE[4],
            "C-squares next to empty corners",
            "casillas C junto a esquinas vacías",
            |p| discs_on(p, exposed_c_squares(p.empties())),
        ),
    ];
    iago::DESCRIPTIONS.into_iter().chain(more).chain(SQUARE_FEATURES).collect()
}

/// The classes of squares, named after one of them.
const SQUARE_FEATURES: [Feature; SQUARE_CLASSES.len()] = [
    Feature::new("a1", "corners", "esquinas", |p| discs_on(p, SQUARE_CLASSES[0])),
    Feature::new("b1", "squares like b1", "casillas como b1", |p| discs_on(p, SQUARE_CLASSES[1])),
    Feature::new("c1", "squares like c1", "casillas como c1", |p| discs_on(p, SQUARE_CLASSES[2])),
    Feature::new("d1", "squares like d1", "casillas como d1", |p| discs_on(p, SQUARE_CLASSES[3])),
    Feature::new("b2", "squares like b2", "casillas como b2", |p| discs_on(p, SQUARE_CLASSES[4])),
    Feature::new("c2", "squares like c2", "casillas como c2", |p| discs_on(p, SQUARE_CLASSES[5])),
    Feature::new("d2", "squares like d2", "casillas como d2", |p| discs_on(p, SQUARE_CLASSES[6])),
    Feature::new("c3", "squares like c3", "casillas como c3", |p| discs_on(p, SQUARE_CLASSES[7])),
    Feature::new("d3", "squares like d3", "casillas como d3", |p| discs_on(p, SQUARE_CLASSES[8])),
    Feature::new("d4", "squares like d4", "casillas como d4", |p| discs_on(p, SQUARE_CLASSES[9])),
];

fn features(position: &Othello) -> [f64; N] {
    let (mover, other) = (position.mover(), position.other());
    let count = |set: u64| f64::from(set.count_ones());
    let lines = line_sums(mover, other);
    let corner_moves =
        count(moves(mover, other) & sets::CORNERS) - count(moves(other, mover) & sets::CORNERS);
    let exposed = exposed_c_squares(position.empties());
    let mut features = [0.0; N];
    let (known, more) = features.split_at_mut(iago::FEATURES.len());
    known.copy_from_slice(&iago::features(position));
    let (more, classes) = more.split_at_mut(MORE.len());
    more.copy_from_slice(&[
        f64::from(lines.mobility) / 4.0,
        f64::from(lines.potential) / 8.0,
        f64::from(lines.sequences) / 8.0,
        corner_moves,
        count(mover & exposed) - count(other & exposed),
    ]);
    for (feature, set) in classes.iter_mut().zip(SQUARE_CLASSES) {
        *feature = f64::from(difference(position, set));
    }
    features
}

/// The C-squares of empty corners.
const fn exposed_c_squares(empty: u64) -> u64 {
    let corners = empty & sets::CORNERS;
    let left = corners & 0x0101_0101_0101_0101;
    let right = corners & 0x8080_8080_8080_8080;
    left << 1 | right >> 1 | (corners & 0xff) << 8 | (corners & 0xff << 56) >> 8
}

#[cfg(test)]
mod tests {
    use tablero_core::{Evaluation, Game, Rng, StandardRules};

    use super::*;

    #[test]
    fn hand_tuned_weights_are_those_of_iago() {
        let hand_tuned = |weights: Vec<Weight>| -> Vec<f64> {
            weights.iter().map(|weight| weight.value).collect()
        };
        let broad = build(&hand_tuned(weights()));
        let iago = iago::build(&hand_tuned(iago::weights()));
        let (mut rng, mut position) = (Rng::seeded(9), Othello::start(StandardRules));
        while let Some(m) = position.random_move(&mut rng) {
            let difference = broad.evaluate(&position).0 - iago.evaluate(&position).0;
            assert!(difference.abs() <= 1, "{position:?}");
            position.play(m);
        }
        assert_eq!(exposed_c_squares(u64::MAX), sets::C);
        assert_eq!(exposed_c_squares(1), 1 << 1 | 1 << 8);
    }
}
