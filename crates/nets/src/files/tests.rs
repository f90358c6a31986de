use tablero_core::conformance::check_reader;
use tablero_core::{Game, Notation, PolicyValue, Side, StandardRules};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

use super::*;
use crate::safetensors::Writer;
use crate::{GameNet, Mlp};

// Saved by Keras itself; see tests/keras/make.py.
const KERAS: &[u8] = include_bytes!("../../tests/keras/otelo.keras");
const H5: &[u8] = include_bytes!("../../tests/keras/otelo.h5");
const OUTPUTS: &str = include_str!("../../tests/keras/outputs.json");

fn othello() -> EncodingSpec {
    EncodingSpec::of::<Othello>()
}

fn mlp(kind: &str) -> Weights {
    Weights::random(kind.parse().expect("a kind"), &othello(), 3).expect("a network")
}

#[test]
fn networks_saved_by_keras_play_with_the_same_values() {
    let outputs: serde_json::Value = serde_json::from_str(OUTPUTS).expect("outputs");
    let start = Othello::start(StandardRules);
    let after_f5 = start.after(start.parse_move("f5").expect("a move"));
    for bytes in [KERAS, H5] {
        let weights = Weights::from_any_bytes(bytes, &othello()).expect("a network");
        let sizes = vec![65, 16, 8, 4, 1];
        assert_eq!(weights.kind, NetKind::Mlp(Mlp { sizes, is_absolute: true }));
        assert_eq!(weights.provenance, ["imported from Keras 3.15.1"]);
        let mut net = GameNet::<Othello>::new(&weights).expect("fits");
        for (position, name) in [(start, "start"), (after_f5, "f5")] {
            let moves = position.moves();
            let value = net.evaluate(&position, 0, &moves, &mut vec![0.0; moves.len()]).0;
            // Keras says 1 for White.
            let value = if position.side() == Side::First { -value } else { value };
            let expected = outputs[name].as_f64().expect("an output") as f32;
            assert!((value - expected).abs() < 1e-6, "{name}: {value}, not {expected}");
        }
    }
}

#[test]
fn networks_survive_a_round_trip_through_keras() {
    for kind in ["mlp 65-128-64-32-1", "mlp 65-8-1 absolute", "mlp 256-12-1"] {
        let weights = mlp(kind);
        for format in [NetFormat::Keras, NetFormat::H5, NetFormat::Safetensors] {
            let bytes = weights.to_format(format, &othello()).expect("written");
            assert_eq!(Weights::from_any_bytes(&bytes, &othello()).expect(kind), weights);
        }
    }
    // The largest number of layers.
    let weights = mlp(&format!("mlp 65{}-1", "-2".repeat(98)));
    let bytes = weights.to_format(NetFormat::Keras, &othello()).expect("written");
    assert_eq!(Weights::from_any_bytes(&bytes, &othello()).expect("deep"), weights);
}

#[test]
fn networks_survive_a_round_trip_through_onnx() {
    let kinds = [
        "mlp 65-16-8-1",
        "mlp 65-8-1 absolute",
        "mlp 256-12-1",
        "resnet 2x8",
        "resnet 1x4 ownership",
    ];
    for kind in kinds {
        let weights = mlp(kind);
        let bytes = weights.to_format(NetFormat::Onnx, &othello()).expect("written");
        assert_eq!(Weights::from_any_bytes(&bytes, &othello()).expect(kind), weights);
    }
    let chess = EncodingSpec::of::<tablero_chess::Chess>();
    for kind in ["resnet 1x4", "resnet 1x4 mover", "resnet 1x4 attacks"] {
        let weights = Weights::random(kind.parse().expect("a kind"), &chess, 3).expect("a network");
        let bytes = weights.to_format(NetFormat::Onnx, &chess).expect("written");
        assert_eq!(Weights::from_any_bytes(&bytes, &chess).expect(kind), weights);
        let error = Weights::from_any_bytes(&bytes, &othello()).expect_err("another game");
        assert!(error.to_string().contains("chess"), "{error}");
    }
}

