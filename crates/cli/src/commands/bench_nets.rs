//! Inference speed of networks.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "burn")]
use tablero_nets::train::Device;
use tablero_nets::{EncodingSpec, Evaluator, Network, Weights, flops, fma_peak};
use tablero_registry::find;

/// Duration of a round.
const ROUND: Duration = Duration::from_millis(300);

/// Measured networks and their games.
const NETS: [(&str, &str); 5] = [
    ("resnet 6x64", "chess"),
    ("resnet 20x256", "chess"),
    ("resnet 6x64", "othello"),
    ("resnet 6x64", "shobu"),
    ("mlp 65-128-64-32-1", "othello"),
];

/// Networks that are compared with burn.
#[cfg(feature = "burn")]
const NETS_BY_BURN: [(&str, &str); 2] =
    [("resnet 6x64", "chess"), ("mlp 65-128-64-32-1", "othello")];

/// The networks whose games are registered.
fn known<'a>(nets: &'a [(&'a str, &str)]) -> impl Iterator<Item = (&'a str, EncodingSpec)> {
    nets.iter()
        .filter_map(|&(kind, game)| Some((kind, find(game).ok()?.learning().spec().encoding)))
}

/// Measures networks of several sizes, and the peak FMA rate of the processor in the same run. Every
/// value is the best of many short trials. Passes name, value and unit to `print`.
pub(super) fn measure(
    rounds: u32,
    seed: u64,
    mut print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    let peak = (0..rounds).map(|_| fma_peak(ROUND)).fold(0.0, f64::max);
    print("nets, peak FMA rate", peak / 1e9, "GFLOP/s");
    let time = ROUND * rounds;
    for (kind, dims) in known(&NETS) {
        let (speed, operations) = speed(kind, &dims, seed, time, peak)?;
        let name = format!("nets {kind} {}", dims.game);
        print(&name, speed, "positions/s");
        // Above 1 where Winograd saves multiplications.
        print(
            &format!("{name}, ratio of direct convolutions to the peak"),
            speed * operations / peak,
            "",
        );
    }
    #[cfg(feature = "burn")]
    with_burn(seed, time, print)?;
    Ok(())
}

/// Compares burn with our evaluator on one thread, one position at a time.
#[cfg(feature = "burn")]
fn with_burn(
    seed: u64,
    time: Duration,
    mut print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    let device = tablero_burn::BurnDevice::open(Some(Device::Cpu))?;
    for (kind, dims) in known(&NETS_BY_BURN) {
        let weights = Weights::random(kind.parse()?, &dims, seed)?;
        let [ours, burn] = tablero_burn::compare(&weights, &dims, &device, time)?;
        print(&format!("nets {kind} {}, by burn", dims.game), burn, "positions/s");
        print(&format!("nets {kind} {}, speedup over burn", dims.game), ours / burn, "");
    }
    Ok(())
}

/// Positions per second, and operations per position.
fn speed(
    kind: &str,
    dims: &EncodingSpec,
    seed: u64,
    time: Duration,
    peak: f64,
) -> anyhow::Result<(f64, f64)> {
    let network = Network::new(&Weights::random(kind.parse()?, dims, seed)?, dims)?;
    let (input, operations) = (vec![0.5; network.inputs()], flops(network.kind(), dims) as f64);
    let mut evaluator = Evaluator::new(Arc::new(network));
    // A trial takes half a millisecond at the peak rate, or one position.
    let count = (peak * 0.0005 / operations).ceil() as u64;
    let mut best = 0f64;
    let start = Instant::now();
    while start.elapsed() < time {
        let start = Instant::now();
        for _ in 0..count {
            black_box(evaluator.run(black_box(&input)));
        }
        best = best.max(count as f64 / start.elapsed().as_secs_f64());
    }
    Ok((best, operations))
}
