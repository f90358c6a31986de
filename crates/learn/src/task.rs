//! Self-play as tasks: plain data, for any executor.

use serde::{Deserialize, Serialize};

use crate::Style;

/// The task of playing some games; it holds all that they depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesTask {
    /// Which game.
    pub game: String,
    /// By which rules; empty for the usual ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// Who plays.
    pub source: Source,
    /// How.
    pub style: Style,
    /// Where all randomness comes from, together with the number of a game.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub count: u64,
    /// Keep how long moves took: such games are never the same twice.
    #[serde(default)]
    pub keep_times: bool,
    /// How strong the player is, if that is known; kept with every game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}

/// Who plays games to learn from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Source {
    /// The network in this file, against itself.
    Net(String),
    /// Any player, against itself; its line.
    Teacher(String),
}

impl GamesTask {
    /// How the games were played, for the past of what learned from them.
    pub fn past(&self) -> String {
        let who = match &self.source {
            Source::Net(file) => format!("the network {file}"),
            Source::Teacher(line) => format!("`{line}`"),
        };
        let mut parts = Vec::new();
        if self.style.random_plies > 0 {
            parts.push(format!("up to {} random moves first", self.style.random_plies));
        }
        if self.style.random_share > 0.0 {
            parts.push(format!("a share of {} later", self.style.random_share));
        }
        if self.style.resign_at < 1.0 {
            let Style { resign_at, resign_check, .. } = self.style;
            parts.push(format!("resigned below -{resign_at} but in {resign_check} of games"));
        }
        parts.push(format!("at most {} plies", self.style.longest));
        parts.push(format!("seed {}", self.seed));
        format!("{} games of {who}: {}", self.count, parts.join(", "))
    }
}
