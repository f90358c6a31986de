//! burn against the native evaluator and trainer.

mod agreement;
mod devices;
mod learning;

use tablero_burn::{BurnDevice, BurnTrainer};
use tablero_core::Rng;
use tablero_nets::train::{Device, Optimizer, Sample};
use tablero_nets::{Encoding, EncodingSpec, NetKind, Weights};

const ADAM: Optimizer = Optimizer::AdamW { weight_decay: 1e-3 };

/// A graphics card where this build knows them, be it in software; else the processor.
fn device() -> BurnDevice {
    let has_cards = cfg!(any(feature = "wgpu", feature = "cuda"));
    let device = if has_cards { Device::Gpu(Some(0)) } else { Device::Cpu };
    BurnDevice::open(Some(device)).expect("a device")
}

/// An untrained network.
fn weights<G: Encoding>(kind: &str) -> Weights {
    Weights::random(kind.parse().expect("a kind"), &EncodingSpec::of::<G>(), 5).expect("fits")
}

fn trainer<G: Encoding>(kind: &str, optimizer: Optimizer, threads: usize) -> BurnTrainer {
    let (weights, spec) = (weights::<G>(kind), EncodingSpec::of::<G>());
    BurnTrainer::new(weights, &spec, optimizer, &device(), threads).expect("fits")
}

/// Positions of random games with random targets; some without a policy or ownership target.
fn samples<G: Encoding>(kind: &str, count: usize) -> Vec<Sample> {
    let kind: NetKind = kind.parse().expect("a kind");
    let mut rng = Rng::seeded(3);
    let mut samples = Vec::new();
    while samples.len() < count {
        let mut position = G::start(G::Rules::default());
        for _ in 0..rng.below(7) {
            if let Some(m) = position.random_move(&mut rng) {
                position.play(m);
            }
        }
        if position.outcome().is_none() {
            samples.push(sample(&position, &kind, samples.len(), &mut rng));
        }
    }
    samples
}

fn sample<G: Encoding>(position: &G, kind: &NetKind, index: usize, rng: &mut Rng) -> Sample {
    let spec = EncodingSpec::of::<G>();
    let mut input = vec![0.0; kind.inputs(&spec)];
    kind.encode(position, 0, &mut input);
    let mut unit = || rng.unit() as f32;
    let mut policy = Vec::new();
    if index % 5 != 4 {
        policy.extend(
            position.moves().into_iter().map(|m| (kind.policy_indices(position, m), unit())),
        );
        let sum: f32 = policy.iter().map(|(_, target)| target).sum();
        policy.iter_mut().for_each(|(_, target)| *target /= sum);
    }
    let squares = if index % 3 == 2 { 0 } else { spec.squares() };
    let ownership = (0..squares).map(|_| 2.0 * unit() - 1.0).collect();
    Sample { input, value: 2.0 * unit() - 1.0, policy, ownership }
}
