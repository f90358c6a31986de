//! A game under way: what can be done in it, without threads and without files.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tablero_core::AnyMatch;
use tablero_registry::GameEntry;

use super::nodes::{apply_move, claimable_draw, load_tree};
use super::positions::{is_usual_start, play_on, replay};
use super::time::Stopwatch;
use super::tree::Tree;
use crate::api::{
    EndGame, EndHow, EndReason, GameChange, GameEnd, Node, NodeChange, Problem, Review, Seat, Side,
    Worth,
};
use crate::error::ApiResult;
use crate::file::{Ended, GameFile, now};

/// A game of the library that is in use.
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) entry: &'static dyn GameEntry,
    /// All that is kept; its nodes, current node and next number are in the fields below.
    pub(super) header: GameFile,
    pub(super) usual_start: bool,
    pub(super) tree: Tree,
    pub(super) current: u32,
    /// The moves to the current node, played.
    history: AnyMatch,
    /// Where each node was last left to, for redo.
    pub(super) forward: HashMap<u32, u32>,
    pub(super) version: u64,
    /// The search for the next move.
    pub(crate) thinking: Option<Thinking>,
    pub(super) fault: Option<Problem>,
    pub(super) stopwatch: Stopwatch,
    pub(super) watchers: usize,
    pub(crate) deleted: bool,
}

/// A machine at work.
pub(crate) struct Thinking {
    pub(crate) side: Side,
    /// Tells this search from earlier ones.
    pub(crate) ticket: u64,
    /// Stops it.
    pub(crate) stop: crate::pool::Stopper,
}

/// What an operation changed.
#[derive(Default)]
pub(crate) struct Change {
    pub(super) nodes: BTreeSet<u32>,
    pub(super) removed: Vec<u32>,
    pub(super) review: bool,
    /// Nothing of it needs to be kept.
    pub(crate) passing: bool,
}

impl Change {
    /// Nothing that needs to be kept.
    pub(crate) fn passing() -> Self {
        Self { passing: true, ..Self::default() }
    }
}

/// How a move came to be played.
#[derive(Default)]
pub(crate) struct Made {
    /// What the machine thought of the position.
    pub(crate) value: Option<Worth>,
    /// How long a machine thought; a person's time is measured here.
    pub(crate) time: Option<Duration>,
}

/// Bounds against abuse.
const MOST_NODES: usize = 20_000;
const MOST_NESTED: usize = 50;
const LONGEST_TEXT: usize = 10_000;
const MOST_GLYPHS: usize = 16;

impl Game {
    /// The game that a file tells.
    pub(crate) fn new(id: String, file: GameFile) -> Result<Self, String> {
        let entry = tablero_registry::find(&file.game).map_err(|error| error.to_string())?;
        let game = entry.game();
        if file.nodes.len() > MOST_NODES {
            return Err(format!("a game has at most {MOST_NODES} moves"));
        }
        let tree = Tree::new(load_tree(game, &file)?, file.next_id);
        let line = file.line_to(file.current);
        let line = line.ok_or_else(|| format!("its current node {} is not there", file.current))?;
        Ok(Self {
            id,
            entry,
            history: replay(game, &line).map_err(|error| error.to_string())?,
            usual_start: is_usual_start(game, &file.rules, &file.start),
            tree,
            current: file.current,
            forward: HashMap::new(),
            // Higher than before, whoever had the game in memory then.
            version: (1000.0 * now()) as u64,
            thinking: None,
            fault: None,
            stopwatch: Stopwatch::default(),
            watchers: 0,
            deleted: false,
            header: GameFile { nodes: Vec::new(), ..file },
        })
    }

    /// The content of its file.
    pub(crate) fn file(&self) -> GameFile {
        GameFile {
            current: self.current,
            next_id: self.tree.next_id(),
            nodes: self.tree.kept(),
            ..self.header.clone()
        }
    }

    /// The file with only the line to `node`.
    pub(crate) fn file_to(&self, node: u32) -> ApiResult<GameFile> {
        self.node(node)?;
        let path = self.tree.path(node);
        let ended = self.header.ended.clone().filter(|ended| ended.node == node);
        Ok(GameFile {
            current: node,
            next_id: self.tree.next_id(),
            nodes: path.into_iter().map(Into::into).collect(),
            ended,
            review: None,
            ..self.header.clone()
        })
    }

