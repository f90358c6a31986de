use super::buffer::Buffer;
use super::kernel::tile;
use super::vector::{GROUPS, LANES, Native, PIXELS, REST, Vector};
use crate::{NORM_EPSILON, Tensor};

/// A board with a border of one cell all round, in which convolutions need not ask where it ends.
///
/// Activations lie in memory cell by cell, and for each cell channel by channel; those of the border
/// are 0 for ever.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Columns and rows, the border included.
    width: usize,
    height: usize,
    /// The cell of every square.
    pub(super) cells: Vec<usize>,
}

impl Grid {
    /// The grid of a board with so many columns and rows.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let (width, height) = (columns + 2, rows + 2);
        let cell = |square: usize| (square / columns + 1) * width + square % columns + 1;
        Self { width, height, cells: (0..columns * rows).map(cell).collect() }
    }

    /// Activations of so many channels, all 0.
    pub(super) fn buffer(&self, channels: usize) -> Buffer {
        Buffer::zeros(self.width * self.height * channels)
    }
}

/// What follows a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    Nothing,
    Relu,
    /// What was in the output before is added first.
    AddThenRelu,
}

/// A convolution, 3x3 or 1x1, with everything folded into it that is linear.
#[derive(Clone)]
pub(super) struct Conv {
    /// For each group of filters, each row of the window, each cell in the row, each input channel: one
    /// number a filter.
    weights: Buffer,
    bias: Buffer,
    inputs: usize,
    /// Filters, rounded up to whole groups; those beyond the real ones give 0.
    pub(super) outputs: usize,
    /// 3 or 1.
    size: usize,
    /// Vectors of filters in a group.
    groups: usize,
}

/// The convolution's weights as a file has them, and one bias a filter.
pub(super) struct Folded {
    pub(super) weight: Tensor,
    pub(super) bias: Vec<f32>,
}

impl Folded {
    /// A convolution with the normalisation that follows it: gamma, beta, mean, variance.
    pub(super) fn new(weight: &Tensor, [gamma, beta, mean, variance]: [&[f32]; 4]) -> Self {
        let mut weight = weight.clone();
        let filters = weight.shape[0];
        let scale = |filter: usize| gamma[filter] / (variance[filter] + NORM_EPSILON).sqrt();
        let bias = (0..filters).map(|filter| beta[filter] - mean[filter] * scale(filter)).collect();
        let each = weight.data.len() / filters;
        for (filter, values) in weight.data.chunks_exact_mut(each).enumerate() {
            values.iter_mut().for_each(|value| *value *= scale(filter));
        }
        Self { weight, bias }
    }
}

impl Conv {
    /// For inputs with `stride` channels in memory, of which the first ones are real, packed for this
    /// processor.
    pub(super) fn new(folded: &Folded, stride: usize) -> Self {
        Self::packed(folded, stride, GROUPS)
    }

    pub(super) fn packed(folded: &Folded, stride: usize, groups: usize) -> Self {
        let [filters, channels, size, _] = folded.weight.shape[..] else {
            unreachable!("the shapes of tensors were checked when they were loaded")
        };
        let width = LANES * groups;
        let outputs = filters.next_multiple_of(width);
        let mut weights = Buffer::zeros(outputs * size * size * stride);
        for (index, value) in folded.weight.data.iter().enumerate() {
            let (tap, rest) = (index % (size * size), index / (size * size));
            let (channel, filter) = (rest % channels, rest / channels);
            let group = (filter / width) * size * size + tap;
            weights.as_mut_slice()[(group * stride + channel) * width + filter % width] = *value;
        }
        let mut bias = Buffer::zeros(outputs);
        bias.as_mut_slice()[..filters].copy_from_slice(&folded.bias);
        Self { weights, bias, inputs: stride, outputs, size, groups }
    }

    /// Computes the outputs of all cells.
    pub(super) fn run(&self, grid: &Grid, input: &Buffer, output: &mut Buffer, after: After) {
        self.run_with::<Native, PIXELS, GROUPS>(grid, input, output, after);
    }

    pub(super) fn run_with<V: Vector, const P: usize, const G: usize>(
        &self,
        grid: &Grid,
        input: &Buffer,
        output: &mut Buffer,
        after: After,
    ) {
        assert_eq!(self.groups, G);
        let all = grid.width * grid.height;
        assert!(input.as_slice().len() >= all * self.inputs);
        assert!(output.as_slice().len() >= all * self.outputs);
        for first in (0..self.outputs).step_by(LANES * G) {
            let mut cells = &grid.cells[..];
            while !cells.is_empty() {
                let taken = self.tiles::<V, P, G>(grid, input, output, after, cells, first);
                cells = &cells[taken..];
            }
        }
    }

    /// One tile of some of the cells that are left; gives how many.
    #[inline(always)]
    fn tiles<V: Vector, const P: usize, const G: usize>(
        &self,
        grid: &Grid,
        input: &Buffer,
        output: &mut Buffer,
        after: After,
        cells: &[usize],
        first: usize,
    ) -> usize {
        // A last tile with very few cells would waste most of the registers: rather two that are smaller.
        let is_much = cells.len() >= 2 * P || cells.len() == P;
        if let Some(cells) = cells.first_chunk::<P>().filter(|_| is_much) {
            self.tile::<V, P, G>(grid, input, output, after, cells, first);
            return P;
        }
        if let Some(cells) = cells.first_chunk::<REST>() {
            self.tile::<V, REST, G>(grid, input, output, after, cells, first);
            return REST;
        }
        if let Some(cells) = cells.first_chunk::<1>() {
            self.tile::<V, 1, G>(grid, input, output, after, cells, first);
        }
        1
    }

    /// The outputs of these cells for the group of filters that begins with `first`.
    #[inline(always)]
    fn tile<V: Vector, const P: usize, const G: usize>(
        &self,
        grid: &Grid,
        input: &Buffer,
        output: &mut Buffer,
        after: After,
        cells: &[usize; P],
        first: usize,
    ) {
        let (input, output) = (input.as_slice(), output.as_mut_slice());
        // The window begins one row and one cell before, or at the cell itself.
        let back = if self.size == 3 { grid.width + 1 } else { 0 };
        let from = cells.map(|cell| input[(cell - back) * self.inputs..].as_ptr());
        let weights = &self.weights.as_slice()[first * self.size * self.size * self.inputs..];
        let bias = &self.bias.as_slice()[first..first + LANES * G];
        let to = cells.map(|cell| {
            let at = cell * self.outputs + first;
            output[at..at + LANES * G].as_mut_ptr()
        });
        // SAFETY: a cell of the board has a whole window around it, in a buffer whose length `run_with`
        // checked; a group has its weights for the window; the slices above have room for the rest.
        unsafe {
            let start: [V; G] =
                std::array::from_fn(|group| V::load(bias.as_ptr().add(LANES * group)));
            // The cells of a row of the window, with all their channels, follow one another.
            let (row, length) = (grid.width * self.inputs, self.size * self.inputs);
            let sums = tile(from, self.size, row, length, weights.as_ptr(), [start; P]);
            for (to, sums) in to.into_iter().zip(sums) {
                for (group, sum) in sums.into_iter().enumerate() {
                    let to = to.add(LANES * group);
                    match after {
                        After::Nothing => sum.store(to),
                        After::Relu => sum.positive().store(to),
                        After::AddThenRelu => sum.add(V::load(to)).positive().store(to),
                    }
                }
            }
        }
    }
}
