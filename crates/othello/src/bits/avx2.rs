//! For processors with AVX2: all four axes at once, each in a lane of its own.

use std::arch::x86_64::*;

use super::AXES;
use crate::Square;

/// The empty squares where `mover` may play.
#[inline]
pub fn moves(mover: u64, other: u64) -> u64 {
    // SAFETY: this module is compiled only for processors that have AVX2.
    unsafe { run_ends(mover, other) & !(mover | other) }
}

/// The discs that `mover` turns by playing on `square`, which must be empty; none for a pass.
#[inline]
pub fn flips(mover: u64, other: u64, square: Square) -> u64 {
    // SAFETY: this module is compiled only for processors that have AVX2.
    unsafe { closed_runs(square.bit(), other, mover) }
}

/// The squares behind the runs of `other` that begin next to `from`.
#[inline]
#[target_feature(enable = "avx2")]
fn run_ends(from: u64, other: u64) -> u64 {
    let [up, down] = runs(from, other);
    let step = steps();
    union(_mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step)))
}

/// The runs of `other` that begin next to `from` and have a disc of `closing` behind them.
#[inline]
#[target_feature(enable = "avx2")]
fn closed_runs(from: u64, other: u64, closing: u64) -> u64 {
    let [up, down] = runs(from, other);
    let (step, closing) = (steps(), splat(closing));
    let is_open = |end| _mm256_cmpeq_epi64(_mm256_and_si256(end, closing), _mm256_setzero_si256());
    let up_open = is_open(_mm256_sllv_epi64(up, step));
    let down_open = is_open(_mm256_srlv_epi64(down, step));
    union(_mm256_or_si256(_mm256_andnot_si256(up_open, up), _mm256_andnot_si256(down_open, down)))
}

/// The runs of `other` that begin next to `from`, above and below it along each axis.
#[inline]
#[target_feature(enable = "avx2")]
fn runs(from: u64, other: u64) -> [__m256i; 2] {
    let step = steps();
    let two_steps = _mm256_add_epi64(step, step);
    let from = splat(from);
    let over = _mm256_and_si256(splat(other), lanes(AXES.map(|(_, inside)| inside)));
    let and_then = |run, pairs, further| _mm256_or_si256(run, _mm256_and_si256(pairs, further));

    let mut up = _mm256_and_si256(over, _mm256_sllv_epi64(from, step));
    let mut down = _mm256_and_si256(over, _mm256_srlv_epi64(from, step));
    up = and_then(up, over, _mm256_sllv_epi64(up, step));
    down = and_then(down, over, _mm256_srlv_epi64(down, step));
    let pairs_up = _mm256_and_si256(over, _mm256_sllv_epi64(over, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    for _ in 0..2 {
        up = and_then(up, pairs_up, _mm256_sllv_epi64(up, two_steps));
        down = and_then(down, pairs_down, _mm256_srlv_epi64(down, two_steps));
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

/// All lanes in one set.
#[inline]
#[target_feature(enable = "avx2")]
fn union(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let both = _mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(both) as u64
}
