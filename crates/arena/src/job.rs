//! Matches and tournaments as jobs: stored in a folder, cancelled and resumed.

use serde::Serialize;
use tablero_jobs::{
    CancellationToken, Executor, Job, JobError, Progress, Runner, RunningJob, Store,
};

use crate::{
    ArenaError, Factory, FinishedGame, MatchConfig, MatchEnd, MatchResult, TournamentConfig,
    TournamentResult, Watcher, run_match, run_tournament,
};

/// The job kind of a match.
pub const MATCH: &str = "match";
/// The job kind of a tournament.
pub const TOURNAMENT: &str = "tournament";

impl MatchConfig {
    /// A new job for this match.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(MATCH, self, self.settings.seed)
    }
}

impl TournamentConfig {
    /// A new job for this tournament.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(TOURNAMENT, self, self.settings.seed)
    }
}

/// Plays or resumes the match of a job; `watcher` receives all its games, earlier ones included. A
/// resumed match has the same result as an uninterrupted one.
pub fn run_match_job(
    job: Job,
    factory: Factory<'_>,
    executor: &dyn Executor,
    token: &CancellationToken,
    watcher: &mut dyn Watcher,
) -> Result<MatchResult, ArenaError> {
    let config: MatchConfig = job.config()?;
    let is_cancelled = |result: &MatchResult| result.end == MatchEnd::Cancelled;
    let run = |runner: &mut Runner<'_>, watcher: &mut Reporter<'_>| {
        run_match(&config, factory, runner, watcher)
    };
    run_job(job, executor, token, watcher, run, is_cancelled)
}

/// Plays or resumes the tournament of a job; see [`run_match_job`].
pub fn run_tournament_job(
    job: Job,
    factory: Factory<'_>,
    executor: &dyn Executor,
    token: &CancellationToken,
    watcher: &mut dyn Watcher,
) -> Result<TournamentResult, ArenaError> {
    let config: TournamentConfig = job.config()?;
    let is_cancelled = |result: &TournamentResult| result.is_cancelled;
    let run = |runner: &mut Runner<'_>, watcher: &mut Reporter<'_>| {
        run_tournament(&config, factory, runner, watcher)
    };
    run_job(job, executor, token, watcher, run, is_cancelled)
}

fn run_job<R: Serialize>(
    job: Job,
    executor: &dyn Executor,
    token: &CancellationToken,
    watcher: &mut dyn Watcher,
    run: impl FnOnce(&mut Runner<'_>, &mut Reporter<'_>) -> Result<R, ArenaError>,
    is_cancelled: impl FnOnce(&R) -> bool,
) -> Result<R, ArenaError> {
    let job = job.run()?;
    let mut runner = Runner::new(executor, token).with_log(job.log("games")?);
    let result = run(&mut runner, &mut Reporter { job: &job, watcher });
    match &result {
        Ok(result) if is_cancelled(result) => job.stop("cancelled")?,
        Ok(result) => job.finish(result)?,
        Err(error) => job.fail(&error.to_string())?,
    }
    result
}

/// Forwards to the caller's watcher and writes progress to the job's folder.
struct Reporter<'a> {
    job: &'a RunningJob,
    watcher: &'a mut dyn Watcher,
}

impl Watcher for Reporter<'_> {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        self.watcher.game(game)
    }

    fn progress(&mut self, progress: &Progress) {
        // A progress report that cannot be written does not end the match; a game would.
        let _ = self.job.report(progress);
        self.watcher.progress(progress);
    }
}
