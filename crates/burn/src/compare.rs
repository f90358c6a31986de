use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_nets::{EncodingSpec, Evaluator, NetError, Network, Weights};

use crate::{BurnDevice, BurnNetwork, on_threads};

/// Time per measurement; the two evaluators alternate.
const SLICE: Duration = Duration::from_millis(5);

/// Positions per second of the native evaluator and of burn, one at a time on one thread. The best of many short
/// alternating measurements: noise only ever slows down.
pub fn compare(
    weights: &Weights,
    spec: &EncodingSpec,
    device: &BurnDevice,
    time: Duration,
) -> Result<[f64; 2], NetError> {
    let burn = BurnNetwork::new(weights, spec, device)?;
    let mut ours = Evaluator::new(Arc::new(Network::new(weights, spec)?));
    let input = vec![0.5; ours.network().inputs()];
    Ok(on_threads(1, move || {
        let mut best = [0f64; 2];
        let start = Instant::now();
        while start.elapsed() < time {
            best[0] = best[0].max(rate(|| _ = black_box(ours.run(black_box(&input)).value)));
            best[1] = best[1].max(rate(|| _ = black_box(burn.run(black_box(&[&input])))));
        }
        best
    }))
}

/// Calls per second.
fn rate(mut work: impl FnMut()) -> f64 {
    let (start, mut count) = (Instant::now(), 0u32);
    loop {
        work();
        count += 1;
        let elapsed = start.elapsed();
        if elapsed >= SLICE {
            return f64::from(count) / elapsed.as_secs_f64();
        }
    }
}
