use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_experiments::{ExperimentConfig, find, names, report, run_experiment_job};
use tablero_jobs::{Job, Progress};
use tablero_report::prepare_folder;

use crate::job_args::{JobArgs, cancel_on_interrupt};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero experiment list
  tablero experiment run unicen --quick
  tablero experiment run shobu-minimax --out report";

/// Reproduce the experiments of earlier work.
///
/// `run` repeats an experiment, compares its results with the published ones, prints the tables and
/// writes a report in Markdown with plots. Ctrl-C abandons the running games; `tablero jobs resume` continues
/// the experiment.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Experiment {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List the experiments with their expected results.
    List {
        /// Print one JSON object per line.
        #[arg(long)]
        json: bool,
    },
    Run(Box<Run>),
}

/// Run an experiment and write its report.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct Run {
    /// Experiment, as printed by `tablero experiment list`.
    name: String,
    /// Use few games and positions, for a smoke test without statistical value.
    #[arg(long)]
    quick: bool,
    /// Directory of the report [default: experiment-NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Random seed [default: that of the experiment].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    job: JobArgs,
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
                work: experiment.source,
                expect: experiment.expected_result,
            });
        } else {
            out::line(format_args!("{bold}{name}{bold:#}  {}", experiment.title));
            out::line(format_args!("  from: {}", experiment.source));
            out::line(format_args!("  expected: {}\n", experiment.expected_result));
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
        // The job may be resumed from another directory.
        let out = out.canonicalize()?;
        let config = ExperimentConfig { name: self.name, quick: self.quick, out, experiment };
        run(config.create_job(&self.job.store()?)?, &self.job)
    }
}

/// Starts or resumes the experiment of a job.
pub(crate) fn run(job: Job, args: &JobArgs) -> anyhow::Result<()> {
    let (id, config): (String, ExperimentConfig) = (job.id().into(), job.config()?);
    let cancel = cancel_on_interrupt()?;
    let bar = ProgressBar::new(1);
    let style = "{bar:30} {pos}/{len}  {msg}  {elapsed}";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    let mut on_progress = |progress: &Progress| {
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
        bar.set_message(progress.message.clone());
    };
    let executor = args.executor(&job)?;
    let results = run_experiment_job(job, &*executor, &cancel, &mut on_progress);
    bar.finish_and_clear();
    let Some(results) = results? else {
        return Err(args.interrupted(&id, None));
    };
    let report = report(&config.experiment, &results);
    report.write(&config.out)?;
    if args.json {
        out::json(&results);
    } else {
        let bold = anstyle::Style::new().bold();
        out::line(format_args!("{bold}{}{bold:#}\n", config.experiment.title));
        report.tables.iter().for_each(out::line);
    }
    out::note(format_args!("report written to {}", config.out.join("report.md").display()));
    Ok(())
}
