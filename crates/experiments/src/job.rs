//! Runs an experiment as a resumable job.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, AnyRules, BuildResult, Permissions, PlayerSetup, read_bounded};
use tablero_jobs::{
    CancellationToken, Executor, Job, JobError, Progress, Runner, RunningJob, Store,
};
use tablero_registry::GameEntry;
use tablero_report::prepare_folder;

use crate::{
    Experiment, ExperimentError, FirstMoves, Results, evolutions, find, matches, networks,
    searches, staged,
};

/// Kind of an experiment's job.
pub const EXPERIMENT: &str = "experiment";

/// Configuration of an experiment's job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentConfig {
    /// Name of the experiment.
    pub name: String,
    /// Quick run with fewer games and positions.
    pub quick: bool,
    /// Folder of the report; without one, the report is only made from the job's result on demand.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// The plan at the time of the job's creation.
    pub experiment: Experiment,
}

impl ExperimentConfig {
    /// The experiment called so, or the plan in a file (.toml).
    pub fn open(name: &str, quick: bool, seed: Option<u64>) -> Result<Self, ExperimentError> {
        let (name, mut experiment) = match plan_file(name) {
            Some(file) => (plan_name(file), read_plan(file)?),
            None => (name.to_owned(), find(name)?),
        };
        experiment.seed = seed.unwrap_or(experiment.seed);
        Ok(Self { name, quick, out: None, experiment })
    }

    /// With this folder for the report, which is created.
    pub fn with_report(mut self, folder: &Path) -> Result<Self, ExperimentError> {
        prepare_folder(folder)?;
        // The job may be resumed from another folder.
        let folder = folder.canonicalize().map_err(|error| file_error(folder, &error))?;
        self.out = Some(folder);
        Ok(self)
    }

    /// Creates the job.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(EXPERIMENT, self, self.experiment.seed)
    }
}

/// The file of a plan, if the name of an experiment is one.
fn plan_file(name: &str) -> Option<&Path> {
    let path = Path::new(name);
    let is_file = path.extension().is_some_and(|extension| extension == "toml") || path.is_file();
    is_file.then_some(path)
}

/// The name of the experiment in a file.
fn plan_name(file: &Path) -> String {
    file.file_stem().map_or_else(|| "plan".into(), |stem| stem.to_string_lossy().into_owned())
}

