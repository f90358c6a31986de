use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::loss::{Losses, Outputs, Sample, losses};
use super::model::Model;
use super::optimizer::Optimizer;
use super::trainer::{EVAL_BATCH_SIZE, Trainer, TrainerState};
use crate::{EncodingSpec, NetError, Weights, flops};

/// Batches with fewer FLOPs than this run on one thread: synchronization would cost more than it gains.
const MIN_PARALLEL_FLOPS: u64 = 50_000_000;

/// The native backend: training on the CPU.
///
/// ```
/// use tablero_nets::train::{NativeTrainer, Optimizer, Sample, Trainer};
/// use tablero_nets::{EncodingSpec, Weights};
/// use tablero_tictactoe::TicTacToe;
///
/// let spec = EncodingSpec::of::<TicTacToe>();
/// let weights = Weights::random("mlp 27-16-1".parse()?, &spec, 1)?;
/// let mut trainer = NativeTrainer::new(weights, &spec, Optimizer::Sgd, 1)?;
/// let sample = Sample { input: vec![0.5; spec.inputs()], value: 1.0, ..Sample::default() };
/// let before = trainer.step(&[sample.clone()], 0.01);
/// let after = trainer.evaluate(&[sample]);
/// assert!(after.value < before.value);
/// # Ok::<(), tablero_nets::NetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NativeTrainer {
    weights: Weights,
    spec: EncodingSpec,
    model: Model,
    optimizer: Optimizer,
    steps: u64,
    /// None for one thread.
    pool: Option<Arc<ThreadPool>>,
    /// Of a forward pass, per position.
    flops: u64,
}

impl NativeTrainer {
    /// Starts from these weights; an error if they do not fit the game.
    pub fn new(
        weights: Weights,
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Self, NetError> {
        weights.check(spec)?;
        let model = Model::new(&weights, spec);
        let flops = flops(&weights.kind, spec);
        let pool = pool(threads);
        Ok(Self { weights, spec: *spec, model, optimizer, steps: 0, pool, flops })
    }

    /// Optimizer steps so far.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Resumes from what [`to_bytes`](Trainer::to_bytes) wrote.
    pub fn from_bytes(
        bytes: &[u8],
        spec: &EncodingSpec,
        optimizer: Optimizer,
        threads: usize,
    ) -> Result<Self, NetError> {
        let TrainerState { steps, weights, optimizer: state } = TrainerState::from_bytes(bytes)?;
        let mut trainer = Self::new(weights, spec, optimizer, threads)?;
        trainer.steps = steps;
        let (values, rest) = state.as_chunks::<4>();
        let mut values = values.iter().map(|&four| f32::from_le_bytes(four));
        for parameter in trainer.model.parameters() {
            for value in parameter.first_moment.iter_mut().chain(&mut parameter.second_moment) {
                *value = values.next().ok_or_else(TrainerState::corrupt)?;
            }
        }
        match (values.next(), rest) {
            (None, []) => Ok(trainer),
            _ => Err(TrainerState::corrupt()),
        }
    }

    /// Runs `work` on a batch of this size in the thread pool, unless the batch is too small.
    fn install<T: Send>(
        &mut self,
        positions: usize,
        work: impl FnOnce(&mut Self) -> T + Send,
    ) -> T {
        let is_parallel = self.flops * positions as u64 >= MIN_PARALLEL_FLOPS;
        let pool = self.pool.clone().filter(|_| is_parallel);
        self.model.is_parallel = pool.is_some();
        match pool {
            Some(pool) => pool.install(|| work(self)),
            None => work(self),
        }
    }

    fn forward(&mut self, samples: &[Sample], is_training: bool) -> Outputs {
        let inputs: Vec<&[f32]> = samples.iter().map(|sample| &sample.input[..]).collect();
        self.model.forward(&inputs, is_training)
    }
}

/// None for one thread, or if no threads can be spawned.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
    pool?.ok().map(Arc::new)
}

impl Trainer for NativeTrainer {
    fn step(&mut self, samples: &[Sample], lr: f32) -> Losses {
        if samples.is_empty() {
            return Losses::default();
        }
        self.install(samples.len(), |trainer| {
            let outputs = trainer.forward(samples, true);
            let (losses, gradients) = losses(&outputs, samples, &trainer.spec);
            trainer.model.backward(gradients);
            trainer.steps += 1;
            let (optimizer, steps) = (trainer.optimizer, trainer.steps);
            trainer.model.parameters().for_each(|parameter| optimizer.step(parameter, lr, steps));
            losses
        })
    }

    fn evaluate(&mut self, samples: &[Sample]) -> Losses {
        let batches = samples.chunks(EVAL_BATCH_SIZE);
        let mut all = Vec::new();
        for batch in batches {
            let outputs = self.install(batch.len(), |trainer| trainer.forward(batch, false));
            all.push(losses(&outputs, batch, &self.spec).0);
        }
        Losses::mean(&all)
    }

