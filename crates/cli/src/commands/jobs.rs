use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use tablero_arena::{MATCH, MatchConfig, TOURNAMENT, TournamentConfig};
use tablero_evolve::{EVOLUTION, EvolutionConfig};
use tablero_experiments::EXPERIMENT;
use tablero_jobs::{Job, Progress, Status};
use tablero_learn::{LEARN, LearnConfig};
use tablero_registry::find;

use super::{evolve, experiment, learn, matches, tournament};
use crate::out::{self, usage};
use crate::series::{RunningArgs, Spectator};

const EXAMPLES: &str = "Examples:
  tablero jobs list
  tablero jobs resume match-3 --out games.pgn
  tablero jobs delete match-3";

/// Lists, resumes and deletes long work: matches, tournaments, evolutions, experiments, learning.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Jobs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show all jobs, the oldest first.
    List {
        #[command(flatten)]
        running: RunningArgs,
    },
    /// Go on with a job that was stopped or interrupted.
    Resume {
        /// Its name, as `list` shows it.
        #[arg(value_name = "JOB")]
        id: String,
        /// Save its games to this file, those from before included.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        running: RunningArgs,
    },
    /// Delete a job and everything it kept.
    Delete {
        /// Its name, as `list` shows it.
        #[arg(value_name = "JOB")]
        id: String,
        #[command(flatten)]
        running: RunningArgs,
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
            Action::List { running } => list(&running),
            Action::Resume { id, out, running } => resume(&id, out.as_deref(), &running),
            Action::Delete { id, running } => Ok(running.store()?.delete(&id)?),
        }
    }
}

fn list(running: &RunningArgs) -> anyhow::Result<()> {
    let (jobs, broken) = running.store()?.list()?;
    for job in jobs {
        let row = row(&job)?;
        if running.json {
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

fn resume(id: &str, out: Option<&Path>, running: &RunningArgs) -> anyhow::Result<()> {
    let job = running.store()?.open(id)?;
    match job.header().kind.as_str() {
        MATCH => {
            let config: MatchConfig = job.config()?;
            let entry = find(&config.series.game).map_err(usage)?;
            matches::run(job, entry, running, Spectator::new(entry.game(), out)?)
        }
        TOURNAMENT => {
            let config: TournamentConfig = job.config()?;
            let entry = find(&config.series.game).map_err(usage)?;
            tournament::run(job, entry, running, Spectator::new(entry.game(), out)?)
        }
        EVOLUTION => {
            let config: EvolutionConfig = job.config()?;
            evolve::run(job, find(&config.game).map_err(usage)?, running)
        }
        EXPERIMENT => experiment::run(job, running),
        LEARN => {
            let config: LearnConfig = job.config()?;
            let entry = find(&config.game).map_err(usage)?;
            let RunningArgs { threads, nats, json, .. } = running;
            let way = learn::Way { threads: *threads, nats, json: *json, hours: None };
            let command = format!("tablero jobs resume {id}");
            learn::run(job, entry, &way, &command)
        }
        kind => Err(usage(format!("jobs of kind `{kind}` cannot be resumed by this program"))),
    }
}
