use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GameEnd, MoveShape, Side};

/// A learning run to start: a network plays itself, learns from the games, and is measured, again and
/// again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLearningJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the usual one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// A run of a minute that shows how learning goes on, instead of one of hours.
    #[serde(default)]
    pub quick: bool,
    /// The kind of network: `resnet 4x32`, `mlp 128-64-32`; the usual one if left out.
    #[serde(default)]
    pub net: Option<String>,
    /// It is over after so many generations; until it is stopped if left out (a quick one has 3).
    #[serde(default)]
    pub generations: Option<usize>,
    /// Games of a generation; the usual number if left out.
    #[serde(default)]
    pub games: Option<u64>,
    /// Simulations for a move that is learned from; the usual number if left out.
    #[serde(default)]
    pub sims: Option<u64>,
    /// A player line whose games the first generation learns from, instead of the network's own.
    #[serde(default)]
    pub teacher: Option<String>,
    /// Names whatever is random; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// What a learning run has come to so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningView {
    /// The kind of network.
    pub net: String,
    /// Whose games the first generations learn from, if not the network's own.
    pub teacher: Option<String>,
    /// The rules, if not the usual ones.
    pub rules: Option<String>,
    /// The generation to use; 0 is what the run began with.
    pub best: usize,
    /// The generations so far.
    pub generations: Vec<LearningPoint>,
    /// Generations whose networks are there. As players: `puct net=job:ID/GENERATION sims=200`.
    pub networks: Vec<usize>,
    /// The newest games to learn from, the newest first.
    pub latest: Vec<LearningGame>,
}

/// A generation in numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningPoint {
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
    /// Positions that it could learn from.
    pub positions: u64,
    /// Steps of training.
    pub steps: u64,
    /// Mean square of the value's error, in games that were kept out.
    pub value_loss: f64,
    /// Its mean size.
    pub value_error: f64,
    /// Cross-entropy of moves, in games that were kept out.
    pub policy_loss: f64,
    /// The score against the best generation before; null if it was not measured.
    pub score: Option<f64>,
    /// The rating, the first anchor having 0; null if it was not measured.
    pub elo: Option<f64>,
    /// The true rating is within so much in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// Whether it is used.
    pub accepted: bool,
    /// How long it took.
    pub seconds: f64,
}

/// A game that was played to learn from; `POST /api/jobs/{id}/lessons/{generation}/{index}` puts it into
/// the library to replay it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningGame {
    /// The generation that learns from it.
    pub generation: usize,
    /// Its number in the generation, from 0.
    pub index: usize,
    /// How long it was.
    pub plies: usize,
    /// How it ended.
    pub end: GameEnd,
}

/// Which position a network is asked about.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OpinionQuery {
    /// The moves from the usual start, separated by blanks.
    pub moves: String,
}

/// What a network thinks of a position, without any search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Opinion {
    /// The board; see `Node.cells`.
    pub cells: String,
    /// Who is to move.
    pub turn: Side,
    /// What the side to move can expect, from -1 (lost) to 1 (won); null if the game is over.
    pub value: Option<f64>,
    /// The likeliest moves, the likeliest first.
    pub moves: Vec<MoveOpinion>,
}

/// What a network thinks of a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MoveOpinion {
    /// The move, as requests name it.
    #[serde(rename = "move")]
    pub name: String,
    /// The move, as people write it.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
    /// How likely it looks to be the best, from 0 to 1.
    pub prior: f64,
}
