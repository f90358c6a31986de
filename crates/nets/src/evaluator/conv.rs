use super::buffer::Buffer;
use super::kernel::conv_microkernel;
use super::vector::{FILTER_VECTORS, LANES, Native, PIXELS, TAIL_PIXELS, Vector};
use super::winograd::{Winograd, WinogradScratch};
use crate::{NORM_EPSILON, Tensor};

/// Side of the output tiles of [`Winograd`] convolutions.
pub(super) const TILE: usize = 4;

/// Boards with a zero border, so that 3x3 convolutions need no bounds checks: of one cell, and on the right and
/// at the bottom up to whole [tiles](TILE).
///
/// Activations are NHWC: position by position, cell by cell, and within a cell channel by channel. Border cells stay
/// 0.
#[derive(Clone, Debug)]
pub(super) struct PaddedBoard {
    columns: usize,
    rows: usize,
    /// Columns, border included.
    pub(super) width: usize,
    /// Rows, border included.
    height: usize,
    /// The most positions of a batch.
    batch: usize,
    /// The cell of every square, position by position.
    cells: Vec<usize>,
}

impl PaddedBoard {
    /// Pads up to `batch` boards of this size.
    pub(super) fn new(columns: usize, rows: usize, batch: usize) -> Self {
        let [width, height] = [columns, rows].map(|side| side.next_multiple_of(TILE) + 2);
        let cell = |square: usize| {
            let (position, square) = (square / (columns * rows), square % (columns * rows));
            (position * height + square / columns + 1) * width + square % columns + 1
        };
        let cells = (0..batch * columns * rows).map(cell).collect();
        Self { columns, rows, width, height, batch, cells }
    }

    /// The cells of the squares of position `index`.
    pub(super) fn cells(&self, index: usize) -> &[usize] {
        &self.cells[index * self.columns * self.rows..][..self.columns * self.rows]
    }

    /// Zeroed activations of a batch.
    pub(super) fn buffer(&self, channels: usize) -> Buffer {
        Buffer::zeros(self.batch * self.width * self.height * channels)
    }

    /// Winograd tiles of a position.
    pub(super) const fn tiles(&self) -> usize {
        self.columns.div_ceil(TILE) * self.rows.div_ceil(TILE)
    }

    /// The first cell of the input tile with this number in the batch.
    pub(super) const fn tile_corner(&self, tile: usize) -> usize {
        let [row, column] = self.tile_place(tile);
        (tile / self.tiles() * self.height + row) * self.width + column
    }

    /// Rows and columns of an output tile that are on the board.
    pub(super) fn tile_size(&self, tile: usize) -> [usize; 2] {
        let [row, column] = self.tile_place(tile);
        [(self.rows - row).min(TILE), (self.columns - column).min(TILE)]
    }

    /// First row and column of an output tile, on the board.
    const fn tile_place(&self, tile: usize) -> [usize; 2] {
        let (tile, across) = (tile % self.tiles(), self.columns.div_ceil(TILE));
        [tile / across * TILE, tile % across * TILE]
    }
}

/// What is fused into the store of a convolution's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Epilogue {
    Identity,
    Relu,
    /// Adds the previous output (the residual connection), then ReLU.
    AddRelu,
}

impl Epilogue {
    /// Stores a vector of results.
    ///
    /// # Safety
    /// A vector must be readable and writable at `to`.
    #[inline(always)]
    pub(super) unsafe fn store<V: Vector>(self, value: V, to: *mut f32) {
        // SAFETY: the caller's contract.
        unsafe {
            match self {
                Self::Identity => value.store(to),
                Self::Relu => value.relu().store(to),
                Self::AddRelu => value.add(V::load(to)).relu().store(to),
            }
        }
    }
}

/// A convolution by the cheaper algorithm for its shape: the same for every batch, as results differ in rounding.
#[derive(Clone)]
pub(super) enum Convolution {
    Direct(Conv),
    Winograd(Winograd),
}

