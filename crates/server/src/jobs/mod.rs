//! The job queue: matches, tournaments, evolutions, learning runs and experiments of the data folder, one at a
//! time.

mod arena;
pub(crate) mod artifacts;
mod evolution;
mod experiment;
mod learning;
mod memory;
mod results;
mod summary;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablero_arena::stats::Sprt;
use tablero_arena::{MATCH, MatchConfig, TOURNAMENT, TournamentConfig};
use tablero_evolve::EVOLUTION;
use tablero_experiments::EXPERIMENT;

use tablero_jobs::{CancellationToken, Job, Progress, Status, Store, Threads};
use tablero_learn::LEARN;
use tablero_learn::generations::RunContext;
use tablero_registry::GameEntry;
use tokio::sync::broadcast;

use crate::api::{
    GenerationView, JobEvent, JobGames, JobGamesQuery, JobStatus, JobSummary, JobView,
    NetworkEvaluation, NewArenaJob, NewEvolutionJob, NewExperimentJob, NewLearningJob, Problem,
    TrainingReplay,
};
use crate::cluster::Workers;
use crate::config::Config;
use crate::error::{ApiResult, find_game};
use crate::game_file::GameFile;
use crate::player_files;
use crate::players::PlayerPool;
use memory::JobMemory;
use results::Results;
use summary::{detail, eta_seconds, shown_config};

pub(crate) use evolution::options as evolution_options;
pub(crate) use experiment::{experiments, fill_template, templates};

/// The jobs of a data folder.
pub(crate) struct Jobs {
    config: Config,
    store: Store,
    /// Jobs that are running or queued in this server.
    active: Mutex<HashMap<String, Active>>,
    queue: Mutex<mpsc::Sender<String>>,
    /// Whether a job has run since the last [`Jobs::take_has_run`].
    has_run: AtomicBool,
    /// The cluster, if there is one.
    workers: Option<Arc<dyn Workers>>,
    /// The players of live games, which share the memory budget.
    players: Arc<PlayerPool>,
    pub(crate) changes: broadcast::Sender<JobChange>,
}

/// A change of a job, as broadcast to subscribers.
#[derive(Clone)]
pub(crate) enum JobChange {
    Changed(String),
    Deleted(String),
}

struct Active {
    stop: CancellationToken,
    is_running: bool,
}

/// Changes buffered for a slow subscriber.
const EVENT_BUFFER: usize = 256;
/// The least time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
/// The most points of a curve.
const MAX_EVENTS: usize = 500;

impl Jobs {
    /// Opens the jobs of the data folder and starts the thread that runs them.
    pub(crate) fn open(
        config: &Config,
        workers: Option<Arc<dyn Workers>>,
        players: Arc<PlayerPool>,
    ) -> Result<Arc<Self>, String> {
        let (queue, waiting) = mpsc::channel();
        let jobs = Arc::new(Self {
            store: Store::in_folder(&config.data),
            config: config.clone(),
            active: Mutex::default(),
            queue: Mutex::new(queue),
            has_run: AtomicBool::new(false),
            workers,
            players,
            changes: broadcast::channel(EVENT_BUFFER).0,
        });
        let runner = Arc::downgrade(&jobs);
        let run = move || {
            for id in waiting {
                let Some(jobs) = runner.upgrade() else { return };
                jobs.run(&id);
            }
        };
        let thread = thread::Builder::new().name("jobs".into()).spawn(run);
        thread.map_err(|error| format!("cannot start the job thread: {error}"))?;
        Ok(jobs)
    }

    /// Starts a match or tournament.
    pub(crate) fn create_arena(&self, request: &NewArenaJob) -> ApiResult<JobSummary> {
        let entry = find_game(&request.game)?;
        for line in &request.players {
            self.config.check_engine(entry, line)?;
        }
        if let Some(ms) = request.move_ms {
            Problem::check_range("move_ms", ms, 1, self.config.limits.move_ms)?;
        }
        self.check_memory(entry, &json!({ "players": request.players }))?;
        let settings = arena::settings(entry, request)?;
        let job = match (&request.players[..], request.sprt) {
            ([first, second], sprt) => {
                let sprt = sprt.map(|[elo0, elo1]| Sprt::new(elo0, elo1));
                if let Some(sprt) = &sprt {
                    sprt.check()?;
                }
                let players = [first.clone(), second.clone()];
                MatchConfig { players, settings, sprt }.create_job(&self.store)
            }
            (_, Some(_)) => return Err(Problem::SprtNeedsTwoPlayers.into()),
            (players, None) => {
                TournamentConfig { players: players.to_vec(), settings }.create_job(&self.store)
            }
        };
        self.enqueue(&job?)
    }

