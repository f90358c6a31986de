use tablero_nets::{Left, NORM_EPSILON, multiply};

use crate::parameter::Parameter;
use crate::spread::spread;

/// How much of the running mean and variance a batch leaves.
const RUNNING_KEEPS: f32 = 0.9;
/// Rows that are worked on at a time, so that they stay in the cache.
const ROWS_AT_ONCE: usize = 256;

/// A layer: every row of inputs (with its neighbours on the board, if it is a convolution) times a
/// matrix, plus a bias or normalised.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) window: Window,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// For every cell of the window and every input a row with a number for every output.
    pub(crate) weight: Parameter,
    pub(crate) end: End,
    /// The inputs of the last batch.
    input: Vec<f32>,
}

/// Which inputs a row of outputs sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Window {
    /// Its own row.
    One,
    /// On a board with this side, the square and its eight neighbours.
    Nine(usize),
}

/// What follows the matrix.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Bias(Parameter),
    Norm(Norm),
}

/// Every output has mean 0 and variance 1 over a batch, times `gamma`, plus `beta`.
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub(crate) gamma: Parameter,
    pub(crate) beta: Parameter,
    /// Of all batches, the last ones counting most: for use after training.
    pub(crate) mean: Vec<f32>,
    pub(crate) variance: Vec<f32>,
    /// The normalised outputs of the last batch, and what they were multiplied with.
    normed: Vec<f32>,
    scale: Vec<f32>,
}

impl Layer {
    pub(crate) fn new(
        window: Window,
        inputs: usize,
        outputs: usize,
        weight: Vec<f32>,
        end: End,
    ) -> Self {
        let weight = Parameter::new(weight, true);
        Self { window, inputs, outputs, weight, end, input: Vec::new() }
    }

    pub(crate) fn parameters(&mut self) -> Vec<&mut Parameter> {
        match &mut self.end {
            End::Bias(bias) => vec![&mut self.weight, bias],
            End::Norm(norm) => vec![&mut self.weight, &mut norm.gamma, &mut norm.beta],
        }
    }

    /// The outputs for a batch of inputs. In training, what is needed for the way back is kept.
    pub(crate) fn forward(
        &mut self,
        input: &[f32],
        is_training: bool,
        is_shared: bool,
    ) -> Vec<f32> {
        let mut output = self.product(input, is_shared);
        match &mut self.end {
            End::Bias(bias) => add_to_rows(&mut output, &bias.value),
            End::Norm(norm) if is_training => norm.forward(&mut output),
            End::Norm(norm) => norm.use_running(&mut output),
        }
        if is_training {
            self.input = input.to_vec();
        }
        output
    }

    /// From the loss's gradient for the outputs of the last batch to that for its inputs; keeps those
    /// for the parameters.
    pub(crate) fn backward(&mut self, mut gradient: Vec<f32>, is_shared: bool) -> Vec<f32> {
        match &mut self.end {
            End::Bias(bias) => bias.gradient = sums_of_columns(&gradient, self.outputs),
            End::Norm(norm) => norm.backward(&mut gradient),
        }
        let turned = self.turned_weight();
        let parts = spread(is_shared, self.units(&self.input), |units| {
            self.back_product(&gradient, &turned, units)
        });
        let mut inputs = Vec::with_capacity(self.input.len());
        self.weight.gradient.fill(0.0);
        for (part, weight) in parts {
            inputs.extend(part);
            add(&mut self.weight.gradient, &weight);
        }
        inputs
    }

    /// Numbers in a row of the matrix's left factor.
    fn seen(&self) -> usize {
        self.weight.value.len() / self.outputs
    }

    /// Rows that cannot be separated: those of a board.
    fn rows_of_unit(&self) -> usize {
        match self.window {
            Window::One => 1,
            Window::Nine(side) => side * side,
        }
    }

    fn units(&self, input: &[f32]) -> usize {
        input.len() / self.inputs / self.rows_of_unit()
    }

