use std::sync::Arc;

use tablero_chess::Chess;
use tablero_core::Rng;
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::conv::{Conv, Epilogue, FoldedConv, PaddedBoard};
use super::dense::Dense;
use super::vector::{Native, Portable, Vector};
use super::winograd::{Winograd, WinogradScratch};
use super::*;
use crate::{Encoding, EncodingSpec, Tensor, Weights, reference};

fn random_numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
    (0..count).map(|_| 2.0 * rng.unit() as f32 - 1.0).collect()
}

/// A random network with non-trivial batch normalization.
fn network(kind: &str, spec: &EncodingSpec, rng: &mut Rng) -> Weights {
    let mut weights =
        Weights::random(kind.parse().expect("a kind"), spec, rng.bits()).expect("fits");
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

fn matches_the_reference<G: Encoding>(kind: &str) {
    let mut rng = Rng::seeded(11);
    let spec = EncodingSpec::of::<G>();
    let weights = network(kind, &spec, &mut rng);
    let network = Arc::new(Network::new(&weights, &spec).expect("a network"));
    let mut evaluator = Evaluator::new(network);
    // Twice: no state may leak from one position to the next.
    for _ in 0..2 {
        let input = random_numbers(evaluator.network().inputs(), &mut rng);
        let expected = reference::evaluate(&weights, &spec, &input);
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
    batches_do_not_matter(&mut evaluator, &mut rng);
}

/// Positions evaluated together have the outputs that they have alone.
fn batches_do_not_matter(evaluator: &mut Evaluator, rng: &mut Rng) {
    let len = evaluator.network().inputs();
    let inputs = random_numbers(11 * len, rng);
    let mut together = Vec::new();
    evaluator.run_batch(&inputs, |index, output| {
        assert_eq!(index, together.len());
        together.push(owned(output));
    });
    let alone = inputs.chunks(len).map(|input| owned(evaluator.run(input)));
    assert!(alone.eq(together));
}

fn owned(output: Output<'_>) -> (f32, Option<Vec<f32>>, Option<Vec<f32>>) {
    (output.value, output.policy.map(<[f32]>::to_vec), output.ownership.map(<[f32]>::to_vec))
}

/// All cases, or only the first under Miri, which is a thousand times slower.
fn smaller<T: Copy>(cases: &[T]) -> impl Iterator<Item = T> {
    cases.iter().copied().take(if cfg!(miri) { 1 } else { usize::MAX })
}

#[test]
fn resnets_match_the_reference() {
    matches_the_reference::<TicTacToe>("resnet 2x8");
    if cfg!(miri) {
        return;
    }
    matches_the_reference::<Othello>("resnet 2x20 ownership");
    matches_the_reference::<Chess>("resnet 1x33");
    matches_the_reference::<Shobu>("resnet 2x64");
}

#[test]
fn mlps_match_the_reference() {
    matches_the_reference::<TicTacToe>("mlp 27-1");
    matches_the_reference::<TicTacToe>("mlp 27-17-99-3-1");
    if cfg!(miri) {
        return;
    }
    matches_the_reference::<Othello>("mlp 65-128-64-32-1");
    matches_the_reference::<Othello>("mlp 256-200-1");
}

/// Positions of a convolution's test.
const BATCH: usize = 3;

/// One convolution with native and portable vectors, with several tile shapes, and by Winograd.
#[test]
fn tile_shape_and_vector_type_do_not_matter() {
    let mut rng = Rng::seeded(4);
    let shapes = [
        ((3, 3), 5, 3, 3),
        ((8, 8), 64, 18, 3),
        ((4, 4), 70, 10, 1),
        ((7, 6), 32, 3, 3),
        ((8, 8), 32, 32, 3),
        ((7, 6), 20, 48, 3),
        ((3, 3), 70, 16, 3),
        ((4, 4), 64, 64, 3),
    ];
    for (board, filters, channels, size) in smaller(&shapes) {
        let shape = vec![filters, channels, size, size];
        let data = random_numbers(shape.iter().product(), &mut rng);
        let bias = random_numbers(filters, &mut rng);
        let folded = FoldedConv { weight: Tensor { shape, data }, bias };
        let padded = PaddedBoard::new(board.0, board.1, BATCH);
        let mut input = padded.buffer(channels);
        for cell in (0..BATCH).flat_map(|index| padded.cells(index)) {
            let values = random_numbers(channels, &mut rng);
            input.as_mut_slice()[cell * channels..(cell + 1) * channels].copy_from_slice(&values);
        }
        for epilogue in [Epilogue::Identity, Epilogue::Relu, Epilogue::AddRelu] {
            let case = Case { folded: &folded, board: &padded, input: &input, epilogue };
            let expected = case.run::<Portable, 1, 1>();
            for other in [
                case.run::<Native, 1, 1>(),
                case.run::<Native, 6, 1>(),
                case.run::<Native, 12, 2>(),
                case.run::<Portable, 7, 3>(),
            ] {
                let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
                assert!(expected.iter().zip(&other).all(close), "{board:?} {filters} {epilogue:?}");
            }
            if size == 3 && channels % 16 == 0 {
                case.check_winograd(&expected);
            }
        }
    }
}

struct Case<'a> {
    folded: &'a FoldedConv,
    board: &'a PaddedBoard,
    input: &'a super::buffer::Buffer,
    epilogue: Epilogue,
}

impl Case<'_> {
    /// The outputs without padding filters; the previous output is 0.25.
    fn run<V: Vector, const P: usize, const G: usize>(&self) -> Vec<f32> {
        let channels = self.folded.weight.shape[1];
        let conv = Conv::packed(self.folded, channels, G);
        let mut output = self.board.buffer(conv.outputs);
        output.as_mut_slice().fill(0.25);
        conv.run_with::<V, P, G>(self.board, BATCH, self.input, &mut output, self.epilogue);
        self.outputs(&output, conv.outputs)
    }

    fn check_winograd(&self, expected: &[f32]) {
        let together = self.run_winograd::<Native, 12, 2>(BATCH);
        let portable = self.run_winograd::<Portable, 5, 1>(BATCH);
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
        assert!(expected.iter().zip(&together).all(close), "{:?}", self.epilogue);
        assert!(expected.iter().zip(&portable).all(close), "{:?}", self.epilogue);
        let alone = self.run_winograd::<Native, 12, 2>(1);
        let first = expected.len() / BATCH;
        assert_eq!(alone[..first], together[..first], "independent of the batch");
    }

    /// The same by Winograd, for whole vectors of channels; the positions together or one by one.
    fn run_winograd<V: Vector, const P: usize, const G: usize>(&self, batch: usize) -> Vec<f32> {
        let channels = self.folded.weight.shape[1];
        let conv = Winograd::packed(self.folded, channels, G);
        let mut output = self.board.buffer(conv.outputs);
        output.as_mut_slice().fill(0.25);
        let mut scratch = WinogradScratch::new(self.board, BATCH, channels.max(conv.outputs));
        conv.run_with::<V, P, G>(
            self.board,
            batch,
            self.input,
            &mut output,
            self.epilogue,
            &mut scratch,
        );
        self.outputs(&output, conv.outputs)
    }

    fn outputs(&self, output: &super::buffer::Buffer, stride: usize) -> Vec<f32> {
        let filters = self.folded.weight.shape[0];
        let of = |cell: &usize| output.as_slice()[cell * stride..][..filters].to_vec();
        (0..BATCH).flat_map(|index| self.board.cells(index)).flat_map(of).collect()
    }
}

