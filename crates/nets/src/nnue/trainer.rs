//! Training in floating point: sparse gradients, AdamW, the same weights for any number of threads.

use std::ops::Range;

use rayon::prelude::*;
use tablero_core::{Rng, checksum};

use super::kernel::{ACCUMULATOR_ONE, MAX_OUTPUT_WEIGHT, OUTPUT_ONE};
use super::samples::Sample;
use super::weights::{MAX_HIDDEN, is_width};
use super::{NnueSamples, NnueSpec, NnueWeights};
use crate::NetError;
use crate::weights::content;

/// A batch is split into this many parts for any number of threads, and their gradients are added in order.
const PARTS: usize = 8;
/// Parameters that are updated by one task.
const UPDATE_BLOCK: usize = 1 << 14;

/// Adam's decay rates and epsilon (Kingma and Ba 2015).
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Bound of output weights, which quantization needs.
const MAX_OUTPUT: f32 = MAX_OUTPUT_WEIGHT as f32 / OUTPUT_ONE as f32;

/// Settings of a training step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NnueTraining {
    /// Learning rate.
    pub lr: f32,
    /// Weight decay (AdamW), as a share of the learning rate.
    pub weight_decay: f32,
}

/// The loss of a number of samples.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct NnueLoss {
    /// The sum of squared errors of the winning probability.
    pub squared_error: f64,
    /// The number of samples.
    pub samples: usize,
}

impl NnueLoss {
    /// The mean squared error.
    pub fn mean(&self) -> f64 {
        self.squared_error / self.samples.max(1) as f64
    }

    fn add(self, other: Self) -> Self {
        Self {
            squared_error: self.squared_error + other.squared_error,
            samples: self.samples + other.samples,
        }
    }
}

/// A network in training, with the state of its optimizer.
///
/// Parameters are one list: the rows of the features, those that they share, the bias of the accumulator, the
/// output layers, their biases.
#[derive(Clone, PartialEq, Debug)]
pub struct NnueTrainer {
    spec: NnueSpec,
    hidden: usize,
    parameters: Vec<f32>,
    /// Adam's running means of gradients and of their squares.
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: u64,
    /// The rows of the features, each with the one it shares added: what a pass reads.
    rows: Vec<f32>,
    /// One list of gradients per part; zero between steps. A pass adds to the features' own rows only.
    gradients: Vec<Vec<f32>>,
}

/// Where the parts of the parameter list begin.
#[derive(Clone, Copy)]
struct Layout {
    hidden: usize,
    /// The shared rows, after those of the features: feature `f` shares row `f % period`.
    shared: usize,
    bias: usize,
    output: usize,
    output_bias: usize,
    len: usize,
}

impl Layout {
    const fn new(spec: &NnueSpec, hidden: usize) -> Self {
        let shared = spec.features * hidden;
        let bias = shared + spec.period * hidden;
        let output = bias + hidden;
        let output_bias = output + spec.buckets * 2 * hidden;
        let len = output_bias + spec.buckets;
        Self { hidden, shared, bias, output, output_bias, len }
    }

    /// Parameters that features share, as a range; empty if none do.
    const fn shared_rows(self) -> Range<usize> {
        self.shared..self.bias
    }
}

impl NnueTrainer {
    /// Random weights.
    pub fn new(spec: NnueSpec, hidden: usize, seed: u64) -> Result<Self, NetError> {
        let mut trainer = Self::zero(spec, hidden)?;
        let layout = trainer.layout();
        let mut rng = Rng::seeded(seed);
        let mut fill = |numbers: &mut [f32], bound: f64| {
            numbers.iter_mut().for_each(|n| *n = ((2.0 * rng.unit() - 1.0) * bound) as f32);
        };
        // About half of the slots are filled; activations should be neither 0 nor saturated. Shared rows start at
        // 0.
        fill(&mut trainer.parameters[..layout.shared], (1.0 / spec.slots as f64).sqrt());
        fill(
            &mut trainer.parameters[layout.output..layout.output_bias],
            (1.0 / (2 * hidden) as f64).sqrt(),
        );
        trainer.parameters[layout.bias..layout.output].fill(0.25);
        trainer.fold_rows();
        Ok(trainer)
    }

