//! Policy targets from the statistics of a search.

use tablero_core::GameType;
use tablero_learn::{FIXED_POINT_ONE, SelfPlayConfig};
use tablero_search::puct::{PuctOptions, RootMoveStats, RootStats};

/// Smaller probabilities are set to 0.
const MIN_PROBABILITY: f64 = 0.002;

/// The policy target: the improved policy of Gumbel AlphaZero, or visit counts.
pub(crate) fn policy<G: GameType>(
    root: &RootStats<G>,
    config: &SelfPlayConfig,
    options: &PuctOptions,
) -> Vec<f64> {
    let target: Vec<f64> = match config.gumbel_actions {
        0 => pruned_visits(&root.moves, config.policy_target_pruning, f64::from(options.c_puct)),
        _ => root.moves.iter().map(|m| m.improved_policy).collect(),
    };
    let least = MIN_PROBABILITY * target.iter().sum::<f64>();
    let kept = |probability: f64| if probability >= least { probability } else { 0.0 };
    let sum: f64 = target.iter().copied().map(kept).sum();
    target.into_iter().map(|probability| kept(probability) / sum).collect()
}

/// Visit counts with KataGo's policy target pruning: subtracts from every move but the best the visits that
/// only noise explains, as long as PUCT would not prefer the move to the best.
fn pruned_visits<M: Copy>(moves: &[RootMoveStats<M>], prune: bool, c: f64) -> Vec<f64> {
    let total: f64 = moves.iter().map(|m| f64::from(m.visits)).sum();
    let best = moves.iter().max_by_key(|m| m.visits);
    let Some((best, best_mean)) = best.and_then(|best| Some((best, best.q?))) else {
        return vec![1.0; moves.len()];
    };
    let score = |m: &RootMoveStats<M>, mean: f64, visits: f64| {
        mean + c * f64::from(m.prior) * total.sqrt() / (1.0 + visits)
    };
    let threshold = score(best, best_mean, f64::from(best.visits));
    let kept = |m: &RootMoveStats<M>| {
        let mut left = m.visits;
        if prune && m.visits < best.visits {
            let mean = m.q.unwrap_or(-1.0);
            while left > 0 && score(m, mean, f64::from(left - 1)) < threshold {
                left -= 1;
            }
            // A single visit is no evidence.
            left = if left <= 1 { 0 } else { left };
        }
        f64::from(left)
    };
    moves.iter().map(kept).collect()
}

/// Policy surprise: the Kullback-Leibler divergence of the target from the prior, in nats.
pub(crate) fn surprise<M>(moves: &[RootMoveStats<M>], policy: &[f64]) -> f64 {
    let terms = moves.iter().zip(policy).filter(|(_, probability)| **probability > 0.0);
    terms
        .map(|(m, probability)| probability * (probability / f64::from(m.prior).max(1e-9)).ln())
        .sum::<f64>()
        .max(0.0)
}

/// A value from -1 to 1 in fixed point.
pub(crate) fn to_fixed(value: f64) -> i16 {
    (value.clamp(-1.0, 1.0) * FIXED_POINT_ONE).round() as i16
}

/// A nonnegative value in fixed point.
pub(crate) fn to_unsigned_fixed(value: f64) -> u16 {
    (value * FIXED_POINT_ONE).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(list: &[(f32, u32, f64)]) -> Vec<RootMoveStats<usize>> {
        let root_move = |(m, &(prior, visits, mean)): (usize, &(f32, u32, f64))| RootMoveStats {
            m,
            prior,
            visits,
            q: (visits > 0).then_some(mean),
            improved_policy: 0.0,
        };
        list.iter().enumerate().map(root_move).collect()
    }

    #[test]
    fn policy_target_pruning_removes_noise_visits() {
        let moves = moves(&[(0.6, 80, 0.5), (0.3, 15, 0.4), (0.1, 5, -0.9), (0.0, 0, 0.0)]);
        assert_eq!(pruned_visits(&moves, false, 2.0), [80.0, 15.0, 5.0, 0.0]);
        let pruned = pruned_visits(&moves, true, 2.0);
        assert_eq!(pruned[0], 80.0);
        assert!(pruned[1] > 10.0 && pruned[1] <= 15.0, "{pruned:?}");
        assert_eq!(pruned[2..], [0.0, 0.0]);
    }

    #[test]
    fn surprise_is_zero_for_equal_policies() {
        let moves = moves(&[(0.5, 1, 0.0), (0.5, 1, 0.0)]);
        assert!(surprise(&moves, &[0.5, 0.5]).abs() < 1e-9);
        assert!((surprise(&moves, &[1.0, 0.0]) - 2f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn fixed_point_saturates() {
        assert_eq!(to_fixed(7.0), 10_000);
        assert_eq!(to_fixed(-0.5), -5_000);
        assert_eq!(to_unsigned_fixed(1e9), u16::MAX);
        assert_eq!(to_unsigned_fixed(f64::NAN), 0);
    }
}
