use tablero_core::{Evaluation, Weight};

use super::classic::Classic;
use super::terms;
use super::values::VALUES;
use crate::Chess;

/// What belongs together in `classic`: a name, and how the names of its weights begin (without their
/// phase). The first group that fits has the weight, so the longer beginnings come first.
const GROUPS: [(&str, &[&str]); 14] = [
    ("passed", &["passed"]),
    ("attack", &["king-attack", "king-weak", "king-danger", "safe-check"]),
    ("shelter", &["shield", "king-open", "king-half-open", "storm"]),
    ("threats", &["threat", "hanging"]),
    ("mobility", &["mobility"]),
    ("bishops", &["bishop-pair", "bad-bishop", "outpost"]),
    ("rooks", &["rook-open", "rook-half-open", "rook-seventh"]),
    ("structure", &["doubled", "isolated", "backward", "connected"]),
    ("mating", &["drive"]),
    ("tempo", &["tempo"]),
    ("king-places", &["king-file", "king-rank"]),
    ("pawn-places", &["pawn-"]),
    ("piece-places", &["knight-", "bishop-", "rook-", "queen-"]),
    ("material", &["pawn", "knight", "bishop", "rook", "queen"]),
];

/// The names of the factors end like those of the weights that they multiply.
const PHASES: [&str; 2] = ["mg", "eg"];

/// A factor for every group and phase: 1 is what `classic` has.
pub(super) fn weights() -> Vec<Weight> {
    let factor = |group: &str, phase: &str| Weight {
        name: format!("{group}-{phase}"),
        value: 1.0,
        min: 0.0,
        max: 3.0,
    };
    GROUPS.iter().flat_map(|(group, _)| PHASES.map(|phase| factor(group, phase))).collect()
}

/// `classic`, with its groups of weights multiplied by factors in the order of [`weights`]; missing
/// factors count nothing.
pub(super) fn build(factors: &[f64]) -> Box<dyn Evaluation<Chess>> {
    let factor = |name: &str, phase: usize| {
        let place = group_of(name).map(|group| PHASES.len() * group + phase);
        place.and_then(|place| factors.get(place)).copied().unwrap_or(0.0)
    };
    let names = VALUES.iter().flat_map(|&(name, _)| [(name, 0), (name, 1)]);
    let scaled = terms::weights().into_iter().zip(names);
    let weights: Vec<f64> =
        scaled.map(|(weight, (name, phase))| weight.value * factor(name, phase)).collect();
    Box::new(Classic::new(&weights))
}

fn group_of(name: &str) -> Option<usize> {
    GROUPS.iter().position(|(_, starts)| starts.iter().any(|start| name.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_in_a_group_and_no_group_is_empty() {
        let mut sizes = [0; GROUPS.len()];
        for (name, _) in VALUES {
            sizes[group_of(name).unwrap_or_else(|| panic!("{name} is in no group"))] += 1;
        }
        assert!(sizes.iter().all(|&size| size > 0), "{sizes:?}");
        assert_eq!(sizes[GROUPS.len() - 1], 5, "only five weights are material");
    }

    #[test]
    fn factors_of_one_are_classic() {
        let factors: Vec<f64> = weights().iter().map(|weight| weight.value).collect();
        let by_hand: Vec<f64> = terms::weights().iter().map(|weight| weight.value).collect();
        let (balance, classic) = (build(&factors), Classic::new(&by_hand));
        for position in crate::evaluation::tests::positions(200) {
            assert_eq!(balance.evaluate(&position), classic.evaluate(&position), "{position:?}");
        }
    }
}
