use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ErrorBody, GameView, JobSummary, Score, Side};

/// A message to the WebSocket `/api/ws`, one JSON object each.
///
/// `request` is an id that the client chooses for a search; its messages carry it. A search with the id of a
/// running one replaces it. Closing the socket stops its searches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Subscribes to a game: it is sent now and on every change. While a game has subscribers its clock
    /// runs, and engines play each other.
    Watch {
        /// The game's id.
        game: String,
    },
    /// Ends the subscription to a game.
    Unwatch {
        /// The game's id.
        game: String,
    },
    /// Subscribes to jobs: all are sent now, and each on every change.
    WatchJobs,
    /// Ends the subscription to jobs.
    UnwatchJobs,
    /// Analyses a position until it is stopped.
    Analyse {
        /// The id of the search.
        request: u32,
        /// The position.
        target: AnalysisTarget,
        /// The number of principal variations; 1 if left out.
        #[serde(default = "one")]
        multipv: usize,
        /// Threads; 1 if left out.
        #[serde(default = "one")]
        threads: usize,
        /// Hash size in megabytes.
        #[serde(default)]
        hash_mb: Option<usize>,
        /// The player line of the engine; the game's default analyst if left out.
        #[serde(default)]
        player: Option<String>,
    },
    /// Reviews a game's main line; the result is stored in the game.
    Review {
        /// The id of the search.
        request: u32,
        /// The game's id.
        game: String,
        /// Time per move, in milliseconds.
        #[serde(default)]
        move_ms: Option<u64>,
        /// Nodes per move instead, which makes the review deterministic.
        #[serde(default)]
        nodes: Option<u64>,
        /// The player line of the engine; the game's default analyst if left out.
        #[serde(default)]
        player: Option<String>,
    },
    /// Compares two players along a game's main line; the result is sent once.
    Compare {
        /// The id of the search.
        request: u32,
        /// The game's id.
        game: String,
        /// The player lines.
        players: [String; 2],
        /// The player line of the judge; the game's default analyst if left out.
        #[serde(default)]
        judge: Option<String>,
        /// Time of the players per position, in milliseconds; the judge has four times as much.
        #[serde(default)]
        move_ms: Option<u64>,
    },
    /// Stops a search.
    Stop {
        /// Its id.
        request: u32,
    },
}

const fn one() -> usize {
    1
}

/// A position to analyse.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AnalysisTarget {
    /// A node of a game.
    Node {
        /// The game's id.
        game: String,
        /// The node.
        node: u32,
    },
    /// Any position.
    Position {
        /// The game's name.
        game: String,
        /// The rules variant; the default if left out.
        #[serde(default)]
        rules: Option<String>,
        /// The position as text; the default start if left out.
        #[serde(default)]
        position: Option<String>,
        /// Moves from there.
        #[serde(default)]
        moves: Vec<String>,
    },
}

/// A message from the WebSocket, one JSON object each.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "messages are created, sent and dropped one by one")]
pub enum ServerMessage {
    /// A game, or its changes.
    Game {
        /// The game or its changes.
        view: GameView,
    },
    /// A game was deleted.
    GameDeleted {
        /// The game's id.
        game: String,
    },
    /// A report of an analysis.
    Analysis {
        /// The id of the search.
        request: u32,
        /// The report.
        report: AnalysisReport,
    },
    /// The progress of a review or comparison.
    ReviewProgress {
        /// The id of the search.
        request: u32,
        /// Moves evaluated.
        done: usize,
        /// Moves in total.
        total: usize,
    },
    /// The result of a comparison.
    Comparison {
        /// The id of the search.
        request: u32,
        /// The result.
        comparison: ComparisonView,
    },
    /// A search is queued.
    Queued {
        /// The id of the search.
        request: u32,
    },
    /// A search has ended; this is its last message. (The result of a review is in the game, whose message
    /// may come before or after this one.)
    Done {
        /// The id of the search.
        request: u32,
        /// Why it ended.
        reason: DoneReason,
    },
    /// A job, new or changed.
    Job {
        /// The job.
        job: JobSummary,
    },
    /// A job was deleted.
    JobDeleted {
        /// The job's id.
        job: String,
    },
    /// A message was invalid, or a search failed.
    Error {
        /// The id of the search, if it is about one.
        request: Option<u32>,
        /// The error.
        error: ErrorBody,
    },
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// It is complete: solved, or reviewed.
    Complete,
    /// Stopped on request.
    Stopped,
    /// It reached the server's time limit.
    TimeLimit,
    /// Preempted by queued searches.
    Preempted,
}

