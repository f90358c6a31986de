//! Integer kernels. They are plain loops over blocks, which the compiler turns into the vector instructions of the
//! processor (AVX2, AVX-512); integer arithmetic gives the same numbers everywhere.

/// The quantized value 1 of an accumulator.
pub(super) const ACCUMULATOR_ONE: i16 = 255;
/// The quantized value 1 of an output weight.
pub(super) const OUTPUT_ONE: i16 = 64;
/// Bound of quantized output weights: their product with an activation fits 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: i16 = 127;

/// Widths are multiples of this: a whole AVX2 register of 16-bit numbers.
pub(super) const LANES: usize = 16;
/// Elements whose products surely fit a 32-bit sum: 256 * 255 * 255 * 127 < 2^31.
const SUM_BLOCK: usize = 256;

/// Adds a row to an accumulator.
#[inline]
pub(super) fn add_row(accumulator: &mut [i16], row: &[i16]) {
    let (blocks, rows) = (accumulator.as_chunks_mut::<LANES>().0, row.as_chunks::<LANES>().0);
    for (block, row) in blocks.iter_mut().zip(rows) {
        for (sum, weight) in block.iter_mut().zip(row) {
            *sum = sum.wrapping_add(*weight);
        }
    }
}

/// Subtracts a row from an accumulator.
#[inline]
pub(super) fn subtract_row(accumulator: &mut [i16], row: &[i16]) {
    let (blocks, rows) = (accumulator.as_chunks_mut::<LANES>().0, row.as_chunks::<LANES>().0);
    for (block, row) in blocks.iter_mut().zip(rows) {
        for (sum, weight) in block.iter_mut().zip(row) {
            *sum = sum.wrapping_sub(*weight);
        }
    }
}

/// Replaces a row by another.
#[inline]
pub(super) fn replace_row(accumulator: &mut [i16], old: &[i16], new: &[i16]) {
    let (old, new) = (old.as_chunks::<LANES>().0, new.as_chunks::<LANES>().0);
    for ((block, old), new) in accumulator.as_chunks_mut::<LANES>().0.iter_mut().zip(old).zip(new) {
        for ((sum, old), new) in block.iter_mut().zip(old).zip(new) {
            *sum = sum.wrapping_sub(*old).wrapping_add(*new);
        }
    }
}

/// Writes an accumulator with a row replaced by another to `to`.
#[inline]
pub(super) fn copy_replacing_row(from: &[i16], to: &mut [i16], old: &[i16], new: &[i16]) {
    let (from, to) = (from.as_chunks::<LANES>().0, to.as_chunks_mut::<LANES>().0);
    let (old, new) = (old.as_chunks::<LANES>().0, new.as_chunks::<LANES>().0);
    for (((to, from), old), new) in to.iter_mut().zip(from).zip(old).zip(new) {
        for (((to, from), old), new) in to.iter_mut().zip(from).zip(old).zip(new) {
            *to = from.wrapping_sub(*old).wrapping_add(*new);
        }
    }
}

/// The product of an output layer's half with an accumulator through the squared clipped ReLU (SCReLU).
#[inline]
pub(super) fn screlu_dot(accumulator: &[i16], weights: &[i16]) -> i64 {
    let pairs = accumulator.chunks(SUM_BLOCK).zip(weights.chunks(SUM_BLOCK));
    pairs.map(|(accumulator, weights)| i64::from(screlu_block(accumulator, weights))).sum()
}

/// A plain sum: with sums per lane the compiler does not find the multiplication that adds up pairs (`vpmaddwd`), and
/// is ten times slower.
#[inline]
fn screlu_block(accumulator: &[i16], weights: &[i16]) -> i32 {
    let pairs = accumulator.iter().zip(weights);
    let product = |(value, weight): (&i16, &i16)| {
        let clipped = (*value).clamp(0, ACCUMULATOR_ONE);
        // Fits: 255 * 127 < 2^15.
        i32::from(clipped.wrapping_mul(*weight)) * i32::from(clipped)
    };
    pairs.map(product).sum()
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn kernels_agree_with_plain_arithmetic() {
        let mut rng = Rng::seeded(5);
        for width in [16, 32, 64, 256, 512] {
            let mut numbers = |below: i64| -> Vec<i16> {
                (0..width)
                    .map(|_| (rng.below(2 * below as u64 + 1) as i64 - below) as i16)
                    .collect()
            };
            let (start, old, new) = (numbers(2000), numbers(900), numbers(900));
            let weights = numbers(i64::from(MAX_OUTPUT_WEIGHT));
            let mut replaced = start.clone();
            replace_row(&mut replaced, &old, &new);
            let mut stepwise = start.clone();
            add_row(&mut stepwise, &new);
            subtract_row(&mut stepwise, &old);
            let mut copied = vec![0; width];
            copy_replacing_row(&start, &mut copied, &old, &new);
            assert_eq!(copied, replaced);
            let expected: Vec<i16> = (0..width).map(|i| start[i] - old[i] + new[i]).collect();
            assert_eq!((&replaced, &stepwise), (&expected, &expected));
            let term = |i: usize| {
                let value = i64::from(expected[i].clamp(0, 255));
                value * value * i64::from(weights[i])
            };
            assert_eq!(screlu_dot(&expected, &weights), (0..width).map(term).sum::<i64>());
        }
        // The extreme case.
        let (ones, most) = (vec![ACCUMULATOR_ONE; 1024], vec![-MAX_OUTPUT_WEIGHT; 1024]);
        assert_eq!(screlu_dot(&ones, &most), -1024 * 255 * 255 * 127);
    }
}