    fn units_at_once(&self) -> usize {
        (ROWS_AT_ONCE / self.rows_of_unit()).max(1)
    }

    fn product(&self, input: &[f32], is_shared: bool) -> Vec<f32> {
        let parts = spread(is_shared, self.units(input), |units| {
            let mut output = vec![0.0; units.len() * self.rows_of_unit() * self.outputs];
            let (size, at_once) = (self.rows_of_unit() * self.inputs, self.units_at_once());
            let inputs = input[units.start * size..units.end * size].chunks(at_once * size);
            let outputs = output.chunks_mut(at_once * self.rows_of_unit() * self.outputs);
            for (input, output) in inputs.zip(outputs) {
                let seen = self.see(input);
                let left = Left { data: &seen, row: self.seen(), column: 1 };
                multiply(left, self.seen(), &self.weight.value, self.outputs, output);
            }
            output
        });
        parts.concat()
    }

    /// For some units the gradients for the inputs, and their part of that for the weights.
    fn back_product(
        &self,
        gradient: &[f32],
        turned: &[f32],
        units: std::ops::Range<usize>,
    ) -> (Vec<f32>, Vec<f32>) {
        let rows = self.rows_of_unit();
        let (size, width) = (rows * self.inputs, rows * self.outputs);
        let mut inputs = Vec::with_capacity(units.len() * size);
        let mut weight = vec![0.0; self.weight.value.len()];
        let mut share = vec![0.0; weight.len()];
        let at_once = self.units_at_once();
        let chunks = self.input[units.start * size..units.end * size].chunks(at_once * size);
        let gradients = gradient[units.start * width..units.end * width].chunks(at_once * width);
        for (input, gradient) in chunks.zip(gradients) {
            let (seen, count) = (self.see(input), gradient.len() / self.outputs);
            let transposed = Left { data: &seen, row: 1, column: self.seen() };
            multiply(transposed, count, gradient, self.outputs, &mut share);
            add(&mut weight, &share);
            let mut back = vec![0.0; count * self.seen()];
            let left = Left { data: gradient, row: self.outputs, column: 1 };
            multiply(left, self.outputs, turned, self.seen(), &mut back);
            inputs.extend(self.unsee(back));
        }
        (inputs, weight)
    }

    fn turned_weight(&self) -> Vec<f32> {
        let (rows, columns) = (self.seen(), self.outputs);
        let mut turned = vec![0.0; self.weight.value.len()];
        for (row, values) in self.weight.value.chunks_exact(columns).enumerate() {
            for (column, value) in values.iter().enumerate() {
                turned[column * rows + row] = *value;
            }
        }
        turned
    }

    /// For every row all that it sees.
    fn see(&self, input: &[f32]) -> Vec<f32> {
        let Window::Nine(side) = self.window else { return input.to_vec() };
        let (channels, board) = (self.inputs, side * side * self.inputs);
        let mut seen = vec![0.0; 9 * input.len()];
        for (input, seen) in input.chunks_exact(board).zip(seen.chunks_exact_mut(9 * board)) {
            for_each_neighbour(side, |square, tap, neighbour| {
                let to = (9 * square + tap) * channels;
                let from = neighbour * channels;
                seen[to..to + channels].copy_from_slice(&input[from..from + channels]);
            });
        }
        seen
    }

    /// The reverse of [`see`](Self::see): what was seen several times is added up.
    fn unsee(&self, seen: Vec<f32>) -> Vec<f32> {
        let Window::Nine(side) = self.window else { return seen };
        let (channels, board) = (self.inputs, side * side * self.inputs);
        let mut input = vec![0.0; seen.len() / 9];
        for (input, seen) in input.chunks_exact_mut(board).zip(seen.chunks_exact(9 * board)) {
            for_each_neighbour(side, |square, tap, neighbour| {
                let from = (9 * square + tap) * channels;
                let to = neighbour * channels;
                add(&mut input[to..to + channels], &seen[from..from + channels]);
            });
        }
        input
    }
}

