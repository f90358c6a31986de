use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::learner::{Learner, MEASURED_AT_ONCE, State};
use super::loss::{Losses, Said, Sample, losses};
use super::model::Model;
use super::optimise::Optimiser;
use crate::{Dims, NetError, Weights, operations};

/// Less work than so many operations is done sooner by one thread than shared with others.
const WORTH_SHARING: u64 = 50_000_000;

/// A network that learns.
#[derive(Clone, Debug)]
pub struct Trainer {
    weights: Weights,
    dims: Dims,
    model: Model,
    optimiser: Optimiser,
    steps: u64,
    /// None if one thread does everything.
    pool: Option<Arc<ThreadPool>>,
    /// For one position.
    operations: u64,
}

impl Trainer {
    /// Goes on from these weights on so many threads; an error if they are not those of a network for
    /// such a game.
    pub fn new(
        weights: Weights,
        dims: &Dims,
        optimiser: Optimiser,
        threads: usize,
    ) -> Result<Self, NetError> {
        weights.check(dims)?;
        let model = Model::new(&weights, dims);
        let operations = operations(&weights.kind, dims);
        let pool = pool(threads);
        Ok(Self { weights, dims: *dims, model, optimiser, steps: 0, pool, operations })
    }

    /// Steps done.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Goes on from what [`to_bytes`](Learner::to_bytes) wrote.
    pub fn from_bytes(
        bytes: &[u8],
        dims: &Dims,
        optimiser: Optimiser,
        threads: usize,
    ) -> Result<Self, NetError> {
        let State { steps, weights, memory } = State::from_bytes(bytes)?;
        let mut trainer = Self::new(weights, dims, optimiser, threads)?;
        trainer.steps = steps;
        let (numbers, rest) = memory.as_chunks::<4>();
        let mut numbers = numbers.iter().map(|&four| f32::from_le_bytes(four));
        for parameter in trainer.model.parameters() {
            for number in parameter.mean.iter_mut().chain(&mut parameter.square) {
                *number = numbers.next().ok_or_else(State::damaged)?;
            }
        }
        match (numbers.next(), rest) {
            (None, []) => Ok(trainer),
            _ => Err(State::damaged()),
        }
    }

    /// Does something with so many positions on all threads, if that is worth it.
    fn share<T: Send>(&mut self, positions: usize, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        let is_worth_sharing = self.operations * positions as u64 >= WORTH_SHARING;
        let pool = self.pool.clone().filter(|_| is_worth_sharing);
        self.model.is_shared = pool.is_some();
        match pool {
            Some(pool) => pool.install(|| work(self)),
            None => work(self),
        }
    }

    fn say(&mut self, samples: &[Sample], is_training: bool) -> Said {
        let inputs: Vec<&[f32]> = samples.iter().map(|sample| &sample.input[..]).collect();
        self.model.forward(&inputs, is_training)
    }
}

/// So many threads, if more than one are wanted and to be had.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
    pool?.ok().map(Arc::new)
}

impl Learner for Trainer {
    fn step(&mut self, samples: &[Sample], rate: f32) -> Losses {
        if samples.is_empty() {
            return Losses::default();
        }
        self.share(samples.len(), |trainer| {
            let said = trainer.say(samples, true);
            let (losses, gradients) = losses(&said, samples, &trainer.dims);
            trainer.model.backward(gradients);
            trainer.steps += 1;
            let (optimiser, steps) = (trainer.optimiser, trainer.steps);
            trainer.model.parameters().for_each(|parameter| optimiser.step(parameter, rate, steps));
            losses
        })
    }

    fn measure(&mut self, samples: &[Sample]) -> Losses {
        let batches = samples.chunks(MEASURED_AT_ONCE);
        let mut all = Vec::new();
        for batch in batches {
            let said = self.share(batch.len(), |trainer| trainer.say(batch, false));
            all.push(losses(&said, batch, &self.dims).0);
        }
        Losses::mean(&all)
    }

