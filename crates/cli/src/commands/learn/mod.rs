//! `tablero learn`: the self-play reinforcement learning loop.

mod options;
mod progress;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tablero_cluster::Run;
use tablero_jobs::{CancellationToken, Progress};
use tablero_learn::generations::RunContext;
use tablero_learn::nnue::NnueGeneration;
use tablero_learn::{LearnError, LearningHistory};
use tablero_nets::train::Device;
use tablero_registry::{Learned, LearningRun, RunRequest};

use crate::args::{GameArg, ThreadsArg};
use crate::job_args::{cancel_on_interrupt, executor};
use crate::nats::NatsArgs;
use crate::out::{self, usage};
use options::RunConfigArgs;
pub(crate) use options::{BackendArg, ScheduleName};
pub(crate) use progress::LogFormat;
use progress::RunProgress;

const EXAMPLES: &str = "Examples:
  tablero learn tictactoe --dir ttt --generations 12
  tablero learn othello --net \"resnet 4x32\" --dir my-run --hours 2
  tablero learn othello --dir my-run                        resume the run
  tablero learn shobu --teacher \"alphabeta depth=2\" --teacher-games 5000 --hours 8
  tablero learn chess --quick --dir smoke-test
  tablero learn othello --backend burn --device gpu --dir on-a-graphics-card
  tablero learn othello --net patterns --dir patterns --hours 2
  tablero learn chess --net \"nnue 64\" --teacher \"alphabeta nodes=500 eval=classic\" --dir nnue
  tablero match chess \"alphabeta time=100ms eval=nnue/best.nnue\" \"alphabeta time=100ms eval=classic\"
  tablero match othello \"puct net=my-run/best.safetensors sims=200\" \"level hard\"";

/// Train a network by self-play reinforcement learning.
///
/// Each generation plays games against itself and trains on the replay buffer; some are evaluated against
/// earlier ones. A run is a directory with its games (games-N.jsonl), networks (generation-N.safetensors,
/// best.safetensors) and a report with plots (report.md); the same command resumes it. Ctrl-C, --hours or a
/// crash lose at most the running games. docs/explanation/learning.md explains the options and their sources.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Learn {
    #[command(flatten)]
    game: GameArg,
    /// Network: `resnet BLOCKSxFILTERS`, `mlp INPUTS-...-1`, `nnue WIDTH` (an evaluation for alphabeta), or for Othello `patterns`, the pattern
    /// weights of the champion, or `bill`, the discriminant of BILL [default: resnet 4x32; resnet 2x16 for tic-tac-toe].
    #[arg(long, value_name = "NET")]
    net: Option<String>,
    /// Directory of the run [default: learn-GAME].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Stop after H hours.
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Option<Duration>,
    /// Configure a new run as a smoke test of a minute or two.
    #[arg(long)]
    quick: bool,
    /// Random seed of a new run [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Device of --backend burn: `cpu`, `gpu` or `gpu:N`; may differ whenever a run is resumed [default: gpu if the program was
    /// built for graphics cards].
    #[arg(long, value_name = "DEVICE")]
    device: Option<Device>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Format of the log on standard error, which replaces the progress bar where there is no terminal: a line a generation
    /// and a line a minute [default: text; json always replaces the bar].
    #[arg(long, value_name = "FORMAT", value_enum)]
    log_format: Option<LogFormat>,
    #[command(flatten)]
    config: RunConfigArgs,
    #[command(flatten)]
    nats: NatsArgs,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0);
    let time = hours.and_then(|hours| Duration::try_from_secs_f64(3600.0 * hours).ok());
    time.ok_or_else(|| "expected a number of hours above 0, such as 0.5 or 8".into())
}

impl Learn {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (entry, command, options) = (self.game.game, command_line(), self.config.options());
        let request = RunRequest {
            net: self.net.as_deref(),
            dir: self.dir.as_deref(),
            quick: self.quick,
            seed: self.seed,
            device: self.device,
            command: &command,
            options: &options,
        };
        let opened = LearningRun::open(entry, &request).map_err(wrong_options)?;
        let (game, dir) = (entry.game(), opened.job().folder().display());
        let net = opened.net().map_or_else(String::new, |net| format!(" --net {net}"));
        let device = self.device.map_or_else(String::new, |device| format!(" --device {device}"));
        let command = format!("tablero learn {game}{net} --dir '{dir}'{device}");
        run(opened, &self.options(), &command)
    }

    /// The options that are not part of the run.
    const fn options(&self) -> RunOptions<'_> {
        let Self { threads, device, nats, json, hours, log_format, .. } = self;
        RunOptions {
            threads: *threads,
            device: *device,
            nats,
            json: *json,
            hours: *hours,
            log_format: *log_format,
        }
    }
}