#[test]
fn dense_layers_match_their_portable_version() {
    let mut rng = Rng::seeded(6);
    for (outputs, inputs) in smaller(&[(17, 9), (1, 32), (128, 65), (200, 256)]) {
        let data = random_numbers(outputs * inputs, &mut rng);
        let bias = random_numbers(outputs, &mut rng);
        let layer = Dense::new(&Tensor { shape: vec![outputs, inputs], data }, &bias);
        let mut input = random_numbers(inputs, &mut rng);
        // Zeros take the sparse path.
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
#[cfg_attr(miri, ignore = "takes hours")]
fn a_20x256_network_runs() {
    let spec = EncodingSpec::of::<Chess>();
    let weights =
        Weights::random("resnet 20x256".parse().expect("a kind"), &spec, 1).expect("fits");
    let network = Arc::new(Network::new(&weights, &spec).expect("a network"));
    let mut evaluator = Evaluator::new(network);
    let output = evaluator.run(&vec![0.5; spec.inputs()]);
    assert!(output.value.abs() <= 1.0);
    assert!(output.policy.is_some_and(|policy| policy.iter().all(|value| value.is_finite())));
}

#[test]
fn fma_peak_is_positive() {
    assert!(fma_peak(std::time::Duration::from_millis(5)) > 0.0);
}
