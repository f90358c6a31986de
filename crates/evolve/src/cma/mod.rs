//! The covariance matrix adaptation evolution strategy (CMA-ES) of Hansen's tutorial (arXiv:1604.00772):
//! weighted recombination, rank-one and rank-mu updates with negative weights (active CMA), cumulative
//! step-size adaptation (CSA). Names follow its symbols: sigma, p_sigma, p_c, C, mu_eff, c_sigma, d_sigma.
//!
//! [`CmaEs::ask`] samples a generation, [`CmaEs::tell`] updates the distribution with its fitness, which is
//! maximized. The [`Distribution`] is the whole state; the caller owns the random generator.

mod eigen;
mod parameters;

use serde::{Deserialize, Serialize};
use tablero_core::Rng;

use eigen::{decompose, dot, norm};
use parameters::Parameters;

/// Maximum condition number of C, beyond which rounding dominates.
const MAX_CONDITION: f64 = 1e14;
/// Bounds of sigma, against overflow and underflow.
const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// Maximum change of ln sigma in one generation.
const MAX_LOG_GROWTH: f64 = 1.0;

/// The optimiser.
pub(crate) struct CmaEs {
    parameters: Parameters,
    distribution: Distribution,
}

/// The search distribution N(m, sigma^2 C) with its evolution paths.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Distribution {
    generation: u64,
    /// The mean m.
    mean: Vec<f64>,
    /// The step size.
    sigma: f64,
    /// The conjugate evolution path of step-size adaptation.
    p_sigma: Vec<f64>,
    /// The evolution path of the rank-one update.
    p_c: Vec<f64>,
    /// The lower triangle of C by rows.
    covariance: Vec<Vec<f64>>,
    eigen: Eigenbasis,
}

/// The last eigendecomposition C = B D^2 B^T, updated lazily.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Eigenbasis {
    /// The generation after which C was decomposed.
    generation: u64,
    /// The columns of B: unit eigenvectors.
    directions: Vec<Vec<f64>>,
    /// The diagonal of D: standard deviations along the eigenvectors.
    deviations: Vec<f64>,
}

impl CmaEs {
    /// Starts with N(mean, sigma^2 I). `lambda` is at least 2, the dimension at least 1.
    pub(crate) fn new(mean: Vec<f64>, sigma: f64, lambda: usize) -> Self {
        let size = mean.len();
        let unit = |axis: usize| (0..size).map(|index| f64::from(index == axis)).collect();
        let directions: Vec<Vec<f64>> = (0..size).map(unit).collect();
        let lower = |row: usize| directions[row][..=row].to_vec();
        let distribution = Distribution {
            generation: 0,
            sigma,
            p_sigma: vec![0.0; size],
            p_c: vec![0.0; size],
            covariance: (0..size).map(lower).collect(),
            eigen: Eigenbasis { generation: 0, deviations: vec![1.0; size], directions },
            mean,
        };
        Self { parameters: Parameters::new(size, lambda), distribution }
    }

    /// Resumes from a distribution; none if it does not have that dimension.
    pub(crate) fn resume(
        distribution: Distribution,
        dimension: usize,
        lambda: usize,
    ) -> Option<Self> {
        let parameters = Parameters::new(dimension, lambda);
        distribution.has_dimension(dimension).then_some(Self { parameters, distribution })
    }

    /// The state, for a checkpoint.
    pub(crate) const fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// Samples lambda points.
    pub(crate) fn ask(&self, rng: &mut Rng) -> Vec<Vec<f64>> {
        self.parameters.weights.iter().map(|_| self.distribution.sample(rng)).collect()
    }

    /// Updates the distribution with the fitness of the sampled points, higher being better. Ties are ranked
    /// in sampling order, that is at random.
    pub(crate) fn tell(&mut self, points: &[Vec<f64>], fitness: &[f64]) {
        let (p, d) = (&self.parameters, &mut self.distribution);
        let steps = d.ranked_steps(points, fitness);
        let step = weighted_sum(p.positive(), &steps);
        d.mean.iter_mut().zip(&step).for_each(|(mean, step)| *mean += d.sigma * step);
        let h_sigma = d.update_paths(p, &step);
        d.update_covariance(p, &steps, h_sigma);
        d.update_sigma(p);
        d.generation += 1;
        if (d.generation - d.eigen.generation) as f64 > p.lazy_gap {
            d.update_eigenbasis();
        }
    }
}

impl Distribution {
    /// The mean, the estimate of the optimum.
    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The step size.
    pub(crate) const fn sigma(&self) -> f64 {
        self.sigma
    }

    fn has_dimension(&self, size: usize) -> bool {
        let Eigenbasis { directions, deviations, .. } = &self.eigen;
        let vectors = [&self.mean, &self.p_sigma, &self.p_c, deviations];
        vectors.into_iter().chain(directions).all(|vector| vector.len() == size)
            && directions.len() == size
            && self.covariance.len() == size
            && self.covariance.iter().zip(1..).all(|(row, length)| row.len() == length)
    }

    fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let mut point = self.mean.clone();
        for (direction, deviation) in self.eigen.directions.iter().zip(&self.eigen.deviations) {
            let length = self.sigma * deviation * rng.irwin_hall();
            point.iter_mut().zip(direction).for_each(|(x, unit)| *x += length * unit);
        }
        point
    }

    /// The steps (x - m) / sigma, sorted by fitness, the best first.
    fn ranked_steps(&self, points: &[Vec<f64>], fitness: &[f64]) -> Vec<Vec<f64>> {
        let key = |index: usize| if fitness[index].is_nan() { f64::MIN } else { fitness[index] };
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let step = |x: &f64, mean: &f64| (x - mean) / self.sigma;
        let steps =
            |point: &Vec<f64>| point.iter().zip(&self.mean).map(|(x, m)| step(x, m)).collect();
        order.into_iter().map(|index| steps(&points[index])).collect()
    }

    /// Updates both paths with the step of the mean. Returns h_sigma: false while p_sigma is long, that is,
    /// sigma is too small, which stalls p_c.
    fn update_paths(&mut self, p: &Parameters, step: &[f64]) -> bool {
        let factor = (p.c_sigma * (2.0 - p.c_sigma) * p.mu_eff).sqrt();
        for (path, x) in self.p_sigma.iter_mut().zip(self.eigen.whiten(step)) {
            *path = (1.0 - p.c_sigma) * *path + factor * x;
        }
        let age = i32::try_from(2 * (self.generation + 1)).unwrap_or(i32::MAX);
        let expected = p.chi_n * (1.0 - (1.0 - p.c_sigma).powi(age)).sqrt();
        let bound = (1.4 + 2.0 / (self.mean.len() as f64 + 1.0)) * expected;
        let h_sigma = norm(&self.p_sigma) < bound;
        let factor = if h_sigma { (p.c_c * (2.0 - p.c_c) * p.mu_eff).sqrt() } else { 0.0 };
        for (path, x) in self.p_c.iter_mut().zip(step) {
            *path = (1.0 - p.c_c) * *path + factor * x;
        }
        h_sigma
    }

    fn update_covariance(&mut self, p: &Parameters, steps: &[Vec<f64>], h_sigma: bool) {
        let size = self.mean.len() as f64;
        // Compensates the variance lost while p_c stalls.
        let delta = if h_sigma { 0.0 } else { p.c_1 * p.c_c * (2.0 - p.c_c) };
        let decay = 1.0 + delta - p.c_1 - p.c_mu * p.weights.iter().sum::<f64>();
        // Steps with negative weights are normalized: long ones could make C indefinite.
        let weight = |(weight, step): (&f64, &Vec<f64>)| match *weight < 0.0 {
            true => p.c_mu * weight * size / (norm(&self.eigen.whiten(step)).powi(2) + 1e-9),
            false => p.c_mu * weight,
        };
        let mut weights: Vec<f64> = p.weights.iter().zip(steps).map(weight).collect();
        weights.push(p.c_1);
        let steps: Vec<&Vec<f64>> = steps.iter().chain([&self.p_c]).collect();
        for (i, row) in self.covariance.iter_mut().enumerate() {
            row.iter_mut().for_each(|entry| *entry *= decay);
            for (weight, step) in weights.iter().zip(&steps) {
                let factor = weight * step[i];
                row.iter_mut().zip(*step).for_each(|(entry, x)| *entry += factor * x);
            }
        }
    }

    fn update_sigma(&mut self, p: &Parameters) {
        let growth = p.c_sigma / p.d_sigma * (norm(&self.p_sigma) / p.chi_n - 1.0);
        let sigma = self.sigma * growth.min(MAX_LOG_GROWTH).exp();
        self.sigma = sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end());
    }

    fn update_eigenbasis(&mut self) {
        let eigen = decompose(&self.covariance);
        let largest = eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = (largest / MAX_CONDITION).max(f64::MIN_POSITIVE);
        self.eigen = Eigenbasis {
            generation: self.generation,
            directions: eigen.vectors,
            deviations: eigen.values.iter().map(|value| value.max(least).sqrt()).collect(),
        };
    }
}

impl Eigenbasis {
    /// `C^-½` times a step.
    fn whiten(&self, step: &[f64]) -> Vec<f64> {
        let mut white = vec![0.0; step.len()];
        for (direction, deviation) in self.directions.iter().zip(&self.deviations) {
            let length = dot(direction, step) / deviation;
            white.iter_mut().zip(direction).for_each(|(x, unit)| *x += length * unit);
        }
        white
    }
}

fn weighted_sum(weights: &[f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for (weight, vector) in weights.iter().zip(vectors) {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += weight * x);
    }
    sum
}

#[cfg(test)]
mod tests;