impl Convolution {
    /// Packs the weights. Inputs have `input_channels` channels in memory; those beyond the real ones are padding.
    pub(super) fn new(folded: &FoldedConv, input_channels: usize) -> Self {
        let [filters, _, kernel_size, _] = folded.weight.shape[..] else {
            unreachable!("tensor shapes are checked when weights are loaded")
        };
        match kernel_size == 3 && Winograd::fits(input_channels, filters) {
            true => Self::Winograd(Winograd::new(folded, input_channels)),
            false => Self::Direct(Conv::new(folded, input_channels)),
        }
    }

    /// Filters, padded to whole blocks; padding filters output 0.
    pub(super) const fn outputs(&self) -> usize {
        match self {
            Self::Direct(conv) => conv.outputs,
            Self::Winograd(conv) => conv.outputs,
        }
    }

    /// Computes the outputs of all squares of the first `batch` positions.
    pub(super) fn run(
        &self,
        board: &PaddedBoard,
        batch: usize,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
        scratch: &mut WinogradScratch,
    ) {
        match self {
            Self::Direct(conv) => conv.run(board, batch, input, output, epilogue),
            Self::Winograd(conv) => conv.run(board, batch, input, output, epilogue, scratch),
        }
    }
}

/// A 3x3 or 1x1 direct convolution with batch normalization folded in.
#[derive(Clone)]
pub(super) struct Conv {
    /// Packed as the microkernel reads them: filter block, kernel row, kernel column, input channel, filter.
    weights: Buffer,
    bias: Buffer,
    inputs: usize,
    /// Filters, padded to whole blocks; padding filters output 0.
    pub(super) outputs: usize,
    /// 3 or 1.
    kernel_size: usize,
    /// Vectors in a filter block.
    filter_vectors: usize,
}

/// Weights in file layout, and one bias per filter.
pub(super) struct FoldedConv {
    pub(super) weight: Tensor,
    pub(super) bias: Vec<f32>,
}

impl FoldedConv {
    /// Folds the batch normalization (gamma, beta, mean, variance) that follows the convolution.
    pub(super) fn new(weight: &Tensor, [gamma, beta, mean, variance]: [&[f32]; 4]) -> Self {
        let mut weight = weight.clone();
        let filters = weight.shape[0];
        let scale = |filter: usize| gamma[filter] / (variance[filter] + NORM_EPSILON).sqrt();
        let bias = (0..filters).map(|filter| beta[filter] - mean[filter] * scale(filter)).collect();
        let filter_len = weight.data.len() / filters;
        for (filter, values) in weight.data.chunks_exact_mut(filter_len).enumerate() {
            values.iter_mut().for_each(|value| *value *= scale(filter));
        }
        Self { weight, bias }
    }
}

impl Conv {
    fn new(folded: &FoldedConv, input_channels: usize) -> Self {
        Self::packed(folded, input_channels, FILTER_VECTORS)
    }

    pub(super) fn packed(
        folded: &FoldedConv,
        input_channels: usize,
        filter_vectors: usize,
    ) -> Self {
        let [filters, channels, kernel_size, _] = folded.weight.shape[..] else {
            unreachable!("tensor shapes are checked when weights are loaded")
        };
        let (block, taps) = (LANES * filter_vectors, kernel_size * kernel_size);
        let outputs = filters.next_multiple_of(block);
        let mut weights = Buffer::zeros(outputs * taps * input_channels);
        for (index, value) in folded.weight.data.iter().enumerate() {
            let (tap, rest) = (index % taps, index / taps);
            let (channel, filter) = (rest % channels, rest / channels);
            let row = (filter / block * taps + tap) * input_channels + channel;
            weights.as_mut_slice()[row * block + filter % block] = *value;
        }
        let mut bias = Buffer::zeros(outputs);
        bias.as_mut_slice()[..filters].copy_from_slice(&folded.bias);
        Self { weights, bias, inputs: input_channels, outputs, kernel_size, filter_vectors }
    }

