//! The configuration of a learning run.

use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;
use tablero_nets::NetKind;

use crate::self_play_config::is_false;
use crate::{ConfigError, GameSpec, LrSchedule, SelfPlayConfig, TrainingBackend};

const MAX_REPLAY_RATIO: f64 = 1e6;
const MAX_BATCH_SIZE: f64 = 65_536.0;

/// The configuration of a learning run: with the seed, all that its result depends on.
///
/// ```
/// use tablero_core::AnyGame;
/// use tablero_learn::{ConfigError, GameSpec, LearnConfig};
/// use tablero_tictactoe::TicTacToe;
///
/// let mut config = LearnConfig::quick(AnyGame::of::<TicTacToe>(), "tablero learn tictactoe --quick");
/// let spec = GameSpec::of::<TicTacToe>();
/// assert_eq!(config.check(&spec), Ok(()));
/// config.q_ratio = 1.5;
/// assert!(matches!(config.check(&spec), Err(ConfigError::OutOfRange { setting: "q_ratio", .. })));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnConfig {
    /// The command that created the run, for its provenance.
    pub command: String,
    /// The game.
    pub game: String,
    /// The rules; empty for the default ones.
    #[serde(default)]
    pub rules: String,
    /// The architecture, a [`NetKind`].
    pub net: String,
    /// A file with initial weights; none for random ones.
    #[serde(default)]
    pub init: Option<String>,
    /// A player that plays the games of the first generations instead of the network.
    #[serde(default)]
    pub teacher: Option<TeacherConfig>,
    /// Self-play settings.
    pub self_play: SelfPlayConfig,
    /// Games per generation.
    pub games: u64,
    /// The last generation; none to run until cancelled.
    pub generations: Option<usize>,
    /// Earlier generations whose games are in the replay buffer, besides the current one.
    pub replay_generations: usize,
    /// Training settings.
    pub training: TrainingConfig,
    /// Whether games of the next generation are played during training, by the best network so far. How many
    /// depends on the time that training takes, so the run cannot be reproduced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub asynchronous: bool,
    /// Value target mix of self-play games: the weight of the search's root value (Q) against the game's
    /// result (Z); lc0's `q_ratio`.
    pub q_ratio: f64,
    /// The share of sampling weight assigned by policy surprise (KataGo: 0.5).
    pub policy_surprise_weight: f64,
    /// Every n-th game is held out of training, for validation.
    pub holdout_every: u32,
    /// Evaluation and gating settings.
    pub evaluation: EvaluationConfig,
}

/// A teacher: a player whose games are learned from before self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeacherConfig {
    /// The player line.
    pub player: String,
    /// Generations that it plays.
    pub generations: usize,
    /// Games per generation.
    pub games: u64,
    /// Settings of its games; those of the search do not apply.
    pub self_play: SelfPlayConfig,
    /// Value target mix: the weight of the teacher's evaluation against the game's result.
    pub q_ratio: f64,
    /// Training samples per new position.
    pub replay_ratio: f64,
}

/// Training settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    /// Training samples per new position (KataGo: 4).
    pub replay_ratio: f64,
    /// Samples per step.
    pub batch_size: usize,
    /// AdamW's learning rate (Hatchet1: 0.0001).
    pub lr: f64,
    /// The learning-rate schedule within a generation.
    pub lr_schedule: LrSchedule,
    /// Decoupled weight decay.
    pub weight_decay: f32,
    /// Whether samples are augmented by random board symmetries.
    pub symmetries: bool,
    /// The training backend.
    #[serde(default)]
    pub backend: TrainingBackend,
}

/// Evaluation and gating settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Generations between evaluations, besides the first and the last generation; 0 for never.
    pub every: usize,
    /// Simulations per move.
    pub sims: u64,
    /// Games against the generation evaluated before; with gating, against the best one.
    pub games: usize,
    /// Gating: the score against the best generation that a new one needs to be promoted (AlphaGo Zero: 0.55);
    /// none promotes every one (AlphaZero).
    pub gate: Option<f64>,
    /// Fixed opponents that anchor the ratings, the first at 0 Elo.
    pub anchors: Vec<String>,
    /// Games against each anchor.
    pub anchor_games: usize,
}

