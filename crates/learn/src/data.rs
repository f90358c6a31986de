//! Self-play games with their search results, and the log format.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyGame, AnyGameHistory, AnyRecord, Ending, ForFirst, ForMover, Game, GameEnd, GameHistory,
    GameType, Notation, Outcome, Rules, Side, Value, checksum,
};
use tablero_jobs::read_log;

use crate::{LearnError, SelfPlayTask};

/// Values and probabilities in files are fixed-point numbers: this stands for 1.
pub const FIXED_POINT_ONE: f64 = 10_000.0;

/// A self-play game with its search results, from which training targets are made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameData {
    /// The rules; empty for the default ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// All moves from the start.
    pub moves: Vec<String>,
    /// The first side's margin of victory.
    pub margin: i16,
    /// How the game ended.
    pub ending: String,
    /// Results of the full searches.
    pub targets: Vec<SearchTarget>,
    /// Q-values of moves that were not played: ply, move index as in [`SearchTarget::policy`], and fixed-point
    /// value for the side to move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<(u16, u16, i16)>,
    /// Q-values of replies: ply, move index, index of the reply, and fixed-point value for the replying side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<(u16, u16, u16, i16)>,
    /// In a game played on past a resignation: whether the side that would have resigned lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resignation_was_right: Option<bool>,
    /// The median time per move of each side, in microseconds, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_micros: Option<[u64; 2]>,
    /// The median processor time per move of each side, in microseconds, of the thread that searches, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_cpu_micros: Option<[u64; 2]>,
    /// In a game against an opponent: the index of the player's side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_side: Option<usize>,
    /// The player's Elo rating, if known; after this game in games against an opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}

/// The result of a full search: the policy and value target of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "RawSearchTarget", into = "RawSearchTarget")]
pub struct SearchTarget {
    /// The number of moves before it.
    pub ply: u16,
    /// The root value for the side to move, fixed-point.
    pub value: i16,
    /// Policy surprise: the KL divergence of the policy target from the network's prior, fixed-point (at most
    /// 6.5).
    pub surprise: u16,
    /// The policy target: index among the [distinct moves](distinct_moves), and fixed-point probability.
    pub policy: Vec<(u16, u16)>,
}

/// The compact form in files.
type RawSearchTarget = (u16, i16, u16, Vec<(u16, u16)>);

impl From<RawSearchTarget> for SearchTarget {
    fn from((ply, value, surprise, policy): RawSearchTarget) -> Self {
        Self { ply, value, surprise, policy }
    }
}

impl From<SearchTarget> for RawSearchTarget {
    fn from(SearchTarget { ply, value, surprise, policy }: SearchTarget) -> Self {
        (ply, value, surprise, policy)
    }
}

/// The games of one task with a checksum: a line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawGameBatch")]
pub struct GameBatch {
    games: Vec<GameData>,
    checksum: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGameBatch {
    games: Vec<GameData>,
    checksum: String,
}

impl TryFrom<RawGameBatch> for GameBatch {
    type Error = String;

    fn try_from(RawGameBatch { games, checksum }: RawGameBatch) -> Result<Self, String> {
        let batch = Self::new(games);
        if batch.checksum == checksum { Ok(batch) } else { Err("checksum mismatch".into()) }
    }
}

impl GameBatch {
    /// Computes the checksum.
    pub fn new(games: Vec<GameData>) -> Self {
        let text = serde_json::to_string(&games).unwrap_or_default();
        Self { checksum: format!("{:016x}", checksum(text.as_bytes())), games }
    }

    /// The games.
    pub fn games(&self) -> &[GameData] {
        &self.games
    }
}

/// A line of a task log, or of a record written by [`record_games`](crate::record_games).
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    plan: Option<SelfPlayTask>,
    output: GameBatch,
}

/// Visits every game of a log in order; a truncated last line is skipped.
///
/// Returns the settings and number of games of each record that the log is concatenated from, as far as the
/// log has them.
pub fn read_games(
    path: &Path,
    mut visit: impl FnMut(GameData) -> Result<(), LearnError>,
) -> Result<Vec<SelfPlayTask>, LearnError> {
    let mut plans: Vec<SelfPlayTask> = Vec::new();
    for line in read_log::<Line>(path)? {
        let line = line?;
        plans.extend(line.plan.map(|plan| SelfPlayTask { count: 0, ..plan }));
        if let Some(plan) = plans.last_mut() {
            plan.count += line.output.games.len() as u64;
        }
        line.output.games.into_iter().try_for_each(&mut visit)?;
    }
    Ok(plans)
}

impl GameData {
    /// Replays the game.
    pub fn replay(&self, game: AnyGame) -> Result<AnyGameHistory, String> {
        let rules = Some(self.rules.as_str()).filter(|rules| !rules.is_empty());
        let rules = game.rules_or_default(rules).map_err(|error| error.to_string())?;
        let mut game = GameHistory::new(rules.start());
        for (ply, text) in self.moves.iter().enumerate() {
            let m = game.position().parse_move(text);
            let m = m.map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
            game.play_on(m).map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
        }
        Ok(game)
    }

    /// The game as a record, with the values of its searches.
    pub fn record(&self, game: AnyGame) -> Result<AnyRecord, String> {
        let history = self.replay(game)?;
        let mut record = AnyRecord::from_history(&history);
        let outcome = Outcome::by_margin(ForFirst(self.margin));
        record.end.get_or_insert(GameEnd { outcome, ending: Ending::Adjudicated });
        let sides: Vec<Side> = history.positions().map(Game::side).collect();
        for target in &self.targets {
            let ply = usize::from(target.ply);
            let (Some(played), Some(&side)) = (record.plies.get_mut(ply), sides.get(ply)) else {
                continue;
            };
            let expected = (f64::from(target.value) / FIXED_POINT_ONE + 1.0) / 2.0;
            let score = game.wdl_model().score(expected).round() as i32;
            played.value = Some(ForMover(Value::Centi(score)).for_first(side));
        }
        Ok(record)
    }

    /// Replays the game in its own type.
    pub(crate) fn replay_typed<G: Notation>(&self) -> Result<GameHistory<G>, String> {
        let rules = match self.rules.as_str() {
            "" => G::Rules::default(),
            name => G::Rules::from_name(name).ok_or_else(|| format!("unknown rules `{name}`"))?,
        };
        let mut game = GameHistory::new(G::start(rules));
        for (ply, text) in self.moves.iter().enumerate() {
            let m = game.position().parse_move(text);
            let m = m.map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
            game.play_on(m).map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
        }
        Ok(game)
    }
}

/// The legal moves, without duplicates that lead to the same position.
pub fn distinct_moves<G: Game>(position: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    position.each_distinct_move(|m| moves.push(m));
    moves
}

/// The index of a move among `moves`, or of the one that leads to the same position.
pub fn move_index<G: GameType>(position: &G, moves: &[G::Move], m: G::Move) -> Option<usize> {
    moves.iter().position(|&other| other == m).or_else(|| {
        let after = position.after(m);
        moves.iter().position(|&other| position.after(other) == after)
    })
}
