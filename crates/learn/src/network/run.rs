//! The part of a network run that does not depend on the game's type: tasks, plans, history.

use std::path::{Path, PathBuf};

use tablero_arena::stats::Rating;
use tablero_arena::{MatchConfig, MatchSettings};
use tablero_jobs::{Header, Progress};
use tablero_nets::train::Device;
use tablero_nets::{EncodingSpec, Weights};

use super::FILES;
use crate::generations::Session;
use crate::ratings::{generation_name, generation_number, rate};
use crate::{
    GameBatch, GenerationStats, LearnConfig, LearnError, LearningHistory, Loss, MatchScore,
    SelfPlayTask, Source, TargetConfig, TrainingPlan,
};

/// Small enough to balance the load of many workers.
pub(super) const GAMES_PER_TASK: u64 = 8;
/// An anchor beaten with this score is dropped: further games would tell little.
const BEATEN_SCORE: f64 = 0.97;
/// With a larger share of false resignations, resigning is disabled for the next generation (AlphaGo Zero: 0.05).
const MAX_FALSE_RESIGNATIONS: f64 = 0.05;

/// A run: its configuration and history.
pub(super) struct NetworkRun {
    pub(super) config: LearnConfig,
    pub(super) history: LearningHistory,
    folder: PathBuf,
}

/// Statistics of a generation's games.
#[derive(Default)]
pub(super) struct SelfPlayStats {
    pub(super) games: u64,
    pub(super) positions: u64,
    plies: u64,
    results: [u64; 3],
    resign_checks: [u64; 2],
}

/// The result of training.
pub(super) struct TrainingResult {
    pub(super) weights: Weights,
    pub(super) held_out: Loss,
    pub(super) training: Loss,
    /// Training positions in the replay buffer.
    pub(super) positions: u64,
    pub(super) steps: u64,
}

/// A match to evaluate a generation.
pub(super) struct EvaluationMatch {
    /// The name of its log.
    pub(super) log: String,
    pub(super) opponent: String,
    pub(super) config: MatchConfig,
}

impl NetworkRun {
    pub(super) fn new(config: LearnConfig, folder: &Path) -> Self {
        Self { config, history: LearningHistory::default(), folder: folder.to_owned() }
    }

    /// Writes the initial network, unless it exists.
    pub(super) fn write_initial_weights(
        &self,
        spec: &EncodingSpec,
        session: &Session<'_>,
    ) -> Result<(), LearnError> {
        let path = self.net_file(0);
        if path.exists() {
            return Ok(());
        }
        let weights = match &self.config.init {
            Some(file) => Weights::read_any(Path::new(file), spec)?,
            None => Weights::random(self.config.kind()?, spec, session.seed(0, 0))?,
        };
        weights.check(spec)?;
        Ok(weights.write(&path)?)
    }

    /// The self-play tasks of a generation, and the number of games.
    pub(super) fn self_play_tasks(&self, generation: usize, seed: u64) -> (Vec<SelfPlayTask>, u64) {
        let (source, mut config, games, rating) = match self.config.teacher_of(generation) {
            Some(teacher) => (
                Source::Teacher(teacher.player.clone()),
                teacher.self_play.clone(),
                teacher.games,
                None,
            ),
            None => {
                let file = self.net_file(self.history.best);
                let source = Source::Net(file.to_string_lossy().into_owned());
                let rating = self.rating(self.history.best).map(|rating| rating.elo.round() as i32);
                (source, self.config.self_play.clone(), self.config.games, rating)
            }
        };
        if self.resigns_too_early() {
            config.resign_threshold = 1.0;
        }
        let task = |first: u64| SelfPlayTask {
            game: self.config.game.clone(),
            rules: self.config.rules.clone(),
            source: source.clone(),
            config: config.clone(),
            seed,
            first,
            count: GAMES_PER_TASK.min(games - first),
            record_times: false,
            opponent: None,
            rating,
        };
        ((0..games).step_by(GAMES_PER_TASK as usize).map(task).collect(), games)
    }

    /// Whether too many resignations were false, in the last generation with playthrough games.
    fn resigns_too_early(&self) -> bool {
        let last = self.history.generations.iter().rev().find(|stats| stats.resign_checks[0] > 0);
        last.is_some_and(|stats| {
            let [games, false_resignations] = stats.resign_checks.map(|count| count as f64);
            false_resignations / games > MAX_FALSE_RESIGNATIONS
        })
    }

