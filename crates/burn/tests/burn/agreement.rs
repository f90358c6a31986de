//! burn and the native code compute the same outputs, losses and updates.

use std::sync::Arc;

use tablero_burn::BurnNetwork;
use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::Rng;
use tablero_nets::train::{Losses, NativeTrainer, Optimizer, Trainer};
use tablero_nets::{Encoding, EncodingSpec, Evaluator, NetKind, Network, Tensor, Weights};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{ADAM, device, samples, trainer, weights};

/// The tolerance between two evaluators.
const CLOSE: f32 = 1e-4;

fn close(what: &str, ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < CLOSE, "{what}: {ours} {theirs}");
    }
}

/// A batch, after some training, so that batch normalization is not the identity.
fn matches_the_native_evaluator<G: Encoding>(kind: &str, steps: usize) {
    let (spec, samples) = (EncodingSpec::of::<G>(), samples::<G>(kind, 11));
    let mut trainer = trainer::<G>(kind, ADAM, 2);
    for _ in 0..steps {
        trainer.step(&samples, 0.002);
    }
    let weights = trainer.weights();
    if let Some(variance) = weights.tensors.get("value.mix.norm.variance") {
        assert!(variance.data.iter().any(|value| (value - 1.0).abs() > 0.05), "{variance:?}");
    }
    let inputs: Vec<&[f32]> = samples.iter().map(|sample| &sample.input[..]).collect();
    let burn = BurnNetwork::new(&weights, &spec, &device()).expect("a network").run(&inputs);
    let network = Arc::new(Network::new(&weights, &spec).expect("a network"));
    let mut count = 0;
    Evaluator::new(network).run_batch(&inputs.concat(), |index, ours| {
        count += 1;
        let row = |rows: &Option<Vec<f32>>, width: usize| {
            rows.as_ref().map(|rows| rows[index * width..(index + 1) * width].to_vec())
        };
        close(kind, &[ours.value], &burn.value[index..=index]);
        let (outputs, squares) = (spec.policy_size(), spec.squares());
        let policy = ours.policy.map(|policy| &policy[..outputs]);
        close(kind, policy.unwrap_or_default(), &row(&burn.policy, outputs).unwrap_or_default());
        let theirs = row(&burn.ownership, squares).unwrap_or_default();
        close(kind, ours.ownership.unwrap_or_default(), &theirs);
    });
    assert_eq!(count, burn.value.len());
}

#[test]
fn resnets_match_the_native_evaluator() {
    matches_the_native_evaluator::<TicTacToe>("resnet 2x8 ownership", 6);
    matches_the_native_evaluator::<ConnectFour>("resnet 2x16 ownership", 6);
    matches_the_native_evaluator::<Othello>("resnet 2x20 ownership", 6);
    matches_the_native_evaluator::<Chess>("resnet 1x33", 6);
    matches_the_native_evaluator::<Chess>("resnet 1x16 mover", 6);
    matches_the_native_evaluator::<Chess>("resnet 1x16 attacks", 6);
    matches_the_native_evaluator::<Shobu>("resnet 2x32", 6);
}

#[test]
fn a_6x64_network_matches_the_native_evaluator() {
    matches_the_native_evaluator::<Othello>("resnet 6x64", 2);
}

#[test]
fn mlps_match_the_native_evaluator() {
    matches_the_native_evaluator::<TicTacToe>("mlp 27-17-9-1", 6);
    matches_the_native_evaluator::<Othello>("mlp 65-128-64-32-1", 6);
    matches_the_native_evaluator::<Othello>("mlp 256-40-1", 6);
    matches_the_native_evaluator::<Chess>("mlp 1152-24-1", 6);
    matches_the_native_evaluator::<Shobu>("mlp 160-1", 6);
}

fn same_losses(what: &str, ours: &Losses, theirs: &Losses) {
    for (part, of) in [
        ("value", (|losses| losses.value) as fn(&Losses) -> f64),
        ("value error", |losses| losses.value_error),
        ("policy", |losses| losses.policy),
        ("ownership", |losses| losses.ownership),
        ("total", Losses::total),
    ] {
        let (ours, theirs) = (of(ours), of(theirs));
        assert!((ours - theirs).abs() < 2e-5 * (1.0 + ours), "{what}, {part}: {ours} {theirs}");
    }
    assert_eq!(ours.samples, theirs.samples);
}

