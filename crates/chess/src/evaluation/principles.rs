//! `classic` with its weights derived from twenty parameters: few enough for evolution to tune.

use tablero_core::{Evaluation, Weight};

use super::classic::Classic;
use super::values::VALUES;
use crate::Chess;

/// The parameters: name and hand-tuned value in centipawns.
const PRINCIPLES: [(&str, f64); 20] = [
    ("pawn", 100.0),
    ("knight", 300.0),
    ("bishop", 300.0),
    ("rook", 500.0),
    ("queen", 900.0),
    ("pawn-advance", 5.0),
    ("pawn-centre", 5.0),
    ("knight-centre", 5.0),
    ("bishop-centre", 5.0),
    ("rook-centre", 0.0),
    ("queen-centre", 0.0),
    ("king-centre-middlegame", -10.0),
    ("king-centre-endgame", 10.0),
    ("mobility", 5.0),
    ("bishop-pair", 30.0),
    ("passed", 10.0),
    ("doubled", -10.0),
    ("isolated", -10.0),
    ("shield", 10.0),
    ("tempo", 10.0),
];

/// The parameters with ranges for tuning.
pub(super) fn weights() -> Vec<Weight> {
    let weight = |(name, value): (&str, f64)| {
        let range = (2.0 * value.abs()).max(50.0);
        Weight { name: name.into(), value, min: -range, max: range }
    };
    PRINCIPLES.map(weight).into()
}

/// Builds `classic` with weights linear in the parameters; missing parameters count as 0.
pub(super) fn build(weights: &[f64]) -> Box<dyn Evaluation<Chess>> {
    let sum = |name: &str, phase| -> f64 {
        let principles = PRINCIPLES.iter().zip(weights);
        principles
            .map(|((principle, _), weight)| coefficient(principle, name, phase) * weight)
            .sum()
    };
    let both = VALUES.iter().flat_map(|(name, _)| [sum(name, 0), sum(name, 1)]);
    Box::new(Classic::new(&both.collect::<Vec<f64>>()))
}

/// The coefficient of a parameter in a weight of `classic`, for the middlegame (phase 0) or the endgame
/// (phase 1).
fn coefficient(principle: &str, name: &str, phase: usize) -> f64 {
    match principle {
        "pawn-advance" => pawn_square(name).map_or(0.0, |(_, rank)| rank - 2.0),
        "pawn-centre" => pawn_square(name).map_or(0.0, |(file, _)| file),
        "king-centre-middlegame" if phase == 0 => centre("king", name),
        "king-centre-endgame" if phase == 1 => centre("king", name),
        "king-centre-middlegame" | "king-centre-endgame" => 0.0,
        "mobility" if name.starts_with("mobility-") => 1.0,
        "passed" => passed_rank(name).map_or(0.0, |rank| rank - 1.0),
        "shield" if phase == 0 && name == "shield-near" => 1.0,
        "shield" if phase == 0 && name == "shield-far" => 0.5,
        _ => match principle.strip_suffix("-centre") {
            Some(piece) => centre(piece, name),
            None if principle == name => 1.0,
            None => 0.0,
        },
    }
}

/// The distance of a symmetric pair of files from the edge.
fn file_from_edge(file: &str) -> Option<f64> {
    ["ah", "bg", "cf", "de"].iter().position(|&known| known == file).map(|index| index as f64)
}

/// For names like `pawn-de4`: the file's distance from the edge, and the rank.
fn pawn_square(name: &str) -> Option<(f64, f64)> {
    let (file, rank) = name.strip_prefix("pawn-")?.split_at_checked(2)?;
    Some((file_from_edge(file)?, rank.parse().ok()?))
}

/// The rank in names like `passed-4`.
fn passed_rank(name: &str) -> Option<f64> {
    name.strip_prefix("passed-")?.parse().ok()
}

/// For names like `knight-file-de` and `knight-rank-4`: the distance from the edge.
fn centre(piece: &str, name: &str) -> f64 {
    let suffix = name.strip_prefix(piece).unwrap_or("");
    let file = suffix.strip_prefix("-file-").and_then(file_from_edge);
    let rank = suffix.strip_prefix("-rank-").and_then(|rank| rank.parse::<f64>().ok());
    file.or(rank.map(|rank| (rank - 1.0).min(8.0 - rank))).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nonzero coefficients of a parameter, summed over both phases.
    fn coefficients(principle: &str) -> Vec<(&'static str, f64)> {
        let sum = |name| coefficient(principle, name, 0) + coefficient(principle, name, 1);
        let all = VALUES.iter().map(|&(name, _)| (name, sum(name)));
        all.filter(|&(_, coefficient)| coefficient != 0.0).collect()
    }

    #[test]
    fn every_parameter_affects_some_weight() {
        for (principle, _) in PRINCIPLES {
            assert!(!coefficients(principle).is_empty(), "{principle}");
        }
        assert_eq!(coefficients("rook"), [("rook", 2.0)]);
        assert_eq!(coefficients("pawn-advance").len(), 4 * 5, "rank 2 is no advance");
        assert_eq!(coefficients("king-centre-endgame").len(), 3 + 6, "edges have coefficient 0");
        assert_eq!(coefficients("passed").last(), Some(&("passed-7", 12.0)));
    }
}