    /// The targets of a generation's games.
    pub(super) fn targets(&self, generation: usize) -> TargetConfig {
        let teacher = self.config.teacher_of(generation);
        let q_ratio = teacher.map_or(self.config.q_ratio, |teacher| teacher.q_ratio);
        TargetConfig { q_ratio, policy_surprise_weight: self.config.policy_surprise_weight }
    }

    pub(super) fn training_plan(
        &self,
        generation: usize,
        new_positions: u64,
        session: &Session<'_>,
    ) -> TrainingPlan {
        let training = &self.config.training;
        let ratio = self
            .config
            .teacher_of(generation)
            .map_or(training.replay_ratio, |teacher| teacher.replay_ratio);
        let steps = (ratio * new_positions as f64 / training.batch_size as f64).ceil() as u64;
        TrainingPlan {
            lr: training.lr,
            lr_schedule: training.lr_schedule,
            steps: steps.max(1),
            batch_size: training.batch_size,
            sgd: false,
            weight_decay: training.weight_decay,
            by_epoch: false,
            symmetries: training.symmetries,
            seed: session.seed(generation, 1),
            backend: training.backend,
            device: session.device(),
        }
    }

    /// The evaluation matches of a generation; `settings` gives the game's defaults for a seed.
    pub(super) fn evaluation_matches(
        &self,
        generation: usize,
        session: &Session<'_>,
        settings: fn(u64) -> MatchSettings,
    ) -> Vec<EvaluationMatch> {
        let evaluation = &self.config.evaluation;
        if !self.is_evaluated(generation) {
            return Vec::new();
        }
        let rival = match evaluation.gate {
            Some(_) => self.history.best,
            None => self.last_evaluated(),
        };
        let mut opponents = vec![(generation_name(rival), self.player(rival), evaluation.games)];
        for anchor in evaluation.anchors.iter().filter(|anchor| !self.is_beaten(anchor)) {
            opponents.push((anchor.clone(), anchor.clone(), evaluation.anchor_games));
        }
        let rules = Some(self.config.rules.clone()).filter(|rules| !rules.is_empty());
        let to_match = |(index, (opponent, player, games))| {
            let defaults = settings(session.seed(generation, 2 + index as u64));
            let settings = MatchSettings { games, rules: rules.clone(), ..defaults };
            let players = [self.player(generation), player];
            let config = MatchConfig { players, settings, sprt: None };
            EvaluationMatch { log: format!("match-{generation}-{index}"), opponent, config }
        };
        let matches = opponents.into_iter().enumerate().map(to_match);
        matches.filter(|evaluation| evaluation.config.settings.games > 0).collect()
    }

    /// Whether a generation is evaluated: the first, every n-th and the last are.
    fn is_evaluated(&self, generation: usize) -> bool {
        let is_end = generation == 1 || self.config.generations == Some(generation);
        let every = self.config.evaluation.every;
        every > 0 && (is_end || generation.is_multiple_of(every))
    }

    /// The generation that was evaluated last; 0, the initial network, before any was.
    fn last_evaluated(&self) -> usize {
        let evaluated = |score: &MatchScore| generation_number(&score.players[0]);
        self.history.matches.iter().rev().find_map(evaluated).unwrap_or(0)
    }

    /// Whether an anchor was beaten too clearly to be informative.
    fn is_beaten(&self, anchor: &str) -> bool {
        let last = self.history.matches.iter().rev().find(|score| score.players[1] == anchor);
        last.is_some_and(|score| score.score() >= BEATEN_SCORE)
    }

    fn rating(&self, generation: usize) -> Option<Rating> {
        let anchor =
            self.config.evaluation.anchors.first().cloned().unwrap_or_else(|| generation_name(0));
        let rated = rate(&self.history.matches, &anchor);
        rated
            .into_iter()
            .find(|(name, _)| *name == generation_name(generation))
            .map(|(_, rating)| rating)
    }

    /// The player line of a generation.
    fn player(&self, generation: usize) -> String {
        let file = self.net_file(generation);
        let sims = self.config.evaluation.sims;
        format!("puct \"net={}\" sims={sims} root=gumbel", file.display())
    }

