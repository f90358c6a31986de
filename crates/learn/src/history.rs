//! The history of a learning run, generation by generation.

use serde::{Deserialize, Serialize};
use tablero_nets::train::Losses;

use crate::MatchScore;
use crate::ratings::generation_number;

/// The history of a run, its checkpoint and result.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LearningHistory {
    /// The best generation; 0 is the initial network.
    pub best: usize,
    /// Finished generations, in order.
    pub generations: Vec<GenerationStats>,
    /// Evaluation matches.
    pub matches: Vec<MatchScore>,
    /// Seconds spent on the generation that was interrupted.
    #[serde(default)]
    pub unfinished_seconds: f64,
}

/// Statistics of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenerationStats {
    /// Its number, from 1.
    pub generation: usize,
    /// The player of its games: `generation 3`, or the teacher's player line.
    pub player: String,
    /// Games played.
    pub games: u64,
    /// Mean length of its games.
    pub mean_plies: f64,
    /// Shares of wins, draws and losses of the first side.
    pub results: [f64; 3],
    /// Positions added to the replay buffer.
    pub new_positions: u64,
    /// Positions in the replay buffer.
    pub buffer_positions: u64,
    /// Training steps.
    pub steps: u64,
    /// Losses on held-out games.
    pub held_out: Loss,
    /// Losses on a sample of the training positions; none in files of earlier versions.
    #[serde(default)]
    pub training: Option<Loss>,
    /// Games played on past a resignation, and false resignations among them.
    pub resign_checks: [u64; 2],
    /// The score against the generation evaluated before (with gating, the best one), if evaluated.
    pub score: Option<f64>,
    /// The Elo rating above the first anchor when the generation was evaluated; later matches shift it a little.
    pub elo: Option<f64>,
    /// Its 95 % error margin.
    pub elo_error: Option<f64>,
    /// Whether it became the best generation.
    pub promoted: bool,
    /// Wall-clock time.
    pub seconds: f64,
}

impl GenerationStats {
    /// The generation whose network played its games; none if a teacher did.
    pub fn playing_generation(&self) -> Option<usize> {
        generation_number(&self.player)
    }
}

/// Losses, as stored and reported.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Mean squared error of the value.
    pub value: f64,
    /// Mean absolute error of the value.
    pub value_error: f64,
    /// Cross-entropy of the policy.
    pub policy: f64,
}

impl From<Losses> for Loss {
    fn from(losses: Losses) -> Self {
        Self { value: losses.value, value_error: losses.value_error, policy: losses.policy }
    }
}
