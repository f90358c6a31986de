//! Speed of inference and material for that of training.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_core::{Evaluation, Presentable, Rng, Rules, SparseInputs};

use super::{Nnue, NnueSamples, NnueSpec, NnueTrainer};
use crate::NetError;

/// Plies of a line in a search.
const LINE: usize = 32;

/// Evaluations per second of a random network: along the lines of a search, and each position anew.
pub fn inference_speed<G: SparseInputs + Presentable>(
    hidden: usize,
    seed: u64,
    time: Duration,
) -> Result<[f64; 2], NetError> {
    let trainer = NnueTrainer::new(NnueSpec::of::<G>(), hidden, seed)?;
    let nnue = Nnue::<G>::new(Arc::new(trainer.quantize(Vec::new())))?;
    let positions = random_positions::<G>(4096, seed);
    let mut state = nnue.incremental();
    let mut updated = |(ply, position): (usize, &G)| match &mut state {
        Some(state) => state.evaluate(position, ply % LINE),
        None => nnue.evaluate(position),
    };
    let updates = rate(time, positions.len(), || {
        for position in positions.iter().enumerate() {
            black_box(updated(position));
        }
    });
    let anew = rate(time, positions.len(), || {
        for position in &positions {
            black_box(nnue.evaluate(position));
        }
    });
    Ok([updates, anew])
}

/// Samples of random games with random targets.
pub fn random_samples<G: SparseInputs>(count: usize, seed: u64) -> NnueSamples {
    let (mut samples, mut rng) = (NnueSamples::default(), Rng::seeded(seed));
    for position in random_positions::<G>(count, seed) {
        samples.push(&position, rng.unit() as f32);
    }
    samples
}

/// Positions of random games, one after the other.
fn random_positions<G: SparseInputs>(count: usize, seed: u64) -> Vec<G> {
    let (mut rng, mut all) = (Rng::seeded(seed), Vec::with_capacity(count));
    while all.len() < count {
        let mut position = G::start(G::Rules::ALL[0]);
        while let Some(m) = position.random_move(&mut rng).filter(|_| all.len() < count) {
            all.push(position.clone());
            position.play(m);
        }
    }
    all
}

/// Units per second of repeated work.
fn rate(time: Duration, units: usize, mut work: impl FnMut()) -> f64 {
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < time {
        work();
        done += units;
    }
    done as f64 / start.elapsed().as_secs_f64()
}
