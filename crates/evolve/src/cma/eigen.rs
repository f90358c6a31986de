//! Eigendecomposition of symmetric matrices: Householder tridiagonalization, then implicit QR steps with
//! Wilkinson's shift (Golub and Van Loan, Matrix Computations, 8.3).
//!
//! Only correctly rounded IEEE operations are used, so the result is the same on every machine.

use std::ops::Range;

/// Maximum QR steps per eigenvalue; two or three are typical.
const MAX_STEPS: usize = 60;

/// Eigenvalues with their unit eigenvectors, in no particular order.
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    /// Row `i` belongs to eigenvalue `i`; orthonormal.
    pub(super) vectors: Vec<Vec<f64>>,
}

/// Decomposes the symmetric matrix with the lower triangle `lower`, by rows.
pub(super) fn decompose(lower: &[Vec<f64>]) -> Eigen {
    let size = lower.len();
    let mut matrix: Vec<Vec<f64>> = lower.to_vec();
    for row in 0..size {
        let above: Vec<f64> = (row + 1..size).map(|column| lower[column][row]).collect();
        matrix[row].extend(above);
    }
    let mut tridiagonal = Tridiagonal::reduce(matrix);
    tridiagonal.diagonalize();
    Eigen { values: tridiagonal.diagonal, vectors: tridiagonal.vectors }
}

/// A tridiagonal matrix T and the orthogonal W (in rows) with `A = Wᵀ T W`.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Entry `i` is between rows `i` and `i + 1`.
    subdiagonal: Vec<f64>,
    vectors: Vec<Vec<f64>>,
}

/// A Householder reflection `I - scale v vᵀ`; `v` is zero before `start`.
struct Reflection {
    start: usize,
    v: Vec<f64>,
    scale: f64,
}

impl Tridiagonal {
    fn reduce(mut matrix: Vec<Vec<f64>>) -> Self {
        let size = matrix.len();
        let mut subdiagonal = Vec::with_capacity(size.saturating_sub(1));
        let mut reflections = Vec::with_capacity(size.saturating_sub(1));
        for column in 1..size {
            let (entry, reflection) = Reflection::of_tail(&matrix[column - 1], column);
            subdiagonal.push(entry);
            reflection.apply_both_sides(&mut matrix);
            reflections.push(reflection);
        }
        let diagonal = (0..size).map(|index| matrix[index][index]).collect();
        let mut vectors: Vec<Vec<f64>> = matrix;
        for (index, row) in vectors.iter_mut().enumerate() {
            row.fill(0.0);
            row[index] = 1.0;
        }
        // From the last to the first: only rows and columns from `start` on are nonzero so far.
        for reflection in reflections.iter().rev() {
            reflection.apply_to_rows(&mut vectors);
        }
        Self { diagonal, subdiagonal, vectors }
    }

    fn diagonalize(&mut self) {
        let mut last = self.diagonal.len().saturating_sub(1);
        let mut steps = 0;
        while last > 0 {
            if steps == MAX_STEPS || self.is_decoupled(last - 1) {
                (last, steps) = (last - 1, 0);
                continue;
            }
            let first = (0..last).rev().find(|&index| self.is_decoupled(index));
            self.qr_step(first.map_or(0, |index| index + 1)..last);
            steps += 1;
        }
    }

    /// Whether a subdiagonal entry is negligible.
    fn is_decoupled(&self, index: usize) -> bool {
        let neighbours = self.diagonal[index].abs() + self.diagonal[index + 1].abs();
        self.subdiagonal[index].abs() <= f64::EPSILON * neighbours
    }

    /// An implicit QR step on the unreduced block of the subdiagonal entries `block`: the shift creates a bulge
    /// that is chased down the diagonal.
    fn qr_step(&mut self, block: Range<usize>) {
        let (diagonal, subdiagonal) = (&mut self.diagonal, &mut self.subdiagonal);
        let shift =
            wilkinson(diagonal[block.end - 1], subdiagonal[block.end - 1], diagonal[block.end]);
        let (mut x, mut bulge) = (diagonal[block.start] - shift, subdiagonal[block.start]);
        for k in block.clone() {
            let length = norm(&[x, bulge]);
            let (c, s) = if length == 0.0 { (1.0, 0.0) } else { (x / length, bulge / length) };
            if k > block.start {
                subdiagonal[k - 1] = length;
            }
            let (a, b, d) = (diagonal[k], subdiagonal[k], diagonal[k + 1]);
            diagonal[k] = c * c * a + 2.0 * c * s * b + s * s * d;
            diagonal[k + 1] = s * s * a - 2.0 * c * s * b + c * c * d;
            subdiagonal[k] = c * s * (d - a) + (c * c - s * s) * b;
            if k + 1 < block.end {
                (x, bulge) = (subdiagonal[k], s * subdiagonal[k + 1]);
                subdiagonal[k + 1] *= c;
            }
            let (upper, lower) = self.vectors.split_at_mut(k + 1);
            for (u, l) in upper[k].iter_mut().zip(&mut lower[0]) {
                (*u, *l) = (c * *u + s * *l, c * *l - s * *u);
            }
        }
    }
}