    /// Continues from quantized weights.
    pub fn from_weights(spec: NnueSpec, weights: &NnueWeights) -> Result<Self, NetError> {
        weights.check(&spec)?;
        let mut trainer = Self::zero(spec, weights.hidden())?;
        let (one, output_one) = (f32::from(ACCUMULATOR_ONE), f32::from(OUTPUT_ONE));
        let rows = weights.rows.iter().map(|&n| f32::from(n) / one);
        let shared = std::iter::repeat_n(0.0, spec.period * weights.hidden());
        let bias = weights.bias.iter().map(|&n| f32::from(n) / one);
        let output = weights.output.iter().map(|&n| f32::from(n) / output_one);
        let biases = weights.output_bias.iter().map(|&n| n as f32 / (one * output_one));
        trainer.parameters = rows.chain(shared).chain(bias).chain(output).chain(biases).collect();
        trainer.fold_rows();
        Ok(trainer)
    }

    fn zero(spec: NnueSpec, hidden: usize) -> Result<Self, NetError> {
        if !is_width(hidden) {
            return Err(content(&format!(
                "nnue {hidden}: the width is a multiple of 16, up to {MAX_HIDDEN}"
            )));
        }
        let len = Layout::new(&spec, hidden).len;
        Ok(Self {
            spec,
            hidden,
            parameters: vec![0.0; len],
            means: vec![0.0; len],
            squares: vec![0.0; len],
            steps: 0,
            rows: vec![0.0; spec.features * hidden],
            gradients: vec![vec![0.0; len]; PARTS],
        })
    }

    /// Adds to each feature's own row the one it shares.
    fn fold_rows(&mut self) {
        let layout = self.layout();
        self.rows.copy_from_slice(&self.parameters[..layout.shared]);
        let shared = &self.parameters[layout.shared_rows()];
        for rows in self.rows.chunks_mut(shared.len().max(1)) {
            rows.iter_mut().zip(shared).for_each(|(sum, weight)| *sum += weight);
        }
    }

    const fn layout(&self) -> Layout {
        Layout::new(&self.spec, self.hidden)
    }

    /// Steps done.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// One optimizer step on these samples, on the current thread pool; returns the loss before it.
    pub fn step(
        &mut self,
        samples: &NnueSamples,
        batch: &[u32],
        settings: &NnueTraining,
    ) -> NnueLoss {
        let (layout, rows, parameters) = (self.layout(), &self.rows, &self.parameters);
        let size = batch.len().div_ceil(PARTS).max(1);
        // The mean over the batch.
        let weight = 1.0 / batch.len().max(1) as f32;
        let losses: Vec<NnueLoss> = self
            .gradients
            .par_iter_mut()
            .zip(batch.par_chunks(size))
            .map(|(gradients, part)| {
                let mut pass = Pass::new(layout, rows, parameters);
                part.iter().fold(NnueLoss::default(), |loss, &index| {
                    loss.add(pass.backward(&samples.get(index as usize), weight, gradients))
                })
            })
            .collect();
        self.steps += 1;
        self.update(settings);
        losses.into_iter().fold(NnueLoss::default(), NnueLoss::add)
    }

    /// Adds up the gradients of all parts in the first; a shared row's are those of all features that share it.
    fn sum_gradients(&mut self) {
        let layout = self.layout();
        let (sum, rest) = self.gradients.split_first_mut().expect("there are parts");
        // A list of slices, one per part, for every block of parameters.
        let mut parts: Vec<Vec<&mut [f32]>> =
            (0..layout.len.div_ceil(UPDATE_BLOCK)).map(|_| Vec::with_capacity(PARTS)).collect();
        for part in rest {
            for (block, slice) in parts.iter_mut().zip(part.chunks_mut(UPDATE_BLOCK)) {
                block.push(slice);
            }
        }
        sum.par_chunks_mut(UPDATE_BLOCK).zip(parts).for_each(|(sum, parts)| {
            for part in parts {
                for (sum, gradient) in sum.iter_mut().zip(part.iter_mut()) {
                    *sum += std::mem::take(gradient);
                }
            }
        });
        let (rows, rest) = sum.split_at_mut(layout.shared);
        let shared = &mut rest[..layout.shared_rows().len()];
        for rows in rows.chunks(shared.len().max(1)) {
            shared.iter_mut().zip(rows).for_each(|(sum, gradient)| *sum += gradient);
        }
    }

