//! Products of matrices, for training.

use super::buffer::Buffer;
use super::vector::{GROUPS, LANES, Native, PIXELS, Vector};

/// The left factor of a product: its numbers, how far it is from one row to the next, and how far from
/// one column to the next. So a matrix and its transpose can both be used as they lie in memory.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

/// `out = left * right`, where `left` has `inner` columns, `right` has `inner` rows of `columns` numbers
/// each, one row after the other, and `out` has rows of `columns` numbers, as many as there is room for.
///
/// Every number is the sum of its products in their order, whatever part of the rows is asked for.
///
/// # Panics
/// If a factor is too small.
pub fn multiply(left: Left<'_>, inner: usize, right: &[f32], columns: usize, out: &mut [f32]) {
    let rows = out.len() / columns.max(1);
    if rows == 0 || columns == 0 {
        return;
    }
    assert_eq!(out.len(), rows * columns, "whole rows");
    assert!(right.len() >= inner * columns, "the right factor is too small");
    let last = (rows - 1) * left.row + inner.saturating_sub(1) * left.column;
    assert!(inner == 0 || left.data.len() > last, "the left factor is too small");
    let width = columns.next_multiple_of(LANES);
    if width == columns {
        // SAFETY: whole vectors in every row of `right`, and enough of everything.
        return unsafe { product(left, inner, right, columns, out, columns, rows) };
    }
    let mut padded = Buffer::zeros(inner * width);
    for (to, from) in padded.as_mut_slice().chunks_mut(width).zip(right.chunks_exact(columns)) {
        to[..columns].copy_from_slice(from);
    }
    let mut wide = Buffer::zeros(rows * width);
    // SAFETY: as above, all rows being `width` long.
    unsafe { product(left, inner, padded.as_slice(), width, wide.as_mut_slice(), width, rows) };
    for (to, from) in out.chunks_exact_mut(columns).zip(wide.as_slice().chunks_exact(width)) {
        to.copy_from_slice(&from[..columns]);
    }
}

/// # Safety
/// `columns` is a number of whole vectors; `left` has `rows` rows and `inner` columns, `right` has
/// `inner` rows of `stride` numbers, `out` has `rows` rows of `columns`.
unsafe fn product(
    left: Left<'_>,
    inner: usize,
    right: &[f32],
    stride: usize,
    out: &mut [f32],
    columns: usize,
    rows: usize,
) {
    let mut column = 0;
    while column < columns {
        let taken = if columns - column >= LANES * GROUPS { LANES * GROUPS } else { LANES };
        let mut row = 0;
        while row < rows {
            let place = Place { left, inner, right, stride, columns, row, column };
            // SAFETY: the caller's promise; the tile lies inside.
            row += unsafe {
                match (taken == LANES, rows - row) {
                    (false, PIXELS..) => place.tile::<Native, PIXELS, GROUPS>(out),
                    (true, PIXELS..) => place.tile::<Native, PIXELS, 1>(out),
                    (false, _) => place.tile::<Native, 1, GROUPS>(out),
                    (true, _) => place.tile::<Native, 1, 1>(out),
                }
            };
        }
        column += taken;
    }
}

/// Where a tile of the product is.
#[derive(Clone, Copy)]
struct Place<'a> {
    left: Left<'a>,
    inner: usize,
    right: &'a [f32],
    stride: usize,
    columns: usize,
    row: usize,
    column: usize,
}

impl Place<'_> {
    /// Computes a tile of `P` rows and `G` vectors; gives `P`.
    ///
    /// # Safety
    /// The tile lies inside of the product.
    #[inline(always)]
    unsafe fn tile<V: Vector, const P: usize, const G: usize>(self, out: &mut [f32]) -> usize {
        let mut sums = [[V::splat(0.0); G]; P];
        // SAFETY: the tile lies inside of the product, so all of these lie inside of the factors.
        unsafe {
            let mut left = self.left.data.as_ptr().add(self.row * self.left.row);
            let mut right = self.right.as_ptr().add(self.column);
            for _ in 0..self.inner {
                let weight: [V; G] = std::array::from_fn(|group| V::load(right.add(LANES * group)));
                for (pixel, sums) in sums.iter_mut().enumerate() {
                    let value = V::splat(*left.add(pixel * self.left.row));
                    for (sum, weight) in sums.iter_mut().zip(weight) {
                        *sum = value.mul_add(weight, *sum);
                    }
                }
                left = left.wrapping_add(self.left.column);
                right = right.wrapping_add(self.stride);
            }
            for (pixel, sums) in sums.into_iter().enumerate() {
                let to = out.as_mut_ptr().add((self.row + pixel) * self.columns + self.column);
                for (group, sum) in sums.into_iter().enumerate() {
                    sum.store(to.add(LANES * group));
                }
            }
        }
        P
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn agrees_with_the_definition() {
        let mut rng = Rng::seeded(1);
        for (rows, inner, columns) in [(1, 1, 1), (7, 5, 16), (20, 33, 40), (9, 0, 3), (64, 18, 96)]
        {
            let mut numbers = |count: usize| -> Vec<f32> {
                (0..count).map(|_| rng.unit() as f32 - 0.5).collect()
            };
            let (a, b) = (numbers(rows * inner), numbers(inner * columns));
            let mut transposed = vec![0.0; a.len()];
            for row in 0..rows {
                for column in 0..inner {
                    transposed[column * rows + row] = a[row * inner + column];
                }
            }
            let straight = Left { data: &a, row: inner, column: 1 };
            let turned = Left { data: &transposed, row: 1, column: rows };
            for left in [straight, turned] {
                let mut out = vec![9.0; rows * columns];
                multiply(left, inner, &b, columns, &mut out);
                for (index, value) in out.iter().enumerate() {
                    let (row, column) = (index / columns, index % columns);
                    let product = |n: usize| a[row * inner + n] * b[n * columns + column];
                    let expected: f32 = (0..inner).map(product).sum();
                    assert!((value - expected).abs() < 1e-4, "{rows} {inner} {columns}");
                }
            }
        }
    }
}
