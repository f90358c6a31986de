use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use tablero_arena::{MATCH, MatchConfig, TOURNAMENT, TournamentConfig};
use tablero_evolve::{EVOLUTION, EvolutionConfig};
use tablero_experiments::EXPERIMENT;
use tablero_jobs::{Event, Job, Progress, Status, events_csv, tensorboard_events};
use tablero_learn::nnue::{NNUE_JOB_KIND, NnueConfig};
use tablero_learn::{LEARN, LearnConfig};
use tablero_registry::{LearningRun, find};

use super::{evolve, experiment, learn, matches, tournament};
use crate::job_args::JobArgs;
use crate::match_args::MatchReporter;
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero jobs list
  tablero jobs resume match-3 --out games.pgn
  tablero jobs export my-run metrics.csv
  tablero jobs export my-run my-run/events.out.tfevents.1
  tablero jobs delete match-3";

/// List, resume, export and delete jobs.
///
/// Matches, tournaments, evolution runs, experiments and the training runs of the server are jobs: they survive an
/// interruption and continue where they stopped.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Jobs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List all jobs, oldest first.
    List {
        #[command(flatten)]
        args: JobArgs,
    },
    /// Resume an interrupted job.
    Resume {
        /// Job name, as printed by `tablero jobs list`.
        #[arg(value_name = "JOB")]
        id: String,
        /// Write all games to FILE, including those already played.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        force: ForceArg,
        #[command(flatten)]
        args: JobArgs,
    },
    /// Export the metrics of a job or of a learning run: losses, Elo, games per hour.
    ///
    /// As a table (.csv), or as an event file of TensorBoard, which reads files with `tfevents` in their name
    /// (`tensorboard --logdir DIR`).
    Export {
        /// Job name, as printed by `tablero jobs list`, or the directory of a run.
        #[arg(value_name = "JOB")]
        id: String,
        /// Output file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        force: ForceArg,
        #[command(flatten)]
        args: JobArgs,
    },
    /// Delete a job and its files.
    Delete {
        /// Job name, as printed by `tablero jobs list`.
        #[arg(value_name = "JOB")]
        id: String,
        #[command(flatten)]
        args: JobArgs,
    },
}

#[derive(Serialize)]
struct Row {
    name: String,
    kind: String,
    status: Status,
    message: String,
    progress: Option<Progress>,
}

impl Jobs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::List { args } => list(&args),
            Action::Resume { id, out, force, args } => resume(&id, out.as_deref(), force, &args),
            Action::Export { id, file, force, args } => export(&id, &file, force, &args),
            Action::Delete { id, args } => Ok(args.store()?.delete(&id)?),
        }
    }
}

fn list(args: &JobArgs) -> anyhow::Result<()> {
    let (jobs, broken) = args.store()?.list()?;
    for job in jobs {
        let row = row(&job)?;
        if args.json {
            out::json(&row);
            continue;
        }
        let progress = row.progress.map_or_else(String::new, |progress| match progress.total {
            Some(total) => format!("{}/{total}", progress.done),
            None => progress.done.to_string(),
        });
        let status = format!("{:?}", row.status).to_lowercase();
        out::line(format_args!("{:<16} {status:<12} {progress:<12} {}", row.name, row.message));
    }
    for error in broken {
        out::note(format_args!("{error}"));
    }
    Ok(())
}

fn row(job: &Job) -> anyhow::Result<Row> {
    let state = job.state()?;
    Ok(Row {
        name: job.id().into(),
        kind: job.header().kind.clone(),
        status: state.status,
        message: state.message,
        progress: job.last_event()?.map(|event| event.progress),
    })
}

fn export(id: &str, file: &Path, force: ForceArg, args: &JobArgs) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let write = match () {
        () if name.ends_with(".csv") => |events: &[Event]| events_csv(events).into_bytes(),
        () if name.contains("tfevents") => tensorboard_events,
        () => {
            let expected = "a .csv file, or one for TensorBoard such as events.out.tfevents.1";
            return Err(usage(format!("`{name}`: expected {expected}")));
        }
    };
    let job = match Job::in_folder(Path::new(id))? {
        Some(job) => job,
        None => args.store()?.open(id)?,
    };
    force.write(file, &write(&job.events()?))
}

const fn run_options(args: &JobArgs) -> learn::RunOptions<'_> {
    let JobArgs { threads, nats, json, .. } = args;
    learn::RunOptions {
        threads: *threads,
        device: None,
        nats,
        json: *json,
        hours: None,
        log_format: None,
    }
}

fn resume(id: &str, out: Option<&Path>, force: ForceArg, args: &JobArgs) -> anyhow::Result<()> {
    let job = args.store()?.open(id)?;
    match job.header().kind.as_str() {
        MATCH => {
            let config: MatchConfig = job.config()?;
            let entry = find(&config.settings.game).map_err(usage)?;
            let reporter = MatchReporter::resume(&job, entry.game(), out, force)?;
            matches::run(job, entry, args, reporter)
        }
        TOURNAMENT => {
            let config: TournamentConfig = job.config()?;
            let entry = find(&config.settings.game).map_err(usage)?;
            let reporter = MatchReporter::resume(&job, entry.game(), out, force)?;
            tournament::run(job, entry, args, reporter, false)
        }
        EVOLUTION => {
            let config: EvolutionConfig = job.config()?;
            evolve::run(job, find(&config.game).map_err(usage)?, args)
        }
        EXPERIMENT => experiment::run(job, args),
        LEARN => {
            let config: LearnConfig = job.config()?;
            resume_learning(job, &config.game, args)
        }
        NNUE_JOB_KIND => {
            let config: NnueConfig = job.config()?;
            resume_learning(job, &config.game, args)
        }
        kind => Err(usage(format!("jobs of kind `{kind}` cannot be resumed"))),
    }
}

fn resume_learning(job: Job, game: &str, args: &JobArgs) -> anyhow::Result<()> {
    let command = format!("tablero jobs resume {}", job.id());
    let run = LearningRun::of_job(find(game).map_err(usage)?, job);
    let run = run.ok_or_else(|| usage("not a learning run"))?;
    learn::run(run, &run_options(args), &command)
}
