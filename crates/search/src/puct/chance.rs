//! Distributions.

use tablero_core::Rng;

/// Numbers above 0 that add up to 1, by a Dirichlet distribution with all parameters `alpha`.
pub(super) fn dirichlet(alpha: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
    let mut parts: Vec<f64> = (0..count).map(|_| gamma(alpha, rng)).collect();
    let sum: f64 = parts.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        // So small an `alpha` that all parts vanish: one of them is all.
        parts.fill(0.0);
        if let Some(all) = parts.get_mut(rng.below(count.max(1) as u64) as usize) {
            *all = 1.0;
        }
        return parts;
    }
    parts.iter_mut().for_each(|part| *part /= sum);
    parts
}

/// A number of the Gumbel distribution: the largest of `ln p + gumbel` falls on each with probability
/// `p`.
pub(super) fn gumbel(rng: &mut Rng) -> f64 {
    -(-unit_above_0(rng).ln()).ln()
}

/// An index, each as likely as its weight says; none if no weight is above 0.
pub(super) fn by_weight(weights: &[f64], rng: &mut Rng) -> Option<usize> {
    let sum: f64 = weights.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        return None;
    }
    let mut left = rng.unit() * sum;
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return Some(index);
        }
    }
    weights.iter().rposition(|&weight| weight > 0.0)
}

/// A number of the gamma distribution (Marsaglia and Tsang).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * unit_above_0(rng).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && unit_above_0(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A normally distributed number (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * unit_above_0(rng).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

fn unit_above_0(rng: &mut Rng) -> f64 {
    1.0 - rng.unit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_its_mean_and_variance() {
        let mut rng = Rng::seeded(1);
        for shape in [0.3, 1.0, 4.5] {
            let numbers: Vec<f64> = (0..40_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = numbers.iter().sum::<f64>() / 40_000.0;
            let variance = numbers.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 40_000.0;
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape} {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape} {variance}");
        }
    }

    #[test]
    fn dirichlet_adds_up() {
        let mut rng = Rng::seeded(2);
        for alpha in [1e-300, 0.03, 0.3, 10.0] {
            for count in [1, 2, 30] {
                let parts = dirichlet(alpha, count, &mut rng);
                assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{alpha} {parts:?}");
                assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)));
            }
        }
        assert!(dirichlet(1.0, 0, &mut rng).is_empty());
    }

    #[test]
    fn gumbel_chooses_by_probability() {
        let mut rng = Rng::seeded(3);
        let mut seen = [0; 3];
        for _ in 0..30_000 {
            let scores = [0.6f64, 0.3, 0.1].map(|p| p.ln() + gumbel(&mut rng));
            let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            seen[best.expect("three")] += 1;
        }
        assert!(
            (17_500..18_500).contains(&seen[0]) && (2_700..3_300).contains(&seen[2]),
            "{seen:?}"
        );
    }

    #[test]
    fn weights_that_make_no_sense_choose_nothing() {
        let mut rng = Rng::seeded(4);
        for weights in [vec![], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![f64::INFINITY]] {
            assert_eq!(by_weight(&weights, &mut rng), None);
        }
        assert_eq!(by_weight(&[0.0, 2.0, 0.0], &mut rng), Some(1));
    }
}