/// Reads and checks a plan, with the names of its players.
fn read_plan(file: &Path) -> Result<Experiment, ExperimentError> {
    const MAX_BYTES: u64 = 1 << 20;
    let at = |error: &dyn Display| file_error(file, error);
    let bytes = read_bounded(file, MAX_BYTES).map_err(|error| at(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| at(&"not a text file"))?;
    let plan = Experiment::parse(&text).map_err(|error| at(&error))?;
    let entry = tablero_registry::find(&plan.game).map_err(|error| at(&error))?;
    for line in plan.lines(false) {
        let parsed = line.parse();
        let checked =
            parsed.and_then(|line| entry.player_kinds().permit(&line, Permissions::ALL).map(drop));
        checked.map_err(|error| at(&format!("`{line}`: {error}")))?;
    }
    plan.check(entry).map_err(|error| at(&error))?;
    Ok(plan)
}

fn file_error(file: &Path, problem: &dyn Display) -> ExperimentError {
    ExperimentError::File { path: file.to_owned(), problem: problem.to_string() }
}

/// Runs or resumes the experiment of a job; `None` if it was cancelled. Apart from times, the results do not
/// depend on interruptions. Without permission for programs, matches against external engines are left out,
/// as they are where the engine is not installed.
pub fn run_experiment_job(
    job: Job,
    permissions: Permissions,
    executor: &dyn Executor,
    stop: &CancellationToken,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<Option<Results>, ExperimentError> {
    let config: ExperimentConfig = job.config()?;
    let entry = tablero_registry::find(&config.experiment.game)?;
    let job = job.run()?;
    let mut harness = Harness {
        entry,
        config: &config,
        permissions,
        job: &job,
        executor,
        stop,
        on_progress,
        done: 0,
        begun: None,
    };
    let results = harness.run();
    match &results {
        Ok(Some(results)) => job.finish(results)?,
        Ok(None) => job.stop("stopped on request")?,
        Err(error) => job.fail(&error.to_string())?,
    }
    results
}

/// A running experiment: what its stages share.
pub(crate) struct Harness<'a> {
    pub(crate) entry: &'static dyn GameEntry,
    pub(crate) config: &'a ExperimentConfig,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) stop: &'a CancellationToken,
    permissions: Permissions,
    job: &'a RunningJob,
    on_progress: &'a mut dyn FnMut(&Progress),
    /// Progress steps of finished stages.
    done: usize,
    /// Time and steps of the first report, for the estimate of the time left.
    begun: Option<(Instant, u64)>,
}

impl<'a> Harness<'a> {
    fn run(&mut self) -> Result<Option<Results>, ExperimentError> {
        let experiment = &self.config.experiment;
        let mut results = Results {
            experiment: self.config.name.clone(),
            quick: self.config.quick,
            seed: experiment.seed,
            first_moves: first_moves(self.game(), &experiment.first_moves)?,
            networks: Vec::new(),
            staged_evolutions: Vec::new(),
            matches: Vec::new(),
            searches: Vec::new(),
            evolutions: Vec::new(),
            comparisons: Vec::new(),
        };
        for plan in &experiment.networks {
            let Some(found) = networks::run(plan, self)? else { return Ok(None) };
            results.networks.push(found);
        }
        for (number, plan) in experiment.staged_evolutions.iter().enumerate() {
            let Some(found) = staged::run(plan, number, self)? else { return Ok(None) };
            results.staged_evolutions.push(found);
        }
        for plan in &experiment.searches {
            let Some(found) = searches::run(plan, self)? else { return Ok(None) };
            results.searches.push(found);
        }
        for plan in &experiment.matches {
            let Some(found) = matches::run(plan, self)? else { return Ok(None) };
            results.matches.push(found);
        }
        for plan in &experiment.evolutions {
            let Some(found) = evolutions::run(plan, self)? else { return Ok(None) };
            results.evolutions.push(found);
        }
        results.compare(&experiment.comparisons);
        Ok(Some(results))
    }

    /// A task runner for a stage, with its own log.
    pub(crate) fn runner(
        &self,
        stage: &str,
        executor: &'a dyn Executor,
    ) -> Result<Runner<'a>, ExperimentError> {
        Ok(Runner::new(executor, self.stop).with_log(self.job.log(stage)?))
    }

    /// The game.
    pub(crate) fn game(&self) -> AnyGame {
        self.entry.game()
    }

    /// The job's folder.
    pub(crate) fn folder(&self) -> &Path {
        self.job.job().folder()
    }

    /// Threads for training.
    pub(crate) fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Results of a stage that finished before an interruption.
    pub(crate) fn checkpoint<T: serde::de::DeserializeOwned>(
        &self,
        stage: &str,
    ) -> Result<Option<T>, ExperimentError> {
        Ok(self.job.job().checkpoint(stage)?)
    }

    /// Stores the results of a stage.
    pub(crate) fn save_checkpoint(
        &self,
        stage: &str,
        found: &impl Serialize,
    ) -> Result<(), ExperimentError> {
        Ok(self.job.save_checkpoint(stage, found)?)
    }

    /// Replaces ids of networks and staged evolutions in a player line by files.
    pub(crate) fn line(&self, line: &str) -> String {
        replace_files(line, &self.config.experiment, self.folder())
    }

    /// Nested jobs.
    pub(crate) fn store(&self) -> Store {
        Store::in_folder(self.job.job().folder())
    }

    pub(crate) fn rules(&self) -> Result<AnyRules, ExperimentError> {
        Ok(self.game().rules_or_default(self.config.experiment.rules.as_deref())?)
    }

    /// Reports that `done` steps of the current stage are done.
    pub(crate) fn progress(&mut self, done: usize, what: &str) {
        let done = (self.done + done) as u64;
        let total = self.config.steps() as u64;
        let mut progress = Progress::new(done, Some(total)).with_message(what);
        let (begun, first) = *self.begun.get_or_insert((Instant::now(), done));
        if done > first {
            // Rough: steps of different stages take different times.
            let per_step = begun.elapsed().as_secs_f64() / (done - first) as f64;
            let left = per_step * total.saturating_sub(done) as f64;
            progress = progress.with_metric("seconds left", left);
        }
        // Informational: a failed write must not abort the experiment.
        let _ = self.job.report(&progress);
        (self.on_progress)(&progress);
    }

    /// Whether a player cannot take part: its engine is missing, or may not be started.
    pub(crate) fn lacks_program(&self, line: &str) -> bool {
        let starts_program = || self.entry.player_kinds().starts_program(line).unwrap_or(false);
        needs_missing_program(line) || (!self.permissions.programs && starts_program())
    }

    /// Marks the current stage, of `steps` steps, as finished.
    pub(crate) const fn finish_stage(&mut self, steps: usize) {
        self.done += steps;
    }
}