/// Wrong options, as a usage error.
pub(crate) fn wrong_options(error: LearnError) -> anyhow::Error {
    match error {
        LearnError::Config(error) => usage(error),
        error => usage(error),
    }
}

/// Options that are not part of a run: they may differ whenever it is resumed.
pub(crate) struct RunOptions<'a> {
    pub(crate) threads: ThreadsArg,
    pub(crate) device: Option<Device>,
    pub(crate) nats: &'a NatsArgs,
    pub(crate) json: bool,
    pub(crate) hours: Option<Duration>,
    pub(crate) log_format: Option<LogFormat>,
}

/// Starts or resumes a run; `command` resumes it after an interrupt.
pub(crate) fn run(
    opened: LearningRun,
    options: &RunOptions<'_>,
    command: &str,
) -> anyhow::Result<()> {
    let dir = opened.job().folder().to_owned();
    let cancel = cancel_on_interrupt()?;
    let progress = RunProgress::new(cancel.clone(), options);
    let executor = executor(options.nats, options.threads, Run::of_job(opened.job()))?;
    let context = RunContext {
        executor: &*executor,
        threads: options.threads.count(),
        device: options.device,
        cancel: &cancel,
    };
    let learned = opened.run(context, &mut |event: &Progress| progress.update(event));
    progress.finish();
    let learned = learned?;
    match &learned {
        _ if options.json => out::json(&learned.json()),
        Learned::Network(history) => print_generations(history),
        Learned::Nnue(history) => history.generations.iter().map(nnue_line).for_each(out::line),
        Learned::Custom(learned) => learned.lines.iter().for_each(out::line),
    }
    if let Learned::Network(history) = &learned {
        history.findings().iter().for_each(out::note);
    }
    if let Some(best) = learned.best() {
        note_files(&dir, best);
    }
    finish(&progress, &cancel, command)
}

/// Reports how to resume an interrupted run. Reaching --hours is a success, Ctrl-C is not.
fn finish(progress: &RunProgress, cancel: &CancellationToken, command: &str) -> anyhow::Result<()> {
    let resume = format!("resume with: {command}");
    match cancel.is_cancelled() {
        true if progress.is_timed_out() => out::note(resume),
        true => return Err(out::interrupted(resume)),
        false => {}
    }
    Ok(())
}

/// The command line for the provenance, without options that do not affect the result.
fn command_line() -> String {
    let mut words = vec!["tablero".to_owned()];
    let mut skip = false;
    for word in std::env::args().skip(1) {
        let name = word.split('=').next().unwrap_or_default();
        let has_value =
            ["--dir", "--hours", "--threads", "--device", "--color", "--nats", "--log-format"]
                .contains(&name);
        if skip || has_value || name == "--json" {
            skip = has_value && !word.contains('=');
            continue;
        }
        words.push(if word.contains(' ') { format!("\"{word}\"") } else { word });
    }
    words.join(" ")
}

fn print_generations(learned: &LearningHistory) {
    for stats in &learned.generations {
        let elo = match (stats.elo, stats.elo_error) {
            (Some(elo), Some(error)) => format!(", {elo:+.0} ± {error:.0} Elo"),
            _ => String::new(),
        };
        let accepted = if stats.promoted { "" } else { ", not promoted" };
        let score = stats.score.map_or_else(String::new, |score| {
            format!(", {:.1} % against the previous best", 100.0 * score)
        });
        out::line(format_args!(
            "generation {}: {} games by {}, value error {:.3}, policy loss {:.3}{score}{elo}{accepted}",
            stats.generation,
            stats.games,
            stats.player,
            stats.held_out.value_error,
            stats.held_out.policy,
        ));
    }
}

fn note_files(dir: &Path, best: &str) {
    let (best, report) = (dir.join(best), dir.join("report.md"));
    out::note(format_args!("best weights: {}, report: {}", best.display(), report.display()));
}

fn nnue_line(one: &NnueGeneration) -> String {
    let elo = match (one.elo, one.elo_error) {
        (Some(elo), Some(error)) => format!(", {elo:+.0} ± {error:.0} Elo"),
        _ => String::new(),
    };
    let score = one.score.map_or_else(String::new, |score| format!(", {:.1} %", 100.0 * score));
    let promoted = if one.promoted { "" } else { ", not promoted" };
    format!(
        "generation {}: {} games by {}, {} positions, loss {:.5}, held-out loss {:.5}{score}{elo}{promoted}",
        one.generation, one.games, one.player, one.positions, one.training_loss, one.held_out_loss,
    )
}
