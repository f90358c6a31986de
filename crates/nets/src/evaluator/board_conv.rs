//! Winograd convolutions for training: of boards as rows of channels, without padding, and backward.

use std::cell::Cell;

use super::buffer::Buffer;
use super::conv::{Epilogue, PaddedBoard};
use super::gemm::{StridedMatrix, gemm};
use super::vector::{FILTER_VECTORS, LANES, Native};
use super::winograd::{
    ELEMENTS, TAPS, Winograd, WinogradScratch, kernel_gradient, plane, transform_gradients,
    transform_inputs,
};

/// The shape of a 3x3 convolution of boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardShape {
    /// Columns.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Input channels.
    pub(crate) inputs: usize,
    /// Filters.
    pub(crate) outputs: usize,
}

impl BoardShape {
    /// Boards that are convolved together.
    pub(crate) const BATCH: usize = 8;

    /// Whether a convolution of this shape, forward and backward, is done by Winograd.
    pub(crate) const fn fits(self) -> bool {
        Winograd::fits(self.inputs, self.outputs) && self.outputs.is_multiple_of(LANES)
    }

    /// Squares of a board.
    const fn squares(self) -> usize {
        self.width * self.height
    }

    /// The convolution with these weights: kernel tap, input channel; filter.
    pub(crate) fn conv(self, weight: &[f32]) -> BoardConv {
        BoardConv::new(self, |filter, channel| {
            std::array::from_fn(|tap| weight[(tap * self.inputs + channel) * self.outputs + filter])
        })
    }

    /// The convolution that takes the gradient of the outputs to that of the inputs.
    pub(crate) fn backward_conv(self, weight: &[f32]) -> BoardConv {
        let shape = Self { inputs: self.outputs, outputs: self.inputs, ..self };
        BoardConv::new(shape, |input, output| {
            std::array::from_fn(|tap| {
                let tap = TAPS - 1 - tap;
                weight[(tap * self.inputs + input) * self.outputs + output]
            })
        })
    }

    /// The gradient of the transformed weights, of boards with these inputs and gradients of outputs; gradients of
    /// several lists of boards are added.
    pub(crate) fn weight_gradient(self, input: &[f32], gradient: &[f32]) -> Vec<f32> {
        let (size, mut scratch) = (self.inputs * self.outputs, Scratch::take(self));
        let mut sum = vec![0.0; ELEMENTS * size];
        let mut block = vec![0.0; size];
        let unit = Self::BATCH * self.squares();
        let blocks = input.chunks(unit * self.inputs).zip(gradient.chunks(unit * self.outputs));
        for (input, gradient) in blocks {
            let Scratch { board, input: padded, gradient: padded_gradient, winograd, .. } =
                &mut scratch;
            let boards = write_rows(board, self.inputs, input, padded);
            write_rows(board, self.outputs, gradient, padded_gradient);
            let tiles = boards * board.tiles();
            let (inputs, gradients) = winograd.parts();
            transform_inputs::<Native>(board, tiles, self.inputs, padded, inputs);
            transform_gradients::<Native>(board, tiles, self.outputs, padded_gradient, gradients);
            for (element, sum) in sum.chunks_exact_mut(size).enumerate() {
                let left = StridedMatrix {
                    data: &inputs.as_slice()[element * plane(tiles, self.inputs)..],
                    row_stride: 1,
                    column_stride: self.inputs,
                };
                let right = &gradients.as_slice()[element * plane(tiles, self.outputs)..];
                gemm(left, tiles, right, self.outputs, &mut block);
                sum.iter_mut().zip(&block).for_each(|(sum, value)| *sum += value);
            }
        }
        scratch.put_back();
        sum
    }

    /// The gradient of the weights (kernel tap, input channel; filter) from that of the transformed ones.
    pub(crate) fn to_taps(self, transformed: &[f32]) -> Vec<f32> {
        let size = self.inputs * self.outputs;
        let mut weight = vec![0.0; TAPS * size];
        for index in 0..size {
            let tile = std::array::from_fn(|element| transformed[element * size + index]);
            for (tap, value) in kernel_gradient(&tile).into_iter().enumerate() {
                weight[tap * size + index] = value;
            }
        }
        weight
    }
}

/// A 3x3 convolution of boards.
pub(crate) struct BoardConv {
    shape: BoardShape,
    conv: Winograd,
}

impl BoardConv {
    fn new(shape: BoardShape, kernel: impl Fn(usize, usize) -> [f32; TAPS]) -> Self {
        let channels = [shape.inputs, shape.outputs];
        let conv = Winograd::from_kernels(channels, shape.inputs, FILTER_VECTORS, kernel);
        Self { shape, conv }
    }

    /// Convolves boards, rows of `inputs` channels, to rows of `outputs` channels.
    pub(crate) fn run(&self, input: &[f32], output: &mut [f32]) {
        let BoardShape { inputs, outputs, .. } = self.shape;
        let mut scratch = Scratch::take(self.shape);
        let unit = BoardShape::BATCH * self.shape.squares();
        for (input, output) in input.chunks(unit * inputs).zip(output.chunks_mut(unit * outputs)) {
            let Scratch { board, input: padded, output: padded_output, winograd, .. } =
                &mut scratch;
            let boards = write_rows(board, inputs, input, padded);
            let epilogue = Epilogue::Identity;
            self.conv.run(board, boards, padded, padded_output, epilogue, winograd);
            read_rows(board, self.conv.outputs, outputs, padded_output, output);
        }
        scratch.put_back();
    }
}

