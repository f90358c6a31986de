use serde::{Deserialize, Serialize};
use tablero_core::AnyGame;

use crate::ConfigError;

const MAX_SIMS: f64 = 1_048_576.0;

/// Settings of self-play games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Simulations of a full search, whose position becomes a training target (Hatchet1: 20, always).
    pub sims: u64,
    /// Simulations of a fast search (KataGo: playout cap randomization).
    pub fast_sims: u64,
    /// The probability of a full search (KataGo: 0.25).
    pub full_search_prob: f64,
    /// Actions considered at the root by Gumbel AlphaZero's sequential halving (16 there); 0 for PUCT with
    /// Dirichlet noise (AlphaZero).
    pub gumbel_actions: usize,
    /// Plies with noise at the root; as many as `temperature_plies` if none (Hatchet1: 30).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_plies: Option<usize>,
    /// Plies with temperature 1, sampled; after them the best move is played (Hatchet1: 40).
    pub temperature_plies: usize,
    /// First-play urgency 0 (Hatchet1) instead of the parent's value less a reduction.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fpu_zero: bool,
    /// The game starts with 0 to this many uniformly random moves.
    pub random_plies: usize,
    /// The probability of a random move later on, after the position was searched.
    pub random_move_prob: f64,
    /// The value of a draw for the side that brings it about, below 0 for contempt (Hatchet1: -0.5).
    pub draw_score: f32,
    /// Whether `draw_score` applies only to draws on the board (stalemate) and to those by repetition or move limit
    /// that nobody has to claim (Hatchet1); others are worth 0.
    #[serde(default, skip_serializing_if = "is_false")]
    pub automatic_draws_only: bool,
    /// Removes visits that only noise explains from policy targets (KataGo: policy target pruning). Without
    /// effect on Gumbel search, whose targets are completed Q-values.
    pub policy_target_pruning: bool,
    /// A side resigns when its value is below minus this three times in a row; 1 for never.
    pub resign_threshold: f64,
    /// The share of games played on without resigning, to measure false resignations (AlphaGo Zero: 0.1).
    pub resign_playthrough: f64,
    /// Longer games are drawn.
    pub max_plies: usize,
    /// Whether endgames that the game's solver solves at once are played exactly: their values, and the results of
    /// games, are those of perfect play.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact_endgames: bool,
}

impl SelfPlayConfig {
    /// The defaults for a game.
    pub fn for_game(game: AnyGame) -> Self {
        let defaults = game.learning_defaults();
        Self {
            sims: 32,
            fast_sims: 8,
            full_search_prob: defaults.full_search_prob,
            gumbel_actions: 16,
            noise_plies: None,
            temperature_plies: defaults.temperature_plies,
            fpu_zero: false,
            random_plies: defaults.random_plies,
            random_move_prob: defaults.random_move_prob,
            draw_score: defaults.draw,
            automatic_draws_only: false,
            policy_target_pruning: true,
            resign_threshold: 0.95,
            resign_playthrough: 0.1,
            max_plies: 400,
            exact_endgames: false,
        }
    }

    /// Checks the settings.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_positive("full_search_prob", self.full_search_prob, 1.0)?;
        ConfigError::check_range("random_move_prob", self.random_move_prob, 0.0..=1.0)?;
        ConfigError::check_range("resign_threshold", self.resign_threshold, 0.0..=1.0)?;
        ConfigError::check_range("resign_playthrough", self.resign_playthrough, 0.0..=1.0)?;
        ConfigError::check_range("draw_score", self.draw_score.into(), -1.0..=1.0)?;
        ConfigError::check_range("sims", self.sims as f64, 1.0..=MAX_SIMS)?;
        ConfigError::check_min("fast_sims", self.fast_sims, 1)?;
        ConfigError::check_range("max_plies", self.max_plies as f64, 1.0..=f64::from(u16::MAX))
    }
}

/// Settings at their old value are left out of files, which earlier versions then read.
pub(crate) const fn is_false(setting: &bool) -> bool {
    !*setting
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;

    use super::*;

    #[test]
    fn settings_of_earlier_versions_are_read() {
        let config = SelfPlayConfig::for_game(AnyGame::of::<Chess>());
        let json = serde_json::to_string(&config).expect("JSON");
        assert!(!json.contains("noise_plies") && !json.contains("fpu_zero"), "{json}");
        assert_eq!(serde_json::from_str::<SelfPlayConfig>(&json).expect("read"), config);
    }
}
