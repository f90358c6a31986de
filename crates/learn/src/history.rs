//! What became of a run of networks, generation by generation.

use serde::{Deserialize, Serialize};
use tablero_nets::train::Losses;

use crate::Met;

/// What a run has learned so far.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The generation to use; 0 is what the run began with.
    pub best: usize,
    /// All generations, the first one first.
    pub generations: Vec<GenerationPast>,
    /// Who met whom.
    pub meetings: Vec<Met>,
    /// Seconds that went into the generation that was under way when the run was stopped.
    #[serde(default)]
    pub unfinished: f64,
}

/// What became of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenerationPast {
    /// Its number, from 1.
    pub generation: usize,
    /// Who played its games: `generation 3`, or the teacher's line.
    pub player: String,
    /// How many games.
    pub games: u64,
    /// Their mean length in plies.
    pub plies: f64,
    /// Which share of games the first side won, drew and lost.
    pub results: [f64; 3],
    /// Positions that came new.
    pub new_positions: u64,
    /// Positions that it could learn from.
    pub positions: u64,
    /// Steps of training.
    pub steps: u64,
    /// Losses in positions of games that were kept out.
    pub held_out: Loss,
    /// Games in which nobody could resign though one wanted, and how many of these were not lost.
    pub resign_checks: [u64; 2],
    /// The score against the best generation before; none if it was not measured.
    pub score: Option<f64>,
    /// The rating, the first anchor having 0; that of later generations may change it a little.
    pub elo: Option<f64>,
    /// The true rating is within so much in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// Whether it is used.
    pub accepted: bool,
    /// How long it took.
    pub seconds: f64,
}

/// Losses in numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Mean square of the value's error.
    pub value: f64,
    /// Its mean size.
    pub value_error: f64,
    /// Cross-entropy of moves.
    pub moves: f64,
}

impl From<Losses> for Loss {
    fn from(losses: Losses) -> Self {
        Self { value: losses.value, value_error: losses.value_error, moves: losses.moves }
    }
}
