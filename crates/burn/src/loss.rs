use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use tablero_nets::EncodingSpec;
use tablero_nets::train::{Losses, OWNERSHIP_WEIGHT, Sample};

use crate::net::{Said, numbers};

/// What stands for the logarithm of nothing where a position has fewer moves than another.
const NO_MOVE: f32 = -1e9;

/// What is learned about moves: a row for every position, as long as the most moves that one has.
struct Moves {
    /// Both outputs of every move.
    outputs: [Tensor<2, Int>; 2],
    target: Tensor<2>,
    is_none: Tensor<2, Bool>,
}

/// The losses of a batch, still on the device.
pub(crate) struct BatchLosses {
    /// What is to become smaller.
    pub(crate) total: Tensor<1>,
    /// Value, its error, moves, ownership.
    parts: [Tensor<1>; 4],
    count: usize,
}

/// What a network sees of samples: a row for each.
pub(crate) fn inputs(samples: &[Sample], device: &Device) -> Tensor<2> {
    rows(samples, device, |sample| sample.input.clone())
}

/// How far from what it should say a network is that says this about samples.
pub(crate) fn losses(said: Said, samples: &[Sample], spec: &EncodingSpec) -> BatchLosses {
    let (device, count) = (said.value.device(), samples.len());
    let error = said.value - rows(samples, &device, |sample| vec![sample.value]).flatten(0, 1);
    let value = error.clone().powi_scalar(2).mean();
    let moves = said.moves.map(|said| {
        let moves = Moves::new(samples, spec, &device);
        moves.loss(said) / count as f64
    });
    let ownership = said.ownership.map(|said| {
        let squares = spec.squares();
        let target = rows(samples, &device, |sample| filled(&sample.ownership, squares));
        let is_known =
            rows(samples, &device, |sample| filled(&vec![1.0; sample.ownership.len()], squares));
        ((said - target).powi_scalar(2) * is_known).mean()
    });
    let nothing = || Tensor::zeros([1], &device);
    let [moves, ownership] = [moves, ownership].map(|loss| loss.unwrap_or_else(nothing));
    let total = value.clone() + moves.clone() + ownership.clone() * OWNERSHIP_WEIGHT;
    let parts = [value, error.abs().mean(), moves, ownership].map(Tensor::detach);
    BatchLosses { total, parts, count }
}

/// A row for every sample; all are of the same length.
fn rows(samples: &[Sample], device: &Device, of: impl Fn(&Sample) -> Vec<f32>) -> Tensor<2> {
    let data: Vec<f32> = samples.iter().flat_map(of).collect();
    let width = data.len() / samples.len().max(1);
    Tensor::from_data(TensorData::new(data, [samples.len(), width]), device)
}

/// As many numbers as asked for, 0 where there are none.
fn filled(numbers: &[f32], count: usize) -> Vec<f32> {
    numbers.iter().copied().chain(std::iter::repeat(0.0)).take(count).collect()
}

impl Moves {
    fn new(samples: &[Sample], spec: &EncodingSpec, device: &Device) -> Self {
        let most = samples.iter().map(|sample| sample.moves.len()).max().unwrap_or(0).max(1);
        let shape = [samples.len(), most];
        let nothing = ([spec.policy_size(); 2], 0.0);
        let padded = |sample: &Sample| {
            let missing = most - sample.moves.len();
            let moves = sample.moves.clone().into_iter();
            moves.chain(std::iter::repeat_n(nothing, missing)).collect::<Vec<_>>()
        };
        let all: Vec<([usize; 2], f32)> = samples.iter().flat_map(padded).collect();
        let outputs = [0, 1].map(|part| {
            let outputs: Vec<i32> = all.iter().map(|(outputs, _)| outputs[part] as i32).collect();
            Tensor::from_data(TensorData::new(outputs, shape), device)
        });
        let target: Vec<f32> = all.iter().map(|(_, target)| *target).collect();
        let is_none: Vec<bool> = samples
            .iter()
            .flat_map(|sample| (0..most).map(|number| number >= sample.moves.len()))
            .collect();
        Self {
            outputs,
            target: Tensor::from_data(TensorData::new(target, shape), device),
            is_none: Tensor::from_data(TensorData::new(is_none, shape), device),
        }
    }

    /// The cross-entropy of all positions together: a softmax over the legal moves only.
    fn loss(self, said: Tensor<2>) -> Tensor<1> {
        let [count, _] = said.dims();
        // The output behind the last one is always 0.
        let zero = Tensor::zeros([count, 1], &said.device());
        let said = Tensor::cat(vec![said, zero], 1);
        let [first, second] = self.outputs.map(|outputs| said.clone().gather(1, outputs));
        let logits = (first + second).mask_fill(self.is_none, NO_MOVE);
        (log_softmax(logits, 1) * self.target).sum().neg()
    }
}

impl BatchLosses {
    pub(crate) fn read(self) -> Losses {
        let parts = numbers(Tensor::cat(self.parts.to_vec(), 0));
        let part = |index: usize| f64::from(parts[index]);
        Losses {
            value: part(0),
            value_error: part(1),
            moves: part(2),
            ownership: part(3),
            samples: self.count,
        }
    }
}
