//! The strategy parameters: table 1 of the tutorial, equations 49 to 58.

/// The parameters for a dimension n and an offspring number lambda.
pub(super) struct Parameters {
    /// Recombination weights by rank. The positive ones sum to 1; the negative ones only enter the update of C
    /// (active CMA).
    pub(super) weights: Vec<f64>,
    /// The variance-effective selection mass of the positive weights.
    pub(super) mu_eff: f64,
    /// Learning rate of p_sigma.
    pub(super) c_sigma: f64,
    /// Damping of the step-size update.
    pub(super) d_sigma: f64,
    /// Learning rate of p_c.
    pub(super) c_c: f64,
    /// Learning rate of the rank-one update.
    pub(super) c_1: f64,
    /// Learning rate of the rank-mu update.
    pub(super) c_mu: f64,
    /// The expected length of a standard normal vector.
    pub(super) chi_n: f64,
    /// Generations between eigendecompositions of C.
    pub(super) lazy_gap: f64,
}

impl Parameters {
    /// For a dimension of at least 1 and a lambda of at least 2.
    pub(super) fn new(dimension: usize, lambda: usize) -> Self {
        let (n, mut weights) = (dimension as f64, raw_weights(lambda));
        let (positive, negative) = weights.split_at(lambda / 2);
        let (mu_eff, mu_eff_negative) =
            (variance_effective_mass(positive), variance_effective_mass(negative));
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1);
        // The sum of the negative weights: alpha_mu-, alpha_mueff- and alpha_posdef- of equations 50 to 52.
        let alpha = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu).max(0.0) / (n * c_mu));
        let sums = [positive, negative].map(|part| part.iter().sum::<f64>().abs());
        for weight in &mut weights {
            *weight *= if *weight >= 0.0 { 1.0 / sums[0] } else { alpha / sums[1] };
        }
        Self {
            weights,
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_c: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            c_1,
            c_mu,
            chi_n: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            lazy_gap: 1.0 / (10.0 * n * (c_1 + c_mu)),
        }
    }

    /// The mu positive weights, those of the new mean.
    pub(super) fn positive(&self) -> &[f64] {
        &self.weights[..self.weights.len() / 2]
    }
}

/// The unnormalized weights: positive for the better half, 0 in the middle.
fn raw_weights(lambda: usize) -> Vec<f64> {
    let middle = (lambda as f64 + 1.0) / 2.0;
    (1..=lambda).map(|rank| middle.ln() - (rank as f64).ln()).collect()
}

fn variance_effective_mass(weights: &[f64]) -> f64 {
    let square: f64 = weights.iter().map(|weight| weight * weight).sum();
    weights.iter().sum::<f64>().powi(2) / square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C stays positive definite for every dimension and lambda.
    #[test]
    fn parameters_are_valid_for_all_sizes() {
        for dimension in [1, 2, 3, 10, 100, 1000] {
            for lambda in [2, 3, 4, 5, 10, 57, 1000] {
                let p = Parameters::new(dimension, lambda);
                let sum: f64 = p.positive().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{dimension} {lambda}");
                assert!(p.weights.is_sorted_by(|a, b| a >= b) && p.weights[lambda - 1] <= 0.0);
                for rate in [p.c_sigma, p.c_c, p.c_1, p.c_mu] {
                    assert!(rate > 0.0 && rate <= 1.0, "{dimension} {lambda}: {rate}");
                }
                let negative = p.weights.iter().filter(|weight| **weight < 0.0).sum::<f64>();
                let decay = 1.0 - p.c_1 - p.c_mu * (1.0 + negative);
                assert!(
                    decay >= -p.c_mu * dimension as f64 * negative - 1e-12,
                    "{dimension} {lambda}"
                );
            }
        }
    }

    #[test]
    fn ten_dimensions_match_the_tutorial() {
        let p = Parameters::new(10, 10);
        assert!((p.mu_eff - 3.167).abs() < 0.001, "{}", p.mu_eff);
        assert!((p.c_1 - 0.01528).abs() < 1e-4, "{}", p.c_1);
        assert!((p.chi_n - 3.0847).abs() < 1e-3, "{}", p.chi_n);
    }
}
