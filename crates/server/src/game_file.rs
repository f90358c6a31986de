//! The file format of games in the library: JSON.

use serde::{Deserialize, Serialize};

use crate::api::{ClockSetting, GameEnd, Node, Review, Seat, Tag};
use crate::games::Invitation;

/// A game's file. Boards and SAN are not stored: they follow from the start and the moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct GameFile {
    pub(crate) format_version: u32,
    pub(crate) game: String,
    pub(crate) rules: String,
    /// The start position.
    pub(crate) start: String,
    pub(crate) players: [Seat; 2],
    #[serde(default)]
    pub(crate) clock: ClockSetting,
    pub(crate) created: f64,
    pub(crate) changed: f64,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
    #[serde(default)]
    pub(crate) paused: bool,
    #[serde(default)]
    pub(crate) delay_ms: u64,
    /// The current node.
    pub(crate) current: u32,
    /// How and at which node the game ended.
    #[serde(default)]
    pub(crate) ended: Option<EndedAt>,
    /// Where the game was copied from, if it was: a job's game, a shared link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    /// The id of the next node; ids are never reused.
    pub(crate) next_id: u32,
    /// Parents before children, siblings in order.
    pub(crate) nodes: Vec<StoredNode>,
    #[serde(default)]
    pub(crate) review: Option<Review>,
    /// The secrets of a game between people on different machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) invitation: Option<Invitation>,
}

/// The end of a game, at a node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct EndedAt {
    pub(crate) node: u32,
    pub(crate) end: GameEnd,
    /// Whether it is the result of a game that was played elsewhere: such a result is never changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_recorded: bool,
    /// Both clocks at that moment, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clock_ms: Option<[u64; 2]>,
}

impl EndedAt {
    /// The end of a game that is played here.
    pub(crate) const fn new(node: u32, end: GameEnd) -> Self {
        Self { node, end, is_recorded: false, clock_ms: None }
    }

    /// The result of a game that was played elsewhere.
    pub(crate) const fn recorded(node: u32, end: GameEnd) -> Self {
        Self { is_recorded: true, ..Self::new(node, end) }
    }
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredNode {
    pub(crate) id: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<u32>,
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) comment: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) glyphs: Vec<u8>,
    /// The score as text, for the first player: `+0.35`, `#-2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clock_ms: Option<[u64; 2]>,
}

/// How the origin of a game from a shared link begins.
pub(crate) const SHARED: &str = "share ";

/// The version of the file format.
pub(crate) const FORMAT_VERSION: u32 = 1;

impl GameFile {
    /// A game of two humans, without moves.
    pub(crate) fn new(game: &str, rules: &str, start: String) -> Self {
        let now = now();
        let human = Seat { name: String::new(), player: HUMAN.into() };
        Self {
            format_version: FORMAT_VERSION,
            game: game.into(),
            rules: rules.into(),
            start,
            players: [human.clone(), human],
            clock: ClockSetting::None,
            created: now,
            changed: now,
            tags: Vec::new(),
            paused: false,
            delay_ms: 0,
            current: 0,
            ended: None,
            origin: None,
            next_id: 1,
            nodes: vec![StoredNode::default()],
            review: None,
            invitation: None,
        }
    }

    /// The start and the moves to node `id`; `None` if there is no such node.
    pub(crate) fn line_to(&self, id: u32) -> Option<Line> {
        let mut moves = Vec::new();
        let mut node = self.nodes.iter().find(|node| node.id == id)?;
        while let (Some(parent), Some(name)) = (node.parent, &node.name) {
            moves.push(name.clone());
            node = self.nodes.iter().find(|node| node.id == parent)?;
        }
        moves.reverse();
        Some(Line { rules: self.rules.clone(), start: self.start.clone(), moves })
    }
}

impl From<&Node> for StoredNode {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id,
            parent: node.parent,
            name: node.name.clone(),
            comment: node.comment.clone(),
            glyphs: node.glyphs.clone(),
            score: node.score.as_ref().map(|score| score.text.clone()),
            time_ms: node.time_ms,
            clock_ms: node.clock_ms,
        }
    }
}

/// A start position and moves from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) rules: String,
    pub(crate) start: String,
    pub(crate) moves: Vec<String>,
}

/// The player line of a human.
pub(crate) const HUMAN: &str = "human";

impl Seat {
    pub(crate) fn is_human(&self) -> bool {
        self.player.trim() == HUMAN
    }
}

/// Unix time in seconds.
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
