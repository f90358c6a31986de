use super::buffer::Buffer;
use super::kernel::sparse_gemv_microkernel;
use super::vector::{GEMV_VECTORS, LANES, Native, Vector};
use crate::Tensor;

/// Inputs whose non-zeros are gathered at a time.
const INPUT_BLOCK: usize = 128;

/// A fully connected layer.
#[derive(Clone)]
pub(super) struct Dense {
    /// A row of outputs for every input.
    weights: Buffer,
    bias: Buffer,
    inputs: usize,
    /// Outputs, padded to whole vectors; padding outputs are 0.
    outputs: usize,
}

impl Dense {
    /// Packs weights in file layout (outputs x inputs).
    pub(super) fn new(weight: &Tensor, bias: &[f32]) -> Self {
        let (inputs, outputs) = (weight.shape[1], weight.shape[0].next_multiple_of(LANES));
        let mut packed = Buffer::zeros(inputs * outputs);
        for (index, value) in weight.data.iter().enumerate() {
            packed.as_mut_slice()[index % inputs * outputs + index / inputs] = *value;
        }
        let mut padded = Buffer::zeros(outputs);
        padded.as_mut_slice()[..bias.len()].copy_from_slice(bias);
        Self { weights: packed, bias: padded, inputs, outputs }
    }

    /// The number of inputs.
    pub(super) const fn inputs(&self) -> usize {
        self.inputs
    }

    /// A buffer for the outputs.
    pub(super) fn buffer(&self) -> Buffer {
        Buffer::zeros(self.outputs)
    }

    /// Computes all outputs, followed by a ReLU if `relu`.
    pub(super) fn run(&self, input: &[f32], output: &mut Buffer, relu: bool) {
        self.run_with::<Native, GEMV_VECTORS>(input, output, relu);
    }

    pub(super) fn run_with<V: Vector, const N: usize>(
        &self,
        input: &[f32],
        output: &mut Buffer,
        relu: bool,
    ) {
        let output = &mut output.as_mut_slice()[..self.outputs];
        output.copy_from_slice(&self.bias.as_slice()[..self.outputs]);
        let mut nonzeros = [(0, 0.0); INPUT_BLOCK];
        for (block, input) in input[..self.inputs].chunks(INPUT_BLOCK).enumerate() {
            let first = block * INPUT_BLOCK * self.outputs;
            let nonzeros = self.gather_nonzeros(input, &mut nonzeros);
            self.accumulate::<V, N>(nonzeros, &self.weights.as_slice()[first..], output);
        }
        if relu {
            output.iter_mut().for_each(|output| *output = output.max(0.0));
        }
    }

    /// The non-zero inputs with the offsets of their weights: after a ReLU about half of the inputs, of a
    /// board even fewer.
    #[inline(always)]
    fn gather_nonzeros<'a>(
        &self,
        input: &[f32],
        nonzeros: &'a mut [(u32, f32); INPUT_BLOCK],
    ) -> &'a [(u32, f32)] {
        let mut count = 0;
        for (index, &value) in input.iter().enumerate() {
            // Branchless: every input is written, only non-zeros are counted.
            nonzeros[count] = ((index * self.outputs) as u32, value);
            count += usize::from(value != 0.0);
        }
        &nonzeros[..count]
    }

    /// Adds the products of all inputs with their weights to the outputs.
    #[inline(always)]
    fn accumulate<V: Vector, const N: usize>(
        &self,
        nonzeros: &[(u32, f32)],
        weights: &[f32],
        output: &mut [f32],
    ) {
        let mut done = 0;
        while done < self.outputs {
            let (weights, output) = (&weights[done..], &mut output[done..]);
            let left = (self.outputs - done) / LANES;
            // SAFETY: every non-zero input has `outputs` weights from its offset on.
            done += LANES
                * unsafe {
                    if left >= N {
                        accumulate_vectors::<V, N>(nonzeros, weights, output)
                    } else if left >= 4 {
                        accumulate_vectors::<V, 4>(nonzeros, weights, output)
                    } else if left >= 2 {
                        accumulate_vectors::<V, 2>(nonzeros, weights, output)
                    } else {
                        accumulate_vectors::<V, 1>(nonzeros, weights, output)
                    }
                };
        }
    }
}

/// Adds to the first `N` vectors of outputs; returns `N`.
///
/// # Safety
/// At the offset of every input, `N` vectors of weights must be readable.
#[inline(always)]
unsafe fn accumulate_vectors<V: Vector, const N: usize>(
    nonzeros: &[(u32, f32)],
    weights: &[f32],
    output: &mut [f32],
) -> usize {
    let output = output[..N * LANES].as_mut_ptr();
    // SAFETY: the slice has `N` vectors; the weights are the caller's contract.
    unsafe {
        let acc = std::array::from_fn(|vector| V::load(output.add(LANES * vector)));
        let acc: [V; N] = sparse_gemv_microkernel(nonzeros, weights.as_ptr(), acc);
        for (vector, acc) in acc.into_iter().enumerate() {
            acc.store(output.add(LANES * vector));
        }
    }
    N
}
