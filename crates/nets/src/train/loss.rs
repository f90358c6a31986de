use crate::Dims;

/// A position to learn from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    /// What the network sees: planes, or a table.
    pub input: Vec<f32>,
    /// What it should say about the value, from -1 to 1.
    pub value: f32,
    /// The legal moves' outputs, and how likely each should be; none if there is nothing to learn about
    /// moves.
    pub moves: Vec<([usize; 2], f32)>,
    /// Whose every square should be in the end, from -1 to 1; none if that is not known.
    pub ownership: Vec<f32>,
}

/// How far a network is from what it should say, on average over a batch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// Mean square of the value's error.
    pub value: f64,
    /// Mean size of the value's error.
    pub value_error: f64,
    /// Cross-entropy of moves; it cannot be less than what the targets themselves leave open.
    pub moves: f64,
    /// Mean square of the error about squares.
    pub ownership: f64,
    /// Positions in the batch.
    pub samples: usize,
}

impl Losses {
    /// Value and moves with equal weights, as in Hatchet1, and a little for squares.
    pub fn total(&self) -> f64 {
        self.value + self.moves + f64::from(OWNERSHIP_WEIGHT) * self.ownership
    }

    /// The mean of several batches.
    pub fn mean(all: &[Self]) -> Self {
        let samples = all.iter().map(|losses| losses.samples).sum::<usize>();
        let mean = |of: fn(&Self) -> f64| {
            let sum: f64 = all.iter().map(|losses| of(losses) * losses.samples as f64).sum();
            sum / samples.max(1) as f64
        };
        Self {
            value: mean(|losses| losses.value),
            value_error: mean(|losses| losses.value_error),
            moves: mean(|losses| losses.moves),
            ownership: mean(|losses| losses.ownership),
            samples,
        }
    }
}

/// How much the loss of squares counts: they are a help for the body, not an end.
pub const OWNERSHIP_WEIGHT: f32 = 0.15;

/// What the network said about a batch, or the loss's gradients for it. Outputs for moves and squares lie
/// square by square.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) value: Vec<f32>,
    pub(crate) moves: Option<Vec<f32>>,
    pub(crate) ownership: Option<Vec<f32>>,
}

/// The losses of a batch, and their gradients for what was said (values and squares before their tanh).
pub(crate) fn losses(said: &Said, samples: &[Sample], dims: &Dims) -> (Losses, Said) {
    let count = samples.len().max(1) as f32;
    let mut losses = Losses { samples: samples.len(), ..Losses::default() };
    let mut gradients = Said::default();
    for (said, sample) in said.value.iter().zip(samples) {
        let error = said - sample.value;
        losses.value += f64::from(error * error) / f64::from(count);
        losses.value_error += f64::from(error.abs()) / f64::from(count);
        gradients.value.push(2.0 * error * (1.0 - said * said) / count);
    }
    gradients.moves = said.moves.as_ref().map(|said| {
        let mut gradients = vec![0.0; said.len()];
        let width = dims.outputs();
        let positions = said.chunks_exact(width).zip(gradients.chunks_exact_mut(width));
        for ((said, gradients), sample) in positions.zip(samples) {
            let loss = loss_of_moves(said, gradients, sample, dims, 1.0 / count);
            losses.moves += f64::from(loss) / f64::from(count);
        }
        gradients
    });
    gradients.ownership = said.ownership.as_ref().map(|said| {
        let mut gradients = vec![0.0; said.len()];
        let squares = dims.squares();
        let share = 1.0 / (count * squares as f32);
        for (position, sample) in samples.iter().enumerate() {
            for (square, target) in sample.ownership.iter().enumerate().take(squares) {
                let (at, error) =
                    (position * squares + square, said[position * squares + square] - target);
                losses.ownership += f64::from(error * error * share);
                gradients[at] =
                    OWNERSHIP_WEIGHT * 2.0 * error * (1.0 - said[at] * said[at]) * share;
            }
        }
        gradients
    });
    (losses, gradients)
}

/// The cross-entropy of one position, and its gradients: a softmax over the legal moves only.
fn loss_of_moves(
    said: &[f32],
    gradients: &mut [f32],
    sample: &Sample,
    dims: &Dims,
    weight: f32,
) -> f32 {
    // Files and encodings number outputs plane by plane; here they lie square by square.
    let place = |output: usize| {
        let (plane, square) = (output / dims.squares(), output % dims.squares());
        (output < dims.outputs()).then_some(square * dims.move_planes + plane)
    };
    let logit = |outputs: &[usize; 2]| -> f32 {
        outputs.iter().filter_map(|&output| place(output)).map(|at| said[at]).sum()
    };
    let logits: Vec<f32> = sample.moves.iter().map(|(outputs, _)| logit(outputs)).collect();
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    let targets: f32 = sample.moves.iter().map(|(_, target)| target).sum();
    let mut loss = 0.0;
    for ((outputs, target), logit) in sample.moves.iter().zip(logits) {
        let log = logit - most - sum.ln();
        loss -= target * log;
        let gradient = weight * (targets * log.exp() - target);
        outputs.iter().filter_map(|&output| place(output)).for_each(|at| gradients[at] += gradient);
    }
    loss
}
