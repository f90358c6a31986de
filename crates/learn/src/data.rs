//! Games to learn from, and their log.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tablero_core::{AnyGame, AnyMatch, Game, GameType, Match, Notation, Rules, checksum};
use tablero_jobs::read_log;

use crate::{GamesTask, LearnError};

/// Values and shares in files are in so many parts of 1.
pub const PARTS: f64 = 10_000.0;

/// A game to learn from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameData {
    /// The rules, unless they are the usual ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// All moves from the start.
    pub moves: Vec<String>,
    /// By how much the first side won.
    pub margin: i16,
    /// What ended it.
    pub ending: String,
    /// What the search thought, of positions that are worth learning.
    pub notes: Vec<Note>,
    /// What the search thought of moves that were not played: after how many moves, the move's number as in
    /// [`Note::policy`], and the value for the player who would have made it, in ten-thousandths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(u16, u16, i16)>,
    /// What the search thought of replies to moves, likewise: after how many moves, the move's and the
    /// reply's numbers, and the value for the player who would have replied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<(u16, u16, u16, i16)>,
    /// One side would have resigned here, but the game was played on to see whether that is right;
    /// whether that side lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hopeless_was_lost: Option<bool>,
    /// The median time that each side thought, in millionths of a second, if that was to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_micros: Option<[u64; 2]>,
    /// How strong the player was, if that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
}

/// What a search thought of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "RawNote", into = "RawNote")]
pub struct Note {
    /// How many moves had been played.
    pub ply: u16,
    /// Its value for the player to move, in ten-thousandths from -10000 to 10000.
    pub value: i16,
    /// How much the search surprised the network: the divergence of the two opinions about moves, in
    /// ten-thousandths (at most 6.5).
    pub surprise: u16,
    /// Moves worth playing: the move's number, those that lead to the same counted once, and its share in
    /// ten-thousandths.
    pub policy: Vec<(u16, u16)>,
}

/// A note as files have it: shorter.
type RawNote = (u16, i16, u16, Vec<(u16, u16)>);

impl From<RawNote> for Note {
    fn from((ply, value, surprise, policy): RawNote) -> Self {
        Self { ply, value, surprise, policy }
    }
}

impl From<Note> for RawNote {
    fn from(Note { ply, value, surprise, policy }: Note) -> Self {
        (ply, value, surprise, policy)
    }
}

/// Games that were played together, with a check sum: a line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawBlock")]
pub struct Block {
    games: Vec<GameData>,
    check: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBlock {
    games: Vec<GameData>,
    check: String,
}

impl TryFrom<RawBlock> for Block {
    type Error = String;

    fn try_from(RawBlock { games, check }: RawBlock) -> Result<Self, String> {
        let block = Self::new(games);
        if block.check == check { Ok(block) } else { Err("the check sum is wrong".into()) }
    }
}

impl Block {
    /// These games.
    pub fn new(games: Vec<GameData>) -> Self {
        let text = serde_json::to_string(&games).unwrap_or_default();
        Self { check: format!("{:016x}", checksum(text.as_bytes())), games }
    }

    /// The games.
    pub fn games(&self) -> &[GameData] {
        &self.games
    }
}

/// A line of a log of tasks, or of one that was written by `tablero selfplay`.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    plan: Option<GamesTask>,
    output: Block,
}

/// Shows every game of a log to `visit`, the oldest first. A line that is not whole yet is left out.
///
/// Gives how the games were played, with their number, as far as the log says: once for each record
/// of which it is made up.
pub fn read_games(
    path: &Path,
    mut visit: impl FnMut(GameData) -> Result<(), LearnError>,
) -> Result<Vec<GamesTask>, LearnError> {
    let mut plans: Vec<GamesTask> = Vec::new();
    for line in read_log::<Line>(path)? {
        let line = line?;
        plans.extend(line.plan.map(|plan| GamesTask { count: 0, ..plan }));
        if let Some(plan) = plans.last_mut() {
            plan.count += line.output.games.len() as u64;
        }
        line.output.games.into_iter().try_for_each(&mut visit)?;
    }
    Ok(plans)
}

impl GameData {
    /// The game, replayed; what is wrong with it, if anything.
    pub fn replay(&self, game: AnyGame) -> Result<AnyMatch, String> {
        let rules = Some(self.rules.as_str()).filter(|rules| !rules.is_empty());
        let rules = game.rules_or_default(rules).map_err(|error| error.to_string())?;
        let mut game = Match::new(rules.start());
        for (ply, text) in self.moves.iter().enumerate() {
            let m = game.position().parse_move(text);
            let m = m.map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
            game.play_on(m).map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
        }
        Ok(game)
    }

    /// The same in the game's own type.
    pub(crate) fn replay_typed<G: Notation>(&self) -> Result<Match<G>, String> {
        let rules = match self.rules.as_str() {
            "" => G::Rules::default(),
            name => G::Rules::from_name(name).ok_or_else(|| format!("no rules `{name}`"))?,
        };
        let mut game = Match::new(G::start(rules));
        for (ply, text) in self.moves.iter().enumerate() {
            let m = game.position().parse_move(text);
            let m = m.map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
            game.play_on(m).map_err(|error| format!("move {}, `{text}`: {error}", ply + 1))?;
        }
        Ok(game)
    }
}

/// All moves of a position; of those that lead to the same only one.
pub fn distinct_moves<G: Game>(position: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    position.each_distinct_move(|m| moves.push(m));
    moves
}

/// The number of the move among `moves`, or of the one that leads to the same.
pub fn number_of<G: GameType>(position: &G, moves: &[G::Move], m: G::Move) -> Option<usize> {
    moves.iter().position(|&other| other == m).or_else(|| {
        let after = position.after(m);
        moves.iter().position(|&other| position.after(other) == after)
    })
}
