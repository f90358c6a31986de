//! Matrix products, for training.

use super::buffer::Buffer;
use super::vector::{FILTER_VECTORS, LANES, Native, PIXELS, TAIL_PIXELS, Vector};

/// A matrix with explicit strides, so that a matrix and its transpose can be used as they lie in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StridedMatrix<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

/// `out = left * right`: `left` has `inner` columns, `right` is `inner` x `columns` in row-major order, and
/// `out` has as many rows of `columns` floats as it has room for.
///
/// Each element is reduced in index order, so the result does not depend on how rows are split up.
///
/// # Panics
/// If a factor is too small.
pub(crate) fn gemm(
    left: StridedMatrix<'_>,
    inner: usize,
    right: &[f32],
    columns: usize,
    out: &mut [f32],
) {
    let rows = out.len() / columns.max(1);
    if rows == 0 || columns == 0 {
        return;
    }
    assert_eq!(out.len(), rows * columns, "whole rows");
    assert!(right.len() >= inner * columns, "the right factor is too small");
    let last = (rows - 1) * left.row_stride + inner.saturating_sub(1) * left.column_stride;
    assert!(inner == 0 || left.data.len() > last, "the left factor is too small");
    let width = columns.next_multiple_of(LANES);
    if width == columns {
        // SAFETY: rows of `right` are whole vectors; the assertions above checked all sizes.
        return unsafe { gemm_aligned(left, inner, right, columns, out, rows) };
    }
    let mut padded = Buffer::zeros(inner * width);
    for (to, from) in padded.as_mut_slice().chunks_mut(width).zip(right.chunks_exact(columns)) {
        to[..columns].copy_from_slice(from);
    }
    let mut wide = Buffer::zeros(rows * width);
    // SAFETY: as above, with rows padded to `width`.
    unsafe { gemm_aligned(left, inner, padded.as_slice(), width, wide.as_mut_slice(), rows) };
    for (to, from) in out.chunks_exact_mut(columns).zip(wide.as_slice().chunks_exact(width)) {
        to.copy_from_slice(&from[..columns]);
    }
}

/// # Safety
/// `columns` is a multiple of [`LANES`]; `left` is `rows` x `inner`, `right` `inner` x `columns`, `out`
/// `rows` x `columns`.
unsafe fn gemm_aligned(
    left: StridedMatrix<'_>,
    inner: usize,
    right: &[f32],
    columns: usize,
    out: &mut [f32],
    rows: usize,
) {
    const BLOCK: usize = LANES * FILTER_VECTORS;
    let mut column = 0;
    while column < columns {
        let width = if columns - column >= BLOCK { BLOCK } else { LANES };
        let mut row = 0;
        while row < rows {
            let tile = Tile { left, inner, right, columns, row, column };
            // SAFETY: the caller's contract; the tile lies inside the product.
            row += unsafe {
                match (width == LANES, rows - row) {
                    (false, PIXELS..) => tile.microkernel::<Native, PIXELS, FILTER_VECTORS>(out),
                    (true, PIXELS..) => tile.microkernel::<Native, PIXELS, 1>(out),
                    (false, TAIL_PIXELS..) => {
                        tile.microkernel::<Native, TAIL_PIXELS, FILTER_VECTORS>(out)
                    }
                    (false, _) => tile.microkernel::<Native, 1, FILTER_VECTORS>(out),
                    (true, _) => tile.microkernel::<Native, 1, 1>(out),
                }
            };
        }
        column += width;
    }
}

/// A tile of the product.
#[derive(Clone, Copy)]
struct Tile<'a> {
    left: StridedMatrix<'a>,
    inner: usize,
    right: &'a [f32],
    columns: usize,
    row: usize,
    column: usize,
}

impl Tile<'_> {
    /// Computes `R` rows by `C` vectors; returns `R`.
    ///
    /// # Safety
    /// The tile lies inside the product.
    #[inline(always)]
    unsafe fn microkernel<V: Vector, const R: usize, const C: usize>(
        self,
        out: &mut [f32],
    ) -> usize {
        let mut acc = [[V::splat(0.0); C]; R];
        // SAFETY: the tile lies inside the product, so all accesses lie inside the factors.
        unsafe {
            let mut left = self.left.data.as_ptr().add(self.row * self.left.row_stride);
            let mut right = self.right.as_ptr().add(self.column);
            for _ in 0..self.inner {
                let b: [V; C] = std::array::from_fn(|vector| V::load(right.add(LANES * vector)));
                for (row, acc) in acc.iter_mut().enumerate() {
                    let a = V::splat(*left.add(row * self.left.row_stride));
                    for (acc, b) in acc.iter_mut().zip(b) {
                        *acc = a.mul_add(b, *acc);
                    }
                }
                left = left.wrapping_add(self.left.column_stride);
                right = right.wrapping_add(self.columns);
            }
            let out = out.as_mut_ptr();
            for (row, acc) in acc.into_iter().enumerate() {
                let to = out.add((self.row + row) * self.columns + self.column);
                for (vector, acc) in acc.into_iter().enumerate() {
                    acc.store(to.add(LANES * vector));
                }
            }
        }
        R
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    #[test]
    fn gemm_matches_the_definition() {
        let mut rng = Rng::seeded(1);
        for (rows, inner, columns) in [(1, 1, 1), (7, 5, 16), (9, 0, 3), (20, 33, 40), (64, 18, 96)]
        {
            let mut random = |count: usize| -> Vec<f32> {
                (0..count).map(|_| rng.unit() as f32 - 0.5).collect()
            };
            let (a, b) = (random(rows * inner), random(inner * columns));
            let mut transposed = vec![0.0; a.len()];
            for row in 0..rows {
                for column in 0..inner {
                    transposed[column * rows + row] = a[row * inner + column];
                }
            }
            let plain = StridedMatrix { data: &a, row_stride: inner, column_stride: 1 };
            let transposed =
                StridedMatrix { data: &transposed, row_stride: 1, column_stride: rows };
            for left in [plain, transposed] {
                let mut out = vec![9.0; rows * columns];
                gemm(left, inner, &b, columns, &mut out);
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