    fn weights(&self) -> Weights {
        Weights { tensors: self.model.tensors(), ..self.weights.clone() }
    }

    fn to_bytes(&mut self) -> Vec<u8> {
        let mut memory = Vec::new();
        for parameter in self.model.parameters() {
            let numbers = parameter.mean.iter().chain(&parameter.square);
            memory.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
        State { steps: self.steps, weights: self.weights(), memory }.to_bytes()
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

    fn trainer<G: Encoding>(kind: &str, optimiser: Optimiser, threads: usize) -> Trainer {
        let dims = Dims::of::<G>();
        let weights = Weights::random(kind.parse().expect("a kind"), &dims, 5).expect("fits");
        Trainer::new(weights, &dims, optimiser, threads).expect("fits")
    }

    /// Random positions with random things to learn about them.
    fn samples<G: Encoding>(kind: &str, count: usize) -> Vec<Sample> {
        let dims = Dims::of::<G>();
        let kind: crate::NetKind = kind.parse().expect("a kind");
        let inputs = kind.inputs(&dims);
        let mut rng = Rng::seeded(3);
        let mut unit = || rng.unit() as f32;
        let mut sample = || {
            let input = (0..inputs).map(|_| unit() - 0.5).collect();
            let mut moves: Vec<([usize; 2], f32)> = (0..5)
                .map(|n| ([(n * 7) % dims.outputs(), dims.outputs() - n % 2], unit()))
                .collect();
            let sum: f32 = moves.iter().map(|(_, target)| target).sum();
            moves.iter_mut().for_each(|(_, target)| *target /= sum);
            let ownership = (0..dims.squares()).map(|_| 2.0 * unit() - 1.0).collect();
            Sample { input, value: 2.0 * unit() - 1.0, moves, ownership }
        };
        (0..count).map(|_| sample()).collect()
    }

    /// Changes every parameter a little and looks how the loss changes.
    fn gradients_are_right<G: Encoding>(kind: &str) {
        let samples = samples::<G>(kind, 6);
        let mut trainer = trainer::<G>(kind, Optimiser::Sgd, 1);
        let dims = trainer.dims;
        let total = |trainer: &mut Trainer| {
            let said = trainer.say(&samples, true);
            losses(&said, &samples, &dims).0.total()
        };
        let said = trainer.say(&samples, true);
        let (_, gradients) = losses(&said, &samples, &dims);
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
        // Where a step crosses the corner of a ReLU, the difference says something else.
        assert!(wrong.len() * 20 < checked, "{kind}: {} of {checked}: {wrong:?}", wrong.len());
    }

    #[test]
    fn gradients() {
        gradients_are_right::<Othello>("mlp 65-20-10-1");
        gradients_are_right::<TicTacToe>("resnet 1x6");
        gradients_are_right::<TicTacToe>("resnet 2x4 ownership");
        gradients_are_right::<Shobu>("resnet 1x5");
    }

    #[test]
    fn it_learns_by_heart() {
        let cases = [
            ("resnet 1x16", Optimiser::Adam { decay: 0.0 }, 0.01, 150),
            ("mlp 27-32-1", Optimiser::Sgd, 0.1, 600),
        ];
        for (kind, optimiser, rate, steps) in cases {
            let samples = samples::<TicTacToe>(kind, 12);
            let mut trainer = trainer::<TicTacToe>(kind, optimiser, 1);
            let first = trainer.step(&samples, rate);
            for _ in 0..steps {
                trainer.step(&samples, rate);
            }
            let last = trainer.step(&samples, rate);
            assert!(last.value < 0.1 * first.value, "{kind}: {first:?} {last:?}");
            if kind.starts_with("resnet") {
                let entropy = |sample: &Sample| -> f32 {
                    sample.moves.iter().map(|(_, target)| -target * target.ln()).sum()
                };
                let least = samples.iter().map(entropy).sum::<f32>() / 12.0;
                assert!(last.moves < f64::from(least) + 0.1, "{last:?} {least}");
            }
        }
    }

    /// What is trained is what is played: the evaluator and the trainer say the same.
    fn evaluator_says_the_same<G: Encoding>(kind: &str) {
        let samples = samples::<G>(kind, 9);
        let mut trainer = trainer::<G>(kind, Optimiser::Adam { decay: 1e-4 }, 2);
        for _ in 0..8 {
            trainer.step(&samples, 0.003);
        }
        let dims = trainer.dims;
        let said = trainer.say(&samples, false);
        let network = Arc::new(Network::new(&trainer.weights(), &dims).expect("a network"));
        let mut evaluator = Evaluator::new(network);
        let close =
            |a: f32, b: f32| assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{kind} {a} {b}");
        for (index, sample) in samples.iter().enumerate() {
            let output = evaluator.run(&sample.input);
            close(output.value, said.value[index]);
            if let (Some(ours), Some(theirs)) = (output.policy, &said.moves) {
                let theirs = &theirs[index * dims.outputs()..(index + 1) * dims.outputs()];
                for (number, value) in ours[..dims.outputs()].iter().enumerate() {
                    let (plane, square) = (number / dims.squares(), number % dims.squares());
                    close(*value, theirs[square * dims.move_planes + plane]);
                }
            }
            if let (Some(ours), Some(theirs)) = (output.ownership, &said.ownership) {
                for (square, value) in ours.iter().enumerate() {
                    close(*value, theirs[index * dims.squares() + square]);
                }
            }
        }
    }

    #[test]
    fn what_is_trained_is_what_is_played() {
        evaluator_says_the_same::<TicTacToe>("resnet 2x8 ownership");
        evaluator_says_the_same::<Shobu>("resnet 1x12");
        evaluator_says_the_same::<Othello>("mlp 65-16-8-1");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for kind in ["resnet 1x8", "mlp 27-9-1"] {
            threads_change_nothing(kind);
        }
    }

    fn threads_change_nothing(kind: &str) {
        // Several pieces of rows, and a smaller one.
        let samples = samples::<TicTacToe>(kind, 300);
        let learn = |threads| {
            let mut trainer = trainer::<TicTacToe>(kind, Optimiser::Adam { decay: 0.0 }, threads);
            // As if it were a large network.
            trainer.operations = WORTH_SHARING;
            for _ in 0..3 {
                trainer.step(&samples, 0.01);
            }
            assert_eq!(trainer.steps(), 3);
            trainer.weights()
        };
        assert_eq!(learn(1), learn(3));
    }

    #[test]
    fn an_interruption_changes_nothing() {
        let (kind, adam) = ("resnet 1x8", Optimiser::Adam { decay: 1e-4 });
        let samples = samples::<TicTacToe>(kind, 20);
        let mut through = trainer::<TicTacToe>(kind, adam, 1);
        for _ in 0..2 {
            through.step(&samples, 0.01);
        }
        let bytes = through.to_bytes();
        let dims = Dims::of::<TicTacToe>();
        let mut resumed = Trainer::from_bytes(&bytes, &dims, adam, 2).expect("whole");
        for trainer in [&mut through, &mut resumed] {
            for _ in 0..2 {
                trainer.step(&samples, 0.01);
            }
        }
        assert_eq!(through.weights(), resumed.weights());
        assert_eq!(resumed.steps(), 4);
        for at in [0, 20, bytes.len() / 2, bytes.len() - 1] {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(Trainer::from_bytes(&broken, &dims, adam, 1).is_err(), "{at}");
            assert!(Trainer::from_bytes(&bytes[..at], &dims, adam, 1).is_err(), "{at}");
        }
    }

    #[test]
    fn nothing_to_learn_does_no_harm() {
        let mut trainer = trainer::<TicTacToe>("resnet 1x4", Optimiser::Sgd, 1);
        assert_eq!(trainer.step(&[], 0.1), Losses::default());
        assert_eq!(trainer.measure(&[]), Losses::default());
    }
}
