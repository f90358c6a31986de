//! 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray 2016): a tile of 4x4 outputs takes
//! 36 multiplications per channel and filter instead of 144, at the price of transforming inputs and outputs.
//!
//! The transformed convolution is 36 matrix products, one per element of the 6x6 tiles. A matrix has a row per
//! tile of the batch: few positions leave it too small to keep the arithmetic units busy.

use super::buffer::Buffer;
use super::conv::{Epilogue, FoldedConv, PaddedBoard, TILE};
use super::kernel::conv_microkernel;
use super::vector::{FILTER_VECTORS, LANES, Native, PIXELS, TAIL_PIXELS, Vector};

/// Side of an input tile.
const INPUT_TILE: usize = TILE + 2;
/// Elements of an input tile.
pub(super) const ELEMENTS: usize = INPUT_TILE * INPUT_TILE;
/// Elements of a kernel.
pub(super) const TAPS: usize = 9;
/// Tiles per matrix product where there are few.
const FEW_TILES: usize = 4;

/// Floats from one element's matrix to the next: an odd number of cache lines, as the lines of a tile would share few
/// cache sets if they were a power of two apart.
pub(super) const fn plane(tiles: usize, channels: usize) -> usize {
    (tiles * channels).next_multiple_of(2 * LANES) + LANES
}

/// A 3x3 convolution with batch normalization folded in, transformed.
#[derive(Clone)]
pub(super) struct Winograd {
    /// Packed as the microkernel reads them: element, filter block, input channel, filter.
    weights: Buffer,
    bias: Buffer,
    inputs: usize,
    /// Filters, padded to whole blocks; padding filters output 0.
    pub(super) outputs: usize,
    /// Vectors in a filter block.
    filter_vectors: usize,
}

/// Transformed inputs and outputs of a batch, shared by the layers of a network.
#[derive(Clone)]
pub(super) struct WinogradScratch {
    /// Element, tile, channel.
    inputs: Buffer,
    /// Element, tile, filter.
    outputs: Buffer,
}

impl WinogradScratch {
    /// For layers of up to `channels` inputs and outputs.
    pub(super) fn new(board: &PaddedBoard, batch: usize, channels: usize) -> Self {
        let zeros = || Buffer::zeros(ELEMENTS * plane(batch * board.tiles(), channels));
        Self { inputs: zeros(), outputs: zeros() }
    }

    /// Both buffers.
    pub(super) const fn parts(&mut self) -> (&mut Buffer, &mut Buffer) {
        (&mut self.inputs, &mut self.outputs)
    }
}

impl Winograd {
    /// Whether the inputs are whole vectors of channels, and the weights, four times those of a direct
    /// convolution, fit the cache.
    pub(super) const fn fits(input_channels: usize, filters: usize) -> bool {
        const MAX_WEIGHTS: usize = 128 * 128;
        input_channels.is_multiple_of(LANES) && input_channels * filters <= MAX_WEIGHTS
    }

    /// Transforms and packs the weights for this processor; inputs are as [`Conv::new`](super::conv::Conv::new)
    /// has them.
    pub(super) fn new(folded: &FoldedConv, input_channels: usize) -> Self {
        Self::packed(folded, input_channels, FILTER_VECTORS)
    }

    pub(super) fn packed(
        folded: &FoldedConv,
        input_channels: usize,
        filter_vectors: usize,
    ) -> Self {
        let [filters, channels, ..] = folded.weight.shape[..] else {
            unreachable!("tensor shapes are checked when weights are loaded")
        };
        let kernel = |filter: usize, channel: usize| {
            let at = (filter * channels + channel) * TAPS;
            std::array::from_fn(|tap| folded.weight.data[at + tap])
        };
        let mut conv =
            Self::from_kernels([channels, filters], input_channels, filter_vectors, kernel);
        conv.bias.as_mut_slice()[..filters].copy_from_slice(&folded.bias);
        conv
    }