impl LearnConfig {
    /// The defaults for a game: a run of hours.
    pub fn for_game(game: AnyGame, command: &str) -> Self {
        let defaults = game.learning_defaults();
        Self {
            command: command.into(),
            game: game.name().into(),
            rules: String::new(),
            net: defaults.net.into(),
            init: None,
            teacher: None,
            self_play: SelfPlayConfig { exact_endgames: true, ..SelfPlayConfig::for_game(game) },
            games: defaults.games as u64,
            generations: None,
            replay_generations: 10,
            training: TrainingConfig {
                replay_ratio: 4.0,
                batch_size: 128,
                lr: 0.001,
                lr_schedule: LrSchedule::Cosine,
                weight_decay: 0.0001,
                symmetries: true,
                backend: TrainingBackend::Native,
            },
            asynchronous: false,
            q_ratio: 0.5,
            policy_surprise_weight: 0.5,
            holdout_every: 20,
            evaluation: EvaluationConfig {
                // Rare and large: few games at every generation would hide in their errors what it gained.
                every: 5,
                sims: 32,
                games: 100,
                gate: None,
                anchors: defaults.anchors.iter().map(|&line| line.into()).collect(),
                anchor_games: 50,
            },
        }
    }

    /// A run of seconds to a minute: enough to see the loop work, too short for a strong player.
    pub fn quick(game: AnyGame, command: &str) -> Self {
        let mut config = Self::for_game(game, command);
        config.net = game.learning_defaults().quick_net.into();
        config.games = 24;
        config.generations = Some(3);
        config.self_play.sims = 8;
        config.self_play.fast_sims = 4;
        config.self_play.max_plies = 120;
        config.training.batch_size = 32;
        config.evaluation.every = 1;
        config.evaluation.sims = 8;
        config.evaluation.games = 4;
        config.evaluation.anchor_games = 4;
        config.evaluation.anchors.truncate(2);
        config
    }

    /// Adds a teacher for the first generation.
    pub fn with_teacher(mut self, game: AnyGame, player: &str) -> Self {
        let self_play = SelfPlayConfig {
            full_search_prob: 1.0,
            random_plies: game.learning_defaults().teacher_random_plies,
            random_move_prob: 0.05,
            resign_threshold: 1.0,
            ..self.self_play.clone()
        };
        self.teacher = Some(TeacherConfig {
            player: player.into(),
            generations: 1,
            games: 4 * self.games,
            self_play,
            q_ratio: 0.75,
            replay_ratio: 6.0,
        });
        self
    }

    /// The teacher that plays the games of a generation, counted from 1, if any.
    pub fn teacher_of(&self, generation: usize) -> Option<&TeacherConfig> {
        self.teacher.as_ref().filter(|teacher| generation <= teacher.generations)
    }

    /// The parsed architecture.
    pub(crate) fn kind(&self) -> Result<NetKind, ConfigError> {
        Ok(self.net.parse()?)
    }

    /// Checks the configuration against the game.
    pub fn check(&self, game: &GameSpec) -> Result<(), ConfigError> {
        let name = game.name();
        if self.game != name {
            return Err(ConfigError::WrongGame { found: self.game.clone(), expected: name });
        }
        if !self.rules.is_empty() && !game.has_rules(&self.rules) {
            return Err(ConfigError::UnknownRules { game: name, rules: self.rules.clone() });
        }
        self.kind()?.check(&game.encoding)?;
        self.self_play.check()?;
        if let Some(teacher) = &self.teacher {
            teacher.self_play.check()?;
            ConfigError::check_min("teacher_games", teacher.games, 1)?;
            ConfigError::check_range("teacher_q_ratio", teacher.q_ratio, 0.0..=1.0)?;
            ConfigError::check_positive(
                "teacher_replay_ratio",
                teacher.replay_ratio,
                MAX_REPLAY_RATIO,
            )?;
        }
        ConfigError::check_min("games", self.games, 1)?;
        ConfigError::check_min("holdout_every", self.holdout_every.into(), 2)?;
        ConfigError::check_range("q_ratio", self.q_ratio, 0.0..=1.0)?;
        ConfigError::check_range("policy_surprise_weight", self.policy_surprise_weight, 0.0..=1.0)?;
        self.training.check()?;
        self.evaluation.check()
    }
}

impl TrainingConfig {
    fn check(&self) -> Result<(), ConfigError> {
        self.backend.check()?;
        ConfigError::check_positive("replay_ratio", self.replay_ratio, MAX_REPLAY_RATIO)?;
        ConfigError::check_range("batch_size", self.batch_size as f64, 2.0..=MAX_BATCH_SIZE)?;
        ConfigError::check_positive("lr", self.lr, 1.0)?;
        ConfigError::check_range("weight_decay", self.weight_decay.into(), 0.0..=1.0)
    }
}

impl EvaluationConfig {
    fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_min("eval_sims", self.sims, 1)?;
        let Some(gate) = self.gate else { return Ok(()) };
        ConfigError::check_range("gate", gate, 0.0..=1.0)?;
        let has_matches = self.games > 0 && self.every == 1;
        if has_matches { Ok(()) } else { Err(ConfigError::GatingWithoutMatches) }
    }
}