impl Reflection {
    /// The reflection that maps `row` from `start` on to its first entry, and that entry.
    fn of_tail(row: &[f64], start: usize) -> (f64, Self) {
        let mut v = row[start..].to_vec();
        let entry = -norm(&v).copysign(v[0]);
        v[0] -= entry;
        let square = dot(&v, &v);
        let scale = if square > 0.0 { 2.0 / square } else { 0.0 };
        (entry, Self { start, v, scale })
    }

    /// `H A Hᵀ`, without the rows and columns before `start`, which are not read again.
    fn apply_both_sides(&self, matrix: &mut [Vec<f64>]) {
        let Self { start, ref v, scale } = *self;
        let rows = &mut matrix[start..];
        let mut p: Vec<f64> = rows.iter().map(|row| scale * dot(&row[start..], v)).collect();
        let half = scale * dot(&p, v) / 2.0;
        p.iter_mut().zip(v).for_each(|(p, v)| *p -= half * v);
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, entry) in row[start..].iter_mut().enumerate() {
                *entry -= v[i] * p[j] + p[i] * v[j];
            }
        }
    }

    fn apply_to_rows(&self, rows: &mut [Vec<f64>]) {
        for row in &mut rows[self.start..] {
            let tail = &mut row[self.start..];
            let factor = self.scale * dot(tail, &self.v);
            tail.iter_mut().zip(&self.v).for_each(|(entry, v)| *entry -= factor * v);
        }
    }
}

/// Wilkinson's shift: the eigenvalue of `[[a, b], [b, d]]` closer to `d`; `b` is not 0.
fn wilkinson(a: f64, b: f64, d: f64) -> f64 {
    let half = (a - d) / 2.0;
    d - b * b / (half + norm(&[half, b]).copysign(half))
}

/// The dot product. Four accumulators break the dependency chain; the compiler may not reorder the additions.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.0.iter().zip(b.0) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

pub(super) fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;

    use super::*;

    /// The vectors are orthonormal, and values and vectors reproduce the matrix.
    fn check(lower: &[Vec<f64>]) {
        let Eigen { values, vectors } = decompose(lower);
        let size = lower.len();
        let largest = values.iter().fold(1e-300, |most: f64, value| most.max(value.abs()));
        for i in 0..size {
            for j in 0..=i {
                let unit = f64::from(i == j);
                assert!((dot(&vectors[i], &vectors[j]) - unit).abs() < 1e-12, "{i} {j}");
                let entry: f64 = (0..size).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((entry - lower[i][j]).abs() < 1e-12 * largest, "{i} {j}: {entry}");
            }
        }
    }

    fn matrix(size: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Vec<Vec<f64>> {
        (0..size).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect()
    }

    #[test]
    fn decomposes_symmetric_matrices() {
        let mut rng = Rng::seeded(5);
        for size in [0, 1, 2, 3, 4, 10, 60] {
            check(&matrix(size, |_, _| rng.unit() - 0.5));
            check(&matrix(size, |i, j| f64::from(i == j)));
            check(&matrix(size, |_, _| 0.0));
            check(&matrix(size, |_, _| 1.0));
            check(&matrix(size, |i, j| if i == j { 10f64.powi(i as i32 % 13 - 6) } else { 0.0 }));
            check(&matrix(size, |i, j| 1.0 / (1 + i + j) as f64));
        }
    }

    #[test]
    fn known_eigenvalues() {
        // The second-difference matrix has the eigenvalues 2 - 2 cos(kπ / (n + 1)).
        let second = matrix(9, |i, j| match i - j {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let mut values = decompose(&second).values;
        values.sort_by(f64::total_cmp);
        for (value, k) in values.into_iter().zip(1..) {
            let angle = std::f64::consts::PI * f64::from(k) / 10.0;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
        }
    }
}