    /// Transforms and packs the kernel of every filter and channel; the bias is 0.
    pub(super) fn from_kernels(
        [channels, filters]: [usize; 2],
        input_channels: usize,
        filter_vectors: usize,
        kernel: impl Fn(usize, usize) -> [f32; TAPS],
    ) -> Self {
        let block = LANES * filter_vectors;
        let outputs = filters.next_multiple_of(block);
        let mut weights = Buffer::zeros(ELEMENTS * outputs * input_channels);
        for filter in 0..filters {
            for channel in 0..channels {
                let elements = transform_kernel(&kernel(filter, channel));
                for (element, value) in elements.into_iter().enumerate() {
                    let row = (element * outputs + filter / block * block) * input_channels;
                    weights.as_mut_slice()[row + channel * block + filter % block] = value;
                }
            }
        }
        let bias = Buffer::zeros(outputs);
        Self { weights, bias, inputs: input_channels, outputs, filter_vectors }
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
        self.run_with::<Native, PIXELS, FILTER_VECTORS>(
            board, batch, input, output, epilogue, scratch,
        );
    }

    pub(super) fn run_with<V: Vector, const P: usize, const F: usize>(
        &self,
        board: &PaddedBoard,
        batch: usize,
        input: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
        scratch: &mut WinogradScratch,
    ) {
        assert_eq!(self.filter_vectors, F);
        let tiles = batch * board.tiles();
        transform_inputs::<V>(board, tiles, self.inputs, input, &mut scratch.inputs);
        self.multiply::<V, P, F>(tiles, &scratch.inputs, &mut scratch.outputs);
        self.transform_outputs::<V>(board, tiles, &scratch.outputs, output, epilogue);
    }

    /// The matrix products: for every element, tiles by channels times channels by filters.
    fn multiply<V: Vector, const P: usize, const F: usize>(
        &self,
        tiles: usize,
        inputs: &Buffer,
        outputs: &mut Buffer,
    ) {
        let (inputs, outputs) = (inputs.as_slice(), outputs.as_mut_slice());
        assert!(inputs.len() >= ELEMENTS * plane(tiles, self.inputs));
        assert!(outputs.len() >= ELEMENTS * plane(tiles, self.outputs));
        for element in 0..ELEMENTS {
            for filter in (0..self.outputs).step_by(LANES * F) {
                let weights = (element * self.outputs + filter) * self.inputs;
                let weights = &self.weights.as_slice()[weights..][..LANES * F * self.inputs];
                let mut done = 0;
                while done < tiles {
                    let left = tiles - done;
                    let at = Product { element, filter, tiles, first: done, weights };
                    // A nearly empty last block would leave most accumulators idle.
                    done += match left {
                        _ if left >= 2 * P || left == P => {
                            self.product::<V, P, F>(&at, inputs, outputs)
                        }
                        _ if left >= TAIL_PIXELS => {
                            self.product::<V, TAIL_PIXELS, F>(&at, inputs, outputs)
                        }
                        _ if left >= FEW_TILES => {
                            self.product::<V, FEW_TILES, F>(&at, inputs, outputs)
                        }
                        _ => self.product::<V, 1, F>(&at, inputs, outputs),
                    };
                }
            }
        }
    }

    /// `N` tiles by a block of filters; returns `N`.
    #[inline(always)]
    fn product<V: Vector, const N: usize, const F: usize>(
        &self,
        at: &Product<'_>,
        inputs: &[f32],
        outputs: &mut [f32],
    ) -> usize {
        let row = |channels: usize, n: usize| {
            at.element * plane(at.tiles, channels) + (at.first + n) * channels
        };
        assert!(row(self.inputs, N) <= inputs.len() && row(self.outputs, N) <= outputs.len());
        assert!(at.weights.len() == LANES * F * self.inputs && at.filter < self.outputs);
        // SAFETY: `N` rows of inputs and outputs and the weights of a block of filters, which divides the
        // outputs, are in bounds, as checked above.
        unsafe {
            let from = std::array::from_fn(|n| inputs.as_ptr().add(row(self.inputs, n)));
            let zero = [[V::splat(0.0); F]; N];
            let acc = conv_microkernel(from, 1, 0, self.inputs, at.weights.as_ptr(), zero);
            let to = outputs.as_mut_ptr().add(row(self.outputs, 0) + at.filter);
            for (n, acc) in acc.into_iter().enumerate() {
                for (vector, acc) in acc.into_iter().enumerate() {
                    acc.store(to.add(n * self.outputs + LANES * vector));
                }
            }
        }
        N
    }