/// A report of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnalysisReport {
    /// The search depth in plies.
    pub depth: u32,
    /// The selective depth in plies.
    pub seldepth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Search time in milliseconds.
    pub time_ms: u64,
    /// The occupancy of the hash table, in permille.
    pub hashfull: Option<u32>,
    /// Whether the scores are game-theoretic values.
    pub exact: bool,
    /// The principal variations, best for the side to move first.
    pub pvs: Vec<Pv>,
}

/// A principal variation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Pv {
    /// Its score.
    pub score: Score,
    /// The moves, as in requests.
    pub moves: Vec<String>,
    /// The moves in the game's notation.
    pub labels: Vec<String>,
    /// What the first move does on the board, for arrows.
    pub first: Option<super::MoveShape>,
}

/// Two players compared along a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ComparisonView {
    /// The player lines.
    pub players: [String; 2],
    /// The player line of the judge.
    pub judge: String,
    /// The number of positions in which they choose the same move.
    pub agreements: usize,
    /// The number of positions in which the judge finds the first, and the second player's move better.
    pub right: [usize; 2],
    /// What each player's worse moves lose on average over all positions, in win probability from 0 to 1.
    pub mean_loss: [f64; 2],
    /// The positions with a choice.
    pub moves: Vec<ComparedMove>,
}

/// What two players choose in a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ComparedMove {
    /// The node of the position.
    pub node: u32,
    /// Plies before it.
    pub ply: usize,
    /// The side to move.
    pub turn: Side,
    /// The move of the game, in its notation; null in the last position.
    pub played: Option<String>,
    /// The players' choices.
    pub choices: [ComparedChoice; 2],
    /// Whether they are the same move.
    pub agree: bool,
    /// The difference of the players' own scores, in win probability; null if one reports none.
    pub gap: Option<f64>,
    /// The judge's view; null if they agree.
    pub judged: Option<JudgedMoves>,
}

/// A player's choice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ComparedChoice {
    /// The move, as in requests.
    #[serde(rename = "move")]
    pub name: String,
    /// The move in the game's notation.
    pub label: String,
    /// Its score by the player itself; null if it reports none.
    pub score: Option<Score>,
    /// Its line, as in requests.
    pub line: Vec<String>,
    /// Its line in the game's notation.
    pub labels: Vec<String>,
}

/// The judge's view of two moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct JudgedMoves {
    /// The scores after the moves.
    pub scores: [Score; 2],
    /// Whose move is better, 0 or 1; null if they are equally good.
    pub right: Option<usize>,
    /// The win probability that the worse move loses.
    pub loss: f64,
    /// The same in the game's unit; null if a forced win or loss is involved.
    pub points_lost: Option<f64>,
}

/// The review of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Review {
    /// The player line of the engine.
    pub player: String,
    /// The score of the start position.
    pub start: Score,
    /// The accuracy of each side, from 0 to 100; null without moves.
    pub accuracy: [Option<f64>; 2],
    /// The moves of the main line.
    pub moves: Vec<ReviewedMove>,
}

/// The review of a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReviewedMove {
    /// The node after the move.
    pub node: u32,
    /// The score after the move.
    pub score: Score,
    /// The score after the best move.
    pub best_score: Score,
    /// The best line instead of the move, as in requests.
    pub best: Vec<String>,
    /// The best line in the game's notation.
    pub best_labels: Vec<String>,
    /// The lost win probability, from 0 to 1.
    pub loss: f64,
    /// The loss in the game's unit (discs, pawns, stones); null if a forced win or loss is involved.
    pub points_lost: Option<f64>,
    /// Whether the scores are game-theoretic values.
    #[serde(default)]
    pub exact: bool,
    /// The judgement.
    pub judgement: Judgement,
}

/// The judgement of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The best move.
    Best,
    /// A good move.
    Good,
    /// An inaccuracy.
    Inaccuracy,
    /// A mistake.
    Mistake,
    /// A blunder.
    Blunder,
    /// The only legal move.
    Forced,
}
