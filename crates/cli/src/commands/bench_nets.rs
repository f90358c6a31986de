//! How fast networks judge positions.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tablero_nets::{Dims, Evaluator, Network, Weights, fma_peak, operations};
use tablero_registry::find;

/// How long a network is measured in a round.
const TIME: Duration = Duration::from_millis(300);

/// What is measured: kinds of networks, and the games that they are for.
const NETS: [(&str, &str); 5] = [
    ("resnet 6x64", "chess"),
    ("resnet 20x256", "chess"),
    ("resnet 6x64", "othello"),
    ("resnet 6x64", "shobu"),
    ("mlp 65-128-64-32-1", "othello"),
];

/// What is measured by burn, too.
#[cfg(feature = "burn")]
const NETS_BY_BURN: [(&str, &str); 2] =
    [("resnet 6x64", "chess"), ("mlp 65-128-64-32-1", "othello")];

/// The networks whose games this program has.
fn known<'a>(nets: &'a [(&'a str, &str)]) -> impl Iterator<Item = (&'a str, Dims)> {
    nets.iter().filter_map(|&(kind, game)| Some((kind, find(game).ok()?.learning().spec().dims)))
}

/// Measures networks of all sizes, and what this processor can do at best in the same run: every figure
/// is the best of many short tries. Hands name, value and unit to `print`.
pub(super) fn measure(
    rounds: u32,
    seed: u64,
    mut print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    let peak = (0..rounds).map(|_| fma_peak(TIME)).fold(0.0, f64::max);
    print("nets, fused multiply-adds at their best", peak / 1e9, "GFLOP/s");
    let time = TIME * rounds;
    for (kind, dims) in known(&NETS) {
        let (speed, operations) = speed(kind, &dims, seed, time, peak)?;
        let name = format!("nets {kind} {}", dims.game);
        print(&name, speed, "positions/s");
        print(&format!("{name}, share of the best"), speed * operations / peak, "");
    }
    #[cfg(feature = "burn")]
    with_burn(seed, time, print)?;
    Ok(())
}

/// The same networks by burn on one thread, one position at a time, in turn with our own evaluator.
#[cfg(feature = "burn")]
fn with_burn(
    seed: u64,
    time: Duration,
    mut print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    for (kind, dims) in known(&NETS_BY_BURN) {
        let weights = Weights::random(kind.parse()?, &dims, seed)?;
        let [ours, burn] = tablero_burn::compare(&weights, &dims, time)?;
        print(&format!("nets {kind} {}, by burn", dims.game), burn, "positions/s");
        print(&format!("nets {kind} {}, our speed over burn's", dims.game), ours / burn, "");
    }
    Ok(())
}

/// Positions a second, and operations for a position.
fn speed(
    kind: &str,
    dims: &Dims,
    seed: u64,
    time: Duration,
    peak: f64,
) -> anyhow::Result<(f64, f64)> {
    let network = Network::new(&Weights::random(kind.parse()?, dims, seed)?, dims)?;
    let (input, operations) =
        (vec![0.5; network.inputs()], operations(network.kind(), dims) as f64);
    let mut evaluator = Evaluator::new(Arc::new(network));
    // A try takes half a millisecond at full speed, or one position.
    let count = (peak * 0.0005 / operations).ceil() as u64;
    let mut best = 0f64;
    let begun = Instant::now();
    while begun.elapsed() < time {
        let begun = Instant::now();
        for _ in 0..count {
            black_box(evaluator.run(black_box(&input)));
        }
        best = best.max(count as f64 / begun.elapsed().as_secs_f64());
    }
    Ok((best, operations))
}