    /// Applies AdamW to the sums of the gradients.
    fn update(&mut self, settings: &NnueTraining) {
        let layout = self.layout();
        let step = self.steps as i32;
        let (correction1, correction2) = (1.0 - BETA1.powi(step), 1.0 - BETA2.powi(step));
        let (lr, decay) = (settings.lr, 1.0 - settings.lr * settings.weight_decay);
        self.sum_gradients();
        let gradients = self.gradients[0].par_chunks_mut(UPDATE_BLOCK);
        let blocks = self.parameters.par_chunks_mut(UPDATE_BLOCK);
        let blocks = blocks.zip(self.means.par_chunks_mut(UPDATE_BLOCK));
        let blocks = blocks.zip(self.squares.par_chunks_mut(UPDATE_BLOCK));
        blocks.zip(gradients).for_each(|(((parameters, means), squares), gradients)| {
            let state = parameters.iter_mut().zip(means).zip(squares).zip(gradients.iter_mut());
            for (((parameter, mean), square), gradient) in state {
                let g = std::mem::take(gradient);
                *mean = BETA1 * *mean + (1.0 - BETA1) * g;
                *square = BETA2 * *square + (1.0 - BETA2) * g * g;
                let direction = (*mean / correction1) / ((*square / correction2).sqrt() + EPSILON);
                *parameter = *parameter * decay - lr * direction;
            }
        });
        for weight in &mut self.parameters[layout.output..layout.output_bias] {
            *weight = weight.clamp(-MAX_OUTPUT, MAX_OUTPUT);
        }
        self.fold_rows();
    }

    /// The loss on samples that are not trained on.
    pub fn evaluate(&self, samples: &NnueSamples) -> NnueLoss {
        let (layout, rows, parameters) = (self.layout(), &self.rows, &self.parameters);
        let indices: Vec<usize> = (0..samples.len()).collect();
        let losses: Vec<NnueLoss> = indices
            .par_chunks(4096)
            .map(|part| {
                let mut pass = Pass::new(layout, rows, parameters);
                part.iter().fold(NnueLoss::default(), |loss, &index| {
                    let sample = samples.get(index);
                    let error = f64::from(sigmoid(pass.forward(&sample)) - sample.target);
                    loss.add(NnueLoss { squared_error: error * error, samples: 1 })
                })
            })
            .collect();
        losses.into_iter().fold(NnueLoss::default(), NnueLoss::add)
    }

    /// The output for one sample of a list: the logit of winning.
    pub fn output(&self, samples: &NnueSamples, index: usize) -> f32 {
        Pass::new(self.layout(), &self.rows, &self.parameters).forward(&samples.get(index))
    }

    /// The network in integers.
    pub fn quantize(&self, provenance: Vec<String>) -> NnueWeights {
        let layout = self.layout();
        let (one, output_one) = (f32::from(ACCUMULATOR_ONE), f32::from(OUTPUT_ONE));
        let quantize = |numbers: &[f32], unit: f32| -> Vec<i16> {
            // The conversion saturates.
            numbers.iter().map(|number| (number * unit).round() as i16).collect()
        };
        let biases = &self.parameters[layout.output_bias..];
        NnueWeights {
            game: self.spec.game.into(),
            version: self.spec.version,
            scale: self.spec.scale,
            provenance,
            rows: quantize(&self.rows, one),
            bias: quantize(&self.parameters[layout.bias..layout.output], one),
            output: quantize(&self.parameters[layout.output..layout.output_bias], output_one),
            output_bias: biases.iter().map(|n| (n * one * output_one).round() as i32).collect(),
        }
    }

