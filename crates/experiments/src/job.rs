//! An experiment as a job.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, AnyPlayer, AnyRules, PlayerSetup};
use tablero_jobs::{Executor, Job, JobError, Progress, Runner, Running, Stop, Store};
use tablero_registry::GameEntry;

use crate::{
    Experiment, ExperimentError, Figures, FirstMoves, evolutions, matches, networks, searches,
};

/// The kind of job that an experiment is.
pub const EXPERIMENT: &str = "experiment";

/// What is to be measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentConfig {
    /// The experiment's name.
    pub name: String,
    /// Only a quick look.
    pub quick: bool,
    /// Where the report goes.
    pub out: PathBuf,
    /// The experiment as it was when the job was made.
    pub experiment: Experiment,
}

impl ExperimentConfig {
    /// A new job for this experiment.
    pub fn create_job(&self, store: &Store) -> Result<Job, JobError> {
        store.create(EXPERIMENT, self, self.experiment.seed)
    }
}

/// Runs the experiment of a job, or goes on with it; none if it was stopped before its end. Stopped
/// and resumed however often it finds the same figures, apart from times.
pub fn run_experiment_job(
    job: Job,
    executor: &dyn Executor,
    stop: &Stop,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Option<Figures>, ExperimentError> {
    let config: ExperimentConfig = job.config()?;
    let entry = tablero_registry::find(&config.experiment.game)?;
    let job = job.run()?;
    let mut lab = Lab { entry, config: &config, job: &job, executor, stop, tell, done: 0 };
    let figures = lab.run();
    match &figures {
        Ok(Some(figures)) => job.finish(figures)?,
        Ok(None) => job.stop("stopped on request")?,
        Err(error) => job.fail(&error.to_string())?,
    }
    figures
}

/// An experiment under way.
pub(crate) struct Lab<'a> {
    pub(crate) entry: &'static dyn GameEntry,
    pub(crate) config: &'a ExperimentConfig,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) stop: &'a Stop,
    job: &'a Running,
    tell: &'a mut dyn FnMut(&Progress),
    /// Games and searches of earlier parts.
    done: usize,
}

impl<'a> Lab<'a> {
    fn run(&mut self) -> Result<Option<Figures>, ExperimentError> {
        let experiment = &self.config.experiment;
        let mut figures = Figures {
            experiment: self.config.name.clone(),
            quick: self.config.quick,
            seed: experiment.seed,
            first_moves: first_moves(self.game(), &experiment.first_moves)?,
            networks: Vec::new(),
            matches: Vec::new(),
            searches: Vec::new(),
            evolutions: Vec::new(),
            compare: Vec::new(),
        };
        for plan in &experiment.networks {
            let Some(found) = networks::run(plan, self)? else { return Ok(None) };
            figures.networks.push(found);
        }
        for plan in &experiment.searches {
            let Some(found) = searches::run(plan, self)? else { return Ok(None) };
            figures.searches.push(found);
        }
        for plan in &experiment.matches {
            let Some(found) = matches::run(plan, self)? else { return Ok(None) };
            figures.matches.push(found);
        }
        for plan in &experiment.evolutions {
            let Some(found) = evolutions::run(plan, self)? else { return Ok(None) };
            figures.evolutions.push(found);
        }
        figures.compare(&experiment.compare);
        Ok(Some(figures))
    }

    /// Runs the tasks of a part, keeping what they find in a log of its own.
    pub(crate) fn runner(
        &self,
        part: &str,
        executor: &'a dyn Executor,
    ) -> Result<Runner<'a>, ExperimentError> {
        Ok(Runner::new(executor, self.stop).with_log(self.job.log(part)?))
    }

    /// The game that is played.
    pub(crate) fn game(&self) -> AnyGame {
        self.entry.game()
    }

    /// The experiment's own folder.
    pub(crate) fn folder(&self) -> &Path {
        self.job.job().folder()
    }

    /// Threads for what is not a list of tasks.
    pub(crate) fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// A part that was done before, if it was.
    pub(crate) fn checkpoint<T: serde::de::DeserializeOwned>(
        &self,
        part: &str,
    ) -> Result<Option<T>, ExperimentError> {
        Ok(self.job.job().checkpoint(part)?)
    }

    /// Keeps a part that is done.
    pub(crate) fn save_checkpoint(
        &self,
        part: &str,
        found: &impl Serialize,
    ) -> Result<(), ExperimentError> {
        Ok(self.job.save_checkpoint(part, found)?)
    }

    /// A player line with the files of the experiment's networks.
    pub(crate) fn line(&self, line: &str) -> String {
        with_networks(line, &self.config.experiment, self.folder())
    }

    /// Jobs inside this one.
    pub(crate) fn store(&self) -> Store {
        Store::in_folder(self.job.job().folder())
    }

    pub(crate) fn rules(&self) -> Result<AnyRules, ExperimentError> {
        Ok(self.game().rules_or_default(self.config.experiment.rules.as_deref())?)
    }

    /// Tells that `done` games or searches of the present part are done.
    pub(crate) fn progress(&mut self, done: usize, what: &str) {
        let done = (self.done + done) as u64;
        let total = self.config.steps() as u64;
        let progress = Progress::new(done, Some(total)).message(what);
        // A lost report is no reason to lose an experiment.
        let _ = self.job.report(&progress);
        (self.tell)(&progress);
    }

    /// The present part, of so many games or searches, is done.
    pub(crate) const fn part_done(&mut self, steps: usize) {
        self.done += steps;
    }
}

impl ExperimentConfig {
    /// Games, searches and generations in all.
    fn steps(&self) -> usize {
        let matches = self.experiment.matches.iter();
        let matches = matches
            .map(|plan| plan.meetings().len() * plan.games.of(self.quick).next_multiple_of(2));
        let searches = self.experiment.searches.iter();
        let searches = searches.map(|plan| {
            plan.players.len() * plan.depth.of(self.quick) * plan.positions.of(self.quick)
        });
        let evolutions = self.experiment.evolutions.iter().map(|plan| {
            let games = plan.runs.len() * plan.runs.len().saturating_sub(1);
            let runs = plan.runs.iter().map(|run| run.generations.of(self.quick));
            games + runs.sum::<usize>()
        });
        let networks = self.experiment.networks.iter().map(|plan| plan.steps(self.quick));
        matches.chain(searches).chain(evolutions).chain(networks).sum()
    }
}

/// A player line with the files of an experiment's networks.
pub(crate) fn with_networks(line: &str, experiment: &Experiment, folder: &Path) -> String {
    experiment.networks.iter().fold(line.to_owned(), |line, plan| {
        let file = networks::file(folder, &plan.id);
        let words: Vec<String> = line
            .split(' ')
            .map(|word| match word.contains(&format!("{{{}}}", plan.id)) {
                // Quotes, for folders with blanks in their names.
                true => {
                    let word = word.replace(&format!("{{{}}}", plan.id), &file.to_string_lossy());
                    format!("\"{word}\"")
                }
                false => word.to_owned(),
            })
            .collect();
        words.join(" ")
    })
}

/// Whether a line names another program that is not on this machine.
pub(crate) fn is_missing(line: &str) -> bool {
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

/// The player of a line, in words why there is none.
pub(crate) fn make_player(entry: &dyn GameEntry, line: &str) -> Result<Box<AnyPlayer>, String> {
    entry.build(line, &PlayerSetup::LOCAL).map_err(|error| error.to_string())
}