impl ExperimentConfig {
    /// Total number of progress steps: games, searches and generations.
    fn steps(&self) -> usize {
        let matches = self.experiment.matches.iter();
        let matches = matches
            .map(|plan| plan.pairings().len() * plan.games.of(self.quick).next_multiple_of(2));
        let searches = self.experiment.searches.iter();
        let searches = searches.map(|plan| {
            plan.players.len() * plan.depth.of(self.quick) * plan.positions.of(self.quick)
        });
        let evolutions = self.experiment.evolutions.iter().map(|plan| {
            let games = plan.runs.len() * plan.runs.len().saturating_sub(1);
            let runs = plan.runs.iter().map(|run| run.generations.of(self.quick));
            games + runs.sum::<usize>()
        });
        let stages = self.experiment.staged_evolutions.iter().flat_map(|plan| &plan.stages);
        let stages = stages.map(|stage| stage.generations.of(self.quick));
        let networks = self.experiment.networks.iter().map(|plan| plan.steps(self.quick));
        matches.chain(searches).chain(evolutions).chain(stages).chain(networks).sum()
    }
}

/// Replaces `{ID}` in a player line by the file of the network or staged evolution `ID`.
pub(crate) fn replace_files(line: &str, experiment: &Experiment, folder: &Path) -> String {
    let networks =
        experiment.networks.iter().map(|plan| (&plan.id, networks::file(folder, &plan.id)));
    let staged =
        experiment.staged_evolutions.iter().map(|plan| (&plan.id, staged::file(folder, &plan.id)));
    networks.chain(staged).fold(line.to_owned(), |line, (id, file)| {
        let id = format!("{{{id}}}");
        let word = |word: &str| match word.contains(&id) {
            // Quoted, since the path may contain spaces.
            true => format!("\"{}\"", word.replace(&id, &file.to_string_lossy())),
            false => word.to_owned(),
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    })
}

/// Whether a player line starts a program that is not installed.
pub(crate) fn needs_missing_program(line: &str) -> bool {
    let program = line.strip_prefix("uci ").and_then(|rest| rest.split(' ').next());
    program.is_some_and(|program| !Path::new(program).exists())
}

fn first_moves(game: AnyGame, names: &[String]) -> Result<Vec<FirstMoves>, ExperimentError> {
    let count = |name: &String| {
        let moves = game.rules(name)?.start().count_moves();
        Ok(FirstMoves { rules: name.clone(), moves })
    };
    names.iter().map(count).collect()
}

/// The player of a line.
pub(crate) fn make_player(entry: &dyn GameEntry, line: &str) -> BuildResult {
    entry.build(line, &PlayerSetup::LOCAL)
}
