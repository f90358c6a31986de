use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_experiments::{ExperimentConfig, find, names, report, run_experiment_job};
use tablero_jobs::{Job, Progress};
use tablero_report::prepare_folder;

use crate::out::{self, usage};
use crate::series::{RunningArgs, stop_on_interrupt};

const EXAMPLES: &str = "Examples:
  tablero experiment list
  tablero experiment run unicen --quick
  tablero experiment run shobu-minimax --out report";

/// Measures again what earlier works found out, and puts their figures beside ours.
///
/// `run` writes a report (Markdown with plots) and prints its tables. Ctrl-C finishes what is under
/// way; the experiment can then be resumed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Experiment {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the experiments, with the result to expect.
    List {
        /// Print one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Run an experiment and write a report.
    Run(Box<Run>),
}

#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct Run {
    /// Its name, as `list` shows it.
    name: String,
    /// Only a quick look: few games and positions, which prove nothing.
    #[arg(long)]
    quick: bool,
    /// Where the report goes [default: experiment-NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Names openings, positions and whatever players do at random [default: the experiment's own].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    running: RunningArgs,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    game: String,
    kind: &'static str,
    title: String,
    work: String,
    expect: String,
}

impl Experiment {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { json } => list(json),
            Action::Run(command) => command.run(),
        }
    }
}

fn list(json: bool) -> anyhow::Result<()> {
    let bold = anstyle::Style::new().bold();
    for name in names() {
        let experiment = find(name)?;
        if json {
            out::json(&Row {
                name,
                game: experiment.game,
                kind: "experiment",
                title: experiment.title,
                work: experiment.work,
                expect: experiment.expect,
            });
        } else {
            out::line(format_args!("{bold}{name}{bold:#}  {}", experiment.title));
            out::line(format_args!("  from: {}", experiment.work));
            out::line(format_args!("  to expect: {}\n", experiment.expect));
        }
    }
    Ok(())
}

impl Run {
    fn run(self) -> anyhow::Result<()> {
        let mut experiment = find(&self.name).map_err(usage)?;
        experiment.seed = self.seed.unwrap_or(experiment.seed);
        let out = self.out.unwrap_or_else(|| format!("experiment-{}", self.name).into());
        prepare_folder(&out)?;
        // The job may be resumed from another folder.
        let out = out.canonicalize()?;
        let config = ExperimentConfig { name: self.name, quick: self.quick, out, experiment };
        run(config.create_job(&self.running.store()?)?, &self.running)
    }
}

/// Runs the experiment of a job, or goes on with it.
pub(crate) fn run(job: Job, running: &RunningArgs) -> anyhow::Result<()> {
    let (id, config): (String, ExperimentConfig) = (job.id().into(), job.config()?);
    let stop = stop_on_interrupt()?;
    let bar = ProgressBar::new(1);
    let style = "{bar:30} {pos}/{len}  {msg}  {elapsed}";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    let mut tell = |progress: &Progress| {
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
        bar.set_message(progress.message.clone());
    };
    let executor = running.executor(&job)?;
    let figures = run_experiment_job(job, &*executor, &stop, &mut tell);
    bar.finish_and_clear();
    let Some(figures) = figures? else {
        return Err(running.stopped(&id, None));
    };
    let report = report(&config.experiment, &figures);
    report.write(&config.out)?;
    if running.json {
        out::json(&figures);
    } else {
        let bold = anstyle::Style::new().bold();
        out::line(format_args!("{bold}{}{bold:#}\n", config.experiment.title));
        report.tables.iter().for_each(out::line);
    }
    out::note(format_args!("the report is {}", config.out.join("report.md").display()));
    Ok(())
}
