use std::cell::Cell;

use super::batch_norm::BatchNorm;
use super::parallel::{fill_blocks, map_chunks};
use super::parameter::Parameter;
use crate::{BoardShape, StridedMatrix, gemm};

/// Rows processed at a time, so that their patches stay in the cache.
const BLOCK_ROWS: usize = 256;
/// Pixels under a 3x3 kernel.
const TAPS: usize = 9;

/// A fully connected layer or a convolution, followed by a bias or a batch normalization.
///
/// Both are matrix products: a 3x3 convolution is lowered by im2col to a product of its patches with the
/// weights, or done by Winograd where channels are whole vectors.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) kernel: Kernel,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Row-major: kernel tap, input channel; output channel.
    pub(crate) weight: Parameter,
    pub(crate) affine: Affine,
    /// The input of the last batch, for the backward pass.
    input: Vec<f32>,
}

/// Which inputs an output row depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// Its own row: a fully connected layer or a 1x1 convolution.
    Pointwise,
    /// The square and its eight neighbours on a board of this size.
    Conv3x3 { width: usize, height: usize },
}

/// What follows the matrix product.
#[derive(Clone, Debug)]
pub(crate) enum Affine {
    Bias(Parameter),
    BatchNorm(BatchNorm),
}

impl Layer {
    pub(crate) fn new(
        kernel: Kernel,
        inputs: usize,
        outputs: usize,
        weight: Vec<f32>,
        affine: Affine,
    ) -> Self {
        let weight = Parameter::new(weight, true);
        Self { kernel, inputs, outputs, weight, affine, input: Vec::new() }
    }

    pub(crate) fn parameters(&mut self) -> Vec<&mut Parameter> {
        match &mut self.affine {
            Affine::Bias(bias) => vec![&mut self.weight, bias],
            Affine::BatchNorm(norm) => vec![&mut self.weight, &mut norm.gamma, &mut norm.beta],
        }
    }

    /// The outputs for a batch. In training mode the activations for the backward pass are saved.
    pub(crate) fn forward(
        &mut self,
        input: &[f32],
        is_training: bool,
        is_parallel: bool,
    ) -> Vec<f32> {
        let mut output = match self.winograd() {
            Some(shape) => self.forward_winograd(shape, input, is_parallel),
            None => self.forward_gemm(input, is_parallel),
        };
        match &mut self.affine {
            Affine::Bias(bias) => add_bias(&mut output, &bias.value),
            Affine::BatchNorm(norm) if is_training => norm.forward(&mut output),
            Affine::BatchNorm(norm) => norm.infer(&mut output),
        }
        if is_training {
            self.input = input.to_vec();
        }
        output
    }

    /// Backpropagates the gradient of the last batch's outputs: saves the parameters' gradients and returns
    /// that of the inputs, or zeros unless `needs_input_gradient`.
    pub(crate) fn backward(
        &mut self,
        mut gradient: Vec<f32>,
        needs_input_gradient: bool,
        is_parallel: bool,
    ) -> Vec<f32> {
        match &mut self.affine {
            Affine::Bias(bias) => bias.gradient = column_sums(&gradient, self.outputs),
            Affine::BatchNorm(norm) => norm.backward(&mut gradient),
        }
        if let Some(shape) = self.winograd() {
            return self.backward_winograd(shape, &gradient, needs_input_gradient, is_parallel);
        }
        let transposed = needs_input_gradient.then(|| self.transposed_weight());
        let mut inputs = vec![0.0; self.input.len()];
        let unit = self.rows_per_unit() * self.inputs;
        let parts = map_chunks(is_parallel, &mut inputs, unit, |units, inputs| {
            self.backward_gemm(&gradient, transposed.as_deref(), units, inputs)
        });
        self.weight.gradient.fill(0.0);
        for part in parts {
            add(&mut self.weight.gradient, &part);
        }
        inputs
    }

    /// Floats in a patch: the rows of the weight matrix.
    fn patch_len(&self) -> usize {
        self.weight.value.len() / self.outputs
    }