    /// Adds a generation to the history.
    pub(super) fn record_generation(
        &mut self,
        generation: usize,
        played: &SelfPlayStats,
        trained: &TrainingResult,
        scores: Vec<MatchScore>,
        seconds: f64,
    ) -> GenerationStats {
        let score = scores
            .iter()
            .find(|score| score.players[1].starts_with("generation"))
            .map(MatchScore::score);
        self.history.matches.extend(scores);
        let rating = self.rating(generation);
        let gate = self.config.evaluation.gate;
        let mean = |count: u64| count as f64 / played.games.max(1) as f64;
        let stats = GenerationStats {
            generation,
            player: match self.config.teacher_of(generation) {
                Some(teacher) => teacher.player.clone(),
                None => generation_name(self.history.best),
            },
            games: played.games,
            mean_plies: mean(played.plies),
            results: played.results.map(mean),
            new_positions: played.positions,
            buffer_positions: trained.positions,
            steps: trained.steps,
            held_out: trained.held_out,
            training: Some(trained.training),
            resign_checks: played.resign_checks,
            score,
            elo: rating.map(|rating| rating.elo),
            elo_error: rating.map(|rating| rating.error),
            promoted: gate.is_none_or(|gate| score.is_some_and(|score| score >= gate)),
            seconds,
        };
        if stats.promoted {
            self.history.best = generation;
        }
        self.history.generations.push(stats.clone());
        stats
    }

    /// The provenance entry of a generation.
    pub(super) fn provenance(
        &self,
        stats: &GenerationStats,
        header: &Header,
        device: Option<Device>,
    ) -> String {
        let elo = stats.elo.map_or_else(String::new, |elo| {
            let base =
                self.config.evaluation.anchors.first().map_or("generation 0", |line| line.as_str());
            format!(", {elo:+.0} Elo against {base} at {} simulations", self.config.evaluation.sims)
        });
        format!(
            "generation {} of `{}`, seed {}, version {}: {} games by {}, {} steps of {} samples{}{elo}",
            stats.generation,
            self.config.command,
            header.seed,
            header.version,
            stats.games,
            stats.player,
            stats.steps,
            self.config.training.batch_size,
            self.config.training.backend.provenance(device),
        )
    }

    pub(super) fn games_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("games-{generation}.jsonl"))
    }

    pub(super) fn net_file(&self, generation: usize) -> PathBuf {
        FILES.generation(&self.folder, generation)
    }

    /// The trainer state after a generation, with which the next one starts.
    pub(super) fn state_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("state-{generation}.bin"))
    }

    /// The state of interrupted training.
    pub(super) fn training_file(&self, generation: usize) -> PathBuf {
        self.folder.join(format!("training-{generation}.bin"))
    }
}

/// The metrics of a generation.
pub(super) fn metrics(stats: &GenerationStats) -> Progress {
    let progress = Progress::default()
        .with_metric("generation", stats.generation as f64)
        .with_metric("value loss", stats.held_out.value)
        .with_metric("value error", stats.held_out.value_error)
        .with_metric("policy loss", stats.held_out.policy)
        .with_metric("games/h", 3600.0 * stats.games as f64 / stats.seconds.max(1e-9));
    let training = stats.training.unwrap_or_default();
    let progress = progress
        .with_metric("training value loss", training.value)
        .with_metric("training policy loss", training.policy);
    let known = [("elo", stats.elo), ("elo_error", stats.elo_error), ("score", stats.score)];
    let known = known.into_iter().filter_map(|(what, value)| Some((what, value?)));
    known.fold(progress, |progress, (what, value)| progress.with_metric(what, value))
}

impl SelfPlayStats {
    pub(super) fn add(&mut self, block: &GameBatch) {
        for game in block.games() {
            self.games += 1;
            self.plies += game.moves.len() as u64;
            self.positions += game.targets.len() as u64;
            self.results[usize::from(game.margin <= 0) + usize::from(game.margin < 0)] += 1;
            if let Some(was_right) = game.resignation_was_right {
                self.resign_checks[0] += 1;
                self.resign_checks[1] += u64::from(!was_right);
            }
        }
    }
}