    pub(crate) fn node(&self, id: u32) -> ApiResult<&Node> {
        Ok(self.tree.get(id).ok_or(Problem::NodeNotFound { node: id })?)
    }

    pub(super) fn here(&self) -> &Node {
        // The current node is always there.
        self.tree.get(self.current).expect("the current node")
    }

    pub(crate) const fn current(&self) -> u32 {
        self.current
    }

    /// The moves to the current node, played.
    pub(crate) const fn history(&self) -> &AnyMatch {
        &self.history
    }

    /// The moves to a node, played.
    pub(crate) fn history_to(&self, id: u32) -> ApiResult<AnyMatch> {
        self.node(id)?;
        let [from, to] = [self.current, id].map(|id| self.tree.path(id));
        let shared = from.iter().zip(&to).take_while(|(from, to)| from.id == to.id).count();
        let mut history = self.history.clone();
        // The start is on every path, and no move led to it.
        while history.plies() >= shared.max(1) {
            history.undo();
        }
        play_on(&mut history, to[shared..].iter().filter_map(|node| node.name.as_deref()))?;
        Ok(history)
    }

    pub(crate) fn seat(&self, side: Side) -> &Seat {
        &self.header.players[side.index()]
    }

    pub(crate) const fn players(&self) -> &[Seat; 2] {
        &self.header.players
    }

    pub(crate) fn turn(&self) -> Side {
        self.here().turn
    }

    pub(crate) const fn delay_ms(&self) -> u64 {
        self.header.delay_ms
    }

    /// Whether there is no move to make at the current node.
    pub(crate) fn is_over_here(&self) -> bool {
        self.end_here().is_some()
    }

    pub(super) fn end_here(&self) -> Option<GameEnd> {
        let ended = self.header.ended.as_ref().filter(|ended| ended.node == self.current);
        ended.map(|ended| ended.end.clone()).or_else(|| self.here().end.clone())
    }

    /// The machine that should move now by itself.
    pub(crate) fn machine_to_move(&self) -> Option<Side> {
        let side = self.turn();
        let both = self.header.players.iter().all(|seat| !seat.is_human());
        let waits = self.header.paused || self.fault.is_some() || self.thinking.is_some();
        let is_played = self.header.ended.is_none() && !self.is_over_here();
        // Two machines play only for somebody.
        let is_seen = !both || self.watchers > 0;
        (!self.seat(side).is_human() && !waits && is_played && is_seen).then_some(side)
    }

    /// Plays a move at a node, or goes to where it leads if it is there already.
    pub(crate) fn play(&mut self, at: u32, name: &str, made: Made) -> ApiResult<Change> {
        let mut node = apply_move(&mut self.history_to(at)?, self.node(at)?, name)?;
        let known = self.tree.child(at, node.name.as_deref().unwrap_or_default());
        let mut change = Change::default();
        let is_timed = at == self.current && self.header.ended.is_none();
        let id = match known {
            Some(id) => id,
            None => {
                self.check_room(at)?;
                if is_timed && let Err(change) = self.stamp(&mut node, &made) {
                    return Ok(change);
                }
                node.value = made.value;
                self.tree.add(node)
            }
        };
        change.nodes.extend([at, id]);
        self.move_to(id)?;
        if let Some(end) = self.here().end.clone()
            && self.header.ended.is_none()
        {
            self.header.ended = Some(Ended { node: id, end });
        }
        Ok(change)
    }

    fn check_room(&self, at: u32) -> ApiResult<()> {
        if self.tree.len() >= MOST_NODES {
            return Err(Problem::TooManyMoves { most: MOST_NODES }.into());
        }
        let nested = self.tree.variation_depth(at);
        if nested >= MOST_NESTED && !self.node(at)?.children.is_empty() {
            return Err(Problem::VariationsTooDeep { most: MOST_NESTED }.into());
        }
        Ok(())
    }

