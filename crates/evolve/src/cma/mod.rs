//! CMA-ES, the covariance matrix adaptation evolution strategy, as in Hansen's tutorial
//! (arXiv:1604.00772): weighted recombination, rank-one and rank-mu updates with negative weights
//! (active CMA), cumulative step-size adaptation.
//!
//! [`CmaEs::ask`] gives a whole generation, so that all its points can be measured at once;
//! [`CmaEs::tell`] takes their fitness, which is maximised. The algorithm keeps no random generator: its
//! [`Distribution`] is all of its state.

mod eigen;
mod parameters;

use serde::{Deserialize, Serialize};
use tablero_core::Rng;

use eigen::{decompose, dot, norm};
use parameters::Parameters;

/// No axis is longer than another by more than the square root of this: beyond it, rounding decides.
const MAX_CONDITION: f64 = 1e14;
/// Step sizes beyond these are as good as 0 or infinite, and end in numbers that are neither.
const SIGMAS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// In one generation the step size grows by e at most, however far the path went.
const MAX_GROWTH: f64 = 1.0;

/// The optimiser.
pub(crate) struct CmaEs {
    parameters: Parameters,
    distribution: Distribution,
}

/// What points are drawn from, and what decides how it changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Distribution {
    generation: u64,
    mean: Vec<f64>,
    /// The step size.
    sigma: f64,
    /// Evolution path of the step size.
    path_sigma: Vec<f64>,
    /// Evolution path of the covariance.
    path_c: Vec<f64>,
    /// The covariance's lower triangle, row after row.
    covariance: Vec<Vec<f64>>,
    axes: Axes,
}

/// The axes of the covariance when it was decomposed last.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Axes {
    /// The generation after which that was.
    generation: u64,
    /// Unit vectors.
    directions: Vec<Vec<f64>>,
    /// The standard deviation along each.
    deviations: Vec<f64>,
}

impl CmaEs {
    /// Starts at `mean` with the standard deviation `sigma` in every direction. At least 2 points make
    /// a generation, and `mean` has at least 1 number.
    pub(crate) fn new(mean: Vec<f64>, sigma: f64, population: usize) -> Self {
        let size = mean.len();
        let unit = |place: usize| (0..size).map(|at| f64::from(at == place)).collect();
        let directions: Vec<Vec<f64>> = (0..size).map(unit).collect();
        let lower = |row: usize| directions[row][..=row].to_vec();
        let distribution = Distribution {
            generation: 0,
            sigma,
            path_sigma: vec![0.0; size],
            path_c: vec![0.0; size],
            covariance: (0..size).map(lower).collect(),
            axes: Axes { generation: 0, deviations: vec![1.0; size], directions },
            mean,
        };
        Self { parameters: Parameters::new(size, population), distribution }
    }

    /// Goes on from a distribution of `dimension` numbers a point; none if it has another number.
    pub(crate) fn resume(
        distribution: Distribution,
        dimension: usize,
        population: usize,
    ) -> Option<Self> {
        let parameters = Parameters::new(dimension, population);
        distribution.has_dimension(dimension).then_some(Self { parameters, distribution })
    }

    /// All that is needed to go on from here.
    pub(crate) const fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// The points of the next generation.
    pub(crate) fn ask(&self, rng: &mut Rng) -> Vec<Vec<f64>> {
        self.parameters.weights.iter().map(|_| self.distribution.sample(rng)).collect()
    }

    /// Learns from the points that were asked for; `fitness` in their order, more being better. Equal
    /// ones rank as they were asked for, that is at random.
    pub(crate) fn tell(&mut self, points: &[Vec<f64>], fitness: &[f64]) {
        let (p, d) = (&self.parameters, &mut self.distribution);
        let steps = d.ranked_steps(points, fitness);
        let step = weighted_sum(p.positive(), &steps);
        d.mean.iter_mut().zip(&step).for_each(|(mean, step)| *mean += d.sigma * step);
        let stalls = d.update_paths(p, &step);
        d.update_covariance(p, &steps, stalls);
        d.update_sigma(p);
        d.generation += 1;
        if (d.generation - d.axes.generation) as f64 > p.lazy {
            d.update_axes();
        }
    }
}

impl Distribution {
    /// The mean, which is the best guess of the optimum.
    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The step size.
    pub(crate) const fn sigma(&self) -> f64 {
        self.sigma
    }

