//! Speed of NNUE: inference in every game, training for chess.

use std::time::{Duration, Instant};

use tablero_learn::nnue::{NnueFit, NnueFitConfig};
use tablero_nets::nnue::NnueTrainer;
use tablero_registry::{find, games};

/// Width of the measured networks.
const HIDDEN: usize = 64;
/// Duration of a round.
const ROUND: Duration = Duration::from_millis(500);
/// Positions of training.
const SAMPLES: usize = 1 << 17;

/// Passes name, value, unit and threads to `print`.
pub(super) fn measure(
    rounds: u32,
    seed: u64,
    mut print: impl FnMut(&str, f64, &'static str, u32),
) -> anyhow::Result<()> {
    for entry in games() {
        let [updated, anew] = entry.learning().nnue_speed(HIDDEN, seed, ROUND * rounds)?;
        let name = format!("nnue {HIDDEN} {}", entry.game());
        print(&format!("{name}, updated"), updated, "positions/s", 1);
        print(&format!("{name}, anew"), anew, "positions/s", 1);
    }
    let Ok(chess) = find("chess") else { return Ok(()) };
    let samples = chess.learning().random_nnue_samples(SAMPLES, seed);
    for threads in [1, 2] {
        let trainer = NnueTrainer::new(chess.learning().nnue_spec(), HIDDEN, seed)?;
        let config = NnueFitConfig { epochs: u64::MAX / SAMPLES as u64, ..NnueFitConfig::DEFAULT };
        let mut fit = NnueFit::new(trainer, &samples, config, seed, threads);
        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < ROUND * rounds {
            done += fit.step().samples;
        }
        let speed = done as f64 / start.elapsed().as_secs_f64();
        print(&format!("nnue {HIDDEN} chess, training"), speed, "positions/s", threads as u32);
    }
    Ok(())
}
