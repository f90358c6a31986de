//! Register-blocked microkernels, where nearly all time is spent: accumulators stay in registers over the
//! whole reduction, as in BLIS and oneDNN.

use super::vector::{LANES, Vector};

/// Direct convolution of `PIXELS` output pixels by `VECTORS` vectors of filters.
///
/// In NHWC layout the pixels under one row of the kernel are contiguous with all their channels, so a
/// kernel row is one run of `row_len` floats; runs of successive kernel rows are `row_stride` apart. The
/// packed weights hold `VECTORS` vectors for every input float, in the order in which they are read.
///
/// # Safety
/// All runs, and `kernel_rows * row_len * VECTORS` vectors of weights, must be readable.
#[inline(always)]
pub(super) unsafe fn conv_microkernel<V: Vector, const PIXELS: usize, const VECTORS: usize>(
    inputs: [*const f32; PIXELS],
    kernel_rows: usize,
    row_stride: usize,
    row_len: usize,
    mut weights: *const f32,
    mut acc: [[V; VECTORS]; PIXELS],
) -> [[V; VECTORS]; PIXELS] {
    for row in 0..kernel_rows {
        for offset in row * row_stride..row * row_stride + row_len {
            // SAFETY: readable by the caller's contract.
            let weight: [V; VECTORS] =
                std::array::from_fn(|vector| unsafe { V::load(weights.add(LANES * vector)) });
            // SAFETY: at most one past the last weight.
            weights = unsafe { weights.add(LANES * VECTORS) };
            for pixel in 0..PIXELS {
                // SAFETY: readable by the caller's contract.
                let input = V::splat(unsafe { *inputs[pixel].add(offset) });
                for vector in 0..VECTORS {
                    acc[pixel][vector] = input.mul_add(weight[vector], acc[pixel][vector]);
                }
            }
        }
    }
    acc
}

/// Sparse matrix-vector product for `VECTORS` vectors of outputs: `acc` plus each non-zero input times its
/// row of weights. An input comes with the offset of that row.
///
/// # Safety
/// At the offset of every input, `VECTORS` vectors of weights must be readable.
#[inline(always)]
pub(super) unsafe fn sparse_gemv_microkernel<V: Vector, const VECTORS: usize>(
    nonzeros: &[(u32, f32)],
    weights: *const f32,
    mut acc: [V; VECTORS],
) -> [V; VECTORS] {
    for &(offset, input) in nonzeros {
        let input = V::splat(input);
        let weights = weights.wrapping_add(offset as usize);
        for (vector, acc) in acc.iter_mut().enumerate() {
            // SAFETY: readable by the caller's contract.
            *acc = input.mul_add(unsafe { V::load(weights.add(LANES * vector)) }, *acc);
        }
    }
    acc
}
