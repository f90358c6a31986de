//! Networks that are trained as a part of an experiment.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tablero_arena::Factory;
use tablero_core::{AnyGame, Rng};
use tablero_jobs::{Progress, Status};
use tablero_learn::generations::Place;
use tablero_learn::{
    BEST, FitPlan, GamesTask, LearnConfig, Learned, LearningGame, Loss, Source, Style, Targets,
    TrainerName, TrainingSet, has_otelo_table, open_run, otelo_table, read_games, record_games,
};
use tablero_nets::Weights;

use crate::job::{Lab, make_player};
use crate::{ExperimentError, NetworkPlan, RecordedPlan};

/// What became of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetworkFigures {
    /// As the plan calls it.
    pub id: String,
    /// Its kind.
    pub net: String,
    /// Games that it learned from.
    pub games: u64,
    /// Positions of these.
    pub positions: u64,
    /// Positions behind moves that were not played, learned from as well.
    #[serde(default)]
    pub others: u64,
    /// Steps of training.
    pub steps: u64,
    /// Seconds of training, without games.
    pub seconds: f64,
    /// For some epochs, the number and the losses in what was learned and in what was held out.
    pub curve: Vec<(u64, Loss, Loss)>,
    /// The generations of a learning run.
    pub learned: Option<Learned>,
}

/// So many points of a curve are kept.
const POINTS: u64 = 100;

/// The file of a network in the experiment's folder.
pub(crate) fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.safetensors"))
}

/// Makes the network of a plan, or goes on with that; none if stopped.
pub(crate) fn run(
    plan: &NetworkPlan,
    lab: &mut Lab<'_>,
) -> Result<Option<NetworkFigures>, ExperimentError> {
    let empty = NetworkFigures {
        id: plan.id.clone(),
        net: plan.net.clone(),
        games: 0,
        positions: 0,
        others: 0,
        steps: 0,
        seconds: 0.0,
        curve: Vec::new(),
        learned: None,
    };
    let made = match (&plan.recorded, &plan.learning) {
        (Some(recorded), _) => train(plan, recorded, empty, lab)?,
        (None, Some(_)) => learn(plan, empty, lab)?,
        (None, None) => {
            let kind = plan.net.parse()?;
            let dims = lab.entry.learning().spec().dims;
            let weights = Weights::random(kind, &dims, lab.config.experiment.seed)?;
            weights.write(&file(lab.folder(), &plan.id))?;
            Some(empty)
        }
    };
    lab.part_done(plan.steps(lab.config.quick));
    Ok(made)
}

/// Games of a player, and training on them.
fn train(
    plan: &NetworkPlan,
    recorded: &RecordedPlan,
    mut figures: NetworkFigures,
    lab: &mut Lab<'_>,
) -> Result<Option<NetworkFigures>, ExperimentError> {
    // What was found out before an interruption stands.
    if let Some(known) = lab.checkpoint::<NetworkFigures>(&plan.id)? {
        return Ok(Some(known));
    }
    let (quick, seed) = (lab.config.quick, lab.config.experiment.seed);
    let record = lab.folder().join(format!("{}-games.jsonl", plan.id));
    let style = Style {
        full_share: 1.0,
        random_plies: recorded.random_plies,
        random_share: 0.0,
        resign_at: 1.0,
        ..Style::usual(lab.game())
    };
    let task = GamesTask {
        game: lab.game().name().into(),
        rules: lab.config.experiment.rules.clone().unwrap_or_default(),
        source: Source::Teacher(recorded.line(quick)),
        style,
        seed,
        first: 0,
        count: recorded.games.of(quick) as u64,
        keep_times: false,
        rating: None,
    };
    let (entry, executor, stop) = (lab.entry, lab.executor, lab.stop);
    let make = |line: &str| make_player(entry, line);
    let factory = Factory { game: entry.game(), make: &make };
    let mut tell =
        |progress: &Progress| lab.progress(progress.done as usize, "games to learn from");
    let done = record_games(entry.learning(), &record, &task, factory, executor, stop, &mut tell)?;
    if !done.is_done {
        return Ok(None);
    }
    figures.games = done.games;
    let (lessons, past) = lessons(entry.learning(), &record, recorded.trust, &mut figures)?;
    let [learning, held_out] = lessons.split_games(recorded.held_out, seed);
    let batch = recorded.batch;
    let of_epoch = learning.len().div_ceil(batch) as u64;
    let epochs = recorded.epochs.of(quick) as u64;
    let fit_plan = FitPlan {
        rate: recorded.rate,
        schedule: recorded.schedule,
        steps: of_epoch * epochs,
        batch,
        sgd: recorded.sgd,
        decay: 0.0,
        in_turn: true,
        symmetries: recorded.symmetries,
        seed,
        trainer: TrainerName::Own,
    };
    let mut weights = Weights::random(plan.net.parse()?, &entry.learning().spec().dims, seed)?;
    weights.past.extend(past);
    weights.past.push(fit_plan.past(learning.len()));
    let begun = std::time::Instant::now();
    let mut fit = learning.fit(fit_plan, weights, lab.threads())?;
    let mut best = (f64::INFINITY, fit.weights());
    for epoch in 1..=epochs {
        let losses: Vec<_> = (0..of_epoch).map(|_| fit.step()).collect();
        if lab.stop.is_requested() {
            return Ok(None);
        }
        if epoch.is_multiple_of((epochs / POINTS).max(1)) || epoch == epochs {
            let learned: Loss = tablero_nets::train::Losses::mean(&losses).into();
            let tested: Loss = fit.measure(&*held_out).into();
            if tested.value + tested.moves < best.0 {
                best = (tested.value + tested.moves, fit.weights());
            }
            figures.curve.push((epoch, learned, tested));
            lab.progress(done.games as usize, &format!("epoch {epoch} of {epochs}"));
        }
    }
    (figures.steps, figures.seconds) = (fit.done(), begun.elapsed().as_secs_f64());
    best.1.write(&file(lab.folder(), &plan.id))?;
    lab.save_checkpoint(&plan.id, &figures)?;
    Ok(Some(figures))
}