/// For every square of a board its neighbours (itself included), with their place in the window.
fn for_each_neighbour(side: usize, mut visit: impl FnMut(usize, usize, usize)) {
    for square in 0..side * side {
        let (row, column) = (square / side, square % side);
        for tap in 0..9 {
            // One too many each, so that nothing is below 0.
            let (row, column) = (row + tap / 3, column + tap % 3);
            if (1..=side).contains(&row) && (1..=side).contains(&column) {
                visit(square, tap, (row - 1) * side + column - 1);
            }
        }
    }
}

impl Norm {
    pub(crate) fn new(gamma: Vec<f32>, beta: Vec<f32>, mean: Vec<f32>, variance: Vec<f32>) -> Self {
        Self {
            gamma: Parameter::new(gamma, false),
            beta: Parameter::new(beta, false),
            mean,
            variance,
            normed: Vec::new(),
            scale: Vec::new(),
        }
    }

    fn forward(&mut self, output: &mut [f32]) {
        let (width, rows) = (self.mean.len(), output.len() / self.mean.len());
        let count = rows.max(1) as f32;
        let mean: Vec<f32> = sums_of_columns(output, width).iter().map(|sum| sum / count).collect();
        let mut variance = vec![0.0; width];
        for row in output.chunks_exact(width) {
            for ((sum, value), mean) in variance.iter_mut().zip(row).zip(&mean) {
                *sum += (value - mean) * (value - mean);
            }
        }
        variance.iter_mut().for_each(|sum| *sum /= count);
        self.scale =
            variance.iter().map(|variance| 1.0 / (variance + NORM_EPSILON).sqrt()).collect();
        let keep = |old: &mut Vec<f32>, new: &[f32]| {
            for (old, new) in old.iter_mut().zip(new) {
                *old = RUNNING_KEEPS * *old + (1.0 - RUNNING_KEEPS) * new;
            }
        };
        keep(&mut self.mean, &mean);
        keep(&mut self.variance, &variance);
        for row in output.chunks_exact_mut(width) {
            for ((value, mean), scale) in row.iter_mut().zip(&mean).zip(&self.scale) {
                *value = (*value - mean) * scale;
            }
        }
        self.normed = output.to_vec();
        self.stretch(output);
    }

    fn use_running(&self, output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.mean.len()) {
            for ((value, mean), variance) in row.iter_mut().zip(&self.mean).zip(&self.variance) {
                *value = (*value - mean) / (variance + NORM_EPSILON).sqrt();
            }
        }
        self.stretch(output);
    }

    fn stretch(&self, output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.mean.len()) {
            let factors = self.gamma.value.iter().zip(&self.beta.value);
            for (value, (gamma, beta)) in row.iter_mut().zip(factors) {
                *value = *value * gamma + beta;
            }
        }
    }

    fn backward(&mut self, gradient: &mut [f32]) {
        let width = self.mean.len();
        let count = (gradient.len() / width).max(1) as f32;
        self.beta.gradient = sums_of_columns(gradient, width);
        self.gamma.gradient.fill(0.0);
        for (row, normed) in gradient.chunks_exact(width).zip(self.normed.chunks_exact(width)) {
            for ((sum, value), normed) in self.gamma.gradient.iter_mut().zip(row).zip(normed) {
                *sum += value * normed;
            }
        }
        for (row, normed) in gradient.chunks_exact_mut(width).zip(self.normed.chunks_exact(width)) {
            for column in 0..width {
                let common =
                    self.beta.gradient[column] + normed[column] * self.gamma.gradient[column];
                let scale = self.gamma.value[column] * self.scale[column];
                row[column] = scale * (row[column] - common / count);
            }
        }
    }
}

fn sums_of_columns(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    rows.chunks_exact(width).for_each(|row| add(&mut sums, row));
    sums
}

fn add_to_rows(rows: &mut [f32], row: &[f32]) {
    rows.chunks_exact_mut(row.len()).for_each(|sums| add(sums, row));
}

pub(crate) fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
