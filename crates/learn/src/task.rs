//! Self-play tasks as plain data.

use serde::{Deserialize, Serialize};

use crate::SelfPlayConfig;

/// A task of self-play games, with all that they depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayTask {
    /// The game.
    pub game: String,
    /// The rules; empty for the default ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// The player.
    pub source: Source,
    /// Game and search settings.
    pub config: SelfPlayConfig,
    /// The seed; each game has its own random stream.
    pub seed: u64,
    /// The index of the first game.
    pub first: u64,
    /// The number of games.
    pub count: u64,
    /// Whether to record times per move, which makes games irreproducible.
    #[serde(default)]
    pub record_times: bool,
    /// The opponent, a player line, that the player meets with alternating sides; none if it plays itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// The player's Elo rating, if known; stored with every game. Against an opponent it is the initial rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}

/// The player of self-play games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Source {
    /// The network in this file.
    Net(String),
    /// Any player, by its player line.
    Teacher(String),
}

impl SelfPlayTask {
    /// The provenance entry of networks that learn from these games.
    pub fn provenance(&self) -> String {
        let player = match &self.source {
            Source::Net(file) => format!("network {file}"),
            Source::Teacher(line) => format!("`{line}`"),
        };
        let mut parts = Vec::new();
        if let Some(opponent) = &self.opponent {
            parts.push(format!("against `{opponent}`"));
        }
        if self.config.random_plies > 0 {
            parts.push(format!("up to {} random opening plies", self.config.random_plies));
        }
        if self.config.random_move_prob > 0.0 {
            parts.push(format!("random move probability {}", self.config.random_move_prob));
        }
        if self.config.resign_threshold < 1.0 {
            let SelfPlayConfig { resign_threshold, resign_playthrough, .. } = self.config;
            parts.push(format!(
                "resign threshold {resign_threshold}, playthrough {resign_playthrough}"
            ));
        }
        parts.push(format!("max {} plies", self.config.max_plies));
        parts.push(format!("seed {}", self.seed));
        format!("{} games of {player}: {}", self.count, parts.join(", "))
    }
}
