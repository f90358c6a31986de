use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::{AnyPosition, Game};

use crate::args::{self, GameArg, ThreadsArg, integer};
use crate::out;

const EXAMPLES: &str = "Examples:
  tablero perft othello 11 --threads 1
  tablero perft othello 5 --position \"---------------------------OX------XO--------------------------- X\"
  tablero perft chess 5 --position \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\"
  tablero perft shobu 3 --rules across --divide";

/// Count the leaf nodes of the game tree, to test and measure move generation.
///
/// Prints the count at every depth up to DEPTH. A pass is a ply. A game that ends earlier is not counted,
/// except in Othello, where by convention it counts as one leaf.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Perft {
    #[command(flatten)]
    game: GameArg,
    /// Depth in plies.
    #[arg(value_name = "DEPTH", value_parser = integer::<u32>(1, 30))]
    depth: u32,
    /// `start` or a position, optionally followed by `moves` and a list of moves.
    #[arg(long, value_name = "POSITION", default_value = "start", allow_hyphen_values = true)]
    #[arg(value_parser = args::position)]
    position: String,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Print the count below each root move first.
    #[arg(long, conflicts_with = "json")]
    divide: bool,
    /// Count moves that lead to the same position only once.
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
        let game = args::parse_history(game, &self.position, self.rules.as_deref())?;
        let position = game.position();
        if self.divide {
            self.divide(position);
        }
        let (mut counts, start) = (Vec::new(), Instant::now());
        let (mut total, mut last) = (0u64, Duration::ZERO);
        for depth in 1..=self.depth {
            let (leaves, time) = self.one_depth(position, depth, start.elapsed());
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
                seconds: start.elapsed().as_secs_f64(),
                leaves_per_second,
            });
        }
        Ok(())
    }

    /// The leaves at a depth and the time taken; shows a spinner meanwhile.
    fn one_depth(&self, position: &AnyPosition, depth: u32, before: Duration) -> (u64, Duration) {
        let spinner = ProgressBar::new_spinner().with_elapsed(before);
        spinner
            .set_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("fixed"));
        spinner.set_message(format!("counting depth {depth}"));
        spinner.enable_steady_tick(Duration::from_millis(200));
        let start = Instant::now();
        let leaves = self.leaves(position, depth);
        let time = start.elapsed();
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