/// Copies rows of boards to padded boards; returns the number of boards.
fn write_rows(board: &PaddedBoard, channels: usize, rows: &[f32], padded: &mut Buffer) -> usize {
    let boards = rows.chunks_exact(board.cells(0).len() * channels);
    let count = boards.len();
    for (index, rows) in boards.enumerate() {
        for (cell, row) in board.cells(index).iter().zip(rows.chunks_exact(channels)) {
            padded.as_mut_slice()[cell * channels..][..channels].copy_from_slice(row);
        }
    }
    count
}

/// Copies padded boards to rows of boards.
fn read_rows(
    board: &PaddedBoard,
    stride: usize,
    channels: usize,
    padded: &Buffer,
    rows: &mut [f32],
) {
    let boards = rows.chunks_exact_mut(board.cells(0).len() * channels);
    for (index, rows) in boards.enumerate() {
        for (cell, row) in board.cells(index).iter().zip(rows.chunks_exact_mut(channels)) {
            row.copy_from_slice(&padded.as_slice()[cell * stride..][..channels]);
        }
    }
}

/// Reused per thread for layers of the same shape: clearing fresh memory would cost as much as the work done in it.
struct Scratch {
    shape: BoardShape,
    board: PaddedBoard,
    input: Buffer,
    /// Outputs, whose channels are whole blocks of filters.
    output: Buffer,
    /// The gradient of the outputs.
    gradient: Buffer,
    winograd: WinogradScratch,
}

thread_local! {
    static SCRATCH: Cell<Option<Scratch>> = const { Cell::new(None) };
}

impl Scratch {
    fn take(shape: BoardShape) -> Self {
        if let Some(scratch) = SCRATCH.take().filter(|scratch| scratch.shape == shape) {
            return scratch;
        }
        let board = PaddedBoard::new(shape.width, shape.height, BoardShape::BATCH);
        let outputs = shape.outputs.next_multiple_of(LANES * FILTER_VECTORS);
        Self {
            shape,
            input: board.buffer(shape.inputs),
            output: board.buffer(outputs),
            gradient: board.buffer(shape.outputs),
            winograd: WinogradScratch::new(&board, BoardShape::BATCH, shape.inputs.max(outputs)),
            board,
        }
    }

    fn put_back(self) {
        SCRATCH.set(Some(self));
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    /// The definition: every tap of every square.
    fn for_each_product(shape: BoardShape, mut visit: impl FnMut(usize, usize, usize)) {
        for square in 0..shape.squares() {
            for tap in 0..TAPS {
                let row = (square / shape.width + tap / 3).checked_sub(1);
                let column = (square % shape.width + tap % 3).checked_sub(1);
                let (Some(row), Some(column)) = (row, column) else { continue };
                if row < shape.height && column < shape.width {
                    visit(square, tap, row * shape.width + column);
                }
            }
        }
    }

    fn close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 2e-3, "{found} {expected}");
        }
    }

    #[test]
    fn forward_and_backward_match_the_definition() {
        let mut rng = Rng::seeded(2);
        for (width, height, inputs, outputs, boards) in
            [(8, 8, 16, 32, 3), (7, 6, 32, 16, 10), (4, 4, 48, 16, 1), (3, 3, 16, 16, 9)]
        {
            let shape = BoardShape { width, height, inputs, outputs };
            let mut random = |count: usize| -> Vec<f32> {
                (0..count).map(|_| rng.unit() as f32 - 0.5).collect()
            };
            let input = random(boards * shape.squares() * inputs);
            let gradient = random(boards * shape.squares() * outputs);
            let weight = random(TAPS * inputs * outputs);
            let mut output = vec![0.0; gradient.len()];
            let mut input_gradient = vec![0.0; input.len()];
            let mut weight_gradient = vec![0.0; weight.len()];
            for board in 0..boards {
                for_each_product(shape, |square, tap, from| {
                    let (to, from) =
                        (board * shape.squares() + square, board * shape.squares() + from);
                    for i in 0..inputs {
                        for o in 0..outputs {
                            let at = (tap * inputs + i) * outputs + o;
                            output[to * outputs + o] += weight[at] * input[from * inputs + i];
                            input_gradient[from * inputs + i] +=
                                weight[at] * gradient[to * outputs + o];
                            weight_gradient[at] +=
                                input[from * inputs + i] * gradient[to * outputs + o];
                        }
                    }
                });
            }
            let mut found = vec![9.0; output.len()];
            shape.conv(&weight).run(&input, &mut found);
            close(&found, &output);
            let mut found = vec![9.0; input.len()];
            shape.backward_conv(&weight).run(&gradient, &mut found);
            close(&found, &input_gradient);
            close(&shape.to_taps(&shape.weight_gradient(&input, &gradient)), &weight_gradient);
        }
    }
}
