use crate::EncodingSpec;

/// A training sample: an encoded position with its targets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    /// The position, encoded by [`NetKind::encode`](crate::NetKind::encode).
    pub input: Vec<f32>,
    /// The value target, from -1 to 1.
    pub value: f32,
    /// The policy target: each legal move's policy indices and probability. Empty if unknown.
    pub policy: Vec<([usize; 2], f32)>,
    /// The ownership target of each square, from -1 to 1. Empty if unknown.
    pub ownership: Vec<f32>,
}

/// Mean losses of a batch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// Mean squared error of the value.
    pub value: f64,
    /// Mean absolute error of the value.
    pub value_error: f64,
    /// Cross-entropy of the policy; at least the entropy of the targets.
    pub policy: f64,
    /// Mean squared error of the ownership.
    pub ownership: f64,
    /// The batch size.
    pub samples: usize,
}

impl Losses {
    /// The training objective: value and policy loss with equal weights, as in AlphaZero, plus
    /// [`OWNERSHIP_WEIGHT`] times the ownership loss.
    pub fn total(&self) -> f64 {
        self.value + self.policy + f64::from(OWNERSHIP_WEIGHT) * self.ownership
    }

    /// The mean over several batches, weighted by size.
    pub fn mean(batches: &[Self]) -> Self {
        let samples = batches.iter().map(|losses| losses.samples).sum::<usize>();
        let mean = |of: fn(&Self) -> f64| {
            let sum: f64 = batches.iter().map(|losses| of(losses) * losses.samples as f64).sum();
            sum / samples.max(1) as f64
        };
        Self {
            value: mean(|losses| losses.value),
            value_error: mean(|losses| losses.value_error),
            policy: mean(|losses| losses.policy),
            ownership: mean(|losses| losses.ownership),
            samples,
        }
    }
}

/// The weight of the ownership loss: an auxiliary target for the trunk (KataGo).
pub const OWNERSHIP_WEIGHT: f32 = 0.15;

/// The outputs of a batch, or the loss's gradients with respect to them. Policy and ownership are NHWC.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) value: Vec<f32>,
    pub(crate) policy: Option<Vec<f32>>,
    pub(crate) ownership: Option<Vec<f32>>,
}

/// The losses of a batch, and their gradients with respect to the outputs (before tanh, for value and
/// ownership).
pub(crate) fn losses(
    outputs: &Outputs,
    samples: &[Sample],
    spec: &EncodingSpec,
) -> (Losses, Outputs) {
    let count = samples.len().max(1) as f32;
    let mut losses = Losses { samples: samples.len(), ..Losses::default() };
    let mut gradients = Outputs::default();
    for (value, sample) in outputs.value.iter().zip(samples) {
        let error = value - sample.value;
        losses.value += f64::from(error * error) / f64::from(count);
        losses.value_error += f64::from(error.abs()) / f64::from(count);
        gradients.value.push(2.0 * error * (1.0 - value * value) / count);
    }
    gradients.policy = outputs.policy.as_ref().map(|policy| {
        let mut gradients = vec![0.0; policy.len()];
        let width = spec.policy_size();
        let positions = policy.chunks_exact(width).zip(gradients.chunks_exact_mut(width));
        for ((logits, gradients), sample) in positions.zip(samples) {
            let loss = policy_loss(logits, gradients, sample, spec, 1.0 / count);
            losses.policy += f64::from(loss) / f64::from(count);
        }
        gradients
    });
    gradients.ownership = outputs.ownership.as_ref().map(|ownership| {
        let mut gradients = vec![0.0; ownership.len()];
        let squares = spec.squares();
        let weight = 1.0 / (count * squares as f32);
        for (position, sample) in samples.iter().enumerate() {
            for (square, target) in sample.ownership.iter().enumerate().take(squares) {
                let index = position * squares + square;
                let (value, error) = (ownership[index], ownership[index] - target);
                losses.ownership += f64::from(error * error * weight);
                gradients[index] = OWNERSHIP_WEIGHT * 2.0 * error * (1.0 - value * value) * weight;
            }
        }
        gradients
    });
    (losses, gradients)
}

/// The cross-entropy of one position, a softmax over its legal moves; adds its gradients.
fn policy_loss(
    outputs: &[f32],
    gradients: &mut [f32],
    sample: &Sample,
    spec: &EncodingSpec,
    weight: f32,
) -> f32 {
    // Policy indices are NCHW, the outputs here NHWC. The index past the end stands for the constant 0.
    let nhwc = |index: usize| {
        let (plane, square) = (index / spec.squares(), index % spec.squares());
        (index < spec.policy_size()).then_some(square * spec.policy_planes + plane)
    };
    let logit = |indices: &[usize; 2]| -> f32 {
        indices.iter().filter_map(|&index| nhwc(index)).map(|at| outputs[at]).sum()
    };
    let logits: Vec<f32> = sample.policy.iter().map(|(indices, _)| logit(indices)).collect();
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - max).exp()).sum();
    let targets: f32 = sample.policy.iter().map(|(_, target)| target).sum();
    let mut loss = 0.0;
    for ((indices, target), logit) in sample.policy.iter().zip(logits) {
        let log_prob = logit - max - sum.ln();
        loss -= target * log_prob;
        let gradient = weight * (targets * log_prob.exp() - target);
        indices.iter().filter_map(|&index| nhwc(index)).for_each(|at| gradients[at] += gradient);
    }
    loss
}