    /// Starts an evolution.
    pub(crate) fn create_evolution(&self, request: &NewEvolutionJob) -> ApiResult<JobSummary> {
        let entry = find_game(&request.game)?;
        for line in &request.opponents {
            self.config.check_engine(entry, line)?;
        }
        if let Some(line) = &request.player {
            self.config.check_limits(line)?;
        }
        let lines = json!({ "player": request.player, "opponents": request.opponents });
        self.check_memory(entry, &lines)?;
        let initial = match (&request.initial, &request.initial_file) {
            (Some(_), Some(_)) => return Err(Problem::TwoInitialPopulations.into()),
            (Some(from), None) => {
                let (entry, job) = self.evolution(&from.job)?;
                Some(evolution::genomes(entry, &job, from.generation)?)
            }
            (None, Some(file)) => Some(self.config.player_files().genomes(file)?),
            (None, None) => None,
        };
        let players = self.config.player_factory();
        let config = evolution::config(entry, request, initial, &players)?;
        let job = self.store.create(EVOLUTION, &config, request.seed.unwrap_or(1));
        self.enqueue(&job?)
    }

    /// Starts a learning run.
    pub(crate) fn create_learning(&self, request: &NewLearningJob) -> ApiResult<JobSummary> {
        let entry = find_game(&request.game)?;
        if let Some(line) = &request.teacher {
            self.config.check_engine(entry, line)?;
            self.check_memory(entry, &json!({ "player": line }))?;
        }
        let config = learning::config(entry, request)?;
        let job = self.store.create(LEARN, &config, request.seed.unwrap_or(1));
        self.enqueue(&job?)
    }

    /// Starts an experiment.
    pub(crate) fn create_experiment(&self, request: &NewExperimentJob) -> ApiResult<JobSummary> {
        let job = experiment::config(request, &self.config)?.create_job(&self.store);
        self.enqueue(&job?)
    }

    /// Checks that there is memory for the players of a game.
    fn check_memory(&self, entry: &'static dyn GameEntry, lines: &Value) -> ApiResult<()> {
        let players = memory::of_players(entry, lines, &self.config.player_factory());
        Ok(memory::check(&players, self.config.memory_mb)?)
    }

    /// A training game of a generation, for the library.
    pub(crate) fn training_game(
        &self,
        id: &str,
        generation: usize,
        index: usize,
    ) -> ApiResult<GameFile> {
        let (entry, job) = self.learning(id)?;
        learning::training_game(entry, &job, generation, index)
    }

    /// A training game of a generation, move by move.
    pub(crate) fn training_replay(
        &self,
        id: &str,
        generation: usize,
        index: usize,
    ) -> ApiResult<TrainingReplay> {
        let (entry, job) = self.learning(id)?;
        learning::replay(entry, &job, generation, index)
    }

    /// The evaluation of a position by a generation's network.
    pub(crate) fn evaluate(
        &self,
        id: &str,
        generation: usize,
        moves: &str,
    ) -> ApiResult<NetworkEvaluation> {
        let (entry, job) = self.learning(id)?;
        learning::evaluate(entry, &job, generation, moves)
    }

    /// A learning run, and its game.
    fn learning(&self, id: &str) -> ApiResult<(&'static dyn GameEntry, Job)> {
        let job = self.job(id)?;
        let is_learning = JobKind::of(&job) == Some(JobKind::Learning);
        let game = game_of(&job).filter(|_| is_learning);
        let game = game.ok_or_else(|| Problem::NotALearningRun { job: id.into() })?;
        Ok((find_game(&game)?, job))
    }

    /// The population of a generation.
    pub(crate) fn generation(&self, id: &str, number: u64) -> ApiResult<GenerationView> {
        let (entry, job) = self.evolution(id)?;
        evolution::generation(entry, &job, number)
    }

    /// A generation as a file.
    pub(crate) fn generation_file(&self, id: &str, number: u64, format: &str) -> ApiResult<String> {
        let (entry, job) = self.evolution(id)?;
        evolution::file(entry, &job, number, format)
    }

    /// An evolution, and its game.
    fn evolution(&self, id: &str) -> ApiResult<(&'static dyn GameEntry, Job)> {
        let job = self.job(id)?;
        let is_evolution = JobKind::of(&job) == Some(JobKind::Evolution);
        let game = game_of(&job).filter(|_| is_evolution);
        let game = game.ok_or_else(|| Problem::NotAnEvolution { job: id.into() })?;
        Ok((find_game(&game)?, job))
    }

    /// Resumes a job.
    pub(crate) fn resume(&self, id: &str) -> ApiResult<JobSummary> {
        let job = self.job(id)?;
        if JobKind::of(&job).is_none() {
            let kind = job.header().kind.clone();
            return Err(Problem::ResumeOnCommandLine { job: id.into(), kind }.into());
        }
        let status = job.state()?.status;
        if matches!(status, Status::Running | Status::Finished) || self.lock().contains_key(id) {
            return Err(Problem::JobRunningOrFinished { job: id.into() }.into());
        }
        self.enqueue(&job)
    }

