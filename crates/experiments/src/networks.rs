//! Networks trained as part of an experiment.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_arena::Factory;
use tablero_core::{AnyGame, Rng};
use tablero_jobs::{Progress, Status};
use tablero_learn::generations::RunContext;
use tablero_learn::{
    AnyTrainingSet, BEST, BoardTable, LearnConfig, LearningGame, LearningHistory, Loss, LrSchedule,
    SelfPlayConfig, SelfPlayTask, Source, TargetConfig, TrainingBackend, TrainingPlan, board_csv,
    open_run, read_games, record_games, supports_board_table,
};
use tablero_nets::{NetError, Weights};

use crate::job::{Harness, make_player};
use crate::{ExperimentError, Keep, NetworkPlan, SplitUnit, SupervisedPlan};

/// Training metrics of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetworkMetrics {
    /// Id of the plan.
    pub id: String,
    /// Architecture.
    pub net: String,
    /// Training games.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Training positions after moves that were searched but not played.
    #[serde(default)]
    pub unplayed_positions: u64,
    /// Training steps.
    pub steps: u64,
    /// Training time in seconds, without the games.
    pub seconds: f64,
    /// The most memory that the program had used after training, in MB.
    #[serde(default)]
    pub peak_memory_mb: Option<f64>,
    /// Epoch, training loss and validation loss.
    pub curve: Vec<(u64, Loss, Loss)>,
    /// Generations of a learning run.
    pub learned: Option<LearningHistory>,
}

/// Maximum number of points of a loss curve.
const CURVE_POINTS: u64 = 100;

/// File of a network in the job's folder.
pub(crate) fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.safetensors"))
}

/// Trains the network of a plan, or resumes its training; `None` if cancelled.
pub(crate) fn run(
    plan: &NetworkPlan,
    harness: &mut Harness<'_>,
) -> Result<Option<NetworkMetrics>, ExperimentError> {
    let empty = NetworkMetrics {
        id: plan.id.clone(),
        net: plan.net.clone(),
        games: 0,
        positions: 0,
        unplayed_positions: 0,
        steps: 0,
        seconds: 0.0,
        peak_memory_mb: None,
        curve: Vec::new(),
        learned: None,
    };
    let made = match (&plan.supervised, &plan.learning) {
        (Some(supervised), _) => train(plan, supervised, empty, harness)?,
        (None, Some(_)) => learn(plan, empty, harness)?,
        (None, None) => {
            let kind = plan.net.parse().map_err(NetError::from)?;
            let dims = harness.entry.learning().spec().encoding;
            let weights = Weights::random(kind, &dims, harness.config.experiment.seed)?;
            weights.write(&file(harness.folder(), &plan.id))?;
            Some(empty)
        }
    };
    harness.finish_stage(plan.steps(harness.config.quick));
    Ok(made)
}

