//! The loops in which nearly all time is spent.

use super::vector::{LANES, Vector};

/// Adds to `sums` the products of `PIXELS` stretches of inputs with the weights of `GROUPS` vectors of
/// filters. The sums stay in registers all the time.
///
/// A stretch is `length` numbers long and stands `taps` times in the input, `stride` apart from one
/// tap to the next. For every number of a stretch there are `GROUPS` vectors of weights.
///
/// # Safety
/// All stretches, and `taps * length * GROUPS` vectors of weights, must be readable.
#[inline(always)]
pub(super) unsafe fn tile<V: Vector, const PIXELS: usize, const GROUPS: usize>(
    inputs: [*const f32; PIXELS],
    taps: usize,
    stride: usize,
    length: usize,
    mut weights: *const f32,
    mut sums: [[V; GROUPS]; PIXELS],
) -> [[V; GROUPS]; PIXELS] {
    for tap in 0..taps {
        for place in tap * stride..tap * stride + length {
            // SAFETY: the caller promises that all of this can be read.
            let weight: [V; GROUPS] =
                std::array::from_fn(|group| unsafe { V::load(weights.add(LANES * group)) });
            // SAFETY: at most one past the last weight.
            weights = unsafe { weights.add(LANES * GROUPS) };
            for pixel in 0..PIXELS {
                // SAFETY: as above.
                let input = V::splat(unsafe { *inputs[pixel].add(place) });
                for group in 0..GROUPS {
                    sums[pixel][group] = input.mul_add(weight[group], sums[pixel][group]);
                }
            }
        }
    }
    sums
}

/// `COLUMNS` vectors of outputs of a fully connected layer: `sums` plus every input times its weights.
/// Inputs come with the place of their weights; those that are 0 are left out.
///
/// # Safety
/// At the place of every input `COLUMNS` vectors of weights must be readable.
#[inline(always)]
pub(super) unsafe fn columns<V: Vector, const COLUMNS: usize>(
    inputs: &[(u32, f32)],
    weights: *const f32,
    mut sums: [V; COLUMNS],
) -> [V; COLUMNS] {
    for &(place, input) in inputs {
        let input = V::splat(input);
        let weights = weights.wrapping_add(place as usize);
        for (column, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the caller promises that all weights can be read.
            *sum = input.mul_add(unsafe { V::load(weights.add(LANES * column)) }, *sum);
        }
    }
    sums
}