/// As PyTorch's `save_file` writes a `state_dict`.
#[test]
fn bare_tensors_are_networks() {
    for kind in ["mlp 65-8-4-1 absolute", "mlp 256-12-1", "resnet 2x8", "resnet 1x4 ownership"] {
        let weights = mlp(kind);
        let mut file = Writer::default();
        for (name, tensor) in &weights.tensors {
            file.add(
                name,
                "F32",
                &tensor.shape,
                tensor.data.iter().map(|value| value.to_le_bytes()),
            );
        }
        let bytes = file.finish(&[]);
        let read = Weights::from_any_bytes(&bytes, &othello()).expect(kind);
        assert_eq!((&read.kind, &read.tensors), (&weights.kind, &weights.tensors));
    }
    let mut other = Writer::default();
    other.add("fc.weight", "F32", &[1], [[0; 4]].into_iter());
    let error = Weights::from_any_bytes(&other.finish(&[]), &othello()).expect_err("other names");
    assert!(error.to_string().contains("layer.0.weight"), "{error}");
}

#[test]
fn unsuitable_networks_are_refused() {
    let resnet = Weights::random("resnet 1x4".parse().expect("a kind"), &othello(), 1);
    let error = resnet.expect("a network").to_format(NetFormat::Keras, &othello());
    assert!(error.expect_err("a resnet").to_string().contains(".onnx holds every network"));
    let error = Weights::from_any_bytes(KERAS, &EncodingSpec::of::<TicTacToe>());
    assert!(error.expect_err("65 inputs").to_string().contains("has 27 inputs"));
    // Of the same length; attributes have no checksum.
    for (from, to, expected) in [
        ("\"activation\": \"relu\"", "\"activation\": \"selu\"", "activation `selu`, not relu"),
        ("\"class_name\": \"Dense\"", "\"class_name\": \"Conv2\"", "class `Conv2`"),
        ("\"class_name\": \"Sequential\"", "\"class_name\": \"Functional\"", "class `Functional`"),
    ] {
        let at = H5.windows(from.len()).position(|part| part == from.as_bytes()).expect(from);
        let bytes = [&H5[..at], to.as_bytes(), &H5[at + from.len()..]].concat();
        let error = Weights::from_any_bytes(&bytes, &othello()).expect_err(to).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn reading_never_panics() {
    let files = [
        mlp("mlp 65-2-1").to_format(NetFormat::Keras, &othello()).expect("written"),
        mlp("mlp 65-2-1").to_format(NetFormat::H5, &othello()).expect("written"),
        mlp("mlp 65-2-1").to_format(NetFormat::Onnx, &othello()).expect("written"),
        mlp("resnet 1x1").to_format(NetFormat::Onnx, &othello()).expect("written"),
    ];
    check_reader(&[&files[0], &files[1], &files[2], &files[3], KERAS, H5], 3000, 1, |bytes| {
        let _ = Weights::from_any_bytes(bytes, &othello());
        let _ = hdf5::read(bytes);
    });
}

/// A group whose tree refers to itself.
#[test]
fn looping_files_are_refused() {
    let mut bytes = mlp("mlp 65-2-1").to_format(NetFormat::H5, &othello()).expect("written");
    let trees: Vec<usize> =
        (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"TREE")).collect();
    for at in trees {
        // Level 1, and the node itself as every child.
        bytes[at + 5] = 1;
        for child in 0..32 {
            let place = at + 32 + 16 * child;
            bytes[place..place + 8].copy_from_slice(&(at as u64).to_le_bytes());
        }
        bytes[at + 6] = 32;
    }
    let error = Weights::from_any_bytes(&bytes, &othello()).expect_err("a loop").to_string();
    assert!(
        error.contains("loop") || error.contains("levels") || error.contains("corrupt"),
        "{error}"
    );
}
