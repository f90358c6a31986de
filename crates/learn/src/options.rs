//! Options of learning runs.

use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;
use tablero_nets::nnue::NnueWeights;
use tablero_nets::{NetKind, Weights};

use crate::nnue::{NnueConfig, NnueFitConfig};
use crate::{
    ConfigError, GameSpec, LearnConfig, LearnError, LrSchedule, SelfPlayConfig, TrainingBackend,
};

/// Hyperparameters of a new run that override the defaults; a resumed run keeps its own. Their names are those of
/// `tablero learn`, with underscores.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearnOptions {
    /// Stop after N generations.
    pub generations: Option<usize>,
    /// Self-play games per generation [default: 500; 200 for tic-tac-toe].
    pub games: Option<u64>,
    /// Initial weights [default: random].
    pub init: Option<String>,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    pub rules: Option<String>,
    /// Player whose games the first generation is trained on, instead of self-play.
    pub teacher: Option<String>,
    /// Games played by the teacher [default: 4 times `games`].
    pub teacher_games: Option<u64>,
    /// Generations played by the teacher [default: 1].
    pub teacher_generations: Option<usize>,
    /// `q_ratio` of the teacher's games [default: 0.75].
    pub teacher_q_ratio: Option<f64>,
    /// `replay_ratio` of the teacher's games [default: 6].
    pub teacher_replay_ratio: Option<f64>,
    /// Nodes per move of an NNUE's games [default: 500].
    pub nodes: Option<u64>,
    /// Simulations per full search [default: 32].
    pub sims: Option<u64>,
    /// Simulations per fast search, whose moves are not trained on [default: 8].
    pub fast_sims: Option<u64>,
    /// Probability of a full search (playout cap randomization) [default: 0.4].
    pub full_search_prob: Option<f64>,
    /// Root actions considered by Gumbel sequential halving; 0 for Dirichlet noise as in AlphaZero [default: 16].
    pub gumbel_actions: Option<usize>,
    /// Plies with noise at the root [default: as `temperature_plies`].
    pub noise_plies: Option<usize>,
    /// Value of unvisited moves (FPU) 0, as in Hatchet1, instead of the parent's less a reduction.
    pub fpu_zero: bool,
    /// Plies during which moves are sampled instead of taking the best [default: 20; 30 for chess].
    pub temperature_plies: Option<usize>,
    /// Maximum number of random plies at the start of a game [default: 8; 16 for a teacher].
    pub random_plies: Option<usize>,
    /// Probability of a random move later in the game [default: 0.02; 0.05 for a teacher].
    pub random_move_prob: Option<f64>,
    /// Value of a draw to the player who brings it about [default: 0; -0.5 for chess].
    pub draw_score: Option<f32>,
    /// Apply `draw_score` only to stalemate and to draws that need no claim (fivefold repetition, 75 moves), as in
    /// Hatchet1; others are worth 0.
    pub automatic_draws_only: bool,
    /// Keep the visits forced by noise in policy targets (no policy target pruning).
    pub no_policy_target_pruning: bool,
    /// Resign when the value stays below -X; 1 disables resignation [default: 0.95].
    pub resign_threshold: Option<f64>,
    /// Fraction of games played without resignation [default: 0.1].
    pub resign_playthrough: Option<f64>,
    /// Adjudicate a game as a draw after N plies [default: 400].
    pub max_plies: Option<usize>,
    /// Do not play endgames by the game's solver (Othello, Connect Four).
    pub no_exact_endgames: bool,
    /// Previous generations in the replay buffer [default: 10].
    pub replay_generations: Option<usize>,
    /// Training samples per new position [default: 4].
    pub replay_ratio: Option<f64>,
    /// Passes over the positions per generation of an NNUE [default: 6].
    pub epochs: Option<u64>,
    /// Positions per batch [default: 128; 16384 for an NNUE].
    pub batch_size: Option<usize>,
    /// Learning rate of Adam [default: 0.001; 0.002 for an NNUE].
    pub lr: Option<f64>,
    /// Learning rate schedule within a generation [default: cosine].
    pub lr_schedule: Option<LrSchedule>,
    /// Weight decay [default: 0.0001].
    pub weight_decay: Option<f32>,
    /// Disable augmentation by board symmetries.
    pub no_symmetries: bool,
    /// Play games of the next generation during training: faster where workers play, but not reproducible.
    pub asynchronous: bool,
    /// Training backend [default: native].
    pub backend: Option<TrainingBackend>,
    /// Share of the search value in the value target, the rest being the game result [default: 0.5].
    pub q_ratio: Option<f64>,
    /// Share of the sample weight distributed by policy surprise, as in KataGo [default: 0.5].
    pub policy_surprise_weight: Option<f64>,
    /// Promote a generation only if it scores at least SCORE against the best one [default: promote every
    /// generation].
    pub gate: Option<f64>,
    /// Simulations per move [default: 32].
    pub eval_sims: Option<u64>,
    /// Games against the generation evaluated before [default: 100].
    pub eval_games: Option<usize>,
    /// Evaluate every N generations, the first and the last; 0 for never [default: 5; 1 with a gate].
    pub eval_every: Option<usize>,
    /// Anchor of the rating scale; may be repeated, the first one has rating 0 [default: random and three levels].
    pub anchor: Vec<String>,
    /// Games against each anchor [default: 50].
    pub anchor_games: Option<usize>,
}