    /// `A^T m A` of every tile `m`, plus the bias, to the squares of the board.
    fn transform_outputs<V: Vector>(
        &self,
        board: &PaddedBoard,
        tiles: usize,
        transformed: &Buffer,
        output: &mut Buffer,
        epilogue: Epilogue,
    ) {
        let (transformed, output) = (transformed.as_slice(), output.as_mut_slice());
        let plane = plane(tiles, self.outputs);
        assert!(transformed.len() >= ELEMENTS * plane);
        for tile in 0..tiles {
            let [rows, columns] = board.tile_size(tile);
            // The output tile is the centre of the input tile.
            let first = board.tile_corner(tile) + board.width + 1;
            assert!(output.len() >= (first + (rows - 1) * board.width + columns) * self.outputs);
            for filter in (0..self.outputs).step_by(LANES) {
                let bias = &self.bias.as_slice()[filter..filter + LANES];
                // SAFETY: within the lengths checked above; `LANES` divides the outputs.
                unsafe {
                    let bias = V::load(bias.as_ptr());
                    let from = transformed.as_ptr().add(tile * self.outputs + filter);
                    let element = |row: usize, column: usize| {
                        V::load(from.add((row * INPUT_TILE + column) * plane))
                    };
                    let lines: [[V; TILE]; INPUT_TILE] = std::array::from_fn(|row| {
                        transform_output(std::array::from_fn(|column| element(row, column)))
                    });
                    for column in 0..columns {
                        let values = transform_output(lines.map(|line| line[column]));
                        for (row, value) in values.into_iter().enumerate().take(rows) {
                            let cell = first + row * board.width + column;
                            let to = output.as_mut_ptr().add(cell * self.outputs + filter);
                            epilogue.store(value.add(bias), to);
                        }
                    }
                }
            }
        }
    }
}

/// `B^T d B` of every input tile `d`.
pub(super) fn transform_inputs<V: Vector>(
    board: &PaddedBoard,
    tiles: usize,
    channels: usize,
    input: &Buffer,
    transformed: &mut Buffer,
) {
    let first = |tile| board.tile_corner(tile);
    transform_tiles(board, tiles, channels, input, transformed, first, transform_input::<V>);
}

/// `A y A^T` of every tile `y` of 4x4 gradients of outputs: the transpose of the transformation of outputs.
pub(super) fn transform_gradients<V: Vector>(
    board: &PaddedBoard,
    tiles: usize,
    channels: usize,
    gradient: &Buffer,
    transformed: &mut Buffer,
) {
    // The output tile is the centre of the input tile.
    let first = |tile| board.tile_corner(tile) + board.width + 1;
    transform_tiles(board, tiles, channels, gradient, transformed, first, transform_gradient::<V>);
}

/// Transforms columns, then rows, of tiles of `N` x `N` cells; `first` is a tile's first cell.
#[inline(always)]
fn transform_tiles<V: Vector, const N: usize>(
    board: &PaddedBoard,
    tiles: usize,
    channels: usize,
    cells: &Buffer,
    transformed: &mut Buffer,
    first: impl Fn(usize) -> usize,
    transform: impl Fn([V; N]) -> [V; INPUT_TILE],
) {
    let (cells, transformed) = (cells.as_slice(), transformed.as_mut_slice());
    let plane = plane(tiles, channels);
    assert!(transformed.len() >= ELEMENTS * plane);
    for tile in 0..tiles {
        let first = first(tile);
        assert!(cells.len() >= (first + (N - 1) * (board.width + 1) + 1) * channels);
        for channel in (0..channels).step_by(LANES) {
            // SAFETY: the last cell is within the length checked above; `LANES` divides the channels.
            let cell = |row: usize, column: usize| unsafe {
                let cell = first + row * board.width + column;
                V::load(cells.as_ptr().add(cell * channels + channel))
            };
            let columns: [[V; INPUT_TILE]; N] = std::array::from_fn(|column| {
                transform(std::array::from_fn(|row| cell(row, column)))
            });
            for row in 0..INPUT_TILE {
                let elements = transform(columns.map(|column| column[row]));
                for (column, value) in elements.into_iter().enumerate() {
                    let element = row * INPUT_TILE + column;
                    let at = element * plane + tile * channels + channel;
                    // SAFETY: within the length checked above.
                    unsafe { value.store(transformed.as_mut_ptr().add(at)) }
                }
            }
        }
    }
}

