use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::{AnyPosition, Game};

use crate::args::{self, GameArg, ThreadsArg};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero perft othello 11 --threads 1
  tablero perft chess 5 --position \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\"
  tablero perft shobu 3 --rules across --divide";

/// Counts the ways to play 1, 2, ... DEPTH plies. A pass is a ply. A finished game has no
/// continuation; in Othello, as is usual there, it counts as one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Perft {
    #[command(flatten)]
    game: GameArg,
    /// Plies to play.
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=30))]
    depth: u32,
    /// Where to start: `start` or a position, with `moves ...` after it if you like.
    #[arg(long, value_name = "POSITION", default_value = "start")]
    position: String,
    /// The rules to play by (`tablero games` lists them).
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Also show the count below each first move.
    #[arg(long, conflicts_with = "json")]
    divide: bool,
    /// Count moves that lead to the same position once.
    #[arg(long)]
    distinct: bool,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Counts {
    counts: Vec<u64>,
    seconds: f64,
    leaves_per_second: f64,
}

impl Perft {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let game = self.game.game.game();
        let game = args::parse_match(game, &self.position, self.rules.as_deref())?;
        let position = game.position();
        if self.divide {
            self.divide(position);
        }
        let (mut counts, begin) = (Vec::new(), Instant::now());
        let (mut total, mut last) = (0u64, Duration::ZERO);
        for depth in 1..=self.depth {
            let (leaves, time) = self.one_depth(position, depth, begin.elapsed());
            if !self.json {
                let speed = leaves as f64 / time.as_secs_f64().max(1e-9) / 1e6;
                out::line(format_args!(
                    "depth {depth:>2}  {leaves:>20}  {:>9.3} s  {speed:>9.1} M/s",
                    time.as_secs_f64()
                ));
            }
            counts.push(leaves);
            (total, last) = (leaves, time);
        }
        if self.json {
            let leaves_per_second = total as f64 / last.as_secs_f64().max(1e-9);
            out::json(&Counts {
                counts,
                seconds: begin.elapsed().as_secs_f64(),
                leaves_per_second,
            });
        }
        Ok(())
    }

    /// The leaves at one depth and the time it took, with a sign of life if it takes long.
    fn one_depth(&self, position: &AnyPosition, depth: u32, before: Duration) -> (u64, Duration) {
        let spinner = ProgressBar::new_spinner().with_elapsed(before);
        spinner
            .set_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("fixed"));
        spinner.set_message(format!("counting depth {depth}"));
        spinner.enable_steady_tick(Duration::from_millis(200));
        let begin = Instant::now();
        let leaves = self.leaves(position, depth);
        let time = begin.elapsed();
        spinner.finish_and_clear();
        (leaves, time)
    }

    fn leaves(&self, position: &AnyPosition, depth: u32) -> u64 {
        let entry = self.game.game;
        match self.distinct {
            true => entry.perft_distinct(position, depth),
            false => entry.perft(position, depth, self.threads.count()),
        }
    }

    fn divide(&self, position: &AnyPosition) {
        let print = |m| {
            let leaves = self.leaves(&position.after(m), self.depth - 1);
            out::line(format_args!("{:<10} {leaves}", position.move_text(m)));
        };
        match self.distinct {
            true => position.each_distinct_move(print),
            false => position.each_move(print),
        }
    }
}
