use std::hint::black_box;
use std::time::{Duration, Instant};

use super::vector::{LANES, Native, Vector};

/// Independent dependency chains: enough to hide the FMA latency on all ports, few enough for the registers.
#[cfg(target_feature = "avx512f")]
const CHAINS: usize = 16;
#[cfg(not(target_feature = "avx512f"))]
const CHAINS: usize = 6;

/// Measures for `time` the peak FLOP/s of one core with the evaluator's FMA instructions, the roofline of
/// inference speed.
pub fn fma_peak(time: Duration) -> f64 {
    const STEPS: usize = 100_000;
    let start = Instant::now();
    let mut best = 0f64;
    while start.elapsed() < time {
        let round = Instant::now();
        chains(STEPS);
        let flops = (2 * LANES * CHAINS * STEPS) as f64;
        best = best.max(flops / round.elapsed().as_secs_f64());
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