/// Options of an NNUE's run alone.
const ONLY_NNUE: [&str; 2] = ["nodes", "epochs"];
/// Options that an NNUE's run shares with others.
const WITH_NNUE: [&str; 14] = [
    "generations",
    "games",
    "init",
    "teacher",
    "random_plies",
    "random_move_prob",
    "resign_threshold",
    "max_plies",
    "replay_generations",
    "eval_games",
    "q_ratio",
    "batch_size",
    "lr",
    "weight_decay",
];

/// Overrides a default with an option, if it was given.
fn set<T: Clone>(value: &mut T, option: &Option<T>) {
    if let Some(option) = option {
        value.clone_from(option);
    }
}

/// Checks an option that a configuration does not check, if it was given.
fn check_count(
    setting: &'static str,
    value: Option<u64>,
    range: std::ops::RangeInclusive<u64>,
) -> Result<(), ConfigError> {
    let (min, max) = (*range.start() as f64, *range.end() as f64);
    value.map_or(Ok(()), |value| ConfigError::check_range(setting, value as f64, min..=max))
}

impl LearnOptions {
    /// Checks what the configurations do not.
    fn check(&self) -> Result<(), ConfigError> {
        const MANY: u64 = 100_000_000;
        let size = |value: Option<usize>| value.map(|value| value as u64);
        check_count("generations", size(self.generations), 1..=MANY)?;
        check_count("teacher_generations", size(self.teacher_generations), 1..=MANY)?;
        check_count("games", self.games, 1..=MANY)?;
        check_count("nodes", self.nodes, 1..=1_000_000_000_000)?;
        check_count("epochs", self.epochs, 1..=MANY)?;
        check_count("gumbel_actions", size(self.gumbel_actions), 0..=10_000)?;
        check_count("max_plies", size(self.max_plies), 1..=100_000)?;
        let is_taught = self.teacher.is_some();
        let of_teacher = [
            ("teacher_games", self.teacher_games.is_some()),
            ("teacher_generations", self.teacher_generations.is_some()),
            ("teacher_q_ratio", self.teacher_q_ratio.is_some()),
            ("teacher_replay_ratio", self.teacher_replay_ratio.is_some()),
        ];
        match of_teacher.iter().find(|(_, is_given)| *is_given && !is_taught) {
            Some((name, _)) => Err(ConfigError::Invalid(format!("{name} needs a teacher"))),
            None => Ok(()),
        }
    }

    /// Checks that no option is given that runs of this kind do not have; `has` are the names of those that they have.
    pub fn check_applicable(
        &self,
        run: &str,
        has: impl Fn(&str) -> bool,
    ) -> Result<(), ConfigError> {
        // The names are those of the serialized fields.
        let json = |options| serde_json::to_value(options).unwrap_or_default();
        let (given, defaults) = (json(self), json(&Self::default()));
        let foreign = given.as_object().into_iter().flatten().find_map(|(name, value)| {
            (!has(name) && defaults.get(name) != Some(value)).then_some(name)
        });
        foreign.map_or(Ok(()), |name| {
            Err(ConfigError::Invalid(format!("{name} does not apply to {run}")))
        })
    }

    /// Overrides the defaults in `config`.
    pub fn apply(
        &self,
        game: AnyGame,
        config: &mut LearnConfig,
        spec: &GameSpec,
    ) -> Result<(), LearnError> {
        self.check()?;
        self.check_applicable("networks that play by PUCT", |name| !ONLY_NNUE.contains(&name))?;
        set(&mut config.rules, &self.rules);
        if let Some(file) = &self.init {
            let weights = Weights::read_any(file.as_ref(), &spec.encoding)?;
            let kind: Result<NetKind, _> = config.net.parse();
            if kind.is_ok_and(|kind| kind != weights.kind) {
                config.net = weights.kind.to_string();
            }
            config.init = Some(file.clone());
        }
        config.generations = self.generations.or(config.generations);
        set(&mut config.games, &self.games);
        self.apply_self_play(&mut config.self_play);
        self.apply_training(config);
        self.apply_evaluation(config);
        if let Some(line) = &self.teacher {
            *config = config.clone().with_teacher(game, line);
        }
        if let Some(teacher) = &mut config.teacher {
            set(&mut teacher.games, &self.teacher_games);
            set(&mut teacher.generations, &self.teacher_generations);
            set(&mut teacher.q_ratio, &self.teacher_q_ratio);
            set(&mut teacher.replay_ratio, &self.teacher_replay_ratio);
            set(&mut teacher.self_play.random_plies, &self.random_plies);
            set(&mut teacher.self_play.random_move_prob, &self.random_move_prob);
        }
        Ok(())
    }

