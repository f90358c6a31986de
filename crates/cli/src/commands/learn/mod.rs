//! `tablero learn`: the loop of games, training and measuring.

mod options;
mod own;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tablero_arena::Factory;
use tablero_cluster::Run;
use tablero_jobs::{Job, Progress, Stop};
use tablero_learn::generations::Place;
use tablero_learn::{BEST, LearnConfig, Learned, open_run};

use crate::args::{Entry, GameArg, ThreadsArg};
use crate::nats::NatsArgs;
use crate::out::{self, usage};
use crate::series::{executor, player_maker, stop_on_interrupt};
use options::LoopOptions;
pub(crate) use options::{ScheduleName, TrainerArg};

const EXAMPLES: &str = "Examples:
  tablero learn tictactoe --dir ttt --generations 12
  tablero learn othello --net \"resnet 4x32\" --dir my-run --hours 2
  tablero learn othello --dir my-run                        goes on with it
  tablero learn shobu --teacher \"alphabeta depth=2\" --teacher-games 5000 --hours 8
  tablero learn chess --quick --dir look
  tablero learn othello --net patterns --dir patterns --hours 2
  tablero match othello \"puct net=my-run/best.safetensors sims=200\" \"level hard\"";

/// Learns to play by games against itself: games, training, measuring, and again.
///
/// A run is a folder: its games (games-N.jsonl), its networks (generation-N.safetensors, best.safetensors)
/// and a report (report.md) with plots. Run again with the same folder it goes on. Ctrl-C, --hours or even a
/// crash lose only the games under way. docs/learning.md explains every option and where it comes from.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Learn {
    #[command(flatten)]
    game: GameArg,
    /// What learns: `resnet BLOCKSxFILTERS`, `mlp INPUTS-...-1`, or (Othello) `patterns`, the champion's
    /// tables [default: resnet 4x32; resnet 2x16 for tic-tac-toe].
    #[arg(long, value_name = "NET")]
    net: Option<String>,
    /// The run's folder [default: learn-GAME].
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
    #[command(flatten)]
    options: LoopOptions,
    #[command(flatten)]
    nats: NatsArgs,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0);
    let time = hours.and_then(|hours| Duration::try_from_secs_f64(3600.0 * hours).ok());
    time.ok_or_else(|| "a number of hours above 0 is expected, like 0.5 or 8".into())
}

impl Learn {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.own_learner()? {
            Some(learner) => self.run_own(learner),
            None => self.network(),
        }
    }

    fn network(&self) -> anyhow::Result<()> {
        let (entry, game) = (self.game.game, self.game.game.game());
        let folder = self.dir.clone().unwrap_or_else(|| format!("learn-{game}").into());
        let config = self.config()?;
        let make_player = player_maker(entry, false);
        let lines = config.measure.anchors.iter();
        for line in lines.chain(config.teacher.as_ref().map(|teacher| &teacher.line)) {
            make_player(line).map_err(usage)?;
        }
        let spec = entry.learning().spec();
        let job = open_run(&folder, &config, &spec, self.seed).map_err(usage)?;
        let command = format!("tablero learn {game} --dir '{}'", folder.display());
        let Self { threads, nats, json, hours, .. } = self;
        run(job, entry, &Way { threads: *threads, nats, json: *json, hours: *hours }, &command)
    }

    fn config(&self) -> anyhow::Result<LearnConfig> {
        let (entry, command) = (self.game.game, command_line());
        let mut config = match self.quick {
            true => LearnConfig::quick(entry.game(), &command),
            false => LearnConfig::usual(entry.game(), &command),
        };
        if let Some(net) = &self.net {
            config.net.clone_from(net);
        }
        self.options.apply(entry.game(), &mut config)?;
        config.check(&entry.learning().spec()).map_err(usage)?;
        Ok(config)
    }
}

/// How a run goes on this time.
pub(crate) struct Way<'a> {
    pub(crate) threads: ThreadsArg,
    pub(crate) nats: &'a NatsArgs,
    pub(crate) json: bool,
    pub(crate) hours: Option<Duration>,
}

/// Goes on with a run until it is finished or stopped; `command` goes on with it then.
pub(crate) fn run(job: Job, entry: Entry, way: &Way<'_>, command: &str) -> anyhow::Result<()> {
    let folder = job.folder().to_owned();
    let stop = stop_on_interrupt()?;
    let show = Show::new(stop.clone(), way.hours);
    let executor = executor(way.nats, way.threads, Run::of_job(&job))?;
    let tell = &mut |progress: &Progress| show.tell(progress);
    let make = player_maker(entry, false);
    let factory = Factory { game: entry.game(), make: &make };
    let place = Place { executor: &*executor, threads: way.threads.count(), stop: &stop };
    let learned = entry.learning().run(job, factory, place, tell);
    show.bar.finish_and_clear();
    let learned = learned?;
    if way.json {
        out::json(&learned)
    } else {
        tell_generations(&learned)
    }
    if learned.best > 0 {
        tell_files(&folder, BEST);
    }
    end(&show, &stop, command)
}

/// How a run that was stopped is gone on with.
fn end(show: &Show, stop: &Stop, command: &str) -> anyhow::Result<()> {
    let go_on = format!("go on with: {command}");
    match stop.is_requested() {
        true if show.time_is_over() => out::note(go_on),
        true => return Err(out::interrupted(go_on)),
        false => {}
    }
    Ok(())
}

/// The command that made the run, without what concerns only this time.
fn command_line() -> String {
    let mut words = vec!["tablero".to_owned()];
    let mut skip = false;
    for word in std::env::args().skip(1) {
        let name = word.split('=').next().unwrap_or_default();
        let has_value = ["--dir", "--hours", "--threads", "--color", "--nats"].contains(&name);
        if skip || has_value || name == "--json" {
            skip = has_value && !word.contains('=');
            continue;
        }
        words.push(if word.contains(' ') { format!("\"{word}\"") } else { word });
    }
    words.join(" ")
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
        let style = "{bar:30} {pos}/{len}  {msg}  {prefix}  {eta} left";
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
        let shown =
            |figure: &&tablero_jobs::Figure| ["loss", "games/h", "score"].contains(&&*figure.name);
        let figures = progress.figures.iter().filter(shown);
        let figures: Vec<_> = figures.map(|f| format!("{} {:.3}", f.name, f.value)).collect();
        self.bar.set_prefix(figures.join("  "));
        if self.time_is_over() {
            self.stop.request();
        }
    }

    fn time_is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

fn tell_generations(learned: &Learned) {
    for past in &learned.generations {
        let elo = match (past.elo, past.elo_error) {
            (Some(elo), Some(error)) => format!(", {elo:+.0} ± {error:.0} Elo"),
            _ => String::new(),
        };
        let accepted = if past.accepted { "" } else { ", not accepted" };
        let score = past.score.map_or_else(String::new, |score| {
            format!(", {:.1} % against the best before", 100.0 * score)
        });
        out::line(format_args!(
            "generation {}: {} games by {}, value error {:.3}, policy loss {:.3}{score}{elo}{accepted}",
            past.generation,
            past.games,
            past.player,
            past.held_out.value_error,
            past.held_out.moves,
        ));
    }
}

fn tell_files(folder: &Path, best: &str) {
    let (best, report) = (folder.join(best), folder.join("report.md"));
    out::note(format_args!(
        "the best weights are {}, the report is {}",
        best.display(),
        report.display()
    ));
}
