use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{EvolutionView, ExperimentView, GameEnd, LearningView};

/// The status of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Never started.
    New,
    /// Queued behind other jobs.
    Waiting,
    /// Running.
    Running,
    /// Its process was killed; can be resumed.
    Interrupted,
    /// Stopped on request; can be resumed.
    Stopped,
    /// Finished, with a result.
    Finished,
    /// Failed.
    Failed,
}

/// A job in a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobSummary {
    /// Its id: `match-3`.
    pub id: String,
    /// `match`, `tournament`, `evolution`, `learn`, `experiment`, ...
    pub kind: String,
    /// The game, if it has one.
    pub game: Option<String>,
    /// The players, if it has any.
    pub players: Vec<String>,
    /// What else it is about: genome and scheme of an evolution, network of a learning run, name of an
    /// experiment; may be empty.
    pub detail: String,
    /// Its status.
    pub status: JobStatus,
    /// Why it failed or stopped, in English; may be empty.
    pub message: String,
    /// The last progress report.
    pub progress: Option<JobProgress>,
    /// Estimated seconds left, while it is running.
    pub eta_seconds: Option<f64>,
    /// Whether this server can run it: `stop` and `resume` work.
    pub can_resume: bool,
    /// The random seed (as text: it may be greater than 2^53).
    pub seed: String,
    /// Unix time.
    pub created: f64,
}

/// The progress of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobProgress {
    /// Steps done (games, ...).
    pub done: u64,
    /// Steps in total, if known.
    pub total: Option<u64>,
    /// The current stage, if the job has several.
    pub stage: Option<JobStage>,
    /// What is being done, in English; may be empty.
    pub message: String,
    /// Metrics: `elo`, `elo_error`, `games/s`, ...
    pub metrics: Vec<Metric>,
}

/// A stage of a job that works in generations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobStage {
    /// Its name: `games`, `training`, `evaluation`.
    pub name: String,
    /// The generation, from 1.
    pub generation: u64,
}

/// A metric of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A progress report with its time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobEvent {
    /// Unix time.
    pub at: f64,
    /// The report.
    pub progress: JobProgress,
}

/// A job with its results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// As in the list.
    pub summary: JobSummary,
    /// Its configuration.
    #[schema(value_type = Object)]
    pub config: serde_json::Value,
    /// Its progress reports, for curves: at most 500, evenly sampled.
    pub events: Vec<JobEvent>,
    /// The results so far of a match or tournament.
    pub crosstable: Option<Crosstable>,
    /// The number of games that can be replayed.
    pub games: usize,
    /// The results so far of an evolution.
    pub evolution: Option<EvolutionView>,
    /// The results so far of a learning run.
    pub learning: Option<LearningView>,
    /// The experiment, with its report once it is finished.
    pub experiment: Option<ExperimentView>,
}

/// The crosstable of a match or tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Crosstable {
    /// The players, in the order of the configuration.
    pub players: Vec<CrosstableRow>,
    /// The statistics of a match of two; null for tournaments.
    pub match_stats: Option<MatchStats>,
}

/// The statistics of a match, for the first player against the second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct MatchStats {
    /// The Elo difference; null if one player won every game.
    pub elo: Option<f64>,
    /// Half the 95 % confidence interval of `elo`.
    pub elo_error: Option<f64>,
    /// Likelihood of superiority.
    pub los: f64,
    /// The pentanomial: pairs of games in which the first player scored 0, 1/2, 1, 3/2 and 2.
    pub pentanomial: [u64; 5],
    /// The state of the SPRT, if the match is one.
    pub sprt: Option<SprtState>,
}

/// The state of a sequential probability ratio test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct SprtState {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// H0 is accepted at this ratio.
    pub lower: f64,
    /// H1 is accepted at this ratio.
    pub upper: f64,
}

/// A player in the crosstable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct CrosstableRow {
    /// The player line.
    pub player: String,
    /// Elo relative to the mean of all players; null if unknown.
    pub elo: Option<f64>,
    /// Half the 95 % confidence interval of `elo`.
    pub elo_error: Option<f64>,
    /// Games played.
    pub games: u64,
    /// Points: 1 for a win, 1/2 for a draw.
    pub points: f64,
    /// Wins, draws and losses against each player of the list.
    pub against: Vec<[u64; 3]>,
    /// Wins, draws and losses as the first and as the second side.
    pub by_side: [[u64; 3]; 2],
    /// The mean margin as first side against each player of the list as second side, over games that were
    /// played to the end. Empty for games without a margin.
    pub margins: Vec<Option<f64>>,
}

/// A match or tournament to play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewArenaJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the default if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The player lines: two for a match, more for a round-robin tournament.
    pub players: Vec<String>,
    /// Games per pairing, rounded up to pairs of games from the same opening with colours swapped.
    pub games: usize,
    /// `start`, `random=PLIES`, `book`, `book=PLIES`, `balanced`; `balanced` if left out.
    #[serde(default)]
    pub openings: Option<String>,
    /// Time per move, in milliseconds.
    #[serde(default)]
    pub move_ms: Option<u64>,
    /// A clock for each player: seconds, or seconds+increment, such as `10+0.1`.
    #[serde(default)]
    pub clock: Option<String>,
    /// Nodes per move.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Search depth in plies.
    #[serde(default)]
    pub depth: Option<u32>,
    /// SPRT bounds elo0 and elo1: the match ends when one of the hypotheses is accepted.
    #[serde(default)]
    pub sprt: Option<[f64; 2]>,
    /// The random seed of openings and players; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Which of a job's games.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobGamesQuery {
    /// The page, from 0.
    pub page: usize,
    /// Games per page, at most 500; 100 if left out.
    pub per_page: Option<usize>,
}

/// Games of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobGames {
    /// The number of games.
    pub total: usize,
    /// The page, from 0.
    pub page: usize,
    /// Games per page.
    pub per_page: usize,
    /// The games.
    pub games: Vec<JobGame>,
}

/// A game of a job; `POST /api/jobs/{id}/games/{index}` copies it into the library.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobGame {
    /// Its index, from 0.
    pub index: usize,
    /// The players of the first and second side: their indices in the configuration.
    pub players: [usize; 2],
    /// The result.
    pub end: GameEnd,
    /// The loser's error, if the game was forfeited, in English.
    pub fault: Option<String>,
}