/// Where a product is in its matrices.
struct Product<'a> {
    element: usize,
    filter: usize,
    /// All tiles.
    tiles: usize,
    /// The first one of the product.
    first: usize,
    weights: &'a [f32],
}

/// `B^T d`.
#[inline(always)]
fn transform_input<V: Vector>([d0, d1, d2, d3, d4, d5]: [V; INPUT_TILE]) -> [V; INPUT_TILE] {
    let [two, four, five] = [2.0, -4.0, -5.0].map(V::splat);
    let (even, odd) = (d2.mul_add(four, d4), d1.mul_add(four, d3));
    let (even_diff, odd_diff) = (d4.sub(d2), d3.sub(d1));
    let negated = V::splat(-2.0);
    [
        d0.mul_add(V::splat(4.0), d2.mul_add(five, d4)),
        even.add(odd),
        even.sub(odd),
        odd_diff.mul_add(two, even_diff),
        odd_diff.mul_add(negated, even_diff),
        d1.mul_add(V::splat(4.0), d3.mul_add(five, d5)),
    ]
}

/// `A^T m`.
#[inline(always)]
fn transform_output<V: Vector>([m0, m1, m2, m3, m4, m5]: [V; INPUT_TILE]) -> [V; TILE] {
    let (sum, diff) = (m1.add(m2), m1.sub(m2));
    let (far_sum, far_diff) = (m3.add(m4), m3.sub(m4));
    [
        m0.add(sum).add(far_sum),
        far_diff.mul_add(V::splat(2.0), diff),
        far_sum.mul_add(V::splat(4.0), sum),
        far_diff.mul_add(V::splat(8.0), diff).add(m5),
    ]
}

/// `A y`.
#[inline(always)]
fn transform_gradient<V: Vector>([y0, y1, y2, y3]: [V; TILE]) -> [V; INPUT_TILE] {
    let (even, odd) = (y0.add(y2), y1.add(y3));
    let far_even = y2.mul_add(V::splat(4.0), y0);
    let far_odd = y3.mul_add(V::splat(4.0), y1);
    [
        y0,
        even.add(odd),
        even.sub(odd),
        far_odd.mul_add(V::splat(2.0), far_even),
        far_odd.mul_add(V::splat(-2.0), far_even),
        y3,
    ]
}

/// The kernel transformation.
const G: [[f64; 3]; INPUT_TILE] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// `G^T m G` of a tile `m`, row by row: the transpose of the kernel transformation.
pub(super) fn kernel_gradient(tile: &[f32; ELEMENTS]) -> [f32; TAPS] {
    std::array::from_fn(|tap| {
        let elements = tile.iter().enumerate();
        let term = |(element, &m): (usize, &f32)| {
            G[element / INPUT_TILE][tap / 3] * f64::from(m) * G[element % INPUT_TILE][tap % 3]
        };
        elements.map(term).sum::<f64>() as f32
    })
}

/// `G g G^T` of a 3x3 kernel `g`, row by row.
fn transform_kernel(kernel: &[f32; TAPS]) -> [f32; ELEMENTS] {
    std::array::from_fn(|element| {
        let (left, right) = (G[element / INPUT_TILE], G[element % INPUT_TILE]);
        let taps = kernel.iter().enumerate();
        taps.map(|(tap, &g)| left[tap / 3] * f64::from(g) * right[tap % 3]).sum::<f64>() as f32
    })
}