    fn has_dimension(&self, size: usize) -> bool {
        let Axes { directions, deviations, .. } = &self.axes;
        let vectors = [&self.mean, &self.path_sigma, &self.path_c, deviations];
        vectors.into_iter().chain(directions).all(|vector| vector.len() == size)
            && directions.len() == size
            && self.covariance.len() == size
            && self.covariance.iter().zip(1..).all(|(row, length)| row.len() == length)
    }

    fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let mut point = self.mean.clone();
        for (direction, deviation) in self.axes.directions.iter().zip(&self.axes.deviations) {
            let length = self.sigma * deviation * rng.irwin_hall();
            point.iter_mut().zip(direction).for_each(|(x, unit)| *x += length * unit);
        }
        point
    }

    /// How far points are from the mean in units of the step size, the fittest first.
    fn ranked_steps(&self, points: &[Vec<f64>], fitness: &[f64]) -> Vec<Vec<f64>> {
        let worth = |place: usize| if fitness[place].is_nan() { f64::MIN } else { fitness[place] };
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
        let step = |x: &f64, mean: &f64| (x - mean) / self.sigma;
        let steps =
            |point: &Vec<f64>| point.iter().zip(&self.mean).map(|(x, m)| step(x, m)).collect();
        order.into_iter().map(|place| steps(&points[place])).collect()
    }

    /// Moves both paths by the mean's `step`; whether the covariance's path stalls because the other is
    /// too long, that is, while the step size is about to grow (h_sigma is 0).
    fn update_paths(&mut self, p: &Parameters, step: &[f64]) -> bool {
        let factor = (p.c_sigma * (2.0 - p.c_sigma) * p.mu_eff).sqrt();
        for (path, x) in self.path_sigma.iter_mut().zip(self.axes.whiten(step)) {
            *path = (1.0 - p.c_sigma) * *path + factor * x;
        }
        let age = i32::try_from(2 * (self.generation + 1)).unwrap_or(i32::MAX);
        let expected = p.chi * (1.0 - (1.0 - p.c_sigma).powi(age)).sqrt();
        let bound = (1.4 + 2.0 / (self.mean.len() as f64 + 1.0)) * expected;
        let stalls = norm(&self.path_sigma) >= bound;
        let factor = if stalls { 0.0 } else { (p.c_c * (2.0 - p.c_c) * p.mu_eff).sqrt() };
        for (path, x) in self.path_c.iter_mut().zip(step) {
            *path = (1.0 - p.c_c) * *path + factor * x;
        }
        stalls
    }

    fn update_covariance(&mut self, p: &Parameters, steps: &[Vec<f64>], stalls: bool) {
        let size = self.mean.len() as f64;
        let lost = if stalls { p.c_1 * p.c_c * (2.0 - p.c_c) } else { 0.0 };
        let kept = 1.0 + lost - p.c_1 - p.c_mu * p.weights.iter().sum::<f64>();
        // Bad steps count as if all were of the expected length: long ones could take away too much.
        let weight = |(weight, step): (&f64, &Vec<f64>)| match *weight < 0.0 {
            true => p.c_mu * weight * size / (norm(&self.axes.whiten(step)).powi(2) + 1e-9),
            false => p.c_mu * weight,
        };
        let mut weights: Vec<f64> = p.weights.iter().zip(steps).map(weight).collect();
        weights.push(p.c_1);
        let steps: Vec<&Vec<f64>> = steps.iter().chain([&self.path_c]).collect();
        for (i, row) in self.covariance.iter_mut().enumerate() {
            row.iter_mut().for_each(|entry| *entry *= kept);
            for (weight, step) in weights.iter().zip(&steps) {
                let factor = weight * step[i];
                row.iter_mut().zip(*step).for_each(|(entry, x)| *entry += factor * x);
            }
        }
    }

    fn update_sigma(&mut self, p: &Parameters) {
        let growth = p.c_sigma / p.d_sigma * (norm(&self.path_sigma) / p.chi - 1.0);
        let sigma = self.sigma * growth.min(MAX_GROWTH).exp();
        self.sigma = sigma.clamp(*SIGMAS.start(), *SIGMAS.end());
    }

    fn update_axes(&mut self) {
        let eigen = decompose(&self.covariance);
        let largest = eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = (largest / MAX_CONDITION).max(f64::MIN_POSITIVE);
        self.axes = Axes {
            generation: self.generation,
            directions: eigen.vectors,
            deviations: eigen.values.iter().map(|value| value.max(least).sqrt()).collect(),
        };
    }
}

impl Axes {
    /// A step as it would be if the covariance were the identity, but for a rotation back: C^-½ times it.
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