    /// Rows that must stay together: a board, for a convolution.
    fn rows_per_unit(&self) -> usize {
        match self.kernel {
            Kernel::Pointwise => 1,
            Kernel::Conv3x3 { width, height } => width * height,
        }
    }

    fn units_per_block(&self) -> usize {
        (BLOCK_ROWS / self.rows_per_unit()).max(1)
    }

    /// The shape of a convolution that is done by Winograd.
    fn winograd(&self) -> Option<BoardShape> {
        let Kernel::Conv3x3 { width, height } = self.kernel else { return None };
        let shape = BoardShape { width, height, inputs: self.inputs, outputs: self.outputs };
        shape.fits().then_some(shape)
    }

    fn forward_winograd(&self, shape: BoardShape, input: &[f32], is_parallel: bool) -> Vec<f32> {
        let conv = shape.conv(&self.weight.value);
        let mut output = vec![0.0; input.len() / self.inputs * self.outputs];
        let rows = BoardShape::BATCH * self.rows_per_unit();
        fill_blocks(
            is_parallel,
            (&mut output, rows * self.outputs),
            (input, rows * self.inputs),
            |input, output| conv.run(input, output),
        );
        output
    }

    /// As [`backward`](Self::backward) after the affine part.
    fn backward_winograd(
        &mut self,
        shape: BoardShape,
        gradient: &[f32],
        needs_input_gradient: bool,
        is_parallel: bool,
    ) -> Vec<f32> {
        let conv = needs_input_gradient.then(|| shape.backward_conv(&self.weight.value));
        let mut inputs = vec![0.0; self.input.len()];
        let rows = self.rows_per_unit();
        let (input_unit, output_unit) = (rows * self.inputs, rows * self.outputs);
        let parts = map_chunks(is_parallel, &mut inputs, input_unit, |units, inputs| {
            let gradient = &gradient[units.start * output_unit..units.end * output_unit];
            if let Some(conv) = &conv {
                conv.run(gradient, inputs);
            }
            let input = &self.input[units.start * input_unit..units.end * input_unit];
            shape.weight_gradient(input, gradient)
        });
        let mut sum = vec![0.0; parts.first().map_or(0, Vec::len)];
        parts.iter().for_each(|part| add(&mut sum, part));
        self.weight.gradient = shape.to_taps(&sum);
        inputs
    }

    fn forward_gemm(&self, input: &[f32], is_parallel: bool) -> Vec<f32> {
        let mut output = vec![0.0; input.len() / self.inputs * self.outputs];
        let rows = self.units_per_block() * self.rows_per_unit();
        let (output_block, input_block) = (rows * self.outputs, rows * self.inputs);
        fill_blocks(
            is_parallel,
            (&mut output, output_block),
            (input, input_block),
            |input, output| {
                self.im2col(input, |patches, _| {
                    let left = row_major(patches, self.patch_len());
                    gemm(left, self.patch_len(), &self.weight.value, self.outputs, output);
                });
            },
        );
        output
    }

    /// The contribution of some units to the weight gradient; writes their input gradient if the
    /// `transposed` weight is given.
    fn backward_gemm(
        &self,
        gradient: &[f32],
        transposed: Option<&[f32]>,
        units: std::ops::Range<usize>,
        inputs: &mut [f32],
    ) -> Vec<f32> {
        let rows = self.rows_per_unit();
        let (input_unit, output_unit) = (rows * self.inputs, rows * self.outputs);
        let mut weight = vec![0.0; self.weight.value.len()];
        let mut block_weight = vec![0.0; weight.len()];
        let block = self.units_per_block();
        let input =
            self.input[units.start * input_unit..units.end * input_unit].chunks(block * input_unit);
        let gradient = gradient[units.start * output_unit..units.end * output_unit]
            .chunks(block * output_unit);
        let input_gradients = inputs.chunks_mut(block * input_unit);
        for ((input, gradient), input_gradient) in input.zip(gradient).zip(input_gradients) {
            let rows = gradient.len() / self.outputs;
            self.im2col(input, |patches, patch_gradients| {
                let patches_t =
                    StridedMatrix { data: patches, row_stride: 1, column_stride: self.patch_len() };
                gemm(patches_t, rows, gradient, self.outputs, &mut block_weight);
                add(&mut weight, &block_weight);
                let Some(transposed) = transposed else { return };
                patch_gradients.resize(rows * self.patch_len(), 0.0);
                let left = row_major(gradient, self.outputs);
                gemm(left, self.outputs, transposed, self.patch_len(), patch_gradients);
                self.col2im(patch_gradients, input_gradient);
            });
        }
        weight
    }

