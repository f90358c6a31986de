use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tablero_core::Permissions;
use tablero_experiments::{
    ExperimentConfig, Results, TEMPLATES, Template, Work, find, names, report, run_experiment_job,
    template, works_page,
};
use tablero_jobs::{CancellationToken, Job, Progress, Status, atomic_write};

use crate::args::Entry;
use crate::job_args::{JobArgs, cancel_on_interrupt};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero experiment list
  tablero experiment run unicen --quick
  tablero experiment run shobu-minimax --out report
  tablero experiment new mine.toml --template evaluations --game othello
  tablero experiment run mine.toml --quick
  tablero experiment run all --out works";

/// Run experiments: those of earlier works, and your own plans.
///
/// `new` writes a plan from a template: players, evaluations, networks, evolutions to compare, and grids of their
/// options. `run` runs a plan, or repeats an experiment of an earlier work, compares its results with the published ones, prints the tables and
/// writes a report in Markdown with plots. Ctrl-C abandons the running games; `tablero jobs resume` continues
/// the experiment.
///
/// `run all` runs every experiment and writes the table of all works, `works.md`. What a finished job has
/// measured already is not measured again, and a stopped one is continued.
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
    New(New),
    Run(Box<Run>),
}

/// Write a plan from a template, to be edited and run.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct New {
    /// File of the plan; an existing one is not overwritten.
    #[arg(value_name = "FILE", required_unless_present = "list")]
    file: Option<PathBuf>,
    /// Template (see --list).
    #[arg(long, value_name = "NAME", default_value = "match")]
    template: String,
    /// Game of the experiment.
    #[arg(long, value_name = "GAME", default_value = "othello", value_parser = tablero_registry::find)]
    game: Entry,
    /// List the templates.
    #[arg(long)]
    list: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl New {
    fn run(&self) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Listed {
            name: &'static str,
            about: &'static str,
        }
        #[derive(Serialize)]
        struct Written<'a> {
            file: &'a Path,
            template: &'a str,
            game: &'static str,
        }
        let Some(file) = self.file.as_deref().filter(|_| !self.list) else {
            for Template { name, about, .. } in TEMPLATES {
                match self.json {
                    true => out::json(&Listed { name, about: about.en }),
                    false => out::line(format_args!("{name:<12} {}", about.en)),
                }
            }
            return Ok(());
        };
        let text = template(&self.template, self.game).map_err(usage)?;
        if file.exists() {
            return Err(usage(format!("{} exists already", file.display())));
        }
        atomic_write(file, text.as_bytes())?;
        if self.json {
            let game = self.game.game().name();
            out::json(&Written { file, template: &self.template, game });
        }
        out::note(format_args!(
            "plan written to {0}: edit it, then `tablero experiment run {0}`",
            file.display()
        ));
        Ok(())
    }
}

/// Run an experiment and write its report.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct Run {
    /// Experiment, as printed by `tablero experiment list`, the file of a plan (.toml), or `all`.
    #[arg(value_name = "NAME|FILE")]
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
    /// With `all`: measure everything again, also what finished jobs have measured.
    #[arg(long)]
    again: bool,
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
            Action::New(command) => command.run(),
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

/// The name that stands for every experiment.
const ALL: &str = "all";
/// The file with the table of all works.
const WORKS: &str = "works.md";

impl Run {
    fn run(self) -> anyhow::Result<()> {
        if self.name == ALL {
            let out = self.out.clone().unwrap_or_else(|| format!("experiment-{ALL}").into());
            return self.run_all(&out);
        }
        let config = self.config(&self.name, None)?;
        run(config.create_job(&self.job.store()?)?, &self.job)
    }

    /// The experiment, with its report in `out`, by default where the options say.
    fn config(&self, name: &str, out: Option<&Path>) -> anyhow::Result<ExperimentConfig> {
        let config = ExperimentConfig::open(name, self.quick, self.seed).map_err(usage)?;
        let default = || PathBuf::from(format!("experiment-{}", config.name));
        let out = out.or(self.out.as_deref()).map_or_else(default, Path::to_owned);
        Ok(config.with_report(&out)?)
    }

    fn run_all(&self, out: &Path) -> anyhow::Result<()> {
        let (store, cancel) = (self.job.store()?, cancel_on_interrupt()?);
        let mut works: Vec<(ExperimentConfig, Results)> = Vec::new();
        for name in names() {
            let config = self.config(name, Some(&out.join(name)))?;
            let known = if self.again { None } else { config.find_job(&store)? };
            let results = match known {
                Some(job) if job.state()?.status == Status::Finished => {
                    out::note(format_args!("{name}: measured by {}", job.id()));
                    job.result()?.ok_or_else(|| anyhow::anyhow!("{} has no result", job.id()))?
                }
                known => {
                    let job = known.map_or_else(|| config.create_job(&store), Ok)?;
                    measure(job, &self.job, &cancel)?
                }
            };
            report(&config.experiment, &results).write(&out.join(name))?;
            if self.job.json {
                out::json(&results);
            }
            works.push((config, results));
        }
        let works: Vec<Work<'_>> = works
            .iter()
            .map(|(config, results)| Work {
                name: &config.name,
                experiment: &config.experiment,
                results: Some(results),
            })
            .collect();
        let page = works_page(&works);
        let file = out.join(WORKS);
        atomic_write(&file, page.as_bytes())?;
        if !self.job.json {
            out::line(&page);
        }
        out::note(format_args!("table written to {}", file.display()));
        Ok(())
    }
}

/// Starts or resumes the experiment of a job.
pub(crate) fn run(job: Job, args: &JobArgs) -> anyhow::Result<()> {
    let config: ExperimentConfig = job.config()?;
    let results = measure(job, args, &cancel_on_interrupt()?)?;
    let report = report(&config.experiment, &results);
    if args.json {
        out::json(&results);
    } else {
        let bold = anstyle::Style::new().bold();
        out::line(format_args!("{bold}{}{bold:#}\n", config.experiment.title));
        report.tables.iter().for_each(out::line);
    }
    if let Some(folder) = config.out {
        report.write(&folder)?;
        out::note(format_args!("report written to {}", folder.join("report.md").display()));
    }
    Ok(())
}

/// Runs or resumes the experiment of a job, with a progress bar.
fn measure(job: Job, args: &JobArgs, cancel: &CancellationToken) -> anyhow::Result<Results> {
    let (id, config): (String, ExperimentConfig) = (job.id().into(), job.config()?);
    let bar = ProgressBar::new(1);
    let style = "{prefix}  {bar:30} {pos}/{len}  {msg}  {elapsed}";
    bar.set_style(ProgressStyle::with_template(style).expect("fixed"));
    bar.set_prefix(config.name);
    let mut on_progress = |progress: &Progress| {
        bar.set_length(progress.total.unwrap_or(progress.done));
        bar.set_position(progress.done);
        bar.set_message(with_time_left(progress));
    };
    let executor = args.executor(&job)?;
    let results = run_experiment_job(job, Permissions::ALL, &*executor, cancel, &mut on_progress);
    bar.finish_and_clear();
    results?.ok_or_else(|| args.interrupted(&id, None))
}

/// What is being measured, and the time left if it can be estimated.
fn with_time_left(progress: &Progress) -> String {
    let left = progress.metric("seconds left");
    let left = left.map(|seconds| {
        format!(
            ", about {} left",
            indicatif::HumanDuration(std::time::Duration::from_secs_f64(seconds.min(1e9)))
        )
    });
    format!("{}{}", progress.message, left.unwrap_or_default())
}