    /// Everything that training depends on, with a checksum at the end.
    pub fn state(&self) -> Vec<u8> {
        let numbers = self.parameters.iter().chain(&self.means).chain(&self.squares);
        let mut bytes: Vec<u8> = self.steps.to_le_bytes().into();
        bytes.extend((self.hidden as u64).to_le_bytes());
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Continues from a [`state`](Self::state) of a network of the same game.
    pub fn from_state(spec: NnueSpec, bytes: &[u8]) -> Result<Self, NetError> {
        let damaged = || content("corrupt training state");
        let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        let (steps, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (hidden, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        if checksum(bytes) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let hidden = usize::try_from(u64::from_le_bytes(*hidden)).map_err(|_| damaged())?;
        let mut trainer = Self::zero(spec, hidden)?;
        trainer.steps = u64::from_le_bytes(*steps);
        let len = trainer.parameters.len();
        let numbers: Vec<f32> =
            rest.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        if numbers.len() != 3 * len {
            return Err(damaged());
        }
        trainer.parameters.copy_from_slice(&numbers[..len]);
        trainer.means.copy_from_slice(&numbers[len..2 * len]);
        trainer.squares.copy_from_slice(&numbers[2 * len..]);
        trainer.fold_rows();
        Ok(trainer)
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Forward and backward pass of one thread.
struct Pass<'a> {
    layout: Layout,
    /// The rows of the features, with what they share.
    rows: &'a [f32],
    parameters: &'a [f32],
    /// The two accumulators, the mover's first; in the backward pass their gradients.
    accumulators: Vec<f32>,
    activations: Vec<f32>,
}

impl<'a> Pass<'a> {
    fn new(layout: Layout, rows: &'a [f32], parameters: &'a [f32]) -> Self {
        let zeros = || vec![0.0; 2 * layout.hidden];
        Self { layout, rows, parameters, accumulators: zeros(), activations: zeros() }
    }

    fn forward(&mut self, sample: &Sample<'_>) -> f32 {
        let layout = self.layout;
        let Layout { hidden, bias, output, output_bias, .. } = layout;
        for (accumulator, features) in
            self.accumulators.chunks_exact_mut(hidden).zip([sample.own, sample.other])
        {
            accumulator.copy_from_slice(&self.parameters[bias..][..hidden]);
            for &feature in features {
                let row = &self.rows[usize::from(feature) * hidden..][..hidden];
                accumulator.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
            }
        }
        for (activation, value) in self.activations.iter_mut().zip(&self.accumulators) {
            let clipped = value.clamp(0.0, 1.0);
            *activation = clipped * clipped;
        }
        let weights = &self.parameters[output + sample.bucket * 2 * hidden..][..2 * hidden];
        self.parameters[output_bias + sample.bucket] + dot(&self.activations, weights)
    }

    /// Adds the gradients of a sample; returns its loss.
    fn backward(&mut self, sample: &Sample<'_>, weight: f32, gradients: &mut [f32]) -> NnueLoss {
        let layout = self.layout;
        let Layout { hidden, bias, output, output_bias, .. } = layout;
        let probability = sigmoid(self.forward(sample));
        let error = probability - sample.target;
        let slope = 2.0 * error * probability * (1.0 - probability) * weight;
        let at = output + sample.bucket * 2 * hidden;
        let weights = &self.parameters[at..][..2 * hidden];
        let to = &mut gradients[at..][..2 * hidden];
        to.iter_mut().zip(&self.activations).for_each(|(to, a)| *to += slope * a);
        gradients[output_bias + sample.bucket] += slope;
        for (value, weight) in self.accumulators.iter_mut().zip(weights) {
            let is_linear = *value > 0.0 && *value < 1.0;
            *value = if is_linear { slope * weight * 2.0 * *value } else { 0.0 };
        }
        for (gradient, features) in
            self.accumulators.chunks_exact(hidden).zip([sample.own, sample.other])
        {
            let rows = features.iter().map(|&feature| usize::from(feature) * hidden);
            for start in rows.chain([bias]) {
                let to = &mut gradients[start..][..hidden];
                to.iter_mut().zip(gradient).for_each(|(to, gradient)| *to += gradient);
            }
        }
        NnueLoss { squared_error: f64::from(error * error), samples: 1 }
    }
}

/// A dot product with sixteen sums, in the same order on every processor.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}