    fn enqueue(&self, job: &Job) -> ApiResult<JobSummary> {
        let active = Active { stop: CancellationToken::default(), is_running: false };
        self.lock().insert(job.id().into(), active);
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.send(job.id().into()).map_err(|_| Problem::ShuttingDown)?;
        self.notify(JobChange::Changed(job.id().into()));
        self.summary(job)
    }

    /// Stops a job after its running games, or removes it from the queue.
    pub(crate) fn stop(&self, id: &str) -> ApiResult<JobSummary> {
        let job = self.job(id)?;
        let mut active = self.lock();
        match active.get(id) {
            Some(active) if active.is_running => active.stop.cancel(),
            Some(_) => {
                active.remove(id);
            }
            None => {
                return Err(Problem::JobNotRunHere { job: id.into() }.into());
            }
        }
        drop(active);
        self.notify(JobChange::Changed(id.into()));
        self.summary(&job)
    }

    /// Deletes a job that is not running.
    pub(crate) fn delete(&self, id: &str) -> ApiResult<()> {
        self.job(id)?;
        if self.lock().get(id).is_some_and(|active| active.is_running) {
            return Err(Problem::JobRunning { job: id.into() }.into());
        }
        self.lock().remove(id);
        self.store.delete(id)?;
        self.notify(JobChange::Deleted(id.into()));
        Ok(())
    }

    /// Cancels all jobs, at shutdown; returns whether any is still running.
    pub(crate) fn stop_all(&self) -> bool {
        let mut active = self.lock();
        active.retain(|_, active| active.is_running);
        active.values().for_each(|active| active.stop.cancel());
        !active.is_empty()
    }

