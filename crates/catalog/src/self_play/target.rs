//! What moves a network should learn from a search.

use tablero_core::GameType;
use tablero_learn::{PARTS, Style};
use tablero_search::puct::{PuctOptions, RootMove, RootView};

/// Smaller shares are left out.
const LEAST: f64 = 0.002;

/// For every move of `view` its share, together 1.
pub(crate) fn policy<G: GameType>(
    view: &RootView<G>,
    style: &Style,
    options: &PuctOptions,
) -> Vec<f64> {
    let shares: Vec<f64> = match style.halved {
        0 => visits(&view.moves, style.prune, f64::from(options.c)),
        _ => view.moves.iter().map(|m| m.improved).collect(),
    };
    let least = LEAST * shares.iter().sum::<f64>();
    let kept = |share: f64| if share >= least { share } else { 0.0 };
    let sum: f64 = shares.iter().copied().map(kept).sum();
    shares.into_iter().map(|share| kept(share) / sum).collect()
}

/// Visits, without those that only noise explains: as many are taken off every move but the best as it
/// takes to make the search's formula prefer it no more.
fn visits<M: Copy>(moves: &[RootMove<M>], prune: bool, c: f64) -> Vec<f64> {
    let all: f64 = moves.iter().map(|m| f64::from(m.visits)).sum();
    let best = moves.iter().max_by_key(|m| m.visits);
    let Some((best, best_mean)) = best.and_then(|best| Some((best, best.mean?))) else {
        return vec![1.0; moves.len()];
    };
    let score = |m: &RootMove<M>, mean: f64, visits: f64| {
        mean + c * f64::from(m.prior) * all.sqrt() / (1.0 + visits)
    };
    let bar = score(best, best_mean, f64::from(best.visits));
    let kept = |m: &RootMove<M>| {
        let mut left = m.visits;
        if prune && m.visits < best.visits {
            let mean = m.mean.unwrap_or(-1.0);
            while left > 0 && score(m, mean, f64::from(left - 1)) < bar {
                left -= 1;
            }
            // One try alone says nothing.
            left = if left <= 1 { 0 } else { left };
        }
        f64::from(left)
    };
    moves.iter().map(kept).collect()
}

/// How far the search's opinion about moves is from the network's: the divergence in nats.
pub(crate) fn surprise<M>(moves: &[RootMove<M>], policy: &[f64]) -> f64 {
    let parts = moves.iter().zip(policy).filter(|(_, share)| **share > 0.0);
    parts
        .map(|(m, share)| share * (share / f64::from(m.prior).max(1e-9)).ln())
        .sum::<f64>()
        .max(0.0)
}

/// From -1 to 1 as files have it.
pub(crate) fn to_parts(value: f64) -> i16 {
    (value.clamp(-1.0, 1.0) * PARTS).round() as i16
}

/// From 0 on as files have it.
pub(crate) fn to_positive_parts(value: f64) -> u16 {
    (value * PARTS).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(list: &[(f32, u32, f64)]) -> Vec<RootMove<usize>> {
        let root_move = |(m, &(prior, visits, mean)): (usize, &(f32, u32, f64))| RootMove {
            m,
            prior,
            visits,
            mean: (visits > 0).then_some(mean),
            improved: 0.0,
        };
        list.iter().enumerate().map(root_move).collect()
    }

    #[test]
    fn visits_by_noise_are_taken_off() {
        let moves = moves(&[(0.6, 80, 0.5), (0.3, 15, 0.4), (0.1, 5, -0.9), (0.0, 0, 0.0)]);
        assert_eq!(visits(&moves, false, 2.0), [80.0, 15.0, 5.0, 0.0]);
        let pruned = visits(&moves, true, 2.0);
        assert_eq!(pruned[0], 80.0);
        assert!(pruned[1] > 10.0 && pruned[1] <= 15.0, "{pruned:?}");
        assert_eq!(pruned[2..], [0.0, 0.0]);
    }

    #[test]
    fn surprise_is_zero_for_the_same_opinion() {
        let moves = moves(&[(0.5, 1, 0.0), (0.5, 1, 0.0)]);
        assert!(surprise(&moves, &[0.5, 0.5]).abs() < 1e-9);
        assert!((surprise(&moves, &[1.0, 0.0]) - 2f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn values_stay_in_their_range() {
        assert_eq!(to_parts(7.0), 10_000);
        assert_eq!(to_parts(-0.5), -5_000);
        assert_eq!(to_positive_parts(1e9), u16::MAX);
        assert_eq!(to_positive_parts(f64::NAN), 0);
    }
}
