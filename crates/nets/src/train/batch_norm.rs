use super::layer::column_sums;
use super::parameter::Parameter;
use crate::NORM_EPSILON;

/// The weight of the old running statistics at each batch (PyTorch's `momentum` is 1 minus this).
const RUNNING_MOMENTUM: f32 = 0.9;

/// Batch normalization (Ioffe and Szegedy 2015): each output has mean 0 and variance 1 over the batch, times
/// `gamma`, plus `beta`.
#[derive(Clone, Debug)]
pub(crate) struct BatchNorm {
    pub(crate) gamma: Parameter,
    pub(crate) beta: Parameter,
    /// Running statistics, for inference.
    pub(crate) mean: Vec<f32>,
    pub(crate) variance: Vec<f32>,
    /// The normalized outputs of the last batch, for the backward pass.
    normalized: Vec<f32>,
    /// The reciprocal standard deviations of the last batch.
    inv_std: Vec<f32>,
}

impl BatchNorm {
    pub(crate) fn new(gamma: Vec<f32>, beta: Vec<f32>, mean: Vec<f32>, variance: Vec<f32>) -> Self {
        Self {
            gamma: Parameter::new(gamma, false),
            beta: Parameter::new(beta, false),
            mean,
            variance,
            normalized: Vec::new(),
            inv_std: Vec::new(),
        }
    }

    /// Normalizes by the batch's statistics and updates the running ones.
    pub(crate) fn forward(&mut self, output: &mut [f32]) {
        let (width, rows) = (self.mean.len(), output.len() / self.mean.len());
        let count = rows.max(1) as f32;
        let mean: Vec<f32> = column_sums(output, width).iter().map(|sum| sum / count).collect();
        let mut variance = vec![0.0; width];
        for row in output.chunks_exact(width) {
            for ((sum, value), mean) in variance.iter_mut().zip(row).zip(&mean) {
                *sum += (value - mean) * (value - mean);
            }
        }
        variance.iter_mut().for_each(|sum| *sum /= count);
        self.inv_std =
            variance.iter().map(|variance| 1.0 / (variance + NORM_EPSILON).sqrt()).collect();
        update_running(&mut self.mean, &mean);
        update_running(&mut self.variance, &variance);
        for row in output.chunks_exact_mut(width) {
            for ((value, mean), inv_std) in row.iter_mut().zip(&mean).zip(&self.inv_std) {
                *value = (*value - mean) * inv_std;
            }
        }
        self.normalized = output.to_vec();
        self.scale_and_shift(output);
    }

    /// Normalizes by the running statistics.
    pub(crate) fn infer(&self, output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.mean.len()) {
            for ((value, mean), variance) in row.iter_mut().zip(&self.mean).zip(&self.variance) {
                *value = (*value - mean) / (variance + NORM_EPSILON).sqrt();
            }
        }
        self.scale_and_shift(output);
    }

    fn scale_and_shift(&self, output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.mean.len()) {
            let factors = self.gamma.value.iter().zip(&self.beta.value);
            for (value, (gamma, beta)) in row.iter_mut().zip(factors) {
                *value = *value * gamma + beta;
            }
        }
    }

    /// Turns the gradient of the outputs into that of the inputs, in place.
    pub(crate) fn backward(&mut self, gradient: &mut [f32]) {
        let width = self.mean.len();
        let count = (gradient.len() / width).max(1) as f32;
        self.beta.gradient = column_sums(gradient, width);
        self.gamma.gradient.fill(0.0);
        let rows = gradient.chunks_exact(width).zip(self.normalized.chunks_exact(width));
        for (row, normalized) in rows {
            for ((sum, value), normalized) in
                self.gamma.gradient.iter_mut().zip(row).zip(normalized)
            {
                *sum += value * normalized;
            }
        }
        let rows = gradient.chunks_exact_mut(width).zip(self.normalized.chunks_exact(width));
        for (row, normalized) in rows {
            for column in 0..width {
                let common =
                    self.beta.gradient[column] + normalized[column] * self.gamma.gradient[column];
                let scale = self.gamma.value[column] * self.inv_std[column];
                row[column] = scale * (row[column] - common / count);
            }
        }
    }
}

fn update_running(running: &mut [f32], batch: &[f32]) {
    for (running, batch) in running.iter_mut().zip(batch) {
        *running = RUNNING_MOMENTUM * *running + (1.0 - RUNNING_MOMENTUM) * batch;
    }
}
