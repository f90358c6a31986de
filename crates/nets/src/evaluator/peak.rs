use std::hint::black_box;
use std::time::{Duration, Instant};

use super::vector::{LANES, Native, Vector};

/// Sums that do not wait for one another: more than latency and units need, fewer than registers.
#[cfg(target_feature = "avx512f")]
const CHAINS: usize = 16;
#[cfg(not(target_feature = "avx512f"))]
const CHAINS: usize = 6;

/// Floating-point operations a second that one core of this processor can do in the instructions
/// that the evaluator uses, the best of what is measured for `time`.
pub fn fma_peak(time: Duration) -> f64 {
    const STEPS: usize = 100_000;
    let begun = Instant::now();
    let mut best = 0f64;
    while begun.elapsed() < time {
        let round = Instant::now();
        chains(STEPS);
        let operations = (2 * LANES * CHAINS * STEPS) as f64;
        best = best.max(operations / round.elapsed().as_secs_f64());
    }
    best
}

#[inline(never)]
fn chains(steps: usize) {
    let factor = Native::splat(black_box(0.999));
    let step = Native::splat(black_box(0.001));
    let mut sums = [Native::splat(black_box(1.0)); CHAINS];
    for _ in 0..steps {
        for sum in &mut sums {
            *sum = sum.mul_add(factor, step);
        }
    }
    black_box(sums);
}
