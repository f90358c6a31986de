use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tablero_catalog::GameName;
use tablero_champion::learn::{BEST, LearnConfig, Learned, open_run, run_learning};
use tablero_jobs::{Progress, Stop, Threads};

use crate::args::{GameArg, ThreadsArg};
use crate::out::{self, usage};
use crate::series::stop_on_interrupt;

const EXAMPLES: &str = "Examples:
  tablero learn othello --net patterns --dir my-run --hours 2
  tablero learn othello --net patterns --dir my-run        goes on with it
  tablero learn othello --net patterns --dir look --quick";

/// Learns to play from nothing, by games against itself.
///
/// A run is a folder: what it learned, its games, and a report (report.md) with plots. Run again with the
/// same folder it goes on. Ctrl-C, --hours or even a crash lose only what is under way.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Learn {
    #[command(flatten)]
    game: GameArg,
    /// What learns.
    #[arg(long, value_name = "NET", default_value = "patterns")]
    net: Net,
    /// The run's folder [default: learn-GAME-NET].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Stop after so many hours.
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Option<Duration>,
    /// A new run is only a quick look: a minute or two, and no strong player.
    #[arg(long)]
    quick: bool,
    /// Names everything that a new run does at random [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What can learn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Net {
    /// Tables over patterns of squares; for Othello.
    Patterns,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0);
    let time = hours.and_then(|hours| Duration::try_from_secs_f64(3600.0 * hours).ok());
    time.ok_or_else(|| "a number of hours above 0 is expected, like 0.5 or 8".into())
}

impl Learn {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match (self.game.game, self.net) {
            (GameName::Othello, Net::Patterns) => self.patterns(),
            (game, Net::Patterns) => {
                Err(usage(format!("`--net patterns` learns othello only, not {game}")))
            }
        }
    }

    fn patterns(&self) -> anyhow::Result<()> {
        let folder = self.dir.clone().unwrap_or_else(|| "learn-othello-patterns".into());
        let command = "tablero learn othello --net patterns";
        let config = if self.quick {
            LearnConfig::quick(&format!("{command} --quick"))
        } else {
            LearnConfig::usual(command)
        };
        let job = open_run(&folder, &config, self.seed).map_err(usage)?;
        let stop = stop_on_interrupt()?;
        let show = Show::new(stop.clone(), self.hours);
        let threads = Threads::new(self.threads.count().try_into()?);
        let learned = run_learning(job, &threads, &stop, &mut |progress| show.tell(progress));
        show.bar.finish_and_clear();
        let learned = learned?;
        if self.json {
            out::json(&learned);
        } else {
            tell(&learned);
        }
        tell_files(&folder, &learned);
        let go_on = format!("go on with: {command} --dir '{}'", folder.display());
        match stop.is_requested() {
            true if show.time_is_over() => out::note(go_on),
            true => return Err(out::interrupted(go_on)),
            false => {}
        }
        Ok(())
    }
}

/// Shows how far it is, and stops when the time is over.
struct Show {
    bar: ProgressBar,
    stop: Stop,
    end: Option<Instant>,
}

impl Show {
    fn new(stop: Stop, time: Option<Duration>) -> Self {
        let bar = ProgressBar::new(1);
        let style = "{bar:30} {pos}/{len}  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
        Self { bar, stop, end: time.map(|time| Instant::now() + time) }
    }

    fn tell(&self, progress: &Progress) {
        if progress.message != self.bar.message() {
            self.bar.reset();
        }
        self.bar.set_length(progress.total.unwrap_or(progress.done));
        self.bar.set_position(progress.done);
        self.bar.set_message(progress.message.clone());
        if self.time_is_over() {
            self.stop.request();
        }
    }

    fn time_is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

fn tell(learned: &Learned) {
    for past in &learned.generations {
        let elo = past.elo.map_or_else(String::new, |elo| format!(", {elo:+.0} Elo"));
        let accepted = if past.accepted { "" } else { ", not accepted" };
        out::line(format_args!(
            "generation {}: {} games, error {:.2} discs, {:.1} % against the best before{elo}{accepted}",
            past.generation,
            past.games,
            past.held_out,
            100.0 * past.score,
        ));
    }
}

fn tell_files(folder: &Path, learned: &Learned) {
    if learned.best.is_some() {
        let (best, report) = (folder.join(BEST), folder.join("report.md"));
        out::note(format_args!(
            "the best weights are {}, the report is {}",
            best.display(),
            report.display()
        ));
    }
}
