use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ErrorBody, GameView, JobSummary, Worth};

/// What the page sends over the WebSocket `/api/ws`, each message one JSON object.
///
/// `request` is a number that the page chooses for a search; answers carry it. A search with the number
/// of one that still runs replaces it. Closing the socket stops its searches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Send the game now and whatever changes in it; while somebody watches, its clock runs and
    /// machines play against each other.
    Watch {
        /// The game's id.
        game: String,
    },
    /// No longer.
    Unwatch {
        /// The game's id.
        game: String,
    },
    /// Send all jobs, and what they tell from now on.
    WatchJobs,
    /// No longer.
    UnwatchJobs,
    /// Analyse a position until told to stop.
    Analyse {
        /// The number of this search.
        request: u32,
        /// Which position.
        target: Target,
        /// Best lines to find; all moves' values with a high number (Othello's numbers on squares).
        #[serde(default = "one")]
        lines: usize,
        /// Threads; 1 if left out.
        #[serde(default = "one")]
        threads: usize,
        /// Megabytes for what the search remembers.
        #[serde(default)]
        hash_mb: Option<usize>,
        /// Who analyses; the game's usual analyst if left out.
        #[serde(default)]
        player: Option<String>,
    },
    /// Evaluate every move of a game's main line; the result is stored in the game.
    Review {
        /// The number of this search.
        request: u32,
        /// The game's id.
        game: String,
        /// Time for every move, in milliseconds.
        #[serde(default)]
        move_ms: Option<u64>,
        /// Or positions for every move, which gives the same review every time.
        #[serde(default)]
        nodes: Option<u64>,
        /// Who reviews; the game's usual analyst if left out.
        #[serde(default)]
        player: Option<String>,
    },
    /// Stop a search.
    Stop {
        /// Its number.
        request: u32,
    },
}

const fn one() -> usize {
    1
}

/// A position to analyse.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// A node of a game.
    Node {
        /// The game's id.
        game: String,
        /// Which node.
        node: u32,
    },
    /// Any position.
    Position {
        /// Which game.
        game: String,
        /// The rules variant; the usual one if left out.
        #[serde(default)]
        rules: Option<String>,
        /// The position as text; the usual start if left out.
        #[serde(default)]
        position: Option<String>,
        /// Moves from there.
        #[serde(default)]
        moves: Vec<String>,
    },
}

/// What the server sends over the WebSocket, each message one JSON object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "messages are made, sent and dropped one by one")]
pub enum ServerMessage {
    /// A watched game, or what changed in it.
    Game {
        /// The game or the change.
        view: GameView,
    },
    /// A watched game was deleted.
    GameDeleted {
        /// The game's id.
        game: String,
    },
    /// What a search found so far.
    Analysis {
        /// The number of the search.
        request: u32,
        /// What it found.
        report: AnalysisReport,
    },
    /// How far a review is.
    ReviewProgress {
        /// The number of the search.
        request: u32,
        /// Moves evaluated.
        done: usize,
        /// Moves in all.
        total: usize,
    },
    /// A search waits for its turn.
    Queued {
        /// The number of the search.
        request: u32,
    },
    /// A search has ended; nothing more comes from it. (The result of a review is in the game, which
    /// may come a moment before or after this.)
    Done {
        /// The number of the search.
        request: u32,
        /// Why.
        reason: DoneReason,
    },
    /// What a job tells.
    Job {
        /// The job.
        job: JobSummary,
    },
    /// A job was deleted.
    JobDeleted {
        /// The job's id.
        job: String,
    },
    /// A message could not be understood, or what it asked for could not be done.
    Error {
        /// The number of the search, if the message was about one.
        request: Option<u32>,
        /// What was wrong, and what would be right.
        error: ErrorBody,
    },
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// There is nothing more to find out, or it is done.
    Complete,
    /// On request.
    Stopped,
    /// The server's bound of time was reached.
    TimeLimit,
    /// Others waited for their turn.
    OthersWaited,
}

/// What an analysis found so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnalysisReport {
    /// Plies looked ahead everywhere.
    pub depth: u32,
    /// Plies looked ahead along the longest line.
    pub deepest: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// Positions a second.
    pub nps: u64,
    /// Milliseconds taken.
    pub time_ms: u64,
    /// How full the table of seen positions is, from 0 to 1.
    pub table_full: Option<f64>,
    /// Whether the values are those of perfect play.
    pub exact: bool,
    /// The best lines, the best for the side to move first.
    pub lines: Vec<AnalysisLine>,
}

/// A line of play and what it is worth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnalysisLine {
    /// Its worth.
    pub value: Worth,
    /// The moves as in requests, from the analysed position on.
    pub moves: Vec<String>,
    /// The moves for people.
    pub labels: Vec<String>,
    /// The first move on the board: for arrows.
    pub first: Option<super::MoveShape>,
}

/// What a review of a game found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Review {
    /// Who reviewed.
    pub player: String,
    /// What the start of the game is worth.
    pub start: Worth,
    /// How well each side played, from 0 to 100; null without moves.
    pub accuracy: [Option<f64>; 2],
    /// The moves of the main line.
    pub moves: Vec<ReviewedMove>,
}

/// What a review found about a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReviewedMove {
    /// The node that the move led to.
    pub node: u32,
    /// What the position is worth after the move.
    pub value: Worth,
    /// What it would be worth after the best move.
    pub best_value: Worth,
    /// The best line from before the move, as in requests.
    pub best: Vec<String>,
    /// The best line for people.
    pub best_labels: Vec<String>,
    /// How much of the win chance the move lost, from 0 to 1.
    pub loss: f64,
    /// How many discs, pawns, stones the move lost; null where a sure win or loss is involved.
    pub points_lost: Option<f64>,
    /// Whether the values are those of perfect play, and the loss is not an estimate.
    #[serde(default)]
    pub exact: bool,
    /// What to call it.
    pub judgement: Judgement,
}

/// What to call a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The best move.
    Best,
    /// Nearly as good.
    Good,
    /// Loses a little.
    Inaccuracy,
    /// Loses much.
    Mistake,
    /// Loses most or all.
    Blunder,
    /// There was no other move.
    Forced,
}
