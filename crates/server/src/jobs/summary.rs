//! Jobs in the words of the API.

use tablero_jobs::{Event, Job, Progress, Status};

use crate::api::{Figure, JobEvent, JobProgress, JobStatus};

/// Openings that a page is shown.
const MOST_OPENINGS: usize = 5;

/// A job's configuration without most of its openings, of which it may have thousands.
pub(super) fn shown_config(job: &Job) -> serde_json::Value {
    let mut config = job.header().config.clone();
    let games = config.pointer_mut("/series/openings/given/games");
    if let Some(games) = games.and_then(serde_json::Value::as_array_mut)
        && games.len() > MOST_OPENINGS
    {
        let rest = games.len() - MOST_OPENINGS;
        games.truncate(MOST_OPENINGS);
        games.push(format!("... and {rest} more").into());
    }
    config
}

/// What a job is about, beside game and players.
pub(super) fn detail(job: &Job) -> String {
    let config = &job.header().config;
    let words = ["genome", "scheme", "net"].map(|name| config[name].as_str());
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How long the rest takes, as the job says or at the rate that it last told.
pub(super) fn seconds_left(progress: &Progress) -> Option<f64> {
    if let Some(left) = progress.get("seconds left") {
        return Some(left);
    }
    let rate = progress.get("games/s").filter(|rate| *rate > 0.0)?;
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
        let figure =
            |figure: tablero_jobs::Figure| Figure { name: figure.name, value: figure.value };
        Self {
            done: progress.done,
            total: progress.total,
            message: progress.message,
            figures: progress.figures.into_iter().map(figure).collect(),
        }
    }
}

impl From<Event> for JobEvent {
    fn from(event: Event) -> Self {
        Self { at: event.at, progress: event.progress.into() }
    }
}
