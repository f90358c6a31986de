use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tablero_arena::{
    Factory, FinishedGame, MatchConfig, MatchSettings, MatchSummary, Watcher, run_match,
};
use tablero_jobs::{Header, Job, Progress, atomic_write};
use tablero_nets::nnue::{NNUE_EXTENSION, NnueTrainer, NnueWeights};
use tablero_report::{LineChart, Report, Series, Table, number, seconds};

use super::{NnueConfig, NnueData, NnueFit};
use crate::generations::{
    NewGeneration, RunContext, Session, TaskStep, Trainee, WeightsFiles, open_or_create,
    run_generations,
};
use crate::{LearnError, LearningGame, SelfPlayTask, SelfPlayWork, Source};

/// The job kind of a run.
pub const NNUE_JOB_KIND: &str = "learn-nnue";
/// The file of the best network in a run's folder.
pub const NNUE_BEST: &str = "best.nnue";
const FILES: WeightsFiles = WeightsFiles(NNUE_EXTENSION);
/// Games per task.
const BATCH: u64 = 20;
const SAVE_INTERVAL: Duration = Duration::from_secs(30);
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// A generation of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NnueGeneration {
    /// Its number, from 1.
    pub generation: usize,
    /// Who played its games.
    pub player: String,
    /// Games played.
    pub games: u64,
    /// Positions trained on, those of earlier generations included.
    pub positions: u64,
    /// Training steps.
    pub steps: u64,
    /// Mean squared error of the winning probability: training positions.
    pub training_loss: f64,
    /// The same: held-out positions.
    pub held_out_loss: f64,
    /// The score against the best network so far; none for the first.
    pub score: Option<f64>,
    /// Elo against it.
    pub elo: Option<f64>,
    /// The 95 % error of the Elo.
    pub elo_error: Option<f64>,
    /// Whether it became the best.
    pub promoted: bool,
    /// Seconds taken.
    pub seconds: f64,
}

/// The history of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NnueHistory {
    /// The best generation; 0 for the initial weights.
    pub best: usize,
    /// All generations.
    pub generations: Vec<NnueGeneration>,
    /// Seconds spent on the unfinished generation of a stopped run.
    #[serde(default)]
    pub unfinished: f64,
}

/// Opens the run in a folder, or creates it; a resumed run keeps its configuration and seed.
pub fn open_nnue_run(
    folder: &Path,
    config: &NnueConfig,
    seed: Option<u64>,
) -> Result<Job, LearnError> {
    config.check()?;
    Ok(open_or_create(folder, NNUE_JOB_KIND, config, seed)?)
}

/// Runs or resumes a run until it is finished or stopped.
pub fn run_nnue(
    game: &dyn LearningGame,
    job: Job,
    factory: Factory<'_>,
    context: RunContext<'_>,
    report: &mut dyn FnMut(&Progress),
) -> Result<NnueHistory, LearnError> {
    let config: NnueConfig = job.config()?;
    config.check()?;
    let folder = job.folder().to_owned();
    let work = SelfPlayWork::new(game, factory);
    let history = NnueHistory::default();
    let mut trainee = NnueTrainee { game, factory, work, config, folder, history };
    run_generations(job, &mut trainee, context, report)?;
    Ok(trainee.history)
}

struct NnueTrainee<'a> {
    game: &'a dyn LearningGame,
    factory: Factory<'a>,
    work: SelfPlayWork<'a>,
    config: NnueConfig,
    folder: PathBuf,
    history: NnueHistory,
}

/// A trained network with its losses.
struct Trained {
    weights: NnueWeights,
    positions: u64,
    steps: u64,
    training_loss: f64,
    held_out_loss: f64,
}

impl Trainee for NnueTrainee<'_> {
    fn files(&self) -> WeightsFiles {
        FILES
    }

    fn last_generation(&self) -> Option<usize> {
        self.config.generations
    }

    fn resume(&mut self, session: &Session<'_>) -> Result<(), LearnError> {
        self.history = session.history()?;
        let path = FILES.generation(&self.folder, 0);
        if path.exists() {
            return Ok(());
        }
        let spec = self.game.nnue_spec();
        let weights = match &self.config.init {
            Some(file) => NnueWeights::read(Path::new(file))?,
            None => {
                let seed = session.seed(0, 0);
                let provenance = vec![format!("random nnue {}, seed {seed}", self.config.hidden)];
                NnueTrainer::new(spec, self.config.hidden, seed)?.quantize(provenance)
            }
        };
        weights.check(&spec)?;
        Ok(atomic_write(&path, &weights.to_bytes())?)
    }

    fn finished(&self) -> usize {
        self.history.generations.len()
    }

    fn unfinished_seconds(&mut self) -> &mut f64 {
        &mut self.history.unfinished
    }

    fn run_generation(
        &mut self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<NewGeneration>, LearnError> {
        if !self.self_play(generation, session)? {
            return Ok(None);
        }
        let Some(mut trained) = self.train(generation, session)? else { return Ok(None) };
        // The players of the match read it.
        atomic_write(&FILES.generation(&self.folder, generation), &trained.weights.to_bytes())?;
        let Some(summary) = self.compare(generation, session)? else { return Ok(None) };
        let stats = self.record_generation(generation, &trained, summary, session.seconds());
        trained.weights.provenance.push(self.provenance(&stats, session.header()));
        let progress = Progress::default()
            .with_metric("training loss", stats.training_loss)
            .with_metric("held-out loss", stats.held_out_loss);
        let known = [("elo", stats.elo), ("elo_error", stats.elo_error), ("score", stats.score)];
        let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Ok(Some(NewGeneration {
            weights: trained.weights.to_bytes(),
            promoted: stats.promoted,
            progress: known.fold(progress, |all, (name, value)| all.with_metric(name, value)),
            temporary_files: vec![self.training_file(generation)],
        }))
    }

    fn history(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(&self.history)
    }

    fn report(&self, header: &Header) -> Report {
        report(header, &self.config, &self.history)
    }
}