    fn weights(&self) -> Weights {
        Weights { tensors: self.model.tensors(), ..self.weights.clone() }
    }

    fn to_bytes(&mut self) -> Vec<u8> {
        let mut state = Vec::new();
        for parameter in self.model.parameters() {
            let values = parameter.first_moment.iter().chain(&parameter.second_moment);
            state.extend(values.flat_map(|value| value.to_le_bytes()));
        }
        TrainerState { steps: self.steps, weights: self.weights(), optimizer: state }.to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tablero_core::Rng;
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::{Encoding, Evaluator, Network};

    fn trainer<G: Encoding>(kind: &str, optimizer: Optimizer, threads: usize) -> NativeTrainer {
        let spec = EncodingSpec::of::<G>();
        let weights = Weights::random(kind.parse().expect("a kind"), &spec, 5).expect("fits");
        NativeTrainer::new(weights, &spec, optimizer, threads).expect("fits")
    }

    /// Random inputs with random targets.
    fn samples<G: Encoding>(kind: &str, count: usize) -> Vec<Sample> {
        let spec = EncodingSpec::of::<G>();
        let kind: crate::NetKind = kind.parse().expect("a kind");
        let inputs = kind.inputs(&spec);
        let mut rng = Rng::seeded(3);
        let mut unit = || rng.unit() as f32;
        let mut sample = || {
            let input = (0..inputs).map(|_| unit() - 0.5).collect();
            let mut policy: Vec<([usize; 2], f32)> = (0..5)
                .map(|n| ([(n * 7) % spec.policy_size(), spec.policy_size() - n % 2], unit()))
                .collect();
            let sum: f32 = policy.iter().map(|(_, target)| target).sum();
            policy.iter_mut().for_each(|(_, target)| *target /= sum);
            let ownership = (0..spec.squares()).map(|_| 2.0 * unit() - 1.0).collect();
            Sample { input, value: 2.0 * unit() - 1.0, policy, ownership }
        };
        (0..count).map(|_| sample()).collect()
    }

    /// Backpropagated gradients match central differences.
    fn gradients_match_differences<G: Encoding>(kind: &str) {
        let samples = samples::<G>(kind, 6);
        let mut trainer = trainer::<G>(kind, Optimizer::Sgd, 1);
        let spec = trainer.spec;
        let total = |trainer: &mut NativeTrainer| {
            let outputs = trainer.forward(&samples, true);
            losses(&outputs, &samples, &spec).0.total()
        };
        let outputs = trainer.forward(&samples, true);
        let (_, gradients) = losses(&outputs, &samples, &spec);
        trainer.model.backward(gradients);
        let analytic: Vec<Vec<f32>> =
            trainer.model.parameters().map(|p| p.gradient.clone()).collect();
        let (mut checked, mut wrong) = (0, Vec::new());
        for (which, gradient) in analytic.iter().enumerate() {
            for at in (0..gradient.len()).step_by(gradient.len().div_ceil(12)) {
                let step = 4e-3;
                let mut change = |by: f32| {
                    let parameter = trainer.model.parameters().nth(which).expect("as above");
                    parameter.value[at] += by;
                    total(&mut trainer)
                };
                let above = change(step);
                let below = change(-2.0 * step);
                change(step);
                let numeric = (above - below) / f64::from(2.0 * step);
                let analytic = f64::from(gradient[at]);
                checked += 1;
                if (numeric - analytic).abs() > 2e-3 + 0.05 * analytic.abs() {
                    wrong.push((which, at, numeric, analytic));
                }
            }
        }
        // Differences across the kink of a ReLU are off.
        assert!(wrong.len() * 20 < checked, "{kind}: {} of {checked}: {wrong:?}", wrong.len());
    }

    #[test]
    fn gradients_match_finite_differences() {
        gradients_match_differences::<Othello>("mlp 65-20-10-1");
        gradients_match_differences::<TicTacToe>("resnet 1x6");
        gradients_match_differences::<TicTacToe>("resnet 2x4 ownership");
        gradients_match_differences::<Shobu>("resnet 1x5");
    }

    #[test]
    fn a_small_batch_is_memorized() {
        let cases = [
            ("resnet 1x16", Optimizer::AdamW { weight_decay: 0.0 }, 0.01, 150),
            ("mlp 27-32-1", Optimizer::Sgd, 0.1, 600),
        ];
        for (kind, optimizer, lr, steps) in cases {
            let samples = samples::<TicTacToe>(kind, 12);
            let mut trainer = trainer::<TicTacToe>(kind, optimizer, 1);
            let first = trainer.step(&samples, lr);
            for _ in 0..steps {
                trainer.step(&samples, lr);
            }
            let last = trainer.step(&samples, lr);
            assert!(last.value < 0.1 * first.value, "{kind}: {first:?} {last:?}");
            if kind.starts_with("resnet") {
                let entropy = |sample: &Sample| -> f32 {
                    sample.policy.iter().map(|(_, target)| -target * target.ln()).sum()
                };
                let least = samples.iter().map(entropy).sum::<f32>() / 12.0;
                assert!(last.policy < f64::from(least) + 0.1, "{last:?} {least}");
            }
        }
    }

    /// The trainer in inference mode gives the evaluator's outputs.
    fn matches_the_evaluator<G: Encoding>(kind: &str) {
        let samples = samples::<G>(kind, 9);
        let mut trainer = trainer::<G>(kind, Optimizer::AdamW { weight_decay: 1e-4 }, 2);
        for _ in 0..8 {
            trainer.step(&samples, 0.003);
        }
        let spec = trainer.spec;
        let outputs = trainer.forward(&samples, false);
        let network = Arc::new(Network::new(&trainer.weights(), &spec).expect("a network"));
        let mut evaluator = Evaluator::new(network);
        let close =
            |a: f32, b: f32| assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{kind} {a} {b}");
        for (index, sample) in samples.iter().enumerate() {
            let output = evaluator.run(&sample.input);
            close(output.value, outputs.value[index]);
            if let (Some(ours), Some(theirs)) = (output.policy, &outputs.policy) {
                let theirs = &theirs[index * spec.policy_size()..(index + 1) * spec.policy_size()];
                for (index, value) in ours[..spec.policy_size()].iter().enumerate() {
                    let (plane, square) = (index / spec.squares(), index % spec.squares());
                    close(*value, theirs[square * spec.policy_planes + plane]);
                }
            }
            if let (Some(ours), Some(theirs)) = (output.ownership, &outputs.ownership) {
                for (square, value) in ours.iter().enumerate() {
                    close(*value, theirs[index * spec.squares() + square]);
                }
            }
        }
    }

    #[test]
    fn trainer_and_evaluator_agree() {
        matches_the_evaluator::<TicTacToe>("resnet 2x8 ownership");
        matches_the_evaluator::<Shobu>("resnet 1x12");
        matches_the_evaluator::<Othello>("mlp 65-16-8-1");
    }

    #[test]
    fn weights_do_not_depend_on_the_number_of_threads() {
        for kind in ["resnet 1x8", "mlp 27-9-1"] {
            thread_count_does_not_matter(kind);
        }
    }

    fn thread_count_does_not_matter(kind: &str) {
        // Several blocks of rows, and a partial one.
        let samples = samples::<TicTacToe>(kind, 300);
        let learn = |threads| {
            let mut trainer =
                trainer::<TicTacToe>(kind, Optimizer::AdamW { weight_decay: 0.0 }, threads);
            // Forces parallel execution.
            trainer.flops = MIN_PARALLEL_FLOPS;
            for _ in 0..3 {
                trainer.step(&samples, 0.01);
            }
            assert_eq!(trainer.steps(), 3);
            trainer.weights()
        };
        assert_eq!(learn(1), learn(3));
    }

    #[test]
    fn resuming_continues_to_the_same_weights() {
        let (kind, adam) = ("resnet 1x8", Optimizer::AdamW { weight_decay: 1e-4 });
        let samples = samples::<TicTacToe>(kind, 20);
        let mut uninterrupted = trainer::<TicTacToe>(kind, adam, 1);
        for _ in 0..2 {
            uninterrupted.step(&samples, 0.01);
        }
        let bytes = uninterrupted.to_bytes();
        let spec = EncodingSpec::of::<TicTacToe>();
        let mut resumed = NativeTrainer::from_bytes(&bytes, &spec, adam, 2).expect("whole");
        for trainer in [&mut uninterrupted, &mut resumed] {
            for _ in 0..2 {
                trainer.step(&samples, 0.01);
            }
        }
        assert_eq!(uninterrupted.weights(), resumed.weights());
        assert_eq!(resumed.steps(), 4);
        for at in [0, 20, bytes.len() / 2, bytes.len() - 1] {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(NativeTrainer::from_bytes(&broken, &spec, adam, 1).is_err(), "{at}");
            assert!(NativeTrainer::from_bytes(&bytes[..at], &spec, adam, 1).is_err(), "{at}");
        }
    }

    #[test]
    fn an_empty_batch_is_a_no_op() {
        let mut trainer = trainer::<TicTacToe>("resnet 1x4", Optimizer::Sgd, 1);
        assert_eq!(trainer.step(&[], 0.1), Losses::default());
        assert_eq!(trainer.evaluate(&[]), Losses::default());
    }
}
