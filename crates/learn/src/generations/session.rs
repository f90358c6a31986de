//! A running job, as a trainee sees it.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use serde::de::DeserializeOwned;
use tablero_core::Rng;
use tablero_jobs::{
    CancellationToken, Executor, Header, JobError, Log, Progress, RunEnd, Runner, RunningJob, Work,
};
use tablero_nets::train::Device;

use super::CHECKPOINT;
use crate::LearnError;

/// Compute resources of a run.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Runs tasks: on threads, or on a cluster.
    pub executor: &'a dyn Executor,
    /// Threads for local work that is not split into tasks, such as training.
    pub threads: usize,
    /// The device of the training backend; none for its default.
    pub device: Option<Device>,
    /// Cancels the run.
    pub cancel: &'a CancellationToken,
}

/// A run in progress: its job, resources and progress callback.
pub struct Session<'a> {
    job: &'a RunningJob,
    context: RunContext<'a>,
    on_progress: &'a mut dyn FnMut(&Progress),
    /// When this generation started or was resumed.
    started: Instant,
    /// Seconds spent on it before.
    earlier_seconds: f64,
}

/// A step of a generation that is split into tasks.
#[derive(Clone, Copy)]
pub struct TaskStep<'a> {
    /// The generation.
    pub generation: usize,
    /// The name of the step and of its log.
    pub name: &'a str,
    /// Units of progress per task; the last task may have fewer.
    pub units_per_task: u64,
    /// Units in total.
    pub total: u64,
    /// The metric that reports units per hour, if any.
    pub rate_metric: Option<&'a str>,
}

impl<'a> TaskStep<'a> {
    /// A step measured in tasks.
    pub const fn new(generation: usize, name: &'a str, tasks: usize) -> Self {
        Self { generation, name, units_per_task: 1, total: tasks as u64, rate_metric: None }
    }

    /// Self-play, measured in games.
    pub const fn games(generation: usize, units_per_task: u64, total: u64) -> Self {
        Self { generation, name: "games", units_per_task, total, rate_metric: Some("games/h") }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        job: &'a RunningJob,
        context: RunContext<'a>,
        on_progress: &'a mut dyn FnMut(&Progress),
    ) -> Self {
        Self { job, context, on_progress, started: Instant::now(), earlier_seconds: 0.0 }
    }

    pub(super) fn start_generation(&mut self, before: f64) {
        (self.started, self.earlier_seconds) = (Instant::now(), before);
    }

    /// The job.
    pub const fn job(&self) -> &'a RunningJob {
        self.job
    }

    /// The job's header.
    pub const fn header(&self) -> &'a Header {
        self.job.job().header()
    }

    /// The run's folder.
    pub fn folder(&self) -> &'a Path {
        self.job.job().folder()
    }

    /// Threads for local work.
    pub const fn threads(&self) -> usize {
        self.context.threads
    }

    /// The device of the training backend.
    pub const fn device(&self) -> Option<Device> {
        self.context.device
    }

    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.context.cancel.is_cancelled()
    }

    /// Seconds spent on this generation, over all sessions.
    pub fn seconds(&self) -> f64 {
        self.earlier_seconds + self.started.elapsed().as_secs_f64()
    }

    /// The seed of a generation's step.
    pub fn seed(&self, generation: usize, step: u64) -> u64 {
        Rng::for_stream(Rng::for_stream(self.header().seed, generation as u64).bits(), step).bits()
    }

    /// The history in the checkpoint, or an empty one.
    pub fn history<T: DeserializeOwned + Default>(&self) -> Result<T, JobError> {
        Ok(self.job.job().checkpoint(CHECKPOINT)?.unwrap_or_default())
    }

    /// Reports progress.
    pub fn report(&mut self, progress: &Progress) {
        // A failed report must not abort the run.
        let _ = self.job.report(progress);
        (self.on_progress)(progress);
    }

    /// The log of a step.
    pub fn log(&self, step: TaskStep<'_>) -> Result<Log, JobError> {
        self.job.log(&format!("{}-{}", step.name, step.generation))
    }

    /// A task runner with this log.
    pub fn runner(&self, log: Log) -> Runner<'a> {
        self.runner_until(log, self.context.cancel)
    }

    /// A task runner with this log that has its own end.
    pub fn runner_until<'b>(&self, log: Log, cancel: &'b CancellationToken) -> Runner<'b>
    where
        'a: 'b,
    {
        Runner::new(self.context.executor, cancel).with_log(log)
    }

    /// Runs the tasks of a step with its own log. `each` gets all outputs in order, logged ones included. Returns
    /// whether the step is complete; otherwise it was cancelled.
    pub fn run_tasks<W: Work>(
        &mut self,
        step: TaskStep<'_>,
        work: &W,
        tasks: &[W::Task],
        mut each: impl FnMut(W::Output) -> Result<(), LearnError>,
    ) -> Result<bool, LearnError> {
        let log = self.log(step)?;
        let before = log.len();
        let mut runner = self.runner(log);
        let (started, mut failure) = (Instant::now(), None);
        let ended = runner.run(work, tasks, |index, output| {
            if let Err(error) = each(output) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            // Logged outputs were reported in an earlier session.
            if index >= before {
                self.report(&step.progress(before, index + 1, started));
            }
            ControlFlow::Continue(())
        })?;
        failure.map_or(Ok(ended == RunEnd::Completed), Err)
    }
}

impl TaskStep<'_> {
    /// Progress after `done` tasks, of which the first `before` were logged in earlier sessions.
    fn progress(&self, before: usize, done: usize, started: Instant) -> Progress {
        let all = (done as u64 * self.units_per_task).min(self.total);
        let progress = Progress::new(all, Some(self.total))
            .with_message(format!("generation {}: {}", self.generation, self.name))
            .with_stage(self.name, self.generation as u64);
        let new = (done - before) as f64 * self.units_per_task as f64;
        let rate = 3600.0 * new / started.elapsed().as_secs_f64().max(1e-9);
        self.rate_metric
            .into_iter()
            .fold(progress, |progress, name| progress.with_metric(name, rate))
    }
}