    /// Writes down how long a move took; if that was too long the game is lost instead.
    fn stamp(&mut self, node: &mut Node, made: &Made) -> Result<(), Change> {
        let spent = made.time.unwrap_or_else(|| self.stopwatch.elapsed());
        let spent_ms = spent.as_millis() as u64;
        node.time_ms = (spent_ms > 0).then_some(spent_ms);
        let Some(left) = self.clocks() else { return Ok(()) };
        let counted = if self.clock_runs() { spent_ms } else { 0 };
        match self.header.clock.after_move(left, self.turn(), counted) {
            Ok(left) => {
                node.clock_ms = Some(left);
                Ok(())
            }
            Err(_) => Err(self.lose_on_time()),
        }
    }

    /// Goes on from another node.
    pub(crate) fn go_to(&mut self, id: u32) -> ApiResult<Change> {
        self.move_to(id)?;
        Ok(Change::default())
    }

    fn move_to(&mut self, id: u32) -> ApiResult<()> {
        self.history = self.history_to(id)?;
        let path: Vec<u32> = self.tree.path(id).iter().map(|node| node.id).collect();
        self.forward.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
        self.stop_thinking();
        self.fault = None;
        self.current = id;
        self.stopwatch.reset(self.watchers > 0);
        Ok(())
    }

