//! Matches and tournaments as jobs of the data folder, run one after the other.

mod results;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tablero_arena::stats::Sprt;
use tablero_arena::{MATCH, MatchConfig, TOURNAMENT, TournamentConfig};
use tablero_jobs::{Event, Job, JobError, Progress, Status, Stop, Store};
use tokio::sync::broadcast;

use crate::api::{
    Figure, JobEvent, JobGames, JobGamesQuery, JobProgress, JobStatus, JobSummary, JobView,
    NewArenaJob,
};
use crate::config::Config;
use crate::error::{ApiError, ApiResult};
use crate::file::GameFile;
use crate::kind::{game_called, series_of};
use results::Results;

/// The jobs of a data folder.
pub(crate) struct Jobs {
    config: Config,
    store: Store,
    /// Jobs that this server runs or is about to, with how to stop them.
    active: Mutex<HashMap<String, Active>>,
    queue: Mutex<mpsc::Sender<String>>,
    pub(crate) changes: broadcast::Sender<JobChange>,
}

/// What happens to jobs.
#[derive(Clone)]
pub(crate) enum JobChange {
    Changed(String),
    Deleted(String),
}

struct Active {
    stop: Stop,
    is_running: bool,
}

/// Changes that a slow listener may be behind.
const BEHIND: usize = 256;
/// How often progress is told.
const TELL: Duration = Duration::from_millis(200);
/// Points of a curve.
const MOST_EVENTS: usize = 500;

impl Jobs {
    /// The jobs in the data folder, and a thread to run them.
    pub(crate) fn open(config: &Config) -> Result<Arc<Self>, String> {
        let (queue, waiting) = mpsc::channel();
        let jobs = Arc::new(Self {
            store: Store::in_folder(&config.data),
            config: config.clone(),
            active: Mutex::default(),
            queue: Mutex::new(queue),
            changes: broadcast::channel(BEHIND).0,
        });
        let runner = Arc::downgrade(&jobs);
        let run = move || {
            for id in waiting {
                let Some(jobs) = runner.upgrade() else { return };
                jobs.run(&id);
            }
        };
        let thread = thread::Builder::new().name("jobs".into()).spawn(run);
        thread.map_err(|error| format!("no thread for jobs: {error}"))?;
        Ok(jobs)
    }

    /// Starts a match or tournament.
    pub(crate) fn create(&self, request: &NewArenaJob) -> ApiResult<JobSummary> {
        let kind = game_called(&request.game)?;
        for line in &request.players {
            self.config.check_machine(kind, line)?;
        }
        if request.move_ms.is_some_and(|ms| !(1..=self.config.limits.move_ms).contains(&ms)) {
            let most = self.config.limits.move_ms;
            return Err(ApiError::bad(format!("move_ms is 1 to {most} on this server")));
        }
        let series = kind.series(request, &self.config.setup())?;
        let job = match (&request.players[..], request.sprt) {
            ([first, second], sprt) => {
                let sprt = sprt.map(|[elo0, elo1]| Sprt::new(elo0, elo1));
                if let Some(sprt) = &sprt {
                    sprt.check().map_err(ApiError::bad)?;
                }
                let players = [first.clone(), second.clone()];
                MatchConfig { players, series, sprt }.create_job(&self.store)
            }
            (_, Some(_)) => return Err(ApiError::bad("only a match of two players can be a test")),
            (players, None) => {
                TournamentConfig { players: players.to_vec(), series }.create_job(&self.store)
            }
        };
        self.enqueue(&job.map_err(failed)?)
    }

    /// Goes on with a job.
    pub(crate) fn resume(&self, id: &str) -> ApiResult<JobSummary> {
        let job = self.job(id)?;
        if !is_ours(&job) {
            let kind = &job.header().kind;
            return Err(ApiError::conflict(format!(
                "jobs of kind `{kind}` are resumed on the command line: tablero jobs resume {id}"
            )));
        }
        let status = job.state().map_err(failed)?.status;
        if matches!(status, Status::Running | Status::Finished) || self.lock().contains_key(id) {
            return Err(ApiError::conflict(format!("job `{id}` is running or finished")));
        }
        self.enqueue(&job)
    }

    fn enqueue(&self, job: &Job) -> ApiResult<JobSummary> {
        let active = Active { stop: Stop::default(), is_running: false };
        self.lock().insert(job.id().into(), active);
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.send(job.id().into()).map_err(|_| ApiError::internal("the server is stopping"))?;
        self.tell(JobChange::Changed(job.id().into()));
        self.summary(job)
    }

    /// Stops a job; games under way are finished first.
    pub(crate) fn stop(&self, id: &str) -> ApiResult<JobSummary> {
        let job = self.job(id)?;
        let mut active = self.lock();
        match active.get(id) {
            Some(active) if active.is_running => active.stop.request(),
            Some(_) => {
                active.remove(id);
            }
            None => {
                return Err(ApiError::conflict(format!("job `{id}` is not run by this server")));
            }
        }
        drop(active);
        self.tell(JobChange::Changed(id.into()));
        self.summary(&job)
    }

    /// Deletes a job that is not running.
    pub(crate) fn delete(&self, id: &str) -> ApiResult<()> {
        self.job(id)?;
        if self.lock().get(id).is_some_and(|active| active.is_running) {
            return Err(ApiError::conflict(format!("job `{id}` is running; stop it first")));
        }
        self.lock().remove(id);
        self.store.delete(id).map_err(failed)?;
        self.tell(JobChange::Deleted(id.into()));
        Ok(())
    }

