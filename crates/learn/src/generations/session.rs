//! A run under way, as a trainee sees it.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use serde::de::DeserializeOwned;
use tablero_core::Rng;
use tablero_jobs::{Ended, Executor, Header, JobError, Log, Progress, Runner, Running, Stop, Work};

use super::CHECKPOINT;
use crate::LearnError;

/// Where a run computes, and what stops it.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Runs tasks.
    pub executor: &'a dyn Executor,
    /// What is no task runs here, on so many threads.
    pub threads: usize,
    /// Asks to stop.
    pub stop: &'a Stop,
}

/// A run under way: its folder, its seed, where it computes and whom it tells.
pub struct Session<'a> {
    job: &'a Running,
    place: Place<'a>,
    tell: &'a mut dyn FnMut(&Progress),
    /// When this generation began, or went on after its last interruption.
    begun: Instant,
    /// Seconds that went into it before.
    before: f64,
}

/// A step of a generation that is made up of tasks.
#[derive(Clone, Copy)]
pub struct TaskStep<'a> {
    /// The generation.
    pub generation: usize,
    /// What is done; also the name of the log.
    pub name: &'a str,
    /// How much each task but the last one does.
    pub of_task: u64,
    /// How much all of them do.
    pub total: u64,
    /// The name of the figure that tells how much an hour brings, if that is of interest.
    pub rate: Option<&'a str>,
}

impl<'a> TaskStep<'a> {
    /// A step that is counted in tasks.
    pub const fn new(generation: usize, name: &'a str, tasks: usize) -> Self {
        Self { generation, name, of_task: 1, total: tasks as u64, rate: None }
    }

    /// Self-play, counted in games.
    pub const fn games(generation: usize, of_task: u64, total: u64) -> Self {
        Self { generation, name: "games", of_task, total, rate: Some("games/h") }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        job: &'a Running,
        place: Place<'a>,
        tell: &'a mut dyn FnMut(&Progress),
    ) -> Self {
        Self { job, place, tell, begun: Instant::now(), before: 0.0 }
    }

    pub(super) fn begin_generation(&mut self, before: f64) {
        (self.begun, self.before) = (Instant::now(), before);
    }

    /// The job.
    pub const fn job(&self) -> &'a Running {
        self.job
    }

    /// What the job is to do.
    pub const fn header(&self) -> &'a Header {
        self.job.job().header()
    }

    /// The run's folder.
    pub fn folder(&self) -> &'a Path {
        self.job.job().folder()
    }

    /// What is no task runs on so many threads.
    pub const fn threads(&self) -> usize {
        self.place.threads
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.place.stop.is_requested()
    }

    /// How long this generation has taken so far.
    pub fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    /// The seed of one of a generation's steps.
    pub fn seed(&self, generation: usize, step: u64) -> u64 {
        Rng::for_part(Rng::for_part(self.header().seed, generation as u64).bits(), step).bits()
    }

    /// The history that was kept.
    pub fn history<T: DeserializeOwned + Default>(&self) -> Result<T, JobError> {
        Ok(self.job.job().checkpoint(CHECKPOINT)?.unwrap_or_default())
    }

    /// Tells how far it is.
    pub fn report(&mut self, progress: &Progress) {
        // A lost report is no reason to lose the run.
        let _ = self.job.report(progress);
        (self.tell)(progress);
    }

    /// Runs tasks whose outputs are kept in this log.
    pub fn runner(&self, log: Log) -> Runner<'a> {
        Runner::new(self.place.executor, self.place.stop).with_log(log)
    }

    /// Runs the tasks of a step with a log of its own; `each` gets the outputs in order, those of earlier
    /// sessions, too. Whether all are done; otherwise it was stopped.
    pub fn run_tasks<W: Work>(
        &mut self,
        step: TaskStep<'_>,
        work: &W,
        tasks: &[W::Task],
        mut each: impl FnMut(W::Output) -> Result<(), LearnError>,
    ) -> Result<bool, LearnError> {
        let log = self.job.log(&format!("{}-{}", step.name, step.generation))?;
        let before = log.len();
        let mut runner = self.runner(log);
        let (begun, mut failure) = (Instant::now(), None);
        let ended = runner.run(work, tasks, |index, output| {
            if let Err(error) = each(output) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            // What was done in an earlier session was told then.
            if index >= before {
                self.report(&step.progress(before, index + 1, begun));
            }
            ControlFlow::Continue(())
        })?;
        failure.map_or(Ok(ended == Ended::Done), Err)
    }
}

impl TaskStep<'_> {
    /// How far it is after so many tasks, of which the first `before` were done in earlier sessions.
    fn progress(&self, before: usize, done: usize, begun: Instant) -> Progress {
        let all = (done as u64 * self.of_task).min(self.total);
        let progress = Progress::new(all, Some(self.total))
            .message(format!("generation {}: {}", self.generation, self.name));
        let new = (done - before) as f64 * self.of_task as f64;
        let rate = 3600.0 * new / begun.elapsed().as_secs_f64().max(1e-9);
        self.rate.into_iter().fold(progress, |progress, name| progress.figure(name, rate))
    }
}