impl NnueTrainee<'_> {
    /// The player of a generation's games.
    fn player(&self, generation: usize) -> String {
        match &self.config.teacher {
            Some(teacher) if generation == 1 => teacher.clone(),
            _ => format!("{} eval={}", self.config.player, self.net(self.history.best)),
        }
    }

    /// The player of a generation's games, without the path of its network.
    fn player_name(&self, generation: usize) -> String {
        match &self.config.teacher {
            Some(teacher) if generation == 1 => format!("`{teacher}`"),
            _ => format!("`{}` with generation {}", self.config.player, self.history.best),
        }
    }

    /// The file of a generation's network, for player lines.
    fn net(&self, generation: usize) -> String {
        FILES.generation(&self.folder, generation).to_string_lossy().into_owned()
    }

    /// Whether the values of a generation's games are those of a random network, which mean nothing.
    fn is_from_nothing(&self, generation: usize) -> bool {
        generation == 1 && self.config.teacher.is_none() && self.config.init.is_none()
    }

    /// Plays the games of a generation; false if stopped.
    fn self_play(&self, generation: usize, session: &mut Session<'_>) -> Result<bool, LearnError> {
        let (games, seed, player) =
            (self.config.games, session.seed(generation, 0), self.player(generation));
        let task = |first: u64| SelfPlayTask {
            game: self.config.game.clone(),
            rules: String::new(),
            source: Source::Teacher(player.clone()),
            config: self.config.self_play.clone(),
            seed,
            first,
            count: BATCH.min(games - first),
            record_times: false,
            opponent: None,
            rating: None,
        };
        let tasks: Vec<SelfPlayTask> = (0..games).step_by(BATCH as usize).map(task).collect();
        let step = TaskStep::games(generation, BATCH, games);
        session.run_tasks(step, &self.work, &tasks, |_| Ok(()))
    }

    /// The positions that a generation is trained on.
    fn data(&self, generation: usize, session: &Session<'_>) -> Result<NnueData, LearnError> {
        let fit = &self.config.fit;
        let q_ratio = if self.is_from_nothing(generation) { 0.0 } else { fit.q_ratio };
        let mut data = NnueData::new(
            self.game.nnue_spec(),
            self.game.game().wdl_model(),
            q_ratio,
            fit.holdout_every,
            session.seed(generation, 1),
        );
        let first = generation.saturating_sub(self.config.replay_generations).max(1);
        for generation in first..=generation {
            data.add_log(self.game, &self.folder.join(format!("games-{generation}.jsonl")))?;
        }
        Ok(data)
    }

    /// Trains from the weights of the generation before; none if stopped.
    fn train(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<Trained>, LearnError> {
        let data = self.data(generation, session)?;
        let spec = self.game.nnue_spec();
        let before = NnueWeights::read(&FILES.generation(&self.folder, generation - 1))?;
        let state = fs::read(self.training_file(generation)).ok();
        let trainer = match state.and_then(|state| NnueTrainer::from_state(spec, &state).ok()) {
            Some(trainer) => trainer,
            None => NnueTrainer::from_weights(spec, &before)?,
        };
        let seed = session.seed(generation, 2);
        let mut fit =
            NnueFit::new(trainer, &data.training, self.config.fit, seed, session.threads());
        let (mut saved, mut reported) = (Instant::now(), Instant::now());
        while !fit.is_finished() {
            if session.is_cancelled() {
                atomic_write(&self.training_file(generation), &fit.trainer().state())?;
                return Ok(None);
            }
            let loss = fit.step().mean();
            if reported.elapsed() >= REPORT_INTERVAL || fit.is_finished() {
                reported = Instant::now();
                session.report(&training(generation, &fit, loss));
            }
            if saved.elapsed() >= SAVE_INTERVAL {
                saved = Instant::now();
                atomic_write(&self.training_file(generation), &fit.trainer().state())?;
            }
        }
        Ok(Some(Trained {
            weights: fit.trainer().quantize(before.provenance),
            positions: data.training.len() as u64,
            steps: fit.steps(),
            training_loss: fit.evaluate(&data.training).mean(),
            held_out_loss: fit.evaluate(&data.held_out).mean(),
        }))
    }

    /// A match of the new network against the best so far, or against the teacher's evaluation; none if stopped.
    fn compare(
        &self,
        generation: usize,
        session: &mut Session<'_>,
    ) -> Result<Option<MatchSummary>, LearnError> {
        let line = |net: String| format!("{} eval={net}", self.config.match_player);
        // A random network is no opponent: the game's default evaluation is.
        let opponent = match self.history.best {
            0 if self.config.init.is_none() => self.config.match_player.clone(),
            best => line(self.net(best)),
        };
        let mut settings =
            MatchSettings::default_for(self.game.game(), session.seed(generation, 3));
        settings.games = self.config.match_games;
        let config =
            MatchConfig { players: [line(self.net(generation)), opponent], settings, sprt: None };
        let mut runner = session.runner(session.job().log(&format!("match-{generation}"))?);
        let mut watcher = MatchReporter { session, generation };
        let result = run_match(&config, self.factory, &mut runner, &mut watcher)?;
        let is_complete = result.summary.games >= self.config.match_games as u64;
        Ok((is_complete || !session.is_cancelled()).then_some(result.summary))
    }

    fn record_generation(
        &mut self,
        generation: usize,
        trained: &Trained,
        summary: MatchSummary,
        seconds: f64,
    ) -> NnueGeneration {
        let stats = NnueGeneration {
            generation,
            player: self.player_name(generation),
            games: self.config.games,
            positions: trained.positions,
            steps: trained.steps,
            training_loss: trained.training_loss,
            held_out_loss: trained.held_out_loss,
            score: summary.score,
            elo: summary.elo,
            elo_error: summary.elo_error,
            promoted: self.history.best == 0 || summary.score.is_none_or(|score| score >= 0.5),
            seconds,
        };
        if stats.promoted {
            self.history.best = generation;
        }
        self.history.generations.push(stats.clone());
        stats
    }

    fn provenance(&self, stats: &NnueGeneration, header: &Header) -> String {
        format!(
            "generation {} of `{}`, seed {}, version {}: {} games by {}, {} positions, {} steps, \
             held-out loss {:.5}",
            stats.generation,
            self.config.command,
            header.seed,
            header.version,
            stats.games,
            stats.player,
            stats.positions,
            stats.steps,
            stats.held_out_loss,
        )
    }

    /// The state of interrupted training.
    fn training_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("training-{generation}.bin"))
    }
}

