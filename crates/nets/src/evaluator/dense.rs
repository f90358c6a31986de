use super::buffer::Buffer;
use super::kernel::columns;
use super::vector::{COLUMNS, LANES, Native, Vector};
use crate::Tensor;

/// So many inputs are listed at a time.
const AT_ONCE: usize = 128;

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
        let output = &mut output.as_mut_slice()[..self.outputs];
        output.copy_from_slice(&self.bias.as_slice()[..self.outputs]);
        let mut listed = [(0, 0.0); AT_ONCE];
        for (part, input) in input[..self.inputs].chunks(AT_ONCE).enumerate() {
            let first = part * AT_ONCE * self.outputs;
            let listed = self.list(input, &mut listed);
            self.add::<V, C>(listed, &self.weights.as_slice()[first..], output);
        }
        if relu {
            output.iter_mut().for_each(|output| *output = output.max(0.0));
        }
    }

    /// The inputs that are not 0, with the place of their weights: behind a ReLU about half of them, and on
    /// a board even fewer.
    #[inline(always)]
    fn list<'a>(&self, input: &[f32], listed: &'a mut [(u32, f32); AT_ONCE]) -> &'a [(u32, f32)] {
        let mut count = 0;
        for (number, &value) in input.iter().enumerate() {
            // The place behind the last one is written too, but only counted if it is wanted.
            listed[count] = ((number * self.outputs) as u32, value);
            count += usize::from(value != 0.0);
        }
        &listed[..count]
    }

    /// Adds all inputs times their weights to the outputs.
    #[inline(always)]
    fn add<V: Vector, const C: usize>(
        &self,
        input: &[(u32, f32)],
        weights: &[f32],
        output: &mut [f32],
    ) {
        let mut done = 0;
        while done < self.outputs {
            let (weights, output) = (&weights[done..], &mut output[done..]);
            let left = (self.outputs - done) / LANES;
            // SAFETY: for every input in the list there are `outputs` weights from its place on.
            done += LANES
                * unsafe {
                    if left >= C {
                        add_columns::<V, C>(input, weights, output)
                    } else if left >= 4 {
                        add_columns::<V, 4>(input, weights, output)
                    } else if left >= 2 {
                        add_columns::<V, 2>(input, weights, output)
                    } else {
                        add_columns::<V, 1>(input, weights, output)
                    }
                };
        }
    }
}

/// Adds to the first `C` vectors of outputs; gives `C`.
///
/// # Safety
/// At the place of every input `C` vectors of weights must be readable.
#[inline(always)]
unsafe fn add_columns<V: Vector, const C: usize>(
    input: &[(u32, f32)],
    weights: &[f32],
    output: &mut [f32],
) -> usize {
    let output = &mut output[..C * LANES];
    // SAFETY: the slice has room for `C` vectors; the caller promises the weights.
    unsafe {
        let start = std::array::from_fn(|column| V::load(output.as_ptr().add(LANES * column)));
        let sums: [V; C] = columns(input, weights.as_ptr(), start);
        for (column, sum) in sums.into_iter().enumerate() {
            sum.store(output.as_mut_ptr().add(LANES * column));
        }
    }
    C
}