/// All positions of the games, and how these were played; their table is written as Otelo has it.
fn lessons(
    game: &dyn LearningGame,
    record: &Path,
    trust: f64,
    figures: &mut NetworkFigures,
) -> Result<(Box<dyn TrainingSet>, Vec<String>), ExperimentError> {
    let (mut lessons, mut games) = (game.training_set(), Vec::new());
    let plans = read_games(record, |played| {
        games.push(played);
        Ok(())
    })?;
    for played in &games {
        let targets = Targets { trust, surprise: 0.0 };
        lessons.add(played, &targets).map_err(ExperimentError::Plan)?;
    }
    figures.positions = games.iter().map(|game| game.notes.len() as u64).sum();
    figures.others = lessons.len() as u64 - figures.positions;
    if has_otelo_table(game.game()) {
        let table = otelo_table(game.game(), &games).map_err(ExperimentError::Plan)?;
        tablero_jobs::write_beside(&record.with_extension("csv"), table.as_bytes())?;
    }
    Ok((lessons, plans.iter().map(GamesTask::past).collect()))
}

/// A learning run inside the experiment.
fn learn(
    plan: &NetworkPlan,
    mut figures: NetworkFigures,
    lab: &mut Lab<'_>,
) -> Result<Option<NetworkFigures>, ExperimentError> {
    let folder = lab.folder().join(&plan.id);
    let (entry, game) = (lab.entry, lab.entry.learning());
    let config = learn_config(lab.game(), plan, lab.config.quick);
    let seed = Rng::for_part(lab.config.experiment.seed, 1).bits();
    let job = open_run(&folder, &config, &game.spec(), Some(seed))?;
    let learned = if job.state()?.status == Status::Finished {
        job.result::<Learned>()?.unwrap_or_default()
    } else {
        let place = Place { executor: lab.executor, threads: lab.threads(), stop: lab.stop };
        let make = |line: &str| make_player(entry, line);
        let factory = Factory { game: entry.game(), make: &make };
        let mut done = 0;
        let mut tell = |progress: &Progress| {
            if progress.message.ends_with(" done") {
                done = progress.done as usize;
            }
            lab.progress(done, &progress.message);
        };
        game.run(job, factory, place, &mut tell)?
    };
    if learned.generations.len() < config.generations.unwrap_or(0) {
        return Ok(None);
    }
    Weights::read(&folder.join(BEST))?.write(&file(lab.folder(), &plan.id))?;
    figures.games = learned.generations.iter().map(|past| past.games).sum();
    figures.positions = learned.generations.iter().map(|past| past.new_positions).sum();
    figures.steps = learned.generations.iter().map(|past| past.steps).sum();
    figures.seconds = learned.generations.iter().map(|past| past.seconds).sum();
    figures.learned = Some(learned);
    Ok(Some(figures))
}

/// What a plan's learning run is to do.
pub(crate) fn learn_config(game: AnyGame, plan: &NetworkPlan, quick: bool) -> LearnConfig {
    let mut config = LearnConfig::usual(game, "tablero experiment run");
    config.net.clone_from(&plan.net);
    let Some(learning) = &plan.learning else { return config };
    config.games = learning.games.of(quick) as u64;
    config.generations = Some(learning.generations.of(quick));
    config.style.sims = learning.sims;
    config.style.longest = learning.longest;
    config.pace.rate = learning.rate.unwrap_or(config.pace.rate);
    config.pace.batch = learning.batch.unwrap_or(config.pace.batch);
    if quick {
        config.style.longest = config.style.longest.min(40);
    }
    config.measure.games = if quick { 2 } else { config.measure.games };
    config.measure.anchor_games = learning.anchor_games.of(quick);
    config.measure.anchors.clone_from(&learning.anchors);
    if let Some(line) = &learning.teacher {
        config = config.with_teacher(game, line);
    }
    if let Some(teacher) = &mut config.teacher {
        teacher.games = learning.teacher_games.of(quick) as u64;
        teacher.generations = learning.teacher_generations.of(quick);
        teacher.ratio = learning.teacher_ratio.unwrap_or(teacher.ratio);
    }
    config
}

impl NetworkFigures {
    /// The figures by the names that comparisons use.
    pub(crate) fn named(&self) -> Vec<(String, f64)> {
        let id = &self.id;
        let mut named = vec![
            (format!("{id}.games"), self.games as f64),
            (format!("{id}.positions"), self.positions as f64),
            (format!("{id}.seconds"), self.seconds),
        ];
        if let Some((_, _, held_out)) = self.curve.last() {
            named.push((format!("{id}.held-out-mae"), held_out.value_error));
        }
        if let Some(elo) = self.learned.as_ref().and_then(|l| l.generations.last()?.elo) {
            named.push((format!("{id}.elo"), elo));
        }
        named
    }
}