    /// Forgets the search for the next move.
    pub(crate) fn stop_thinking(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.stop.stop();
        }
    }

    /// The side of the only person, if there is just one.
    fn only_person(&self) -> Option<Side> {
        match self.header.players.each_ref().map(Seat::is_human) {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        }
    }

    pub(super) fn undo_target(&self) -> Option<u32> {
        let person = self.only_person();
        let mut path = self.tree.path(self.current);
        path.pop();
        let fits = |node: &&&Node| person.is_none_or(|person| node.turn == person);
        path.iter().rev().find(fits).map(|node| node.id)
    }

    pub(super) fn redo_target(&self) -> Option<u32> {
        let next = |node: &Node| {
            let first = node.children.first();
            self.forward.get(&node.id).filter(|id| self.tree.get(**id).is_some()).or(first).copied()
        };
        let person = self.only_person();
        let mut at = self.tree.get(next(self.here())?)?;
        while person.is_some_and(|person| at.turn != person)
            && let Some(node) = next(at).and_then(|id| self.tree.get(id))
        {
            at = node;
        }
        Some(at.id)
    }

    pub(crate) fn undo(&mut self) -> ApiResult<Change> {
        let target = self.undo_target();
        let target = target.ok_or(Problem::NothingToUndo)?;
        // Who takes a move back goes on playing.
        if self.header.ended.as_ref().is_some_and(|ended| ended.node == self.current) {
            self.header.ended = None;
        }
        self.go_to(target)
    }

    pub(crate) fn redo(&mut self) -> ApiResult<Change> {
        let target = self.redo_target();
        let target = target.ok_or(Problem::NothingToRedo)?;
        self.go_to(target)
    }

    /// A player ends the game.
    pub(crate) fn end(&mut self, request: EndGame) -> ApiResult<Change> {
        if self.header.ended.is_some() || self.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        let side = request.side.unwrap_or_else(|| self.turn());
        let end = match request.how {
            EndHow::Resign => GameEnd::off_board(Some(other(side)), EndReason::Resignation),
            EndHow::Agree if self.header.players.iter().all(Seat::is_human) => {
                GameEnd::off_board(None, EndReason::Agreement)
            }
            EndHow::Agree => {
                return Err(Problem::AgreementNeedsTwoPeople.into());
            }
            EndHow::Claim => {
                let reason = claimable_draw(&self.history).ok_or(Problem::NoDrawToClaim)?;
                GameEnd::off_board(None, reason)
            }
        };
        Ok(self.end_with(end))
    }

    /// The game ends at the current node otherwise than on the board.
    fn end_with(&mut self, end: GameEnd) -> Change {
        self.stop_thinking();
        self.stopwatch.set_running(false);
        self.header.ended = Some(Ended { node: self.current, end });
        Change::default()
    }

    pub(crate) fn resign(&mut self, side: Side) -> Change {
        self.end_with(GameEnd::off_board(Some(other(side)), EndReason::Resignation))
    }

    pub(super) fn lose_on_time(&mut self) -> Change {
        let winner = other(self.turn());
        self.end_with(GameEnd::off_board(Some(winner), EndReason::Time))
    }

    pub(crate) fn change(&mut self, change: GameChange) -> Change {
        if let Some(players) = change.players {
            self.header.players = players;
            self.stop_thinking();
            self.fault = None;
        }
        if let Some(paused) = change.paused {
            self.header.paused = paused;
            if paused {
                self.stop_thinking();
            }
        }
        self.header.delay_ms = change.delay_ms.unwrap_or(self.header.delay_ms);
        Change::default()
    }

    pub(crate) fn change_node(&mut self, id: u32, change: NodeChange) -> ApiResult<Change> {
        self.node(id)?;
        if change.comment.as_ref().is_some_and(|comment| comment.len() > LONGEST_TEXT) {
            return Err(Problem::CommentTooLong { most: LONGEST_TEXT }.into());
        }
        if change.glyphs.as_ref().is_some_and(|glyphs| glyphs.len() > MOST_GLYPHS) {
            return Err(Problem::TooManyGlyphs { most: MOST_GLYPHS }.into());
        }
        if let Some(node) = self.tree.get_mut(id) {
            node.comment = change.comment.unwrap_or_else(|| std::mem::take(&mut node.comment));
            node.glyphs = change.glyphs.unwrap_or_else(|| std::mem::take(&mut node.glyphs));
        }
        Ok(Change { nodes: [id].into(), ..Change::default() })
    }

    /// Deletes a node and all after it; play goes on before it if it was there.
    pub(crate) fn delete_node(&mut self, id: u32) -> ApiResult<Change> {
        let parent = self.node(id)?.parent;
        let parent = parent.ok_or(Problem::StartCannotBeDeleted)?;
        if self.tree.path(self.current).iter().any(|node| node.id == id) {
            self.move_to(parent)?;
        }
        let removed = self.tree.remove(id);
        if self.header.ended.as_ref().is_some_and(|ended| removed.contains(&ended.node)) {
            self.header.ended = None;
        }
        if let Some(review) = &mut self.header.review {
            review.moves.retain(|judged| !removed.contains(&judged.node));
        }
        Ok(Change { nodes: [parent].into(), removed, ..Change::default() })
    }

    pub(crate) fn promote(&mut self, id: u32) -> ApiResult<Change> {
        self.node(id)?;
        let parent = self.tree.promote(id);
        let parent = parent.ok_or(Problem::AlreadyMainLine)?;
        Ok(Change { nodes: [parent].into(), ..Change::default() })
    }

    /// Takes over what a review found: values, glyphs, and better lines as variations.
    pub(crate) fn take_review(&mut self, review: Review) -> Change {
        let mut change = Change { review: true, ..Change::default() };
        for judged in &review.moves {
            let Some(node) = self.tree.get_mut(judged.node) else { continue };
            let Some(parent) = node.parent else { continue };
            node.value = Some(judged.value.clone());
            // ?! ? ?? are the review's to give.
            node.glyphs.retain(|glyph| ![2, 4, 6].contains(glyph));
            node.glyphs.extend(judged.judgement.glyph());
            change.nodes.insert(judged.node);
            if judged.judgement.glyph().is_some() {
                self.add_line(parent, &judged.best, &mut change);
            }
        }
        self.header.review = Some(review);
        change
    }

    /// Adds a line as a variation, unless one with its first move is there.
    fn add_line(&mut self, parent: u32, moves: &[String], change: &mut Change) {
        const SHOWN: usize = 8;
        let known = moves.first().is_some_and(|first| self.tree.child(parent, first).is_some());
        if known || self.check_room(parent).is_err() {
            return;
        }
        let Ok(mut history) = self.history_to(parent) else { return };
        let mut at = parent;
        for name in moves.iter().take(SHOWN) {
            let applied = self.node(at).and_then(|from| apply_move(&mut history, from, name));
            let Ok(node) = applied else { return };
            let id = self.tree.add(node);
            change.nodes.extend([at, id]);
            at = id;
        }
    }

    pub(crate) fn set_fault(&mut self, fault: Problem) -> Change {
        self.fault = Some(fault);
        Change::passing()
    }

    pub(crate) fn clear_fault(&mut self) {
        self.fault = None;
    }
}

const fn other(side: Side) -> Side {
    match side {
        Side::First => Side::Second,
        Side::Second => Side::First,
    }
}
