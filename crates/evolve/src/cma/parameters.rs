//! The strategy parameters: table 1 of the tutorial, with equations 49 to 58.

/// What follows from the number of dimensions and the population's size alone.
pub(super) struct Parameters {
    /// Recombination weights, the best point's first. The positive ones sum to 1; the negative ones
    /// only shape the covariance (active CMA).
    pub(super) weights: Vec<f64>,
    /// The variance-effective selection mass of the positive weights.
    pub(super) mu_eff: f64,
    /// Learning rate of the step size's path.
    pub(super) c_sigma: f64,
    /// Damping of the step size.
    pub(super) d_sigma: f64,
    /// Learning rate of the covariance's path.
    pub(super) c_c: f64,
    /// Learning rate of the rank-one update.
    pub(super) c_1: f64,
    /// Learning rate of the rank-mu update.
    pub(super) c_mu: f64,
    /// The expected length of a standard normal vector.
    pub(super) chi: f64,
    /// Generations for which a decomposition of the covariance is good enough.
    pub(super) lazy: f64,
}

impl Parameters {
    /// For at least 1 dimension and at least 2 points a generation.
    pub(super) fn new(dimension: usize, population: usize) -> Self {
        let (n, mut weights) = (dimension as f64, raw_weights(population));
        let (positive, negative) = weights.split_at(population / 2);
        let (mu_eff, mu_eff_negative) = (selection_mass(positive), selection_mass(negative));
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1);
        // The rates balance; as much as the positive weights select; and the covariance stays positive.
        let mass = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu).max(0.0) / (n * c_mu));
        let sums = [positive, negative].map(|part| part.iter().sum::<f64>().abs());
        for weight in &mut weights {
            *weight *= if *weight >= 0.0 { 1.0 / sums[0] } else { mass / sums[1] };
        }
        Self {
            weights,
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_c: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            c_1,
            c_mu,
            chi: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            lazy: 1.0 / (10.0 * n * (c_1 + c_mu)),
        }
    }

    /// The weights of the points that make up the new mean.
    pub(super) fn positive(&self) -> &[f64] {
        &self.weights[..self.weights.len() / 2]
    }
}

/// Before they are normalised: positive for the better half, 0 for one in the middle.
fn raw_weights(population: usize) -> Vec<f64> {
    let middle = (population as f64 + 1.0) / 2.0;
    (1..=population).map(|rank| middle.ln() - (rank as f64).ln()).collect()
}

fn selection_mass(weights: &[f64]) -> f64 {
    let square: f64 = weights.iter().map(|weight| weight * weight).sum();
    weights.iter().sum::<f64>().powi(2) / square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance stays positive definite, whatever the dimension and the population.
    #[test]
    fn are_sound_for_all_sizes() {
        for dimension in [1, 2, 3, 10, 100, 1000] {
            for population in [2, 3, 4, 5, 10, 57, 1000] {
                let p = Parameters::new(dimension, population);
                let sum: f64 = p.positive().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{dimension} {population}");
                assert!(p.weights.is_sorted_by(|a, b| a >= b) && p.weights[population - 1] <= 0.0);
                for rate in [p.c_sigma, p.c_c, p.c_1, p.c_mu] {
                    assert!(rate > 0.0 && rate <= 1.0, "{dimension} {population}: {rate}");
                }
                let negative = p.weights.iter().filter(|weight| **weight < 0.0).sum::<f64>();
                let kept = 1.0 - p.c_1 - p.c_mu * (1.0 + negative);
                assert!(
                    kept >= -p.c_mu * dimension as f64 * negative - 1e-12,
                    "{dimension} {population}"
                );
            }
        }
    }

    /// The figures of the tutorial's defaults for 10 dimensions.
    #[test]
    fn ten_dimensions() {
        let p = Parameters::new(10, 10);
        assert!((p.mu_eff - 3.167).abs() < 0.001, "{}", p.mu_eff);
        assert!((p.c_1 - 0.01528).abs() < 1e-4, "{}", p.c_1);
        assert!((p.chi - 3.0847).abs() < 1e-3, "{}", p.chi);
    }
}