    fn transposed_weight(&self) -> Vec<f32> {
        let (rows, columns) = (self.patch_len(), self.outputs);
        let mut transposed = vec![0.0; self.weight.value.len()];
        for (row, values) in self.weight.value.chunks_exact(columns).enumerate() {
            for (column, value) in values.iter().enumerate() {
                transposed[column * rows + row] = *value;
            }
        }
        transposed
    }

    /// Passes the patch under the kernel of every row to `work`, and a scratch buffer.
    fn im2col(&self, input: &[f32], work: impl FnOnce(&[f32], &mut Vec<f32>)) {
        let mut scratch = SCRATCH.take();
        match self.kernel {
            Kernel::Pointwise => work(input, &mut scratch.patch_gradients),
            Kernel::Conv3x3 { width, height } => {
                scratch.patches.resize(TAPS * input.len(), 0.0);
                let (channels, board) = (self.inputs, width * height * self.inputs);
                let boards = scratch.patches.chunks_exact_mut(TAPS * board);
                for (input, patches) in input.chunks_exact(board).zip(boards) {
                    for_each_tap(width, height, |square, tap, neighbour| {
                        let to = (TAPS * square + tap) * channels;
                        let to = &mut patches[to..to + channels];
                        match neighbour.map(|neighbour| neighbour * channels) {
                            Some(from) => to.copy_from_slice(&input[from..from + channels]),
                            None => to.fill(0.0),
                        }
                    });
                }
                work(&scratch.patches, &mut scratch.patch_gradients);
            }
        }
        SCRATCH.set(scratch);
    }

    /// The transpose of [`im2col`](Self::im2col): sums the patch entries of each input.
    fn col2im(&self, patches: &[f32], input: &mut [f32]) {
        let Kernel::Conv3x3 { width, height } = self.kernel else {
            return input.copy_from_slice(patches);
        };
        let (channels, board) = (self.inputs, width * height * self.inputs);
        let boards = patches.chunks_exact(TAPS * board);
        for (input, patches) in input.chunks_exact_mut(board).zip(boards) {
            for_each_tap(width, height, |square, tap, neighbour| {
                let from = (TAPS * square + tap) * channels;
                if let Some(to) = neighbour.map(|neighbour| neighbour * channels) {
                    add(&mut input[to..to + channels], &patches[from..from + channels]);
                }
            });
        }
    }
}

const fn row_major(data: &[f32], columns: usize) -> StridedMatrix<'_> {
    StridedMatrix { data, row_stride: columns, column_stride: 1 }
}

/// Reused per thread: clearing fresh memory would cost as much as the work done in it.
#[derive(Default)]
struct Scratch {
    patches: Vec<f32>,
    patch_gradients: Vec<f32>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// Visits each square with each tap of its 3x3 kernel, and the square under the tap unless it is off the
/// board.
fn for_each_tap(width: usize, height: usize, mut visit: impl FnMut(usize, usize, Option<usize>)) {
    for square in 0..width * height {
        let (row, column) = (square / width, square % width);
        for tap in 0..TAPS {
            // Offset by one to stay unsigned.
            let (row, column) = (row + tap / 3, column + tap % 3);
            let is_inside = (1..=height).contains(&row) && (1..=width).contains(&column);
            visit(square, tap, is_inside.then(|| (row - 1) * width + column - 1));
        }
    }
}

pub(crate) fn column_sums(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    rows.chunks_exact(width).for_each(|row| add(&mut sums, row));
    sums
}

fn add_bias(rows: &mut [f32], bias: &[f32]) {
    rows.chunks_exact_mut(bias.len()).for_each(|row| add(row, bias));
}

pub(crate) fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
