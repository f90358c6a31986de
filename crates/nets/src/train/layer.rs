use std::cell::Cell;

use super::parameter::Parameter;
use super::spread::{fill, spread};
use crate::{Left, NORM_EPSILON, multiply};

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
    /// On a board with so many columns and rows, the square and its eight neighbours.
    Nine { width: usize, height: usize },
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

    /// From the loss's gradient for the outputs of the last batch to that for its inputs, or to zeros if that is not
    /// needed; keeps those for the parameters.
    pub(crate) fn backward(
        &mut self,
        mut gradient: Vec<f32>,
        is_needed: bool,
        is_shared: bool,
    ) -> Vec<f32> {
        match &mut self.end {
            End::Bias(bias) => bias.gradient = sums_of_columns(&gradient, self.outputs),
            End::Norm(norm) => norm.backward(&mut gradient),
        }
        let turned = is_needed.then(|| self.turned_weight());
        let mut inputs = vec![0.0; self.input.len()];
        let unit = self.rows_of_unit() * self.inputs;
        let parts = spread(is_shared, &mut inputs, unit, |units, inputs| {
            self.back_product(&gradient, turned.as_deref(), units, inputs)
        });
        self.weight.gradient.fill(0.0);
        for weight in parts {
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
            Window::Nine { width, height } => width * height,
        }
    }

    fn units_at_once(&self) -> usize {
        (ROWS_AT_ONCE / self.rows_of_unit()).max(1)
    }

    fn product(&self, input: &[f32], is_shared: bool) -> Vec<f32> {
        let mut output = vec![0.0; input.len() / self.inputs * self.outputs];
        let rows = self.units_at_once() * self.rows_of_unit();
        let (taken, needed) = (rows * self.outputs, rows * self.inputs);
        fill(is_shared, (&mut output, taken), (input, needed), |input, output| {
            self.see(input, |seen, _| {
                let left = Left { data: seen, row: self.seen(), column: 1 };
                multiply(left, self.seen(), &self.weight.value, self.outputs, output);
            });
        });
        output
    }

    /// For some units their part of the gradient for the weights, and that for their inputs, if `turned` weights
    /// are given.
    fn back_product(
        &self,
        gradient: &[f32],
        turned: Option<&[f32]>,
        units: std::ops::Range<usize>,
        inputs: &mut [f32],
    ) -> Vec<f32> {
        let rows = self.rows_of_unit();
        let (size, width) = (rows * self.inputs, rows * self.outputs);
        let mut weight = vec![0.0; self.weight.value.len()];
        let mut share = vec![0.0; weight.len()];
        let at_once = self.units_at_once();
        let chunks = self.input[units.start * size..units.end * size].chunks(at_once * size);
        let gradients = gradient[units.start * width..units.end * width].chunks(at_once * width);
        let results = inputs.chunks_mut(at_once * size);
        for ((input, gradient), result) in chunks.zip(gradients).zip(results) {
            let count = gradient.len() / self.outputs;
            self.see(input, |seen, back| {
                let transposed = Left { data: seen, row: 1, column: self.seen() };
                multiply(transposed, count, gradient, self.outputs, &mut share);
                add(&mut weight, &share);
                let Some(turned) = turned else { return };
                back.resize(count * self.seen(), 0.0);
                let left = Left { data: gradient, row: self.outputs, column: 1 };
                multiply(left, self.outputs, turned, self.seen(), back);
                self.unsee(back, result);
            });
        }
        weight
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

    /// Shows `work` for every row all that it sees, and lends it memory.
    fn see(&self, input: &[f32], work: impl FnOnce(&[f32], &mut Vec<f32>)) {
        let mut memory = MEMORY.take();
        match self.window {
            Window::One => work(input, &mut memory.back),
            Window::Nine { width, height } => {
                memory.seen.resize(9 * input.len(), 0.0);
                let (channels, board) = (self.inputs, width * height * self.inputs);
                let boards = memory.seen.chunks_exact_mut(9 * board);
                for (input, seen) in input.chunks_exact(board).zip(boards) {
                    for_each_neighbour(width, height, |square, tap, neighbour| {
                        let to = (9 * square + tap) * channels;
                        let to = &mut seen[to..to + channels];
                        match neighbour.map(|neighbour| neighbour * channels) {
                            Some(from) => to.copy_from_slice(&input[from..from + channels]),
                            None => to.fill(0.0),
                        }
                    });
                }
                work(&memory.seen, &mut memory.back);
            }
        }
        MEMORY.set(memory);
    }

    /// The reverse of [`see`](Self::see): what was seen several times is added up.
    fn unsee(&self, seen: &[f32], input: &mut [f32]) {
        let Window::Nine { width, height } = self.window else {
            return input.copy_from_slice(seen);
        };
        let (channels, board) = (self.inputs, width * height * self.inputs);
        for (input, seen) in input.chunks_exact_mut(board).zip(seen.chunks_exact(9 * board)) {
            for_each_neighbour(width, height, |square, tap, neighbour| {
                let from = (9 * square + tap) * channels;
                if let Some(to) = neighbour.map(|neighbour| neighbour * channels) {
                    add(&mut input[to..to + channels], &seen[from..from + channels]);
                }
            });
        }
    }
}

/// Memory of a thread that is used again and again: clearing it costs as much as what is done in it.
#[derive(Default)]
struct Memory {
    seen: Vec<f32>,
    back: Vec<f32>,
}

thread_local! {
    static MEMORY: Cell<Memory> = Cell::default();
}

/// For every square of a board its neighbours (itself included), if they are on the board, with their place in the
/// window.
fn for_each_neighbour(
    width: usize,
    height: usize,
    mut visit: impl FnMut(usize, usize, Option<usize>),
) {
    for square in 0..width * height {
        let (row, column) = (square / width, square % width);
        for tap in 0..9 {
            // One too many each, so that nothing is below 0.
            let (row, column) = (row + tap / 3, column + tap % 3);
            let is_inside = (1..=height).contains(&row) && (1..=width).contains(&column);
            visit(square, tap, is_inside.then(|| (row - 1) * width + column - 1));
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