    /// Computes the outputs of all squares of the first `batch` positions.
    fn run(
        &self,
        board: &PaddedBoard,
        batch: usize,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
    ) {
        self.run_with::<Native, PIXELS, FILTER_VECTORS>(board, batch, input, output, epilogue);
    }

    pub(super) fn run_with<V: Vector, const P: usize, const F: usize>(
        &self,
        board: &PaddedBoard,
        batch: usize,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
    ) {
        assert_eq!(self.filter_vectors, F);
        let cells = batch * board.width * board.height;
        assert!(input.as_slice().len() >= cells * self.inputs);
        assert!(output.as_slice().len() >= cells * self.outputs);
        for filter in (0..self.outputs).step_by(LANES * F) {
            let mut rest = &board.cells[..batch * board.columns * board.rows];
            while !rest.is_empty() {
                let done = self.next_tile::<V, P, F>(board, input, output, epilogue, rest, filter);
                rest = &rest[done..];
            }
        }
    }

    /// Computes one tile of the remaining cells; returns its size.
    #[inline(always)]
    fn next_tile<V: Vector, const P: usize, const F: usize>(
        &self,
        board: &PaddedBoard,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
        cells: &[usize],
        filter: usize,
    ) -> usize {
        // A nearly empty last tile would leave most accumulators idle: end with two medium ones instead.
        let is_full = cells.len() >= 2 * P || cells.len() == P;
        if let Some(cells) = cells.first_chunk::<P>().filter(|_| is_full) {
            self.tile::<V, P, F>(board, input, output, epilogue, cells, filter);
            return P;
        }
        if let Some(cells) = cells.first_chunk::<TAIL_PIXELS>() {
            self.tile::<V, TAIL_PIXELS, F>(board, input, output, epilogue, cells, filter);
            return TAIL_PIXELS;
        }
        if let Some(cells) = cells.first_chunk::<1>() {
            self.tile::<V, 1, F>(board, input, output, epilogue, cells, filter);
        }
        1
    }

    /// Computes the block of filters that starts at `filter` for these cells.
    #[inline(always)]
    fn tile<V: Vector, const P: usize, const F: usize>(
        &self,
        board: &PaddedBoard,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
        cells: &[usize; P],
        filter: usize,
    ) {
        let (input, output) = (input.as_slice(), output.as_mut_slice());
        // The 3x3 kernel starts one row and one column before its center.
        let to_corner = if self.kernel_size == 3 { board.width + 1 } else { 0 };
        let from = cells.map(|cell| input[(cell - to_corner) * self.inputs..].as_ptr());
        let taps = self.kernel_size * self.kernel_size;
        let weights = &self.weights.as_slice()[filter * taps * self.inputs..];
        let bias = &self.bias.as_slice()[filter..filter + LANES * F];
        let offsets = cells.map(|cell| cell * self.outputs + filter);
        assert!(offsets.iter().all(|offset| offset + LANES * F <= output.len()));
        // One borrow for all pointers: borrowing `output` again would invalidate earlier ones.
        let output = output.as_mut_ptr();
        // SAFETY: a square has its whole 3x3 neighbourhood on the padded board, in a buffer whose length
        // `run_with` checked; a filter block has weights for all taps; `bias` has `F` vectors, and the
        // assertion above covers every store.
        unsafe {
            let bias: [V; F] =
                std::array::from_fn(|vector| V::load(bias.as_ptr().add(LANES * vector)));
            let (row_stride, row_len) = (board.width * self.inputs, self.kernel_size * self.inputs);
            let acc = [bias; P];
            let acc = conv_microkernel(
                from,
                self.kernel_size,
                row_stride,
                row_len,
                weights.as_ptr(),
                acc,
            );
            for (offset, acc) in offsets.into_iter().zip(acc) {
                for (vector, acc) in acc.into_iter().enumerate() {
                    let to = output.add(offset + LANES * vector);
                    epilogue.store(acc, to);
                }
            }
        }
    }
}
