//! A game as it is kept on disk.

use serde::{Deserialize, Serialize};

use crate::api::{ClockSetting, GameEnd, Node, Review, Seat, Tag};

/// The content of a game's file. Boards and names for people are not in it: they follow from the
/// start and the moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct GameFile {
    /// Which layout; this program knows 1.
    pub(crate) layout: u32,
    pub(crate) game: String,
    pub(crate) rules: String,
    /// The position in which the game started.
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
    /// The node where play goes on.
    pub(crate) current: u32,
    /// An end that is not on the board, and at which node it came.
    #[serde(default)]
    pub(crate) ended: Option<Ended>,
    /// No node has had this number or a higher one.
    pub(crate) next_id: u32,
    /// Parents before children, siblings in order.
    pub(crate) nodes: Vec<KeptNode>,
    #[serde(default)]
    pub(crate) review: Option<Review>,
}

/// A game that was ended at a node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) node: u32,
    pub(crate) end: GameEnd,
}

/// A node of the tree, without what follows from its move.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct KeptNode {
    pub(crate) id: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<u32>,
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) comment: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) glyphs: Vec<u8>,
    /// As text, for the first player: `+0.35`, `#-2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clock_ms: Option<[u64; 2]>,
}

/// The layout that this program writes.
pub(crate) const LAYOUT: u32 = 1;

impl GameFile {
    /// A game of two people that starts there, without moves.
    pub(crate) fn new(game: &str, rules: &str, start: String) -> Self {
        let now = now();
        let human = Seat { name: String::new(), player: HUMAN.into() };
        Self {
            layout: LAYOUT,
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
            next_id: 1,
            nodes: vec![KeptNode::default()],
            review: None,
        }
    }

    /// The start and the moves to node `id`; none if there is no such node.
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

impl From<&Node> for KeptNode {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id,
            parent: node.parent,
            name: node.name.clone(),
            comment: node.comment.clone(),
            glyphs: node.glyphs.clone(),
            value: node.value.as_ref().map(|value| value.text.clone()),
            time_ms: node.time_ms,
            clock_ms: node.clock_ms,
        }
    }
}

/// A way from a start to a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) rules: String,
    pub(crate) start: String,
    pub(crate) moves: Vec<String>,
}

/// The line of a person.
pub(crate) const HUMAN: &str = "human";

impl Seat {
    pub(crate) fn is_human(&self) -> bool {
        self.player.trim() == HUMAN
    }
}

/// Seconds since 1970 began (UTC).
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
