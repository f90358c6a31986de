//! Training by burn.

use std::sync::atomic::AtomicBool;

use tablero_burn::BurnTrainer;
use tablero_chess::Chess;
use tablero_core::{Control, Game, GameHistory, Limits, Player, StandardRules};
use tablero_nets::train::{Losses, Optimizer, Trainer};
use tablero_nets::{EncodingSpec, GameNet, Weights};
use tablero_othello::Othello;
use tablero_search::puct::{Puct, PuctOptions};
use tablero_tictactoe::TicTacToe;

use crate::{ADAM, device, samples, trainer, weights};

#[test]
fn a_small_batch_is_memorized() {
    for (kind, optimizer, lr, steps) in [
        ("resnet 1x16", Optimizer::AdamW { weight_decay: 0.0 }, 0.01, 120),
        ("mlp 27-32-1", Optimizer::Sgd, 0.1, 600),
    ] {
        let samples = samples::<TicTacToe>(kind, 12);
        let mut trainer = trainer::<TicTacToe>(kind, optimizer, 1);
        let first = trainer.step(&samples, lr);
        for _ in 0..steps {
            trainer.step(&samples, lr);
        }
        let last = trainer.step(&samples, lr);
        assert!(last.value < 0.2 * first.value, "{kind}: {first:?} {last:?}");
        assert!(kind.starts_with("mlp") || last.policy < first.policy, "{first:?} {last:?}");
        assert_eq!(trainer.steps(), steps + 2);
    }
}

#[test]
fn weights_round_trip() {
    for kind in ["resnet 2x7 ownership", "mlp 27-5-3-1"] {
        let weights = weights::<TicTacToe>(kind);
        assert_eq!(trainer::<TicTacToe>(kind, ADAM, 1).weights(), weights);
    }
    let chess = weights::<Chess>("resnet 1x5");
    assert_eq!(trainer::<Chess>("resnet 1x5", ADAM, 1).weights(), chess);
}

/// A network trained by burn is a network like any other.
#[test]
fn trained_networks_play() {
    let kind = "resnet 1x16";
    let samples = samples::<Othello>(kind, 16);
    let mut trainer = trainer::<Othello>(kind, ADAM, 2);
    for _ in 0..3 {
        trainer.step(&samples, 0.002);
    }
    let path = std::env::temp_dir().join(format!("burn-{}.safetensors", std::process::id()));
    trainer.weights().write(&path).expect("written");
    let net = GameNet::<Othello>::read(&path).expect("a network");
    assert_eq!(Weights::read(&path).expect("a file"), trainer.weights());
    std::fs::remove_file(&path).expect("removed");
    let mut player = Puct::new(PuctOptions::default(), net);
    let game = GameHistory::<Othello>::new(Othello::start(StandardRules));
    let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
    let mut control = Control::new(&stop, &mut ignore);
    let choice = player.choose(&game, &Limits::default(), &mut control).expect("a move");
    assert!(game.moves().contains(&choice.m));
}

#[test]
fn resuming_continues_to_the_same_weights() {
    let (kind, spec) = ("resnet 1x8", EncodingSpec::of::<TicTacToe>());
    let samples = samples::<TicTacToe>(kind, 20);
    for optimizer in [ADAM, Optimizer::Sgd] {
        let read = |bytes: &[u8], threads| {
            BurnTrainer::from_bytes(bytes, &spec, optimizer, &device(), threads)
        };
        let mut uninterrupted = trainer::<TicTacToe>(kind, optimizer, 1);
        for _ in 0..2 {
            uninterrupted.step(&samples, 0.01);
        }
        let bytes = uninterrupted.to_bytes();
        let mut resumed = read(&bytes, 2).expect("whole");
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
            assert!(read(&broken, 1).is_err(), "{at}");
            assert!(read(&bytes[..at], 1).is_err(), "{at}");
        }
    }
}

/// Large enough for burn to run in parallel.
#[test]
fn weights_do_not_depend_on_the_number_of_threads() {
    let kind = "resnet 2x32";
    let samples = samples::<Othello>(kind, 64);
    let learn = |threads| {
        let mut trainer = trainer::<Othello>(kind, ADAM, threads);
        for _ in 0..3 {
            trainer.step(&samples, 0.01);
        }
        trainer.weights()
    };
    assert_eq!(learn(1), learn(3));
}

#[test]
fn an_empty_batch_is_a_no_op() {
    let mut trainer = trainer::<TicTacToe>("resnet 1x4", Optimizer::Sgd, 1);
    let before = trainer.weights();
    assert_eq!(trainer.step(&[], 0.1), Losses::default());
    assert_eq!(trainer.evaluate(&[]), Losses::default());
    assert_eq!(trainer.weights(), before);
}
