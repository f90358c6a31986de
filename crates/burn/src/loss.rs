use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use tablero_nets::EncodingSpec;
use tablero_nets::train::{Losses, OWNERSHIP_WEIGHT, Sample};

use crate::net::{Outputs, to_vec};

/// Masks the padding of positions with fewer moves than others.
const PADDING_LOGIT: f32 = -1e9;

/// Policy targets: a row per position, padded to the largest number of moves.
struct PolicyTargets {
    /// The two policy indices of each move.
    indices: [Tensor<2, Int>; 2],
    target: Tensor<2>,
    is_padding: Tensor<2, Bool>,
}

/// The losses of a batch, still on the device.
pub(crate) struct BatchLosses {
    /// The training objective.
    pub(crate) total: Tensor<1>,
    /// Value, value error, policy, ownership.
    parts: [Tensor<1>; 4],
    count: usize,
}

/// The encoded positions, one row per sample.
pub(crate) fn inputs(samples: &[Sample], device: &Device) -> Tensor<2> {
    rows(samples, device, |sample| sample.input.clone())
}

/// The losses of a batch, with the training objective.
pub(crate) fn losses(outputs: Outputs, samples: &[Sample], spec: &EncodingSpec) -> BatchLosses {
    let (device, count) = (outputs.value.device(), samples.len());
    let error = outputs.value - rows(samples, &device, |sample| vec![sample.value]).flatten(0, 1);
    let value = error.clone().powi_scalar(2).mean();
    let policy = outputs.policy.map(|logits| {
        PolicyTargets::new(samples, spec, &device).cross_entropy(logits) / count as f64
    });
    let ownership = outputs.ownership.map(|ownership| {
        let squares = spec.squares();
        let target = rows(samples, &device, |sample| padded(&sample.ownership, squares));
        let is_known =
            rows(samples, &device, |sample| padded(&vec![1.0; sample.ownership.len()], squares));
        ((ownership - target).powi_scalar(2) * is_known).mean()
    });
    let zero = || Tensor::zeros([1], &device);
    let [policy, ownership] = [policy, ownership].map(|loss| loss.unwrap_or_else(zero));
    let total = value.clone() + policy.clone() + ownership.clone() * OWNERSHIP_WEIGHT;
    let parts = [value, error.abs().mean(), policy, ownership].map(Tensor::detach);
    BatchLosses { total, parts, count }
}

/// One row per sample, all of the same length.
fn rows(samples: &[Sample], device: &Device, of: impl Fn(&Sample) -> Vec<f32>) -> Tensor<2> {
    let data: Vec<f32> = samples.iter().flat_map(of).collect();
    let width = data.len() / samples.len().max(1);
    Tensor::from_data(TensorData::new(data, [samples.len(), width]), device)
}

/// The values, padded with zeros to this length.
fn padded(values: &[f32], len: usize) -> Vec<f32> {
    values.iter().copied().chain(std::iter::repeat(0.0)).take(len).collect()
}

impl PolicyTargets {
    fn new(samples: &[Sample], spec: &EncodingSpec, device: &Device) -> Self {
        let max_moves = samples.iter().map(|sample| sample.policy.len()).max().unwrap_or(0).max(1);
        let shape = [samples.len(), max_moves];
        let padding = ([spec.policy_size(); 2], 0.0);
        let padded = |sample: &Sample| {
            let missing = max_moves - sample.policy.len();
            let policy = sample.policy.clone().into_iter();
            policy.chain(std::iter::repeat_n(padding, missing)).collect::<Vec<_>>()
        };
        let moves: Vec<([usize; 2], f32)> = samples.iter().flat_map(padded).collect();
        let indices = [0, 1].map(|part| {
            let indices: Vec<i32> = moves.iter().map(|(indices, _)| indices[part] as i32).collect();
            Tensor::from_data(TensorData::new(indices, shape), device)
        });
        let target: Vec<f32> = moves.iter().map(|(_, target)| *target).collect();
        let is_padding: Vec<bool> = samples
            .iter()
            .flat_map(|sample| (0..max_moves).map(|index| index >= sample.policy.len()))
            .collect();
        Self {
            indices,
            target: Tensor::from_data(TensorData::new(target, shape), device),
            is_padding: Tensor::from_data(TensorData::new(is_padding, shape), device),
        }
    }

    /// The cross-entropy summed over the batch: a softmax over the legal moves.
    fn cross_entropy(self, logits: Tensor<2>) -> Tensor<1> {
        let [count, _] = logits.dims();
        // The index past the end stands for the constant 0.
        let zero = Tensor::zeros([count, 1], &logits.device());
        let logits = Tensor::cat(vec![logits, zero], 1);
        let [first, second] = self.indices.map(|indices| logits.clone().gather(1, indices));
        let logits = (first + second).mask_fill(self.is_padding, PADDING_LOGIT);
        (log_softmax(logits, 1) * self.target).sum().neg()
    }
}

impl BatchLosses {
    pub(crate) fn read(self) -> Losses {
        let parts = to_vec(Tensor::cat(self.parts.to_vec(), 0));
        let part = |index: usize| f64::from(parts[index]);
        Losses {
            value: part(0),
            value_error: part(1),
            policy: part(2),
            ownership: part(3),
            samples: self.count,
        }
    }
}