/// Records games of a player and trains on them.
fn train(
    plan: &NetworkPlan,
    supervised: &SupervisedPlan,
    mut metrics: NetworkMetrics,
    harness: &mut Harness<'_>,
) -> Result<Option<NetworkMetrics>, ExperimentError> {
    // Finished before an interruption.
    if let Some(known) = harness.checkpoint::<NetworkMetrics>(&plan.id)? {
        return Ok(Some(known));
    }
    let (quick, seed) = (harness.config.quick, harness.config.experiment.seed);
    let record = harness.folder().join(format!("{}-games.jsonl", plan.id));
    let config = SelfPlayConfig {
        full_search_prob: 1.0,
        random_plies: supervised.random_plies,
        random_move_prob: 0.0,
        resign_threshold: 1.0,
        ..SelfPlayConfig::for_game(harness.game())
    };
    let max_plies = supervised.max_plies.map_or(config.max_plies, |plies| plies.of(quick));
    let config = SelfPlayConfig { max_plies, ..config };
    let task = SelfPlayTask {
        game: harness.game().name().into(),
        rules: harness.config.experiment.rules.clone().unwrap_or_default(),
        source: Source::Teacher(supervised.line(quick)),
        config,
        seed,
        first: 0,
        count: supervised.games.of(quick) as u64,
        record_times: false,
        opponent: None,
        rating: None,
    };
    let (entry, executor, stop) = (harness.entry, harness.executor, harness.stop);
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let mut on_progress =
        |progress: &Progress| harness.progress(progress.done as usize, "training games");
    let done =
        record_games(entry.learning(), &record, &task, factory, executor, stop, &mut on_progress)?;
    if !done.is_done {
        return Ok(None);
    }
    metrics.games = done.games;
    let (samples, provenance) = training_set(entry.learning(), &record, supervised, &mut metrics)?;
    let [training, held_out] = match supervised.split {
        SplitUnit::Game => samples.split_games(supervised.held_out, seed),
        SplitUnit::Position => samples.split_positions(supervised.held_out, seed),
    };
    if held_out.is_empty() {
        return Err(ExperimentError::Plan(format!("{}: too few games to hold any out", plan.id)));
    }
    let batch = supervised.batch_size;
    let steps_per_epoch = training.len().div_ceil(batch) as u64;
    let epochs = supervised.epochs.of(quick) as u64;
    let fit_plan = TrainingPlan {
        lr: supervised.lr,
        lr_schedule: supervised.schedule,
        steps: steps_per_epoch * epochs,
        batch_size: batch,
        sgd: supervised.sgd,
        weight_decay: 0.0,
        by_epoch: true,
        symmetries: supervised.symmetries,
        seed,
        backend: TrainingBackend::Native,
        device: None,
    };
    let mut weights = Weights::random(
        plan.net.parse().map_err(NetError::from)?,
        &entry.learning().spec().encoding,
        seed,
    )?;
    weights.provenance.extend(provenance);
    weights.provenance.push(fit_plan.provenance(training.len()));
    let start = std::time::Instant::now();
    let mut fit = training.start_training(fit_plan, weights, harness.threads())?;
    let mut best = (f64::INFINITY, fit.weights());
    for epoch in 1..=epochs {
        let losses: Vec<_> = (0..steps_per_epoch).map(|_| fit.step()).collect();
        if harness.stop.is_cancelled() {
            return Ok(None);
        }
        if epoch.is_multiple_of((epochs / CURVE_POINTS).max(1)) || epoch == epochs {
            let training: Loss = tablero_nets::train::Losses::mean(&losses).into();
            let validation: Loss = fit.evaluate(&*held_out).into();
            if validation.value + validation.policy < best.0 {
                best = (validation.value + validation.policy, fit.weights());
            }
            metrics.curve.push((epoch, training, validation));
            harness.progress(done.games as usize, &format!("epoch {epoch} of {epochs}"));
        }
    }
    (metrics.steps, metrics.seconds) = (fit.steps_done(), start.elapsed().as_secs_f64());
    metrics.peak_memory_mb = peak_memory_mb();
    let kept = match supervised.keep {
        Keep::Best => best.1,
        Keep::Last => fit.weights(),
    };
    kept.write(&file(harness.folder(), &plan.id))?;
    harness.save_checkpoint(&plan.id, &metrics)?;
    Ok(Some(metrics))
}

/// The most memory that this process has used, in MB, where the system tells.
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// The training set of all recorded games, with their provenance; also writes the table of Otelo.
fn training_set(
    game: &dyn LearningGame,
    record: &Path,
    plan: &SupervisedPlan,
    metrics: &mut NetworkMetrics,
) -> Result<(Box<dyn AnyTrainingSet>, Vec<String>), ExperimentError> {
    let (mut samples, mut games) = (game.training_set(), Vec::new());
    let plans = read_games(record, |played| {
        games.push(played);
        Ok(())
    })?;
    let table = match supports_board_table(game.game()) {
        true => board_csv(game.game(), &games, BoardTable::AfterMove)
            .map(Some)
            .map_err(ExperimentError::Plan)?,
        false => None,
    };
    if let Some(table) = &table {
        tablero_jobs::atomic_write(&record.with_extension("csv"), table.as_bytes())?;
    }
    match table.filter(|_| plan.from_table) {
        Some(table) => {
            samples.add_board_csv(&table).map_err(ExperimentError::Plan)?;
            metrics.positions = samples.len() as u64;
        }
        None => {
            let targets = TargetConfig { q_ratio: plan.q_ratio, policy_surprise_weight: 0.0 };
            for played in &games {
                samples.add(played, &targets).map_err(ExperimentError::Plan)?;
            }
            metrics.positions = games.iter().map(|game| game.targets.len() as u64).sum();
        }
    }
    metrics.unplayed_positions = samples.len() as u64 - metrics.positions;
    Ok((samples, plans.iter().map(SelfPlayTask::provenance).collect()))
}

