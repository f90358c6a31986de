//! Learning runs of every kind: networks, NNUE, and what only one game has.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tablero_arena::Factory;
use tablero_core::PlayerSetup;
use tablero_jobs::{Job, Progress};
use tablero_learn::generations::RunContext;
use tablero_learn::nnue::{
    NNUE_BEST, NNUE_JOB_KIND, NnueConfig, NnueHistory, open_nnue_run, parse_nnue, run_nnue,
};
use tablero_learn::{
    BEST, ConfigError, LEARN, LearnConfig, LearnError, LearnOptions, LearningHistory,
    check_trains_on_cpu, open_run,
};
use tablero_nets::train::Device;

use crate::{CustomLearned, CustomLearner, GameEntry, games};

/// A learning run to be opened.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// What is learned: `resnet 4x32`, `nnue 64`, `patterns`; none for the game's default network.
    pub net: Option<&'a str>,
    /// The folder of the run; none for one named after the game.
    pub dir: Option<&'a Path>,
    /// Whether a new run is to be a smoke test of a minute or two.
    pub quick: bool,
    /// The seed of a new run.
    pub seed: Option<u64>,
    /// The device of the training backend, to be there before anything is created; none for its default.
    pub device: Option<Device>,
    /// The command, for the provenance.
    pub command: &'a str,
    /// Hyperparameters of a new run.
    pub options: &'a LearnOptions,
}

/// A run, new or to be resumed.
pub struct LearningRun {
    entry: &'static dyn GameEntry,
    kind: RunKind,
    job: Job,
}

enum RunKind {
    Network,
    Nnue,
    Custom(&'static dyn CustomLearner),
}

/// What a run has learned so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Learned {
    /// A network.
    Network(LearningHistory),
    /// An evaluation for alpha-beta.
    Nnue(NnueHistory),
    /// What only one game has.
    Custom(CustomLearned),
}

impl LearningRun {
    /// Opens the run of a folder, or creates it. An existing run keeps its configuration.
    pub fn open(
        entry: &'static dyn GameEntry,
        request: &RunRequest<'_>,
    ) -> Result<Self, LearnError> {
        let (kind, job) = if let Some(width) = request.nnue_width()? {
            check_trains_on_cpu("an NNUE", request.device)?;
            (RunKind::Nnue, request.open_nnue(entry, width)?)
        } else if let Some(learner) = request.custom_learner(entry)? {
            check_trains_on_cpu(learner.name(), request.device)?;
            request.options.check_applicable(&format!("net `{}`", learner.name()), |_| false)?;
            let folder = request.folder(entry, Some(learner.name()));
            let job = learner.open(&folder, request.quick, request.seed)?;
            (RunKind::Custom(learner), job)
        } else {
            (RunKind::Network, request.open_network(entry)?)
        };
        Ok(Self { entry, kind, job })
    }

    /// The run of a job; none if the job is something else.
    pub fn of_job(entry: &'static dyn GameEntry, job: Job) -> Option<Self> {
        let kind = match job.header().kind.as_str() {
            LEARN => RunKind::Network,
            NNUE_JOB_KIND => RunKind::Nnue,
            _ => return None,
        };
        Some(Self { entry, kind, job })
    }

    /// The job.
    pub const fn job(&self) -> &Job {
        &self.job
    }

    /// What `--net` must say to resume the run; none for networks.
    pub fn net(&self) -> Option<&'static str> {
        match self.kind {
            RunKind::Network => None,
            RunKind::Nnue => Some("nnue"),
            RunKind::Custom(learner) => Some(learner.name()),
        }
    }

    /// Runs or resumes until finished or cancelled.
    pub fn run(
        self,
        context: RunContext<'_>,
        report: &mut dyn FnMut(&Progress),
    ) -> Result<Learned, LearnError> {
        let (entry, job) = (self.entry, self.job);
        let make = |line: &str| entry.build(line, &PlayerSetup::LOCAL);
        let factory = Factory { game: entry.game(), make: &make };
        let learning = entry.learning();
        match self.kind {
            RunKind::Network => learning.run(job, factory, context, report).map(Learned::Network),
            RunKind::Nnue => run_nnue(learning, job, factory, context, report).map(Learned::Nnue),
            RunKind::Custom(learner) => learner.run(job, context, report).map(Learned::Custom),
        }
    }
}