    /// Asks all jobs to stop, as the server does; whether any runs.
    pub(crate) fn stop_all(&self) -> bool {
        let mut active = self.lock();
        active.retain(|_, active| active.is_running);
        active.values().for_each(|active| active.stop.request());
        !active.is_empty()
    }

    /// On the jobs' thread.
    fn run(&self, id: &str) {
        let stop = match self.lock().get_mut(id) {
            // Stopped or deleted while it waited.
            None => return,
            Some(active) => {
                active.is_running = true;
                active.stop.clone()
            }
        };
        self.tell(JobChange::Changed(id.into()));
        let mut told: Option<Instant> = None;
        let mut progress = |_: &Progress| {
            if told.is_none_or(|told| told.elapsed() >= TELL) {
                told = Some(Instant::now());
                self.tell(JobChange::Changed(id.into()));
            }
        };
        // What goes wrong is written into the job's folder, where everybody sees it.
        let _ = tablero_jobs::catch_panic(|| self.run_job(id, &stop, &mut progress));
        self.lock().remove(id);
        self.tell(JobChange::Changed(id.into()));
    }

    fn run_job(
        &self,
        id: &str,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        let job = self.store.open(id).map_err(|error| error.to_string())?;
        let series = series_of(&job)?;
        let kind = game_called(&series.game).map_err(|error| error.to_string())?;
        // One core stays free for people who play meanwhile.
        let threads = self.config.limits.searches.saturating_sub(1).max(1);
        kind.run_arena(job, &self.config.setup(), threads, stop, progress)
    }

    /// All jobs, the newest first.
    pub(crate) fn list(&self) -> ApiResult<Vec<JobSummary>> {
        // Jobs that cannot be read do not hide the others.
        let (jobs, _broken) = self.store.list().map_err(failed)?;
        jobs.iter().rev().map(|job| self.summary(job)).collect()
    }

    /// A job in short.
    pub(crate) fn summary_of(&self, id: &str) -> ApiResult<JobSummary> {
        self.summary(&self.job(id)?)
    }

    fn summary(&self, job: &Job) -> ApiResult<JobSummary> {
        let state = job.state().map_err(failed)?;
        let active = self.lock().get(job.id()).map(|active| active.is_running);
        let status = match active {
            Some(false) => JobStatus::Waiting,
            Some(true) if state.status != Status::Running => JobStatus::Running,
            _ => state.status.into(),
        };
        let event = job.last_event().map_err(failed)?;
        let config = &job.header().config;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let players = config["players"].as_array().into_iter().flatten().filter_map(text);
        let left = event.as_ref().and_then(|event| seconds_left(&event.progress));
        Ok(JobSummary {
            id: job.id().into(),
            kind: job.header().kind.clone(),
            game: text(&config["series"]["game"]),
            players: players.collect(),
            status,
            message: state.message,
            progress: event.map(|event| event.progress.into()),
            seconds_left: left.filter(|_| status == JobStatus::Running),
            can_resume: is_ours(job),
            seed: job.header().seed.to_string(),
            created: job.header().created,
        })
    }

    /// A job with its result so far.
    pub(crate) fn view(&self, id: &str) -> ApiResult<JobView> {
        let job = self.job(id)?;
        let events = job.events().map_err(failed)?;
        let step = events.len().div_ceil(MOST_EVENTS).max(1);
        // The last one is always among them.
        let chosen = events.into_iter().rev().step_by(step).map(JobEvent::from);
        let mut events: Vec<_> = chosen.collect();
        events.reverse();
        let results = is_ours(&job).then(|| Results::read(&job)).transpose()?;
        Ok(JobView {
            summary: self.summary(&job)?,
            config: job.header().config.clone(),
            events,
            games: results.as_ref().map_or(0, Results::games),
            table: results.map(|results| results.table()),
        })
    }

    /// The games of a job.
    pub(crate) fn games(&self, id: &str, query: &JobGamesQuery) -> ApiResult<JobGames> {
        Results::read(&self.arena_job(id)?).map(|results| results.list(query))
    }

    /// A game of a job, for the library.
    pub(crate) fn game(&self, id: &str, index: usize) -> ApiResult<GameFile> {
        results::game(&self.arena_job(id)?, index)
    }

    fn arena_job(&self, id: &str) -> ApiResult<Job> {
        let job = self.job(id)?;
        let no_games = || ApiError::conflict(format!("job `{id}` plays no games"));
        if is_ours(&job) { Ok(job) } else { Err(no_games()) }
    }

    fn job(&self, id: &str) -> ApiResult<Job> {
        self.store.open(id).map_err(failed)
    }

    fn tell(&self, change: JobChange) {
        // Nobody may be listening.
        let _ = self.changes.send(change);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether this server can run the job.
fn is_ours(job: &Job) -> bool {
    [MATCH, TOURNAMENT].contains(&job.header().kind.as_str())
}

fn failed(error: JobError) -> ApiError {
    match error {
        JobError::NotFound(_) => ApiError::not_found(error),
        JobError::Busy { .. } => ApiError::conflict(error),
        _ => ApiError::internal(error),
    }
}

/// How long the rest takes at the rate that was last told.
fn seconds_left(progress: &Progress) -> Option<f64> {
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
