use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_nets::{EncodingSpec, Evaluator, NetError, Network, Weights};

use crate::{BurnNetwork, on_threads};

/// How long one of the two is measured before it is the other's turn.
const TURN: Duration = Duration::from_millis(5);

/// Positions a second that our own evaluator and burn judge, one at a time on one thread: the best of
/// many short turns each, because a busy machine only ever makes things slower.
pub fn compare(
    weights: &Weights,
    spec: &EncodingSpec,
    time: Duration,
) -> Result<[f64; 2], NetError> {
    let burn = BurnNetwork::new(weights, spec)?;
    let mut ours = Evaluator::new(Arc::new(Network::new(weights, spec)?));
    let input = vec![0.5; ours.network().inputs()];
    Ok(on_threads(1, move || {
        let mut best = [0f64; 2];
        let begun = Instant::now();
        while begun.elapsed() < time {
            best[0] = best[0].max(turn(|| _ = black_box(ours.run(black_box(&input)).value)));
            best[1] = best[1].max(turn(|| _ = black_box(burn.run(black_box(&[&input])))));
        }
        best
    }))
}

/// How often a second this can be done.
fn turn(mut work: impl FnMut()) -> f64 {
    let (begun, mut count) = (Instant::now(), 0u32);
    loop {
        work();
        count += 1;
        let elapsed = begun.elapsed();
        if elapsed >= TURN {
            return f64::from(count) / elapsed.as_secs_f64();
        }
    }
}
