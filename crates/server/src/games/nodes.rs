//! What follows from a game's moves: boards, names for people, ends.

use std::collections::HashMap;

use tablero_core::{
    AnyGame, AnyMatch, AnyMove, AnyPosition, ForFirst, IllegalMove, ReadError, Side, Value,
};

use crate::api::{self, EndReason, GameEnd, LegalMove, MoveNumber, Node, Problem};
use crate::describe::cell;
use crate::error::ApiResult;
use crate::file::{GameFile, KeptNode};

/// A value for the API.
pub(crate) fn score(game: AnyGame, ForFirst(value): ForFirst<Value>) -> api::Worth {
    const WIN: f64 = 10_000.0;
    let points = match value {
        Value::Hundredths(n) => f64::from(n) / 100.0,
        Value::WinIn(moves) => WIN - f64::from(moves),
        Value::LossIn(moves) => f64::from(moves) - WIN,
    };
    api::Worth { text: value.to_string(), points, chance: game.chances().expected(value) }
}

/// The moves that may be played now.
pub(crate) fn legal_moves(game: &AnyMatch) -> Vec<LegalMove> {
    let position = game.position();
    let legal = |m| LegalMove {
        name: position.move_name(m),
        label: position.move_text(m),
        shape: position.shape(m).into(),
    };
    game.moves().into_iter().map(legal).collect()
}

/// The draw that the player to move may claim.
pub(super) fn claimable_draw(game: &AnyMatch) -> Option<EndReason> {
    game.draw().filter(|draw| !draw.forced).map(|draw| draw.reason.into())
}

/// Plays move `name` at the node `parent`; the node that it leads to, which has no number yet.
pub(super) fn apply_move(game: &mut AnyMatch, parent: &Node, name: &str) -> ApiResult<Node> {
    let illegal = |error| Problem::illegal_move(name, error);
    let m = game.position().parse_move(name).map_err(illegal)?;
    let played = Played::new(game.position(), m);
    game.play(m).map_err(|error| match error {
        IllegalMove::GameOver => Problem::GameOver,
        IllegalMove::NotLegal => illegal(ReadError::at(name, 0, "a legal move")),
    })?;
    Ok(node(game, Some((parent, played))))
}

/// All nodes of a kept game, in its order.
pub(super) fn load_tree(game: AnyGame, file: &GameFile) -> Result<Vec<Node>, String> {
    let rules = game.rules(&file.rules).map_err(|error| error.to_string())?;
    let start = rules.parse_position(&file.start).map_err(|error| format!("its start: {error}"))?;
    Loader { game: AnyMatch::new(start), file, done: HashMap::new() }.load()
}

/// A move with what is known only before it is played.
struct Played {
    name: String,
    label: String,
    before: AnyPosition,
    m: AnyMove,
}

impl Played {
    fn new(before: &AnyPosition, m: AnyMove) -> Self {
        Self { name: before.move_name(m), label: before.move_text(m), before: before.clone(), m }
    }
}

/// The node of the position on the board, with the node before it and the move that was played.
fn node(game: &AnyMatch, from: Option<(&Node, Played)>) -> Node {
    let position = game.position();
    let text = position.cells_text();
    let shown = position.game().presentation();
    let is_of = |side: Side, c: char| shown.letters(side).any(|letter| letter == c);
    let count = |side: Side| text.chars().filter(|&c| is_of(side, c)).count() as u32;
    let mut node = Node {
        id: 0,
        parent: None,
        children: Vec::new(),
        ply: 0,
        name: None,
        label: None,
        number: None,
        pieces: Side::BOTH.map(count),
        position: position.position_text(),
        touched: Vec::new(),
        turn: position.side().into(),
        boards: position.boards(),
        captured: [String::new(), String::new()],
        check: position.check().map(cell),
        end: game.end().map(|end| GameEnd::new(end, position.info().margin.is_some())),
        comment: String::new(),
        glyphs: Vec::new(),
        value: None,
        time_ms: None,
        clock_ms: None,
        cells: text,
    };
    if let Some((parent, Played { name, label, before, m })) = from {
        node.parent = Some(parent.id);
        node.ply = parent.ply + 1;
        (node.name, node.label) = (Some(name), Some(label));
        let number = before.number_of(node.ply);
        node.number = Some(MoveNumber { number, by: before.side().into() });
        node.touched = before.touched(m).into_iter().map(cell).collect();
        node.captured.clone_from(&parent.captured);
        node.captured[before.side().index()].extend(before.captured(m));
    }
    node
}

/// Goes through a kept tree once, playing and taking back.
struct Loader<'a> {
    game: AnyMatch,
    file: &'a GameFile,
    done: HashMap<u32, Node>,
}

enum Visit {
    Enter(usize),
    Leave,
}

impl Loader<'_> {
    fn load(mut self) -> Result<Vec<Node>, String> {
        let children = self.children()?;
        let mut visits = vec![Visit::Enter(0)];
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Leave => {
                    self.game.undo();
                }
                Visit::Enter(index) => {
                    self.enter(&self.file.nodes[index])?;
                    if index > 0 {
                        visits.push(Visit::Leave);
                    }
                    let id = self.file.nodes[index].id;
                    let below = children.get(&id).map_or(&[][..], Vec::as_slice);
                    visits.extend(below.iter().rev().map(|&child| Visit::Enter(child)));
                    let ids = below.iter().map(|&child| self.file.nodes[child].id).collect();
                    if let Some(node) = self.done.get_mut(&id) {
                        node.children = ids;
                    }
                }
            }
        }
        let node = |kept: &KeptNode| {
            self.done.remove(&kept.id).ok_or_else(|| format!("node {} hangs in the air", kept.id))
        };
        self.file.nodes.iter().map(node).collect()
    }

    /// The places of each node's children.
    fn children(&self) -> Result<HashMap<u32, Vec<usize>>, String> {
        let mut children: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut seen = std::collections::HashSet::new();
        for (index, node) in self.file.nodes.iter().enumerate() {
            if !seen.insert(node.id) || node.id >= self.file.next_id {
                return Err(format!("node {} is there twice, or too high a number", node.id));
            }
            match (index, node.parent) {
                (0, None) => {}
                (1.., Some(parent)) if seen.contains(&parent) && parent != node.id => {
                    children.entry(parent).or_default().push(index);
                }
                _ => return Err(format!("node {} does not come after its parent", node.id)),
            }
        }
        if self.file.nodes.is_empty() { Err("it has no nodes".into()) } else { Ok(children) }
    }

    fn enter(&mut self, kept: &KeptNode) -> Result<(), String> {
        let from = match (kept.parent, &kept.name) {
            (Some(parent), Some(name)) => {
                let wrong = |error: &dyn std::fmt::Display| {
                    format!("the move `{name}` of node {}: {error}", kept.id)
                };
                let m = self.game.position().parse_move(name).map_err(|error| wrong(&error))?;
                let played = Played::new(self.game.position(), m);
                self.game.play_on(m).map_err(|error| wrong(&error))?;
                Some((&self.done[&parent], played))
            }
            (None, None) => None,
            _ => return Err(format!("node {} has no move or no parent", kept.id)),
        };
        let mut node = node(&self.game, from);
        node.id = kept.id;
        node.comment.clone_from(&kept.comment);
        node.glyphs.clone_from(&kept.glyphs);
        let known = kept.value.as_deref().and_then(Value::from_text);
        node.value = known.map(|known| score(self.game.position().game(), ForFirst(known)));
        (node.time_ms, node.clock_ms) = (kept.time_ms, kept.clock_ms);
        self.done.insert(kept.id, node);
        Ok(())
    }
}
