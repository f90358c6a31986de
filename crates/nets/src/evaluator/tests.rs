use std::sync::Arc;

use tablero_chess::Chess;
use tablero_core::Rng;
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::conv::{After, Conv, Folded, Grid};
use super::dense::Dense;
use super::vector::{Native, Portable, Vector};
use super::*;
use crate::{Dims, Encoding, Tensor, Weights, reference};

fn random_numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
    (0..count).map(|_| 2.0 * rng.unit() as f32 - 1.0).collect()
}

/// A random network whose normalisations do something.
fn network(kind: &str, dims: &Dims, rng: &mut Rng) -> Weights {
    let mut weights =
        Weights::random(kind.parse().expect("a kind"), dims, rng.bits()).expect("fits");
    for (name, tensor) in &mut weights.tensors {
        if !name.ends_with("weight") {
            let least =
                if name.ends_with("variance") || name.ends_with("gamma") { 0.6 } else { 0.0 };
            tensor.data.iter_mut().for_each(|value| *value = least + 0.5 * rng.unit() as f32);
        }
    }
    weights
}

fn is_close(ours: f32, theirs: f64) -> bool {
    (f64::from(ours) - theirs).abs() < 1e-4 * (1.0 + theirs.abs())
}

fn agrees_with_the_reference<G: Encoding>(kind: &str) {
    let mut rng = Rng::seeded(11);
    let dims = Dims::of::<G>();
    let weights = network(kind, &dims, &mut rng);
    let network = Arc::new(Network::new(&weights, &dims).expect("a network"));
    let mut evaluator = Evaluator::new(network);
    // Twice, because nothing of the first position may be left in memory.
    for _ in 0..2 {
        let input = random_numbers(evaluator.network().inputs(), &mut rng);
        let expected = reference::evaluate(&weights, &dims, &input);
        let output = evaluator.run(&input);
        assert!(is_close(output.value, expected.value), "{} {}", output.value, expected.value);
        let same = |ours: Option<&[f32]>, theirs: &[f64]| {
            let ours = ours.unwrap_or_default();
            assert_eq!(ours.len(), theirs.len());
            assert!(ours.iter().zip(theirs).all(|(&a, &b)| is_close(a, b)), "{ours:?} {theirs:?}");
        };
        same(output.policy, &expected.policy);
        same(output.ownership, &expected.ownership);
    }
}

#[test]
fn residual_networks() {
    agrees_with_the_reference::<TicTacToe>("resnet 2x8");
    agrees_with_the_reference::<Othello>("resnet 2x20 ownership");
    agrees_with_the_reference::<Chess>("resnet 1x33");
    agrees_with_the_reference::<Shobu>("resnet 2x64");
}

#[test]
fn fully_connected_networks() {
    agrees_with_the_reference::<Othello>("mlp 65-128-64-32-1");
    agrees_with_the_reference::<Othello>("mlp 256-200-1");
    agrees_with_the_reference::<TicTacToe>("mlp 27-1");
    agrees_with_the_reference::<TicTacToe>("mlp 27-17-99-3-1");
}

/// The same convolution by the processor's vectors and by portable ones, in tiles of all shapes.
#[test]
fn every_tile_gives_the_same() {
    let mut rng = Rng::seeded(4);
    let shapes = [((8, 8), 64, 18, 3), ((3, 3), 5, 3, 3), ((4, 4), 70, 10, 1), ((7, 6), 32, 3, 3)];
    for (board, filters, channels, size) in shapes {
        let shape = vec![filters, channels, size, size];
        let data = random_numbers(shape.iter().product(), &mut rng);
        let bias = random_numbers(filters, &mut rng);
        let folded = Folded { weight: Tensor { shape, data }, bias };
        let grid = Grid::new(board.0, board.1);
        let mut input = grid.buffer(channels);
        for cell in &grid.cells {
            let values = random_numbers(channels, &mut rng);
            input.as_mut_slice()[cell * channels..(cell + 1) * channels].copy_from_slice(&values);
        }
        for after in [After::Nothing, After::Relu, After::AddThenRelu] {
            let case = Case { folded: &folded, grid: &grid, input: &input, after };
            let expected = case.run::<Portable, 1, 1>();
            for other in [
                case.run::<Native, 1, 1>(),
                case.run::<Native, 6, 1>(),
                case.run::<Native, 12, 2>(),
                case.run::<Portable, 7, 3>(),
            ] {
                let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
                assert!(expected.iter().zip(&other).all(close), "{board:?} {filters} {after:?}");
            }
        }
    }
}

struct Case<'a> {
    folded: &'a Folded,
    grid: &'a Grid,
    input: &'a super::buffer::Buffer,
    after: After,
}

impl Case<'_> {
    /// The outputs of the real filters; 0.25 was in the output before.
    fn run<V: Vector, const P: usize, const G: usize>(&self) -> Vec<f32> {
        let channels = self.folded.weight.shape[1];
        let conv = Conv::packed(self.folded, channels, G);
        let mut output = self.grid.buffer(conv.outputs);
        output.as_mut_slice().fill(0.25);
        conv.run_with::<V, P, G>(self.grid, self.input, &mut output, self.after);
        let filters = self.folded.weight.shape[0];
        let of = |cell: &usize| output.as_slice()[cell * conv.outputs..][..filters].to_vec();
        self.grid.cells.iter().flat_map(of).collect()
    }
}

#[test]
fn portable_layers_give_the_same() {
    let mut rng = Rng::seeded(6);
    for (outputs, inputs) in [(1, 32), (17, 9), (128, 65), (200, 256)] {
        let data = random_numbers(outputs * inputs, &mut rng);
        let bias = random_numbers(outputs, &mut rng);
        let layer = Dense::new(&Tensor { shape: vec![outputs, inputs], data }, &bias);
        let mut input = random_numbers(inputs, &mut rng);
        // Nothing is added for what is 0.
        input.iter_mut().step_by(3).for_each(|value| *value = 0.0);
        for relu in [false, true] {
            let (mut one, mut two) = (layer.buffer(), layer.buffer());
            layer.run_with::<Native, 8>(&input, &mut one, relu);
            layer.run_with::<Portable, 3>(&input, &mut two, relu);
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
            assert!(one.as_slice().iter().zip(two.as_slice()).all(close), "{outputs} {inputs}");
        }
    }
}

#[test]
fn the_large_network_can_be_evaluated() {
    let dims = Dims::of::<Chess>();
    let weights =
        Weights::random("resnet 20x256".parse().expect("a kind"), &dims, 1).expect("fits");
    let network = Arc::new(Network::new(&weights, &dims).expect("a network"));
    let mut evaluator = Evaluator::new(network);
    let output = evaluator.run(&vec![0.5; dims.inputs()]);
    assert!(output.value.abs() <= 1.0);
    assert!(output.policy.is_some_and(|policy| policy.iter().all(|value| value.is_finite())));
}

#[test]
fn the_peak_is_positive() {
    assert!(fma_peak(std::time::Duration::from_millis(5)) > 0.0);
}
