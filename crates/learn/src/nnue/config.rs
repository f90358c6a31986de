use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;
use tablero_nets::nnue::MAX_HIDDEN;

use crate::{ConfigError, SelfPlayConfig};

/// Configuration of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NnueConfig {
    /// The game.
    pub game: String,
    /// The command that created the run.
    pub command: String,
    /// Width of an accumulator.
    pub hidden: usize,
    /// The last generation; none to run until stopped.
    pub generations: Option<usize>,
    /// Games per generation.
    pub games: u64,
    /// The player of the games, to which `eval=` is added.
    pub player: String,
    /// The player of the first generation's games; none for the initial network.
    pub teacher: Option<String>,
    /// Initial weights; none for random ones.
    pub init: Option<String>,
    /// Openings, adjudication.
    pub self_play: SelfPlayConfig,
    /// Earlier generations whose games are trained on.
    pub replay_generations: usize,
    /// Training.
    pub fit: NnueFitConfig,
    /// Games of the match against the best network so far.
    pub match_games: usize,
    /// The players of that match, to which `eval=` is added.
    pub match_player: String,
}

/// Training of a network on positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NnueFitConfig {
    /// Value target mix: the weight of the search's value against the game's result.
    pub q_ratio: f64,
    /// Passes over all positions.
    pub epochs: u64,
    /// Positions per step.
    pub batch_size: usize,
    /// Learning rate of AdamW, annealed to a hundredth by half a cosine.
    pub lr: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Every n-th game is held out.
    pub holdout_every: u32,
}

impl NnueFitConfig {
    /// As measured for chess, on games of a good player.
    pub const DEFAULT: Self = Self {
        q_ratio: 0.9,
        epochs: 6,
        batch_size: 16_384,
        lr: 0.002,
        weight_decay: 0.01,
        holdout_every: 50,
    };

    /// For a run from nothing, whose first values say little: results count more.
    const FROM_NOTHING: Self = Self { q_ratio: 0.75, ..Self::DEFAULT };

    /// Checks the settings.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("q_ratio", self.q_ratio, 0.0..=1.0)?;
        ConfigError::check_min("epochs", self.epochs, 1)?;
        ConfigError::check_min("batch_size", self.batch_size as u64, 1)?;
        ConfigError::check_positive("lr", self.lr, 1.0)?;
        ConfigError::check_range("weight_decay", self.weight_decay, 0.0..=1.0)?;
        ConfigError::check_min("holdout_every", self.holdout_every.into(), 2)
    }
}

impl NnueConfig {
    /// The defaults of a game.
    pub fn standard(game: AnyGame, command: &str) -> Self {
        let self_play = SelfPlayConfig {
            full_search_prob: 1.0,
            random_plies: 10,
            random_move_prob: 0.01,
            resign_threshold: 0.98,
            ..SelfPlayConfig::for_game(game)
        };
        Self {
            game: game.name().into(),
            command: command.into(),
            hidden: 64,
            generations: None,
            games: 50_000,
            player: "alphabeta nodes=500".into(),
            teacher: None,
            init: None,
            self_play,
            replay_generations: 4,
            fit: NnueFitConfig::FROM_NOTHING,
            match_games: 200,
            match_player: "alphabeta nodes=5000".into(),
        }
    }

    /// A run that only demonstrates the process.
    pub fn quick(game: AnyGame, command: &str) -> Self {
        Self {
            hidden: 16,
            generations: Some(2),
            games: 60,
            player: "alphabeta nodes=100".into(),
            fit: NnueFitConfig {
                epochs: 4,
                batch_size: 256,
                holdout_every: 5,
                ..NnueFitConfig::FROM_NOTHING
            },
            match_games: 8,
            match_player: "alphabeta nodes=100".into(),
            ..Self::standard(game, command)
        }
    }

    /// Checks the settings.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("hidden", self.hidden as f64, 16.0..=MAX_HIDDEN as f64)?;
        ConfigError::check_min("games", self.games, 1)?;
        self.self_play.check()?;
        self.fit.check()
    }
}

/// The width in `nnue` or `nnue WIDTH`, by default 64; none if this is another network.
pub fn parse_nnue(net: &str) -> Option<usize> {
    let mut words = net.split_whitespace();
    if words.next() != Some("nnue") {
        return None;
    }
    let width = words.next().map_or(Some(64), |width| width.parse().ok());
    width.filter(|_| words.next().is_none())
}
