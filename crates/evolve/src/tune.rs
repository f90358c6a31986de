//! Texel's tuning method by gradient: the weights of an evaluation that predict search values and results best.
//!
//! Hand-written evaluations are (nearly) linear in their weights. Their coefficients in a position are found by
//! changing one weight at a time, so any evaluation can be tuned, without code of its own. The prediction is
//! sigmoid(K * evaluation), its mean squared error is minimized by Adam, and the coefficients are determined anew in
//! every round, because phases, bounds and products are not linear.

use rayon::prelude::*;
use tablero_core::{AnyRecord, Evaluation, Playable};
use tablero_genomes::{Gene, TypedGenomeKind, find_kind};

use crate::PredictorError;
use crate::texel::{DEFAULT_K, Labeled, labeled_positions};

/// Steps of the optimizer per round.
const STEPS: usize = 400;
/// The first step, in units of each gene's scale; it falls linearly to 0.
const STEP_SIZE: f64 = 0.04;
/// Adam's decay rates.
const BETA1: f64 = 0.9;
const BETA2: f64 = 0.99;
/// Every n-th game is held out.
const HOLDOUT_EVERY: usize = 10;

/// Tunes an evaluation of any game.
pub trait Tuner: Sync {
    /// Training and held-out positions.
    fn positions(&self) -> [usize; 2];

    /// The weights so far.
    fn genome(&self) -> &[f64];

    /// The mean squared error of the weights so far, on training and on held-out positions.
    fn errors(&self) -> [f64; 2];

    /// Improves the weights.
    fn round(&mut self);
}

/// Tunes an evaluation of game `G`.
pub struct GradientTuner<G: Playable> {
    kind: Box<dyn TypedGenomeKind<G>>,
    genes: Vec<Gene>,
    genome: Vec<f64>,
    training: Vec<(G, f64)>,
    held_out: Vec<(G, f64)>,
    /// Texel's K.
    k: f64,
}

impl<G: Playable> GradientTuner<G> {
    /// Starts from the hand-tuned weights of an evaluation. Targets are search values, as far as recorded, with this
    /// weight, and results.
    pub fn new(kind: &str, records: &[AnyRecord], q_ratio: f64) -> Result<Self, PredictorError> {
        let kind = find_kind::<G>(kind)?;
        let genes = kind.genes().map(<[Gene]>::to_vec).unwrap_or_default();
        let Some(genome) = kind.hand_tuned().filter(|_| !genes.is_empty()) else {
            return Err(PredictorError::NotTunable(kind.name().into()));
        };
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for (index, record) in records.iter().enumerate() {
            let list = if (index + 1).is_multiple_of(HOLDOUT_EVERY) {
                &mut held_out
            } else {
                &mut training
            };
            list.extend(labeled_positions::<G>(record)?.into_iter().map(
                |Labeled { position, result, value }| {
                    let target =
                        value.map_or(result, |value| q_ratio * value + (1.0 - q_ratio) * result);
                    (position, target)
                },
            ));
        }
        if training.is_empty() {
            return Err(PredictorError::NoResults);
        }
        let mut tuner = Self { kind, genes, genome, training, held_out, k: DEFAULT_K };
        tuner.k = tuner.fit_k();
        Ok(tuner)
    }

    /// The K that minimizes the error of the hand-tuned weights.
    fn fit_k(&self) -> f64 {
        let values = self.values(&*self.kind.build(&self.genome), &self.training);
        let error = |k: f64| mean_squared_error(k, &values, &self.training);
        let grid = (0..100).map(|step| 1e-4 * 1.1f64.powi(step));
        grid.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(DEFAULT_K)
    }

    fn values(&self, evaluation: &dyn Evaluation<G>, positions: &[(G, f64)]) -> Vec<f64> {
        let value = |(position, _): &(G, f64)| f64::from(evaluation.evaluate(position).0);
        positions.par_iter().map(value).collect()
    }

    /// For every weight the positions whose value it changes, with the change per unit.
    fn coefficients(&self, values: &[f64]) -> Vec<Vec<(u32, f32)>> {
        let column = |(index, gene): (usize, &Gene)| {
            let mut genome = self.genome.clone();
            // Values are rounded to centi-units: a step must be well above that.
            let step = gene.scale.abs().max(1e-9);
            genome[index] += step;
            let evaluation = self.kind.build(&genome);
            let changed = self.training.iter().zip(values).enumerate();
            let changed = changed.map(|(at, ((position, _), value))| {
                (at as u32, ((f64::from(evaluation.evaluate(position).0) - value) / step) as f32)
            });
            changed.filter(|(_, change)| *change != 0.0).collect()
        };
        self.genes.par_iter().enumerate().map(column).collect()
    }
}

impl<G: Playable> Tuner for GradientTuner<G> {
    fn positions(&self) -> [usize; 2] {
        [self.training.len(), self.held_out.len()]
    }

    fn genome(&self) -> &[f64] {
        &self.genome
    }

    fn errors(&self) -> [f64; 2] {
        let evaluation = self.kind.build(&self.genome);
        [&self.training, &self.held_out].map(|positions| {
            mean_squared_error(self.k, &self.values(&*evaluation, positions), positions)
        })
    }

    fn round(&mut self) {
        let mut values = self.values(&*self.kind.build(&self.genome), &self.training);
        let coefficients = self.coefficients(&values);
        let mut adam = vec![(0.0, 0.0); self.genes.len()];
        for step in 1..=STEPS {
            let slopes: Vec<f64> = values
                .iter()
                .zip(&self.training)
                .map(|(value, (_, target))| {
                    let p = sigmoid(self.k * value);
                    (p - target) * p * (1.0 - p)
                })
                .collect();
            let gradients: Vec<f64> = coefficients
                .par_iter()
                .map(|column| {
                    column.iter().map(|&(at, c)| f64::from(c) * slopes[at as usize]).sum()
                })
                .collect();
            let size = STEP_SIZE * (1.0 - step as f64 / STEPS as f64);
            let corrections = [BETA1, BETA2].map(|beta: f64| 1.0 - beta.powi(step as i32));
            for (index, gene) in self.genes.iter().enumerate() {
                let (mean, square) = &mut adam[index];
                // In units of the gene's scale.
                let gradient = gradients[index] * gene.scale;
                *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
                *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
                let root = (*square / corrections[1]).sqrt();
                let direction = if root > 0.0 { *mean / corrections[0] / root } else { 0.0 };
                let new = gene.clamp(self.genome[index] - size * gene.scale * direction);
                let change = new - self.genome[index];
                self.genome[index] = new;
                for &(at, c) in &coefficients[index] {
                    values[at as usize] += change * f64::from(c);
                }
            }
        }
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn mean_squared_error<G>(k: f64, values: &[f64], positions: &[(G, f64)]) -> f64 {
    let errors = values.iter().zip(positions);
    let sum: f64 = errors.map(|(value, (_, target))| (sigmoid(k * value) - target).powi(2)).sum();
    sum / positions.len().max(1) as f64
}
