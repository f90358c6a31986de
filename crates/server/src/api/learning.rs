use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{GameEnd, MoveShape, Node, Side};

/// A learning run to start: generations of self-play, training and evaluation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLearningJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// A demonstration of about a minute instead of hours.
    #[serde(default)]
    pub quick: bool,
    /// The network: `resnet 4x32`, `mlp 128-64-32`; the default if left out.
    #[serde(default)]
    pub net: Option<String>,
    /// The number of generations; if left out, until it is stopped (3 for a quick run).
    #[serde(default)]
    pub generations: Option<usize>,
    /// Games per generation; the default if left out.
    #[serde(default)]
    pub games: Option<u64>,
    /// Simulations per move of a full search; the default if left out.
    #[serde(default)]
    pub sims: Option<u64>,
    /// A player line whose games the first generation is trained on, instead of self-play.
    #[serde(default)]
    pub teacher: Option<String>,
    /// The random seed; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// The results so far of a learning run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningView {
    /// The network architecture.
    pub net: String,
    /// The teacher whose games the first generations are trained on, if there is one.
    pub teacher: Option<String>,
    /// The rules variant; null for the default.
    pub rules: Option<String>,
    /// The best generation; 0 is the initial network.
    pub best: usize,
    /// What the curves show.
    pub findings: Vec<LearningFinding>,
    /// The generations so far.
    pub generations: Vec<LearningGeneration>,
    /// Generations whose networks are stored. As players: `puct net=job:ID/GENERATION sims=200`.
    pub networks: Vec<usize>,
    /// Generations whose training games are stored.
    pub replays: Vec<usize>,
    /// The latest training games, newest first.
    pub latest: Vec<TrainingGame>,
}

/// What the curves of a run show.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LearningFinding {
    /// The value loss rises on held-out games while it falls on training games.
    Overfitting {
        /// Its mean on held-out games over as many generations before the last ones.
        before: f64,
        /// That of the last ones.
        after: f64,
        /// How many generations are compared.
        generations: usize,
    },
    /// The last generations are not stronger than those before, within the error.
    Stalled {
        /// The generation with the highest rating before the last ones.
        since: usize,
        /// Its rating.
        elo: f64,
        /// The highest rating of the last ones.
        now: f64,
        /// The error of the difference.
        error: f64,
    },
}

/// The statistics of a generation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningGeneration {
    /// Its number, from 1.
    pub generation: usize,
    /// The player of its games: `generation 3`, or the teacher's line.
    pub player: String,
    /// The number of games.
    pub games: u64,
    /// Their mean length in plies.
    pub plies: f64,
    /// The shares of wins, draws and losses of the first side.
    pub results: [f64; 3],
    /// Positions in the training set.
    pub positions: u64,
    /// Training steps.
    pub steps: u64,
    /// The mean squared error of the value on held-out games.
    pub value_loss: f64,
    /// The same on training positions; null in runs of earlier versions.
    pub training_value_loss: Option<f64>,
    /// Cross-entropy of the policy on training positions.
    pub training_policy_loss: Option<f64>,
    /// The mean absolute error of the value on held-out games.
    pub value_error: f64,
    /// The cross-entropy of the policy on held-out games.
    pub policy_loss: f64,
    /// The score against the best generation before it; null if it was not measured.
    pub score: Option<f64>,
    /// Elo relative to the first anchor; null if it was not measured.
    pub elo: Option<f64>,
    /// Half the 95 % confidence interval of `elo`.
    pub elo_error: Option<f64>,
    /// Whether it was promoted.
    pub accepted: bool,
    /// Wall time.
    pub seconds: f64,
}

/// A training game; `POST /api/jobs/{id}/training-games/{generation}/{index}` copies it into the library.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct TrainingGame {
    /// The generation trained on it.
    pub generation: usize,
    /// Its index in the generation, from 0.
    pub index: usize,
    /// Its length in plies.
    pub plies: usize,
    /// The result.
    pub end: GameEnd,
}

/// A training game, move by move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct TrainingReplay {
    /// The generation trained on it.
    pub generation: usize,
    /// Its index in the generation, from 0.
    pub index: usize,
    /// The number of games of the generation so far.
    pub games: usize,
    /// The generation whose network played it; null for a game of the teacher.
    pub played_by: Option<usize>,
    /// The positions in order, the start first. Scores are those of the search that chose the move.
    pub nodes: Vec<Node>,
    /// The result.
    pub end: GameEnd,
}

/// The position to evaluate.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NetworkQuery {
    /// The moves from the start position, separated by spaces.
    pub moves: String,
}

/// A network's evaluation of a position, without search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct NetworkEvaluation {
    /// The board; see `Node.cells`.
    pub cells: String,
    /// The side to move.
    pub turn: Side,
    /// The value for the side to move, from -1 (lost) to 1 (won); null if the game is over.
    pub value: Option<f64>,
    /// The moves with the highest priors, highest first.
    pub moves: Vec<MovePrior>,
}

/// A network's prior of a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MovePrior {
    /// The move, as in requests.
    #[serde(rename = "move")]
    pub name: String,
    /// The move in the game's notation.
    pub label: String,
    /// What it does on the board.
    pub shape: MoveShape,
    /// The policy's probability, from 0 to 1.
    pub prior: f64,
}
