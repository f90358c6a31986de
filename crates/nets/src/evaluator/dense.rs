use super::buffer::Buffer;
use super::kernel::columns;
use super::vector::{COLUMNS, LANES, Native, Vector};
use crate::Tensor;

/// A fully connected layer.
#[derive(Clone)]
pub(super) struct Dense {
    /// For every input one number an output.
    weights: Buffer,
    bias: Buffer,
    inputs: usize,
    /// Outputs, rounded up to whole vectors; those beyond the real ones give 0.
    outputs: usize,
}

impl Dense {
    /// The layer with a weight for each output and input.
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

    /// How many numbers it reads.
    pub(super) const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Room for its outputs.
    pub(super) fn buffer(&self) -> Buffer {
        Buffer::zeros(self.outputs)
    }

    /// Computes all outputs; negative ones become 0 if `relu` says so.
    pub(super) fn run(&self, input: &[f32], output: &mut Buffer, relu: bool) {
        self.run_with::<Native, COLUMNS>(input, output, relu);
    }

    pub(super) fn run_with<V: Vector, const C: usize>(
        &self,
        input: &[f32],
        output: &mut Buffer,
        relu: bool,
    ) {
        let input = &input[..self.inputs];
        let output = &mut output.as_mut_slice()[..self.outputs];
        let mut done = 0;
        while done < self.outputs {
            let left = (self.outputs - done) / LANES;
            done += LANES
                * if left >= C {
                    self.columns::<V, C>(input, output, done, relu)
                } else if left >= 4 {
                    self.columns::<V, 4>(input, output, done, relu)
                } else if left >= 2 {
                    self.columns::<V, 2>(input, output, done, relu)
                } else {
                    self.columns::<V, 1>(input, output, done, relu)
                };
        }
    }

    /// The outputs of `C` vectors from `first` on; gives `C`.
    #[inline(always)]
    fn columns<V: Vector, const C: usize>(
        &self,
        input: &[f32],
        output: &mut [f32],
        first: usize,
        relu: bool,
    ) -> usize {
        let bias = &self.bias.as_slice()[first..first + C * LANES];
        let output = &mut output[first..first + C * LANES];
        let weights = &self.weights.as_slice()[first..];
        // SAFETY: the slices have room for `C` vectors, and there are weights for every input.
        unsafe {
            let start = std::array::from_fn(|column| V::load(bias.as_ptr().add(LANES * column)));
            let sums: [V; C] = columns(input, weights.as_ptr(), self.outputs, start);
            for (column, sum) in sums.into_iter().enumerate() {
                let sum = if relu { sum.positive() } else { sum };
                sum.store(output.as_mut_ptr().add(LANES * column));
            }
        }
        C
    }
}