impl Learned {
    /// The file of the best weights in the run's folder, once there is one.
    pub fn best(&self) -> Option<&'static str> {
        match self {
            Self::Network(history) => (history.best > 0).then_some(BEST),
            Self::Nnue(history) => (history.best > 0).then_some(NNUE_BEST),
            Self::Custom(learned) => learned.best,
        }
    }

    /// The history as JSON.
    pub fn json(&self) -> Value {
        let written = match self {
            Self::Network(history) => serde_json::to_value(history),
            Self::Nnue(history) => serde_json::to_value(history),
            Self::Custom(learned) => Ok(learned.history.clone()),
        };
        // Plain data: no maps with keys that are no strings.
        written.unwrap_or_default()
    }
}

fn invalid(problem: impl ToString) -> LearnError {
    ConfigError::Invalid(problem.to_string()).into()
}

impl RunRequest<'_> {
    fn folder(&self, entry: &dyn GameEntry, what: Option<&str>) -> PathBuf {
        let game = entry.game();
        let default =
            || what.map_or_else(|| format!("learn-{game}"), |what| format!("learn-{game}-{what}"));
        self.dir.map_or_else(|| default().into(), Path::to_owned)
    }

    /// The width of the NNUE that is asked for, if one is.
    fn nnue_width(&self) -> Result<Option<usize>, LearnError> {
        match self.net {
            Some(net) if net.split_whitespace().next() == Some("nnue") => {
                let wrong = || invalid(format!("net `{net}`: expected `nnue` or `nnue WIDTH`"));
                parse_nnue(net).ok_or_else(wrong).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The learner of this game alone that is asked for, if one is.
    fn custom_learner(
        &self,
        entry: &dyn GameEntry,
    ) -> Result<Option<&'static dyn CustomLearner>, LearnError> {
        let Some(net) = self.net else { return Ok(None) };
        let learner = |entry: &dyn GameEntry| {
            entry.custom_learners().into_iter().find(|learner| learner.name() == net)
        };
        let found = learner(entry);
        let owner = games().iter().find(|entry| learner(**entry).is_some());
        match (found, owner) {
            (None, Some(owner)) => {
                let (owner, game) = (owner.game(), entry.game());
                Err(invalid(format!("net `{net}` is for {owner} only, not for {game}")))
            }
            (found, _) => Ok(found),
        }
    }

    fn open_network(&self, entry: &dyn GameEntry) -> Result<Job, LearnError> {
        let (game, spec) = (entry.game(), entry.learning().spec());
        let mut config = match self.quick {
            true => LearnConfig::quick(game, self.command),
            false => LearnConfig::for_game(game, self.command),
        };
        if let Some(net) = self.net {
            config.net = net.into();
        }
        self.options.apply(game, &mut config, &spec)?;
        config.check(&spec)?;
        let teacher = config.teacher.as_ref().map(|teacher| &teacher.player);
        check_players(entry, config.evaluation.anchors.iter().chain(teacher))?;
        open_run(&self.folder(entry, None), &config, &spec, self.seed, self.device)
    }

    fn open_nnue(&self, entry: &dyn GameEntry, width: usize) -> Result<Job, LearnError> {
        let game = entry.game();
        let mut config = match self.quick {
            true => NnueConfig::quick(game, self.command),
            false => NnueConfig::standard(game, self.command),
        };
        if !self.quick || self.net != Some("nnue") {
            config.hidden = width;
        }
        self.options.apply_nnue(&mut config)?;
        let players = [&config.player, &config.match_player];
        check_players(entry, players.into_iter().chain(&config.teacher))?;
        open_nnue_run(&self.folder(entry, Some("nnue")), &config, self.seed)
    }
}

/// Checks player lines now rather than when they are to play.
fn check_players<'a>(
    entry: &dyn GameEntry,
    mut lines: impl Iterator<Item = &'a String>,
) -> Result<(), LearnError> {
    lines.try_for_each(|line| entry.build(line, &PlayerSetup::LOCAL).map(drop).map_err(invalid))
}
