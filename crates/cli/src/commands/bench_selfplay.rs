//! Speed of self-play with networks.

use std::fs;
use std::path::Path;
use std::time::Instant;

use tablero_arena::Factory;
use tablero_core::PlayerSetup;
use tablero_learn::{LearnConfig, SelfPlayConfig, SelfPlayTask, Source};
use tablero_nets::Weights;
use tablero_registry::games;

use crate::args::Entry;

/// Games that are played together.
const TOGETHER: [u64; 4] = [1, 2, 4, 8];
/// Games of a measurement.
const GAMES: u64 = 8;
/// Games of a random network may be long.
const MAX_PLIES: usize = 120;

/// Plays games of every game's default network, with random weights and the defaults of `tablero learn`, on one
/// thread. Passes name, value and unit to `print`.
pub(super) fn measure(
    rounds: u32,
    seed: u64,
    print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join(format!("tablero-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = measure_in(&folder, rounds, seed, print);
    fs::remove_dir_all(&folder)?;
    result
}

/// Writes networks to `folder`.
fn measure_in(
    folder: &Path,
    rounds: u32,
    seed: u64,
    mut print: impl FnMut(&str, f64, &'static str),
) -> anyhow::Result<()> {
    for &entry in games() {
        let config = LearnConfig::for_game(entry.game(), "tablero bench selfplay");
        let file = folder.join(format!("{}.safetensors", entry.game()));
        let spec = entry.learning().spec().encoding;
        Weights::random(config.net.parse()?, &spec, seed)?.write(&file)?;
        let source = Source::Net(file.to_string_lossy().into());
        let self_play = SelfPlayConfig { max_plies: MAX_PLIES, ..config.self_play };
        for together in TOGETHER {
            let task = |first| SelfPlayTask {
                game: entry.game().name().into(),
                rules: String::new(),
                source: source.clone(),
                config: self_play.clone(),
                seed,
                first,
                count: together,
                record_times: false,
                opponent: None,
                rating: None,
            };
            let tasks: Vec<SelfPlayTask> =
                (0..GAMES).step_by(together as usize).map(task).collect();
            let speed = (0..rounds).map(|_| Speed::of(entry, &tasks));
            let speed = speed.collect::<anyhow::Result<Vec<Speed>>>()?.into_iter();
            let Some(best) = speed.min_by(|a, b| a.seconds.total_cmp(&b.seconds)) else { continue };
            let name = format!("selfplay {} {}, {together} together", entry.game(), config.net);
            print(&name, 3600.0 * GAMES as f64 / best.seconds, "games/h");
            print(&name, best.evaluations / best.seconds, "evaluations/s");
            print(&format!("{name}, remembered"), best.remembered, "");
            print(&format!("{name}, time inside the network"), best.inside, "");
        }
    }
    Ok(())
}

/// One measurement.
struct Speed {
    seconds: f64,
    /// Evaluations that the searches asked for.
    evaluations: f64,
    /// The fraction of them that was remembered.
    remembered: f64,
    /// The fraction of the time inside the network.
    inside: f64,
}

impl Speed {
    fn of(entry: Entry, tasks: &[SelfPlayTask]) -> anyhow::Result<Self> {
        let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
        let factory = Factory { game: entry.game(), make: &make };
        let self_play = entry.learning().self_play(factory);
        let start = Instant::now();
        let (mut lookups, mut hits, mut time) = (0, 0, 0.0);
        for task in tasks {
            let (_, used) = self_play.play(task).map_err(anyhow::Error::msg)?;
            (lookups, hits) = (lookups + used.lookups, hits + used.hits);
            time += used.time.as_secs_f64();
        }
        let seconds = start.elapsed().as_secs_f64();
        let (evaluations, remembered) = (lookups as f64, hits as f64 / lookups.max(1) as f64);
        Ok(Self { seconds, evaluations, remembered, inside: time / seconds })
    }
}
