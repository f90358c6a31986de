use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{EvolutionView, GameEnd, LearningView};

/// Where a job stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Never started.
    New,
    /// Waits for other jobs to end.
    Waiting,
    /// Under way.
    Running,
    /// Its process ended without saying why; can be resumed.
    Interrupted,
    /// Stopped on request; can be resumed.
    Stopped,
    /// Done; there is a result.
    Finished,
    /// Could not go on.
    Failed,
}

/// A job in a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobSummary {
    /// Its name: `match-3`.
    pub id: String,
    /// `match`, `tournament`, `evolution`, `learn`, ...
    pub kind: String,
    /// Which game, if it is about one.
    pub game: Option<String>,
    /// The players, if it has any.
    pub players: Vec<String>,
    /// What else it is about, in a few words: the genome and the scheme of an evolution, the network of
    /// a learning run; may be empty.
    pub detail: String,
    /// Where it stands.
    pub status: JobStatus,
    /// Why it failed or stopped; may be empty.
    pub message: String,
    /// How far it is, if it told.
    pub progress: Option<JobProgress>,
    /// Seconds that it will probably still take, while it runs.
    pub seconds_left: Option<f64>,
    /// Whether this server can go on with it: `stop` and `resume` work.
    pub can_resume: bool,
    /// Where its randomness comes from (as text: it may be greater than 2^53).
    pub seed: String,
    /// Seconds since 1970 (UTC).
    pub created: f64,
}

/// How far a job is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobProgress {
    /// Steps done (games, ...).
    pub done: u64,
    /// Steps in all, if that is known.
    pub total: Option<u64>,
    /// What is going on; may be empty.
    pub message: String,
    /// Numbers worth watching: `elo`, `elo_error`, `games/s`, ...
    pub figures: Vec<Figure>,
}

/// A named number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Figure {
    /// What it measures.
    pub name: String,
    /// How much.
    pub value: f64,
}

/// What a job told, with its time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobEvent {
    /// Seconds since 1970 (UTC).
    pub at: f64,
    /// What it told.
    pub progress: JobProgress,
}

/// A job with all that is known of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// As in the list.
    pub summary: JobSummary,
    /// Its configuration, as it was given.
    #[schema(value_type = Object)]
    pub config: serde_json::Value,
    /// What it told so far, for curves (at most 500 events, evenly chosen).
    pub events: Vec<JobEvent>,
    /// The result so far, while it runs too; for matches and tournaments that have games.
    pub table: Option<Crosstable>,
    /// How many games there are to look at.
    pub games: usize,
    /// The generations so far, if it is an evolution.
    pub evolution: Option<EvolutionView>,
    /// The generations so far, if it is a learning run.
    pub learning: Option<LearningView>,
}

/// Everyone against everyone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Crosstable {
    /// The players, in the order of the configuration.
    pub players: Vec<CrosstableRow>,
    /// What a match of two says; null for tournaments.
    pub duel: Option<Duel>,
}

/// The first player of a match against the second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Duel {
    /// How many rating points the first player is above the second; null if one won every game.
    pub elo: Option<f64>,
    /// The true difference is within so much of it in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// How likely the first player is the better one.
    pub los: f64,
    /// Pairs of games in which the first player scored 0, 1/2, 1, 3/2 and 2.
    pub pairs: [u64; 5],
    /// The test's log-likelihood ratio with its lower and upper bound, if the match is a test.
    pub sprt: Option<[f64; 3]>,
}

/// A player in the crosstable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct CrosstableRow {
    /// The player line.
    pub player: String,
    /// Rating points above the mean of all players; null if nothing can be said yet.
    pub elo: Option<f64>,
    /// The true rating is within so much of it in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// Games played.
    pub games: u64,
    /// Points: 1 for a win, 1/2 for a draw.
    pub points: f64,
    /// Against each player of the list, both colours together: wins, draws, losses.
    pub against: Vec<[u64; 3]>,
    /// By how much this player, on the first side, won against each of the list on the second; the
    /// mean of their games that were played to the end. Empty for games without a margin.
    pub margins: Vec<Option<f64>>,
}

/// A match or tournament to play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewArenaJob {
    /// Which game.
    pub game: String,
    /// The rules variant; the usual one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The player lines: two are a match, more a tournament of everyone against everyone.
    pub players: Vec<String>,
    /// Games that each two play against each other; pairs from the same opening with colours swapped,
    /// so an odd number gets one more.
    pub games: usize,
    /// `start`, `random=PLIES`, `book`, `book=PLIES`; the game's usual ones if left out.
    #[serde(default)]
    pub openings: Option<String>,
    /// Time for every move, in milliseconds.
    #[serde(default)]
    pub move_ms: Option<u64>,
    /// A clock for each player: seconds, or seconds+increment, such as `10+0.1`.
    #[serde(default)]
    pub clock: Option<String>,
    /// Positions that a player may look at for a move.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Plies that a player may look ahead.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Ends a match as soon as a difference of the first or of the second so many Elo is proven.
    #[serde(default)]
    pub sprt: Option<[f64; 2]>,
    /// Names openings and whatever players do at random; 1 if left out.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Which of a job's games.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobGamesQuery {
    /// Which page, from 0.
    pub page: usize,
    /// Games on a page, at most 500; 100 if left out.
    pub per_page: Option<usize>,
}

/// Games of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobGames {
    /// How many there are in all.
    pub total: usize,
    /// Which page this is, from 0.
    pub page: usize,
    /// Games on a page.
    pub per_page: usize,
    /// The games.
    pub games: Vec<JobGame>,
}

/// A game of a job; `POST /api/jobs/{id}/games/{index}` puts it into the library to replay it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobGame {
    /// Its number, from 0.
    pub index: usize,
    /// The players of the first and the second side: their places in the configuration.
    pub players: [usize; 2],
    /// How it ended.
    pub end: GameEnd,
    /// What the loser did wrong, if the game was forfeited.
    pub fault: Option<String>,
}
