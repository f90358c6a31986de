//! The native evaluator and trainer against burn's, on one thread.
//!
//! `cargo bench -p tablero-burn`

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tablero_burn::{BurnDevice, BurnNetwork, BurnTrainer, on_threads};
use tablero_chess::Chess;
use tablero_core::Rng;
use tablero_nets::train::{Device, NativeTrainer, Optimizer, Sample, Trainer};
use tablero_nets::{EncodingSpec, Evaluator, Network, Weights};
use tablero_othello::Othello;

fn main() {
    on_threads(1, divan::main);
}

const KINDS: [&str; 2] = ["resnet 6x64", "mlp 65-128-64-32-1"];

/// Residual networks are for chess, with the planes of Hatchet1; fully connected ones for Othello.
fn spec(kind: &str) -> EncodingSpec {
    if kind.starts_with("mlp") {
        EncodingSpec::of::<Othello>()
    } else {
        EncodingSpec::of::<Chess>()
    }
}

fn weights(kind: &str) -> Weights {
    Weights::random(kind.parse().expect("a kind"), &spec(kind), 1).expect("fits")
}

fn device() -> BurnDevice {
    BurnDevice::open(Some(Device::Cpu)).expect("the processor")
}

fn inputs(kind: &str) -> usize {
    Network::new(&weights(kind), &spec(kind)).expect("a network").inputs()
}

#[divan::bench(args = KINDS, min_time = 3)]
fn evaluate_one_position_native(bencher: Bencher, kind: &str) {
    let network = Network::new(&weights(kind), &spec(kind)).expect("a network");
    let mut evaluator = Evaluator::new(Arc::new(network));
    let input = vec![0.5; inputs(kind)];
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| {
        black_box(evaluator.run(black_box(&input)).value);
    });
}

#[divan::bench(args = KINDS, min_time = 3)]
fn evaluate_one_position_burn(bencher: Bencher, kind: &str) {
    let network = BurnNetwork::new(&weights(kind), &spec(kind), &device()).expect("a network");
    let input = vec![0.5; inputs(kind)];
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| network.run(black_box(&[&input])));
}

/// Batch sizes and optimizers of Hatchet1 (with a larger batch) and Otelo.
fn recipe(kind: &str) -> (usize, Optimizer) {
    if kind.starts_with("mlp") {
        (32, Optimizer::Sgd)
    } else {
        (256, Optimizer::AdamW { weight_decay: 1e-4 })
    }
}

fn samples(kind: &str) -> Vec<Sample> {
    let (spec, inputs, mut rng) = (spec(kind), inputs(kind), Rng::seeded(1));
    let mut sample = || Sample {
        input: (0..inputs).map(|_| rng.below(2) as f32).collect(),
        value: rng.unit() as f32,
        // Ignored by networks without a policy head.
        policy: (0..30).map(|index| ([31 * index, spec.policy_size()], 1.0 / 30.0)).collect(),
        ownership: Vec::new(),
    };
    (0..recipe(kind).0).map(|_| sample()).collect()
}

fn train(bencher: Bencher, kind: &str, mut trainer: impl Trainer) {
    let samples = samples(kind);
    bencher
        .counter(ItemsCount::new(samples.len()))
        .bench_local(|| trainer.step(black_box(&samples), 0.001));
}

#[divan::bench(args = KINDS, sample_count = 5, sample_size = 1)]
fn train_on_positions_native(bencher: Bencher, kind: &str) {
    let trainer = NativeTrainer::new(weights(kind), &spec(kind), recipe(kind).1, 1);
    train(bencher, kind, trainer.expect("fits"));
}

#[divan::bench(args = KINDS, sample_count = 5, sample_size = 1)]
fn train_on_positions_burn(bencher: Bencher, kind: &str) {
    let trainer = BurnTrainer::new(weights(kind), &spec(kind), recipe(kind).1, &device(), 1);
    train(bencher, kind, trainer.expect("fits"));
}
