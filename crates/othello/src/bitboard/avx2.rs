//! AVX2 version: all four axes at once, one per 64-bit lane.

use std::arch::x86_64::*;

use super::AXES;
use crate::Square;

/// The legal moves of `mover`, as a set of empty squares.
#[inline]
pub fn moves(mover: u64, other: u64) -> u64 {
    // SAFETY: this module is compiled only for targets with AVX2.
    unsafe { run_ends(mover, other) & !(mover | other) }
}

/// The discs that `mover` flips by playing on `square`, which must be empty; none for a pass.
#[inline]
pub fn flips(mover: u64, other: u64, square: Square) -> u64 {
    // SAFETY: this module is compiled only for targets with AVX2.
    unsafe { flanked_runs(square.bit(), other, mover) }
}

/// The squares directly behind the runs of `other` that start next to `from`.
#[inline]
#[target_feature(enable = "avx2")]
fn run_ends(from: u64, other: u64) -> u64 {
    let [up, down] = runs(from, other);
    let step = steps();
    union(_mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step)))
}

/// The runs of `other` that start next to `from` and are flanked by a disc of `closing`.
#[inline]
#[target_feature(enable = "avx2")]
fn flanked_runs(from: u64, other: u64, closing: u64) -> u64 {
    let [up, down] = runs(from, other);
    let (step, closing) = (steps(), splat(closing));
    let is_open = |end| _mm256_cmpeq_epi64(_mm256_and_si256(end, closing), _mm256_setzero_si256());
    let up_open = is_open(_mm256_sllv_epi64(up, step));
    let down_open = is_open(_mm256_srlv_epi64(down, step));
    union(_mm256_or_si256(_mm256_andnot_si256(up_open, up), _mm256_andnot_si256(down_open, down)))
}

/// The runs of `other` that start next to `from` along each axis, towards higher and lower squares:
/// a Kogge-Stone fill with generator `from` and propagator `other`.
#[inline]
#[target_feature(enable = "avx2")]
fn runs(from: u64, other: u64) -> [__m256i; 2] {
    let step = steps();
    let two_steps = _mm256_add_epi64(step, step);
    let from = splat(from);
    let propagator = _mm256_and_si256(splat(other), lanes(AXES.map(|(_, inside)| inside)));
    let extend = |run, mask, shifted| _mm256_or_si256(run, _mm256_and_si256(mask, shifted));

    let mut up = _mm256_and_si256(propagator, _mm256_sllv_epi64(from, step));
    let mut down = _mm256_and_si256(propagator, _mm256_srlv_epi64(from, step));
    up = extend(up, propagator, _mm256_sllv_epi64(up, step));
    down = extend(down, propagator, _mm256_srlv_epi64(down, step));
    let pairs_up = _mm256_and_si256(propagator, _mm256_sllv_epi64(propagator, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    for _ in 0..2 {
        up = extend(up, pairs_up, _mm256_sllv_epi64(up, two_steps));
        down = extend(down, pairs_down, _mm256_srlv_epi64(down, two_steps));
    }
    [up, down]
}

#[inline]
#[target_feature(enable = "avx2")]
fn steps() -> __m256i {
    lanes(AXES.map(|(step, _)| u64::from(step)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes([a, b, c, d]: [u64; 4]) -> __m256i {
    _mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(set: u64) -> __m256i {
    _mm256_set1_epi64x(set as i64)
}

/// The union of all lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn union(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let both = _mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(both) as u64
}
