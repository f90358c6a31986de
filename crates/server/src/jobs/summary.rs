//! Conversion of jobs to API types.

use tablero_jobs::{Event, Job, Progress, Status};

use crate::api::{JobEvent, JobProgress, JobStage, JobStatus, Metric};

/// The most openings that are shown.
const MAX_OPENINGS: usize = 5;

/// A job's configuration, with the list of openings truncated: it may have thousands.
pub(super) fn shown_config(job: &Job) -> serde_json::Value {
    let mut config = job.header().config.clone();
    let games = config.pointer_mut("/settings/openings/given/games");
    if let Some(games) = games.and_then(serde_json::Value::as_array_mut)
        && games.len() > MAX_OPENINGS
    {
        let rest = games.len() - MAX_OPENINGS;
        games.truncate(MAX_OPENINGS);
        games.push(format!("... and {rest} more").into());
    }
    config
}

/// What a job is about, besides game and players.
pub(super) fn detail(job: &Job) -> String {
    let config = &job.header().config;
    let words = ["genome", "scheme", "net", "name"].map(|name| config[name].as_str());
    let quick = config["quick"].as_bool().filter(|quick| *quick).map(|_| "quick");
    words.into_iter().flatten().chain(quick).collect::<Vec<_>>().join(", ")
}

/// The estimated time left: as reported, or from the last reported rate.
pub(super) fn eta_seconds(progress: &Progress) -> Option<f64> {
    if let Some(left) = progress.metric("seconds left") {
        return Some(left);
    }
    let rate = progress.metric("games/s").filter(|rate| *rate > 0.0)?;
    Some(progress.total?.saturating_sub(progress.done) as f64 / rate)
}

impl From<Status> for JobStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::New => Self::New,
            Status::Running => Self::Running,
            Status::Interrupted => Self::Interrupted,
            Status::Stopped => Self::Stopped,
            Status::Finished => Self::Finished,
            Status::Failed => Self::Failed,
        }
    }
}

impl From<Progress> for JobProgress {
    fn from(progress: Progress) -> Self {
        let stage = |stage: tablero_jobs::Stage| JobStage {
            name: stage.name,
            generation: stage.generation,
        };
        let metric =
            |metric: tablero_jobs::Metric| Metric { name: metric.name, value: metric.value };
        Self {
            done: progress.done,
            total: progress.total,
            stage: progress.stage.map(stage),
            message: progress.message,
            metrics: progress.metrics.into_iter().map(metric).collect(),
        }
    }
}

impl From<Event> for JobEvent {
    fn from(event: Event) -> Self {
        Self { at: event.at, progress: event.progress.into() }
    }
}
