//! What burn says and learns is what our own code says and learns.

use std::sync::Arc;

use tablero_burn::BurnNetwork;
use tablero_chess::Chess;
use tablero_core::Rng;
use tablero_nets::train::{Losses, NativeTrainer, Optimizer, Trainer};
use tablero_nets::{Encoding, EncodingSpec, Evaluator, NetKind, Network, Tensor, Weights};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::{ADAM, samples, trainer, weights};

/// What is allowed between two ways to evaluate a network.
const CLOSE: f32 = 1e-4;

fn close(what: &str, ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < CLOSE, "{what}: {ours} {theirs}");
    }
}

/// After some training, so that normalisations do something.
fn the_evaluator_says_the_same<G: Encoding>(kind: &str, steps: usize) {
    let (spec, samples) = (EncodingSpec::of::<G>(), samples::<G>(kind, 6));
    let mut trainer = trainer::<G>(kind, ADAM, 2);
    for _ in 0..steps {
        trainer.step(&samples, 0.002);
    }
    let weights = trainer.weights();
    if let Some(variance) = weights.tensors.get("value.mix.norm.variance") {
        assert!(variance.data.iter().any(|value| (value - 1.0).abs() > 0.05), "{variance:?}");
    }
    let inputs: Vec<&[f32]> = samples.iter().map(|sample| &sample.input[..]).collect();
    let burn = BurnNetwork::new(&weights, &spec).expect("a network").run(&inputs);
    let network = Arc::new(Network::new(&weights, &spec).expect("a network"));
    let mut evaluator = Evaluator::new(network);
    for (index, input) in inputs.iter().enumerate() {
        let ours = evaluator.run(input);
        let row = |rows: &Option<Vec<f32>>, width: usize| {
            rows.as_ref().map(|rows| rows[index * width..(index + 1) * width].to_vec())
        };
        close(kind, &[ours.value], &burn.value[index..=index]);
        let (outputs, squares) = (spec.policy_size(), spec.squares());
        let policy = ours.policy.map(|policy| &policy[..outputs]);
        close(kind, policy.unwrap_or_default(), &row(&burn.policy, outputs).unwrap_or_default());
        let theirs = row(&burn.ownership, squares).unwrap_or_default();
        close(kind, ours.ownership.unwrap_or_default(), &theirs);
    }
}

#[test]
fn residual_networks_of_all_games() {
    the_evaluator_says_the_same::<TicTacToe>("resnet 2x8 ownership", 6);
    the_evaluator_says_the_same::<Othello>("resnet 2x20 ownership", 6);
    the_evaluator_says_the_same::<Chess>("resnet 1x33", 6);
    the_evaluator_says_the_same::<Chess>("resnet 1x16 mover", 6);
    the_evaluator_says_the_same::<Chess>("resnet 1x16 attacks", 6);
    the_evaluator_says_the_same::<Shobu>("resnet 2x32", 6);
}

#[test]
fn the_default_size() {
    the_evaluator_says_the_same::<Othello>("resnet 6x64", 2);
}

#[test]
fn fully_connected_networks_of_all_games() {
    the_evaluator_says_the_same::<TicTacToe>("mlp 27-17-9-1", 6);
    the_evaluator_says_the_same::<Othello>("mlp 65-128-64-32-1", 6);
    the_evaluator_says_the_same::<Othello>("mlp 256-40-1", 6);
    the_evaluator_says_the_same::<Chess>("mlp 1152-24-1", 6);
    the_evaluator_says_the_same::<Shobu>("mlp 160-1", 6);
}

fn same_losses(what: &str, ours: &Losses, theirs: &Losses) {
    for (part, of) in [
        ("value", (|losses| losses.value) as fn(&Losses) -> f64),
        ("value error", |losses| losses.value_error),
        ("moves", |losses| losses.moves),
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

/// The same weights learn the same from the same samples.
///
/// Where a gradient is nothing but rounding, Adam's step is its sign. So it is for what a normalisation or a
/// softmax takes out again: the weights of a plane that is the same in all positions, and the bias of a
/// single plane of moves. Here no plane is the same, and there are several of moves.
fn a_step_is_the_same<G: Encoding>(kind: &str) {
    let (spec, mut rng) = (EncodingSpec::of::<G>(), Rng::seeded(8));
    let mut samples = samples::<G>(kind, 20);
    for number in samples.iter_mut().flat_map(|sample| &mut sample.input) {
        *number += 0.2 * rng.unit() as f32;
    }
    for (optimizer, rate) in [(Optimizer::Sgd, 0.05), (ADAM, 0.001)] {
        let what = format!("{kind}, {optimizer:?}");
        let mut ours = NativeTrainer::new(weights::<G>(kind), &spec, optimizer, 2).expect("fits");
        let mut theirs = trainer::<G>(kind, optimizer, 2);
        for _ in 0..2 {
            same_losses(&what, &ours.step(&samples, rate), &theirs.step(&samples, rate));
        }
        let most = difference(&ours.weights(), &theirs.weights());
        assert!(most < 1e-5, "{what}: {most}");
        same_losses(&what, &ours.measure(&samples[..7]), &theirs.measure(&samples[..7]));
    }
}

#[test]
fn a_step_of_burn_is_a_step_of_our_own() {
    a_step_is_the_same::<Shobu>("resnet 2x8");
    a_step_is_the_same::<Chess>("resnet 1x8");
    a_step_is_the_same::<Othello>("mlp 65-16-8-1");
    a_step_is_the_same::<TicTacToe>("mlp 27-16-1");
}

/// Only weights are pulled towards 0.
#[test]
fn decay_is_for_weights_alone() {
    let kind = "resnet 1x8";
    let (samples, rate) = (samples::<TicTacToe>(kind, 20), 0.01);
    let after = |decay: f32| {
        let mut trainer = trainer::<TicTacToe>(kind, Optimizer::Adam { decay }, 1);
        trainer.step(&samples, rate);
        trainer.weights()
    };
    let (plain, pulled, first) = (after(0.0), after(0.5), weights::<TicTacToe>(kind));
    for (name, plain) in &plain.tensors {
        let pull = if name.ends_with("weight") { rate * 0.5 } else { 0.0 };
        let before = first.tensors[name].data.iter();
        for ((plain, pulled), before) in
            plain.data.iter().zip(&pulled.tensors[name].data).zip(before)
        {
            assert!((plain - pull * before - pulled).abs() < 1e-6, "{name}");
        }
    }
}

#[test]
fn kinds_that_do_not_fit_are_refused() {
    let othello = EncodingSpec::of::<Othello>();
    let error = BurnNetwork::new(&weights::<TicTacToe>("resnet 1x8"), &othello).err();
    assert!(error.is_some_and(|error| error.to_string().contains("tictactoe")));
    let mut wrong = weights::<TicTacToe>("resnet 1x8");
    wrong.kind = "resnet 1x9".parse::<NetKind>().expect("a kind");
    assert!(BurnNetwork::new(&wrong, &EncodingSpec::of::<TicTacToe>()).is_err());
}