    /// Runs a job, on the job thread.
    fn run(&self, id: &str) {
        let stop = match self.lock().get_mut(id) {
            // Stopped or deleted while queued.
            None => return,
            Some(active) => {
                active.is_running = true;
                active.stop.clone()
            }
        };
        self.notify(JobChange::Changed(id.into()));
        let mut notified: Option<Instant> = None;
        let mut progress = |_: &Progress| {
            if notified.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL) {
                notified = Some(Instant::now());
                self.notify(JobChange::Changed(id.into()));
            }
        };
        // Errors are stored in the job's state, where clients see them.
        let _ = tablero_jobs::catch_panic(|| self.run_job(id, &stop, &mut progress));
        self.has_run.store(true, Ordering::Relaxed);
        self.lock().remove(id);
        self.notify(JobChange::Changed(id.into()));
    }

    /// Whether a job is running.
    pub(crate) fn is_running(&self) -> bool {
        self.lock().values().any(|active| active.is_running)
    }

    /// Whether a job has run since the last call.
    pub(crate) fn take_has_run(&self) -> bool {
        self.has_run.swap(false, Ordering::Relaxed)
    }

    fn run_job(
        &self,
        id: &str,
        stop: &CancellationToken,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), String> {
        let job = self.store.open(id).map_err(|error| error.to_string())?;
        let game = game_of(&job).ok_or("the job has no game")?;
        let entry = find_game(&game).map_err(|error| error.to_string())?;
        // One core stays free for live games.
        let cores = NonZeroUsize::new(self.config.limits.searches.saturating_sub(1));
        let cores = cores.unwrap_or(NonZeroUsize::MIN);
        let players = self.config.player_factory();
        let memory = memory::of_players(entry, &job.header().config, &players);
        let memory = JobMemory::new(&memory, cores, self.config.memory_mb);
        let _reservation = self.players.reserve_for_job(memory.total << 20);
        tablero_arena::PlayerPool::shared().set_budget(memory.idle << 20);
        let threads = Threads::new(memory.threads);
        let workers = self.workers.as_ref().filter(|_| can_distribute(entry, &job));
        let cluster = workers.and_then(|workers| workers.executor(&job, threads));
        let executor = cluster.as_deref().unwrap_or(&threads);
        match JobKind::of(&job).ok_or("the server cannot run jobs of this kind")? {
            JobKind::Arena => arena::run(entry, job, &players, executor, stop, progress),
            JobKind::Evolution => evolution::run(entry, job, executor, stop, progress),
            JobKind::Experiment => {
                let allow_engines = self.config.allow_engines;
                experiment::run(job, allow_engines, &threads, stop, progress)
            }
            JobKind::Learning => {
                let place =
                    RunContext { executor, threads: cores.get(), device: None, cancel: stop };
                learning::run(entry, job, &players, place, progress)
            }
        }
    }

    /// All jobs, newest first.
    pub(crate) fn list(&self) -> ApiResult<Vec<JobSummary>> {
        // Unreadable jobs are skipped.
        let (jobs, _broken) = self.store.list()?;
        jobs.iter().rev().map(|job| self.summary(job)).collect()
    }

    /// The summary of a job.
    pub(crate) fn summary_of(&self, id: &str) -> ApiResult<JobSummary> {
        self.summary(&self.job(id)?)
    }

    fn summary(&self, job: &Job) -> ApiResult<JobSummary> {
        let state = job.state()?;
        let active = self.lock().get(job.id()).map(|active| active.is_running);
        let status = match active {
            Some(false) => JobStatus::Waiting,
            Some(true) if state.status != Status::Running => JobStatus::Running,
            _ => state.status.into(),
        };
        let event = job.last_event()?;
        let config = &job.header().config;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let players = config["players"].as_array().into_iter().flatten().filter_map(text);
        let eta = event.as_ref().and_then(|event| eta_seconds(&event.progress));
        Ok(JobSummary {
            id: job.id().into(),
            kind: job.header().kind.clone(),
            game: game_of(job),
            players: players.collect(),
            detail: detail(job),
            status,
            message: state.message,
            progress: event.map(|event| event.progress.into()),
            eta_seconds: eta.filter(|_| status == JobStatus::Running),
            can_resume: JobKind::of(job).is_some(),
            seed: job.header().seed.to_string(),
            created: job.header().created,
        })
    }

    /// A job with its result so far.
    pub(crate) fn view(&self, id: &str) -> ApiResult<JobView> {
        let job = self.job(id)?;
        let events = job.events()?;
        let step = events.len().div_ceil(MAX_EVENTS).max(1);
        // From the end, so that the last one is included.
        let sampled = events.into_iter().rev().step_by(step).map(JobEvent::from);
        let mut events: Vec<_> = sampled.collect();
        events.reverse();
        let kind = JobKind::of(&job);
        let results = (kind == Some(JobKind::Arena)).then(|| Results::read(&job)).transpose()?;
        let evolution = (kind == Some(JobKind::Evolution)).then(|| {
            let (game, job) = self.evolution(id)?;
            evolution::view(game, &job)
        });
        let learning = (kind == Some(JobKind::Learning)).then(|| {
            let (game, job) = self.learning(id)?;
            learning::view(game, &job)
        });
        let experiment =
            (kind == Some(JobKind::Experiment)).then(|| experiment::view(&job)).transpose()?;
        Ok(JobView {
            summary: self.summary(&job)?,
            config: shown_config(&job),
            events,
            games: results.as_ref().map_or(0, Results::games),
            crosstable: results.map(|results| results.crosstable()),
            evolution: evolution.transpose()?,
            learning: learning.transpose()?,
            experiment,
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
        let no_games = || Problem::NotAMatch { job: id.into() };
        if JobKind::of(&job) == Some(JobKind::Arena) { Ok(job) } else { Err(no_games().into()) }
    }

    fn job(&self, id: &str) -> ApiResult<Job> {
        Ok(self.store.open(id)?)
    }

    fn notify(&self, change: JobChange) {
        // Fails if there are no subscribers.
        let _ = self.changes.send(change);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kinds of jobs that the server can run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JobKind {
    /// Matches and tournaments.
    Arena,
    Evolution,
    Learning,
    Experiment,
}

impl JobKind {
    fn of(job: &Job) -> Option<Self> {
        match job.header().kind.as_str() {
            MATCH | TOURNAMENT => Some(Self::Arena),
            EVOLUTION => Some(Self::Evolution),
            LEARN => Some(Self::Learning),
            EXPERIMENT => Some(Self::Experiment),
            _ => None,
        }
    }
}

/// The game of a job.
fn game_of(job: &Job) -> Option<String> {
    let config = &job.header().config;
    let places = [&config["settings"]["game"], &config["game"], &config["experiment"]["game"]];
    places.into_iter().find_map(Value::as_str).map(str::to_owned)
}

/// Whether a job can run on a cluster: its players are neither external engines nor artifacts and files, which
/// exist only on this machine.
fn can_distribute(entry: &dyn GameEntry, job: &Job) -> bool {
    let kinds = entry.player_kinds();
    let config = &job.header().config;
    let lists = [&config["players"], &config["opponents"], &config["evaluation"]["anchors"]];
    let listed = lists.into_iter().filter_map(Value::as_array).flatten();
    let mut lines = listed.chain([&config["teacher"]["player"]]).filter_map(Value::as_str);
    lines.all(|line| {
        !kinds.starts_program(line).unwrap_or(true)
            && [artifacts::PREFIX, player_files::PREFIX].iter().all(|name| !line.contains(name))
    })
}