/// Runs a nested learning run.
fn learn(
    plan: &NetworkPlan,
    mut metrics: NetworkMetrics,
    harness: &mut Harness<'_>,
) -> Result<Option<NetworkMetrics>, ExperimentError> {
    let folder = harness.folder().join(&plan.id);
    let (entry, game) = (harness.entry, harness.entry.learning());
    let config = learn_config(harness.game(), plan, harness.config.quick);
    let seed = Rng::for_stream(harness.config.experiment.seed, 1).bits();
    let job = open_run(&folder, &config, &game.spec(), Some(seed), None)?;
    let learned = if job.state()?.status == Status::Finished {
        job.result::<LearningHistory>()?.unwrap_or_default()
    } else {
        let place = RunContext {
            executor: harness.executor,
            threads: harness.threads(),
            device: None,
            cancel: harness.stop,
        };
        let make = |line: &str| make_player(entry, line);
        let factory = Factory { game: entry.game(), make: &make };
        let mut done = 0;
        let mut on_progress = |progress: &Progress| {
            if progress.message.ends_with(" done") {
                done = progress.done as usize;
            }
            harness.progress(done, &progress.message);
        };
        game.run(job, factory, place, &mut on_progress)?
    };
    if learned.generations.len() < config.generations.unwrap_or(0) {
        return Ok(None);
    }
    Weights::read(&folder.join(BEST))?.write(&file(harness.folder(), &plan.id))?;
    metrics.games = learned.generations.iter().map(|generation| generation.games).sum();
    metrics.positions = learned.generations.iter().map(|generation| generation.new_positions).sum();
    metrics.steps = learned.generations.iter().map(|generation| generation.steps).sum();
    metrics.seconds = learned.generations.iter().map(|generation| generation.seconds).sum();
    metrics.learned = Some(learned);
    Ok(Some(metrics))
}

/// Configuration of a plan's learning run.
pub(crate) fn learn_config(game: AnyGame, plan: &NetworkPlan, quick: bool) -> LearnConfig {
    let mut config = LearnConfig::for_game(game, "tablero experiment run");
    config.net.clone_from(&plan.net);
    let Some(learning) = &plan.learning else { return config };
    config.games = learning.games.of(quick) as u64;
    config.generations = Some(learning.generations.of(quick));
    config.self_play.sims = learning.sims;
    config.self_play.max_plies = learning.max_plies;
    if learning.as_in_hatchet1 {
        let self_play = &mut config.self_play;
        self_play.full_search_prob = 1.0;
        self_play.gumbel_actions = 0;
        (self_play.noise_plies, self_play.temperature_plies) = (Some(30), 40);
        self_play.fpu_zero = true;
        (self_play.draw_score, self_play.automatic_draws_only) = (-0.5, true);
        self_play.policy_target_pruning = false;
        (self_play.random_plies, self_play.random_move_prob) = (0, 0.0);
        self_play.resign_threshold = 1.0;
        (config.q_ratio, config.policy_surprise_weight) = (0.0, 0.0);
        (config.training.lr, config.training.lr_schedule) = (0.0001, LrSchedule::Constant);
        (config.training.weight_decay, config.training.symmetries) = (0.0, false);
    }
    config.training.lr = learning.lr.unwrap_or(config.training.lr);
    config.training.batch_size = learning.batch_size.unwrap_or(config.training.batch_size);
    if quick {
        config.self_play.max_plies = config.self_play.max_plies.min(40);
    }
    config.evaluation.every = 1;
    config.evaluation.games = if quick { 2 } else { config.evaluation.games };
    config.evaluation.anchor_games = learning.anchor_games.of(quick);
    config.evaluation.anchors.clone_from(&learning.anchors);
    if let Some(line) = &learning.teacher {
        config = config.with_teacher(game, line);
    }
    if let Some(teacher) = &mut config.teacher {
        teacher.games = learning.teacher_games.of(quick) as u64;
        teacher.generations = learning.teacher_generations.of(quick);
        teacher.replay_ratio = learning.teacher_replay_ratio.unwrap_or(teacher.replay_ratio);
    }
    config
}

impl NetworkMetrics {
    /// Metrics by name.
    pub(crate) fn metrics(&self) -> Vec<(String, f64)> {
        let id = &self.id;
        let mut metrics = vec![
            (format!("{id}.games"), self.games as f64),
            (format!("{id}.positions"), self.positions as f64),
            (format!("{id}.seconds"), self.seconds),
        ];
        if let Some((_, training, held_out)) = self.curve.last() {
            metrics.push((format!("{id}.mse"), training.value));
            metrics.push((format!("{id}.held-out-mse"), held_out.value));
            metrics.push((format!("{id}.held-out-mae"), held_out.value_error));
        }
        if self.steps > 0 {
            metrics.push((format!("{id}.seconds-per-step"), self.seconds / self.steps as f64));
        }
        if let Some(memory) = self.peak_memory_mb {
            metrics.push((format!("{id}.peak-memory-mb"), memory));
        }
        if let Some(elo) = self.learned.as_ref().and_then(|l| l.generations.last()?.elo) {
            metrics.push((format!("{id}.elo"), elo));
        }
        metrics
    }
}
