//! Matches and tournaments as jobs: kept in a folder, stopped and resumed.

use serde::Serialize;
use tablero_jobs::{Executor, Job, JobError, Progress, Runner, Running, Stop, Store};

use crate::{
    ArenaError, Factory, FinishedGame, MatchConfig, MatchEnd, MatchResult, TournamentConfig,
    TournamentResult, Watcher, run_match, run_tournament,
};

/// The kind of job that a match is.
pub const MATCH: &str = "match";
/// The kind of job that a tournament is.
pub const TOURNAMENT: &str = "tournament";

impl MatchConfig {
    /// A new job for this match.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(MATCH, self, self.series.seed)
    }
}

impl TournamentConfig {
    /// A new job for this tournament.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(TOURNAMENT, self, self.series.seed)
    }
}

/// Plays the match of a job, or goes on with it; all its games so far are shown to `watcher` again.
/// Stopped and resumed however often, it comes out as if it had run through.
pub fn run_match_job(
    job: Job,
    factory: Factory<'_>,
    executor: &dyn Executor,
    stop: &Stop,
    watcher: &mut dyn Watcher,
) -> Result<MatchResult, ArenaError> {
    let config: MatchConfig = job.config()?;
    let is_stopped = |result: &MatchResult| result.end == MatchEnd::Stopped;
    let run = |runner: &mut Runner<'_>, watcher: &mut Reporter<'_>| {
        run_match(&config, factory, runner, watcher)
    };
    run_job(job, executor, stop, watcher, run, is_stopped)
}

/// Plays the tournament of a job, or goes on with it; see [`run_match_job`].
pub fn run_tournament_job(
    job: Job,
    factory: Factory<'_>,
    executor: &dyn Executor,
    stop: &Stop,
    watcher: &mut dyn Watcher,
) -> Result<TournamentResult, ArenaError> {
    let config: TournamentConfig = job.config()?;
    let is_stopped = |result: &TournamentResult| result.is_stopped;
    let run = |runner: &mut Runner<'_>, watcher: &mut Reporter<'_>| {
        run_tournament(&config, factory, runner, watcher)
    };
    run_job(job, executor, stop, watcher, run, is_stopped)
}

fn run_job<R: Serialize>(
    job: Job,
    executor: &dyn Executor,
    stop: &Stop,
    watcher: &mut dyn Watcher,
    run: impl FnOnce(&mut Runner<'_>, &mut Reporter<'_>) -> Result<R, ArenaError>,
    is_stopped: impl FnOnce(&R) -> bool,
) -> Result<R, ArenaError> {
    let job = job.run()?;
    let mut runner = Runner::new(executor, stop).with_log(job.log("games")?);
    let result = run(&mut runner, &mut Reporter { job: &job, watcher });
    match &result {
        Ok(result) if is_stopped(result) => job.stop("stopped on request")?,
        Ok(result) => job.finish(result)?,
        Err(error) => job.fail(&error.to_string())?,
    }
    result
}

/// Tells progress to the job's folder, too.
struct Reporter<'a> {
    job: &'a Running,
    watcher: &'a mut dyn Watcher,
}

impl Watcher for Reporter<'_> {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        self.watcher.game(game)
    }

    fn progress(&mut self, progress: &Progress) {
        // A lost report is no reason to lose a match; games that cannot be kept end it anyway.
        let _ = self.job.report(progress);
        self.watcher.progress(progress);
    }
}