    /// Overrides the defaults in `config`, the run of an NNUE.
    pub fn apply_nnue(&self, config: &mut NnueConfig) -> Result<(), LearnError> {
        self.check()?;
        let is_applied = |name: &str| ONLY_NNUE.contains(&name) || WITH_NNUE.contains(&name);
        self.check_applicable("an NNUE", is_applied)?;
        if let Some(file) = &self.init {
            NnueWeights::read(file.as_ref())?;
        }
        config.init = self.init.clone().or_else(|| config.init.take());
        config.teacher = self.teacher.clone().or_else(|| config.teacher.take());
        config.generations = self.generations.or(config.generations);
        set(&mut config.games, &self.games);
        set(&mut config.self_play.random_plies, &self.random_plies);
        set(&mut config.self_play.random_move_prob, &self.random_move_prob);
        set(&mut config.self_play.resign_threshold, &self.resign_threshold);
        set(&mut config.self_play.max_plies, &self.max_plies);
        set(&mut config.replay_generations, &self.replay_generations);
        set(&mut config.match_games, &self.eval_games);
        if let Some(nodes) = self.nodes {
            config.player = format!("alphabeta nodes={nodes}");
        }
        let fit = &mut config.fit;
        if config.teacher.is_some() || config.init.is_some() {
            fit.q_ratio = NnueFitConfig::DEFAULT.q_ratio;
        }
        set(&mut fit.q_ratio, &self.q_ratio);
        set(&mut fit.epochs, &self.epochs);
        set(&mut fit.batch_size, &self.batch_size);
        set(&mut fit.lr, &self.lr);
        set(&mut fit.weight_decay, &self.weight_decay.map(f64::from));
        Ok(())
    }

    fn apply_self_play(&self, config: &mut SelfPlayConfig) {
        set(&mut config.sims, &self.sims);
        set(&mut config.fast_sims, &self.fast_sims);
        set(&mut config.full_search_prob, &self.full_search_prob);
        set(&mut config.gumbel_actions, &self.gumbel_actions);
        config.noise_plies = self.noise_plies.or(config.noise_plies);
        config.fpu_zero |= self.fpu_zero;
        config.automatic_draws_only |= self.automatic_draws_only;
        set(&mut config.temperature_plies, &self.temperature_plies);
        set(&mut config.random_plies, &self.random_plies);
        set(&mut config.random_move_prob, &self.random_move_prob);
        set(&mut config.draw_score, &self.draw_score);
        config.policy_target_pruning &= !self.no_policy_target_pruning;
        set(&mut config.resign_threshold, &self.resign_threshold);
        set(&mut config.resign_playthrough, &self.resign_playthrough);
        set(&mut config.max_plies, &self.max_plies);
        config.exact_endgames &= !self.no_exact_endgames;
    }

    fn apply_training(&self, config: &mut LearnConfig) {
        set(&mut config.replay_generations, &self.replay_generations);
        set(&mut config.training.replay_ratio, &self.replay_ratio);
        set(&mut config.training.batch_size, &self.batch_size);
        set(&mut config.training.lr, &self.lr);
        set(&mut config.training.lr_schedule, &self.lr_schedule);
        set(&mut config.training.weight_decay, &self.weight_decay);
        config.training.symmetries &= !self.no_symmetries;
        config.asynchronous |= self.asynchronous;
        set(&mut config.training.backend, &self.backend);
        set(&mut config.q_ratio, &self.q_ratio);
        set(&mut config.policy_surprise_weight, &self.policy_surprise_weight);
    }

    fn apply_evaluation(&self, config: &mut LearnConfig) {
        let evaluation = &mut config.evaluation;
        evaluation.gate = self.gate.or(evaluation.gate);
        if evaluation.gate.is_some() {
            evaluation.every = 1;
        }
        set(&mut evaluation.sims, &self.eval_sims);
        set(&mut evaluation.games, &self.eval_games);
        set(&mut evaluation.every, &self.eval_every);
        set(&mut evaluation.anchor_games, &self.anchor_games);
        if !self.anchor.is_empty() {
            evaluation.anchors.clone_from(&self.anchor);
        }
    }
}