/// The largest difference between two sets of weights.
fn difference(ours: &Weights, theirs: &Weights) -> f32 {
    assert!(ours.tensors.keys().eq(theirs.tensors.keys()));
    let of_tensor = |(ours, theirs): (&Tensor, &Tensor)| {
        assert_eq!(ours.shape, theirs.shape);
        let pairs = ours.data.iter().zip(&theirs.data);
        pairs.map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f32::max)
    };
    ours.tensors.values().zip(theirs.tensors.values()).map(of_tensor).fold(0.0, f32::max)
}

/// The same step on the same samples gives the same weights.
///
/// Where a gradient is only rounding error, Adam steps by its sign. That happens where normalization or softmax
/// cancels a parameter: weights of a plane that is constant over all positions, and the bias of a single policy
/// plane. So no plane is constant here, and there are several policy planes.
fn step_matches_the_native_trainer<G: Encoding>(kind: &str) {
    let (spec, mut rng) = (EncodingSpec::of::<G>(), Rng::seeded(8));
    let mut samples = samples::<G>(kind, 20);
    for number in samples.iter_mut().flat_map(|sample| &mut sample.input) {
        *number += 0.2 * rng.unit() as f32;
    }
    for (optimizer, lr) in [(Optimizer::Sgd, 0.05), (ADAM, 0.001)] {
        let what = format!("{kind}, {optimizer:?}");
        let mut ours = NativeTrainer::new(weights::<G>(kind), &spec, optimizer, 2).expect("fits");
        let mut theirs = trainer::<G>(kind, optimizer, 2);
        for _ in 0..2 {
            same_losses(&what, &ours.step(&samples, lr), &theirs.step(&samples, lr));
        }
        let max = difference(&ours.weights(), &theirs.weights());
        assert!(max < 1e-5, "{what}: {max}");
        same_losses(&what, &ours.evaluate(&samples[..7]), &theirs.evaluate(&samples[..7]));
    }
}

#[test]
fn training_steps_match_the_native_trainer() {
    step_matches_the_native_trainer::<Shobu>("resnet 2x8");
    step_matches_the_native_trainer::<Chess>("resnet 1x8");
    step_matches_the_native_trainer::<Othello>("mlp 65-16-8-1");
    step_matches_the_native_trainer::<TicTacToe>("mlp 27-16-1");
}

/// Biases and normalizations are not decayed.
#[test]
fn weight_decay_applies_to_weights_only() {
    let kind = "resnet 1x8";
    let (samples, lr) = (samples::<TicTacToe>(kind, 20), 0.01);
    let after = |weight_decay: f32| {
        let mut trainer = trainer::<TicTacToe>(kind, Optimizer::AdamW { weight_decay }, 1);
        trainer.step(&samples, lr);
        trainer.weights()
    };
    let (plain, decayed, first) = (after(0.0), after(0.5), weights::<TicTacToe>(kind));
    for (name, plain) in &plain.tensors {
        let decay_step = if name.ends_with("weight") { lr * 0.5 } else { 0.0 };
        let before = first.tensors[name].data.iter();
        for ((plain, decayed), before) in
            plain.data.iter().zip(&decayed.tensors[name].data).zip(before)
        {
            assert!((plain - decay_step * before - decayed).abs() < 1e-6, "{name}");
        }
    }
}

#[test]
fn mismatched_networks_are_refused() {
    let othello = EncodingSpec::of::<Othello>();
    let error = BurnNetwork::new(&weights::<TicTacToe>("resnet 1x8"), &othello, &device()).err();
    assert!(error.is_some_and(|error| error.to_string().contains("tictactoe")));
    let mut wrong = weights::<TicTacToe>("resnet 1x8");
    wrong.kind = "resnet 1x9".parse::<NetKind>().expect("a kind");
    assert!(BurnNetwork::new(&wrong, &EncodingSpec::of::<TicTacToe>(), &device()).is_err());
}
