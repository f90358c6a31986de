use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tablero_core::{AnyControl, AnyGameHistory, Limits, PlayerSetup};
use tablero_registry::{BenchmarkGroup, CustomBenchmark, games};

use super::{bench_nets, bench_nnue, bench_selfplay};
use crate::args::{Entry, integer};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero bench                    the whole suite
  tablero bench perft playouts
  tablero bench signature --json";

/// Run the benchmark suite.
///
/// All benchmarks run on one thread and report the best of several rounds. Where there is a reference
/// implementation it is measured in the same run.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Benchmarks to run [default: all].
    #[arg(value_name = "WHAT")]
    what: Vec<What>,
    /// Rounds per benchmark; the fastest counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = integer::<u32>(1, 100))]
    rounds: u32,
    /// Random seed of playouts and weights.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Perft leaves per second.
    Perft,
    /// Random playouts per second.
    Playouts,
    /// Alpha-beta nodes per second.
    Search,
    /// Monte Carlo tree search iterations per second.
    Mcts,
    /// Nodes per second of the Othello endgame solver.
    Endgame,
    /// Network inference: positions per second, and the ratio to the peak FLOP rate.
    Nets,
    /// NNUE: evaluations per second, and training positions per second.
    Nnue,
    /// Self-play with networks: games per hour, evaluations per second, and the share of time inside the network, by
    /// the number of games that are played together.
    Selfplay,
    /// Node counts of fixed searches, equal on every machine. A change that must not affect play must not
    /// change them.
    Signature,
}

/// A measured value.
#[derive(Serialize)]
struct Metric {
    name: String,
    value: f64,
    unit: &'static str,
    threads: u32,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        for &what in What::value_variants() {
            if !self.what.is_empty() && !self.what.contains(&what) {
                continue;
            }
            match what {
                What::Perft => self.perft(),
                What::Playouts => self.playouts(),
                What::Search => self.search("alphabeta", "search", "nodes/s", 1_000_000)?,
                What::Mcts => self.search("mcts", "mcts", "iterations/s", 20_000)?,
                What::Endgame => self.endgame(),
                What::Nets => {
                    let print = |name: &str, value, unit| self.print(name, value, unit);
                    bench_nets::measure(self.rounds, self.seed, print)?;
                }
                What::Nnue => {
                    let print = |name: &str, value, unit, threads| {
                        self.print_with_threads(name, value, unit, threads);
                    };
                    bench_nnue::measure(self.rounds, self.seed, print)?;
                }
                What::Selfplay => {
                    let print = |name: &str, value, unit| self.print(name, value, unit);
                    bench_selfplay::measure(self.rounds, self.seed, print)?;
                }
                What::Signature => self.signature(),
            }
        }
        Ok(())
    }

    fn perft(&self) {
        for entry in games() {
            let game = entry.game();
            let Some(depth) = game.perft_depth() else { continue };
            let (name, start) = (format!("perft {depth} {game}"), game.start());
            let ours = self.best(|| entry.perft(&start, depth, 1));
            self.print(&name, ours, "leaves/s");
            for CustomBenchmark { group, name: reference_name, unit, prepare } in
                entry.custom_benchmarks()
            {
                let BenchmarkGroup::Perft { reference } = group else { continue };
                let theirs = self.best(prepare());
                self.print(reference_name, theirs, unit);
                self.print(&format!("{name}, ratio to {reference}"), ours / theirs, "");
            }
        }
    }

    fn playouts(&self) {
        for entry in games() {
            let mut best = [0f64; 2];
            for _ in 0..self.rounds {
                let count = entry.random_playouts(self.seed, Duration::from_secs(1));
                let speed = |number: u64| number as f64 / count.time.as_secs_f64();
                let [games, moves] = &mut best;
                *games = games.max(speed(count.games));
                *moves = moves.max(speed(count.plies));
            }
            self.print(&format!("random games {}", entry.game()), best[0], "games/s");
            self.print(&format!("random moves {}", entry.game()), best[1], "moves/s");
        }
    }

    /// Nodes per second of a player at the starting position of each game.
    fn search(&self, line: &str, name: &str, unit: &'static str, nodes: u64) -> anyhow::Result<()> {
        for &entry in games() {
            let speed = self.search_of(entry, line, nodes)?;
            self.print(&format!("{name} {}", entry.game()), speed, unit);
        }
        Ok(())
    }

    fn search_of(&self, entry: Entry, line: &str, nodes: u64) -> anyhow::Result<f64> {
        let setup = PlayerSetup { limited_by_caller: true, ..PlayerSetup::LOCAL };
        let game = AnyGameHistory::new(entry.game().start());
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let mut best = 0f64;
        for _ in 0..self.rounds {
            let mut player = entry.build(line, &setup)?;
            let mut ignore = |_: &_| {};
            let mut control = AnyControl::new(&stop, &mut ignore);
            // The first search allocates the tables, which is not to be measured.
            player.choose(&game, &Limits { nodes: Some(1), ..limits }, &mut control)?;
            player.new_game(self.seed);
            let result = player.choose(&game, &limits, &mut control)?;
            best = best.max(result.info.nodes_per_second());
        }
        Ok(best)
    }

    fn signature(&self) {
        for entry in games() {
            let (game, nodes) = (entry.game(), entry.signature());
            let name = format!("signature {game}, depth {}", game.signature_depth());
            self.print(&name, nodes as f64, "nodes");
        }
        for CustomBenchmark { name, unit, prepare, .. } in
            custom_benchmarks(BenchmarkGroup::Signature)
        {
            self.print(name, prepare()() as f64, unit);
        }
    }

    fn endgame(&self) {
        for CustomBenchmark { name, unit, prepare, .. } in
            custom_benchmarks(BenchmarkGroup::Endgame)
        {
            self.print(name, self.best(prepare()), unit);
        }
    }

    /// The highest rate over several rounds of `work`, which returns its amount of work.
    fn best(&self, mut work: impl FnMut() -> u64) -> f64 {
        let mut round = || {
            let start = Instant::now();
            let done = work();
            done as f64 / start.elapsed().as_secs_f64()
        };
        (0..self.rounds).map(|_| round()).fold(0.0, f64::max)
    }

    fn print(&self, name: &str, value: f64, unit: &'static str) {
        self.print_with_threads(name, value, unit, 1);
    }

    fn print_with_threads(&self, name: &str, value: f64, unit: &'static str, threads: u32) {
        let name = match threads {
            1 => name.to_owned(),
            _ => format!("{name}, {threads} threads"),
        };
        if self.json {
            out::json(&Metric { name, value, unit, threads });
        } else if value < 1000.0 {
            out::line(format_args!("{name:<44} {value:>16.3} {unit}"));
        } else {
            out::line(format_args!("{name:<44} {:>16} {unit}", thousands(value as u64)));
        }
    }
}

/// `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The game-specific benchmarks of a group.
fn custom_benchmarks(group: BenchmarkGroup) -> impl Iterator<Item = CustomBenchmark> {
    let all = games().iter().flat_map(|entry| entry.custom_benchmarks());
    all.filter(move |benchmark| benchmark.group == group)
}