fn training(generation: usize, fit: &NnueFit<'_>, loss: f64) -> Progress {
    Progress::new(fit.steps(), Some(fit.total_steps()))
        .with_message(format!("generation {generation}: training"))
        .with_stage("training", generation as u64)
        .with_metric("loss", loss)
}

struct MatchReporter<'a, 'b> {
    session: &'a mut Session<'b>,
    generation: usize,
}

impl Watcher for MatchReporter<'_, '_> {
    fn game(&mut self, _: &FinishedGame) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        let message = format!("generation {}: match", self.generation);
        let progress = progress.clone().with_message(message);
        self.session.report(&progress.with_stage("evaluation", self.generation as u64));
    }
}

fn report(header: &Header, config: &NnueConfig, history: &NnueHistory) -> Report {
    let mut report = Report::new(&format!("An NNUE for {}", config.game));
    report.paragraph(&format!(
        "Width {}. Command: `{}`; seed {}, version {}. Best generation: {}. Matches of `{}` against the best \
         network before, the first against the default evaluation.",
        config.hidden,
        config.command,
        header.seed,
        header.version,
        history.best,
        config.match_player,
    ));
    let head = [
        "generation",
        "games by",
        "games",
        "positions",
        "training loss",
        "held-out loss",
        "score",
        "Elo",
        "promoted",
        "time",
    ];
    let mut table = Table::new("Generations", &head);
    for one in &history.generations {
        let elo = one.elo.zip(one.elo_error);
        table.rows.push(vec![
            one.generation.to_string(),
            one.player.clone(),
            one.games.to_string(),
            one.positions.to_string(),
            number(one.training_loss),
            number(one.held_out_loss),
            one.score.map_or_else(|| "-".into(), |score| format!("{:.1} %", 100.0 * score)),
            elo.map_or_else(|| "-".into(), |(elo, error)| format!("{elo:+.0} ± {error:.0}")),
            if one.promoted { "yes" } else { "no" }.into(),
            seconds(one.seconds),
        ]);
    }
    report.table("##", table);
    let curve = losses(history);
    report.plot("losses.svg", &curve.title, curve.svg());
    report
}

/// Training and held-out losses together: they part when a network overfits.
fn losses(history: &NnueHistory) -> LineChart {
    let series = |name: &str, loss: fn(&NnueGeneration) -> f64| Series {
        name: name.into(),
        points: history.generations.iter().map(|one| (one.generation as f64, loss(one))).collect(),
        dashed: false,
    };
    LineChart {
        title: "Loss".into(),
        x_label: "generation".into(),
        y_label: "mean squared error".into(),
        log: false,
        format_y: number,
        series: vec![
            series("training", |one| one.training_loss),
            series("held out", |one| one.held_out_loss),
        ],
    }
}
