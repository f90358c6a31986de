//! The nodes of a game's tree, derived from its moves: boards, SAN, results.

use std::collections::HashMap;

use tablero_core::{
    AnyGame, AnyGameHistory, AnyMove, AnyPosition, ForFirst, IllegalMove, Side, Value,
};

use super::positions::new_history;
use crate::api::{
    self, EndReason, GameEnd, LegalMove, LineRequest, LineView, MoveNumber, Node, Problem,
};
use crate::describe::cell;
use crate::error::ApiResult;
use crate::game_file::{GameFile, StoredNode};

/// Converts a score to the API.
pub(crate) fn score(game: AnyGame, ForFirst(value): ForFirst<Value>) -> api::Score {
    const WIN: f64 = 10_000.0;
    let points = match value {
        Value::Centi(n) => f64::from(n) / 100.0,
        Value::WinIn(moves) => WIN - f64::from(moves),
        Value::LossIn(moves) => f64::from(moves) - WIN,
    };
    let win_probability = game.wdl_model().expected_score(value);
    api::Score { text: value.to_string(), points, win_probability }
}

/// The legal moves.
pub(crate) fn legal_moves(game: &AnyGameHistory) -> Vec<LegalMove> {
    let position = game.position();
    let legal = |m| LegalMove {
        name: position.move_name(m),
        label: position.move_text(m),
        shape: position.shape(m).into(),
    };
    game.moves().into_iter().map(legal).collect()
}

/// The position at the end of a line of play.
pub(crate) fn line_view(game: AnyGame, request: &LineRequest) -> ApiResult<LineView> {
    let (rules, position) = (request.rules.as_deref(), request.position.as_deref());
    let mut history = new_history(game, rules, position, None)?;
    let mut last = node(&history, None);
    for name in &request.moves {
        last = apply_move(&mut history, &last, name)?;
    }
    let moves = if last.end.is_some() { Vec::new() } else { legal_moves(&history) };
    Ok(LineView { node: last, moves })
}

/// The draw that the player to move may claim.
pub(super) fn claimable_draw(game: &AnyGameHistory) -> Option<EndReason> {
    game.draw().filter(|draw| !draw.forced).map(|draw| draw.reason.into())
}

/// Plays move `name` at the node `parent`; returns the new node, which has no id yet.
pub(super) fn apply_move(game: &mut AnyGameHistory, parent: &Node, name: &str) -> ApiResult<Node> {
    let illegal = |game: &AnyGameHistory| {
        let position = game.position();
        let legal: Vec<String> = game.moves().into_iter().map(|m| position.move_text(m)).collect();
        Problem::illegal_move(name, &legal)
    };
    let m = game.position().parse_move(name).map_err(|_| illegal(game))?;
    let played = Played::new(game.position(), m);
    game.play(m).map_err(|error| match error {
        IllegalMove::GameOver => Problem::GameOver,
        IllegalMove::NotLegal => illegal(game),
    })?;
    Ok(node(game, Some((parent, played))))
}

/// Loads all nodes of a stored game, in file order.
pub(crate) fn load_tree(game: AnyGame, file: &GameFile) -> Result<Vec<Node>, Problem> {
    let rules = game.rules(&file.rules)?;
    let start = rules.parse_position(&file.start).map_err(Problem::position)?;
    Loader { game: AnyGameHistory::new(start), file, done: HashMap::new() }.load()
}

/// A move, with what depends on the position before it.
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

/// The node of the current position, with its parent and the move between them.
fn node(game: &AnyGameHistory, from: Option<(&Node, Played)>) -> Node {
    let position = game.position();
    let text = position.cells_text();
    let shown = position.game().presentation();
    let is_of_side = |side: Side, c: char| shown.letters(side).any(|letter| letter == c);
    let count = |side: Side| text.chars().filter(|&c| is_of_side(side, c)).count() as u32;
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
        score: None,
        time_ms: None,
        clock_ms: None,
        cells: text,
    };
    if let Some((parent, Played { name, label, before, m })) = from {
        node.parent = Some(parent.id);
        node.ply = parent.ply + 1;
        (node.name, node.label) = (Some(name), Some(label));
        let number = before.move_number_at(node.ply);
        node.number = Some(MoveNumber { number, by: before.side().into() });
        node.touched = before.touched(m).into_iter().map(cell).collect();
        node.captured.clone_from(&parent.captured);
        node.captured[before.side().index()].extend(before.captured(m));
    }
    node
}

/// Walks a stored tree depth-first, making and unmaking its moves.
struct Loader<'a> {
    game: AnyGameHistory,
    file: &'a GameFile,
    done: HashMap<u32, Node>,
}

enum Visit {
    Enter(usize),
    Leave,
}

impl Loader<'_> {
    fn load(mut self) -> Result<Vec<Node>, Problem> {
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
        let node = |stored: &StoredNode| {
            self.done.remove(&stored.id).ok_or(Problem::CorruptTree { node: stored.id })
        };
        self.file.nodes.iter().map(node).collect()
    }

    /// The indices of each node's children.
    fn children(&self) -> Result<HashMap<u32, Vec<usize>>, Problem> {
        let mut children: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut seen = std::collections::HashSet::new();
        for (index, node) in self.file.nodes.iter().enumerate() {
            if !seen.insert(node.id) || node.id >= self.file.next_id {
                return Err(Problem::CorruptTree { node: node.id });
            }
            match (index, node.parent) {
                (0, None) => {}
                (1.., Some(parent)) if seen.contains(&parent) && parent != node.id => {
                    children.entry(parent).or_default().push(index);
                }
                _ => return Err(Problem::CorruptTree { node: node.id }),
            }
        }
        let is_empty = self.file.nodes.is_empty();
        if is_empty { Err(Problem::CorruptTree { node: 0 }) } else { Ok(children) }
    }

    fn enter(&mut self, stored: &StoredNode) -> Result<(), Problem> {
        let from = match (stored.parent, &stored.name) {
            (Some(parent), Some(name)) => {
                let illegal = || Problem::IllegalStoredMove { node: stored.id, name: name.clone() };
                let m = self.game.position().parse_move(name).map_err(|_| illegal())?;
                let played = Played::new(self.game.position(), m);
                self.game.play_on(m).map_err(|_| illegal())?;
                Some((&self.done[&parent], played))
            }
            (None, None) => None,
            _ => return Err(Problem::CorruptTree { node: stored.id }),
        };
        let mut node = node(&self.game, from);
        node.id = stored.id;
        node.comment.clone_from(&stored.comment);
        node.glyphs.clone_from(&stored.glyphs);
        let value = stored.score.as_deref().and_then(Value::from_text);
        node.score = value.map(|value| score(self.game.position().game(), ForFirst(value)));
        (node.time_ms, node.clock_ms) = (stored.time_ms, stored.clock_ms);
        self.done.insert(stored.id, node);
        Ok(())
    }
}
