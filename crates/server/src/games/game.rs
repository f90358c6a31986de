//! A live game as a state machine: its operations, without threads and files.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tablero_core::AnyGameHistory;
use tablero_registry::GameEntry;

use super::clock::Stopwatch;
use super::nodes::{apply_move, claimable_draw, load_tree};
use super::positions::{is_default_start, play_moves, replay};
use super::remote::Table;
use super::tree::Tree;
use super::view::FOLDER;
use crate::api::{
    EndAction, EndGame, EndReason, GameChange, GameEnd, Node, NodeChange, Problem, Review, Score,
    Seat, Side, Tag,
};
use crate::error::{ApiError, ApiResult};
use crate::game_file::{EndedAt, GameFile, SHARED, now};
use crate::search_pool::StopHandle;

/// A game of the library in memory.
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) entry: &'static dyn GameEntry,
    /// What is stored, except for nodes, current node and next id: those are in the fields below.
    pub(super) header: GameFile,
    pub(super) is_default_start: bool,
    pub(super) tree: Tree,
    pub(super) current: u32,
    /// The moves to the current node, played.
    history: AnyGameHistory,
    /// The child last visited from each node, for redo.
    pub(super) last_child: HashMap<u32, u32>,
    pub(super) version: u64,
    /// The search for the next move.
    pub(crate) pending: Option<PendingMove>,
    pub(super) engine_error: Option<Problem>,
    pub(super) stopwatch: Stopwatch,
    pub(super) subscribers: usize,
    /// Who is present and what is offered, in a game between people on different machines.
    pub(super) table: Table,
    /// Whether the last search was a slow one.
    pub(crate) is_slow: bool,
    pub(crate) deleted: bool,
}

/// An engine's search in progress.
pub(crate) struct PendingMove {
    pub(crate) side: Side,
    /// Distinguishes this search from stale ones.
    pub(crate) search_id: u64,
    pub(crate) stop_handle: StopHandle,
}

/// What an operation changed, for the next [`GameView`](crate::api::GameView).
#[derive(Default)]
pub(crate) struct Change {
    pub(super) nodes: BTreeSet<u32>,
    pub(super) removed: Vec<u32>,
    pub(super) review: bool,
    /// Nothing of it is stored.
    pub(crate) is_transient: bool,
}

impl Change {
    /// A change that need not be saved.
    pub(crate) fn transient() -> Self {
        Self { is_transient: true, ..Self::default() }
    }
}

/// What an engine reports with its move; empty for a human's.
#[derive(Default)]
pub(crate) struct MoveMeta {
    /// The engine's score.
    pub(crate) score: Option<Score>,
    /// The engine's search time; a human's is measured by the stopwatch.
    pub(crate) time: Option<Duration>,
}

/// Limits against abuse.
const MAX_NODES: usize = 20_000;
const MAX_VARIATION_DEPTH: usize = 50;
const MAX_COMMENT: usize = 10_000;
const MAX_GLYPHS: usize = 16;

impl Game {
    /// Loads a game from its file.
    pub(crate) fn new(id: String, file: GameFile) -> Result<Self, Problem> {
        let entry = tablero_registry::find(&file.game)?;
        let game = entry.game();
        if file.nodes.len() > MAX_NODES {
            return Err(Problem::TooManyMoves { max: MAX_NODES });
        }
        let tree = Tree::new(load_tree(game, &file)?, file.next_id);
        let line = file.line_to(file.current);
        let line = line.ok_or(Problem::CorruptTree { node: file.current })?;
        Ok(Self {
            id,
            entry,
            history: replay(game, &line).map_err(ApiError::into_problem)?,
            is_default_start: is_default_start(game, &file.rules, &file.start),
            tree,
            current: file.current,
            last_child: HashMap::new(),
            // By wall clock, so that it grows across restarts.
            version: (1000.0 * now()) as u64,
            pending: None,
            engine_error: None,
            stopwatch: Stopwatch::default(),
            subscribers: 0,
            table: Table::default(),
            is_slow: false,
            deleted: false,
            header: GameFile { nodes: Vec::new(), ..file },
        })
    }

    /// The game as it is stored.
    pub(crate) fn file(&self) -> GameFile {
        GameFile {
            current: self.current,
            next_id: self.tree.next_id(),
            nodes: self.tree.stored(),
            ..self.header.clone()
        }
    }

    /// Returns to the saved state, keeping what is not stored: subscribers, version, time.
    pub(crate) fn restore(&mut self, saved: Self) {
        if saved.current != self.current {
            self.cancel_search();
        }
        self.header = saved.header;
        self.tree = saved.tree;
        self.current = saved.current;
        self.history = saved.history;
        self.stopwatch.set_running(self.subscribers > 0 && !self.is_over_here());
    }

    /// The game with only the line to `node`.
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
            invitation: None,
            ..self.header.clone()
        })
    }

    pub(crate) fn node(&self, id: u32) -> ApiResult<&Node> {
        Ok(self.tree.get(id).ok_or(Problem::NodeNotFound { node: id })?)
    }

    pub(super) fn here(&self) -> &Node {
        // The current node always exists.
        self.tree.get(self.current).expect("the current node")
    }

    pub(crate) const fn current(&self) -> u32 {
        self.current
    }

    /// The moves to the current node, played.
    pub(crate) const fn history(&self) -> &AnyGameHistory {
        &self.history
    }

    /// The moves to a node, played.
    pub(crate) fn history_to(&self, id: u32) -> ApiResult<AnyGameHistory> {
        self.node(id)?;
        let [from, to] = [self.current, id].map(|id| self.tree.path(id));
        let shared = from.iter().zip(&to).take_while(|(from, to)| from.id == to.id).count();
        let mut history = self.history.clone();
        // The root is on every path, and has no move.
        while history.plies() >= shared.max(1) {
            history.undo();
        }
        play_moves(&mut history, to[shared..].iter().filter_map(|node| node.name.as_deref()))?;
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

    /// Whether the game is over at the current node.
    pub(crate) fn is_over_here(&self) -> bool {
        self.end_here().is_some()
    }

    /// Whether the game goes on at the current node: it has not ended, or its end was taken back.
    pub(super) fn is_ongoing(&self) -> bool {
        (self.header.ended.is_none() || self.is_taken_back()) && !self.is_over_here()
    }

    /// Whether the current node is before the end of the game, on the same line.
    fn is_taken_back(&self) -> bool {
        let ended = self.header.ended.as_ref().map(|ended| ended.node);
        let is_before = |end| self.tree.path(end).iter().any(|node| node.id == self.current);
        ended.is_some_and(|end| end != self.current && is_before(end))
    }

    pub(super) fn end_here(&self) -> Option<GameEnd> {
        let ended = self.header.ended.as_ref().filter(|ended| ended.node == self.current);
        ended.map(|ended| ended.end.clone()).or_else(|| self.here().end.clone())
    }

    /// The side whose engine should start to search now.
    pub(crate) fn engine_to_move(&self) -> Option<Side> {
        let side = self.turn();
        let is_blocked =
            self.header.paused || self.engine_error.is_some() || self.pending.is_some();
        let is_ongoing = self.is_ongoing();
        // Two engines play each other only while somebody watches.
        let is_watched = !self.is_engine_game() || self.subscribers > 0;
        (!self.seat(side).is_human() && !is_blocked && is_ongoing && is_watched).then_some(side)
    }

    /// Whether both sides are engines.
    pub(super) fn is_engine_game(&self) -> bool {
        self.header.players.iter().all(|seat| !seat.is_human())
    }

    /// Plays a move at a node, or visits the child if the move is in the tree already.
    pub(crate) fn play(&mut self, at: u32, name: &str, meta: MoveMeta) -> ApiResult<Change> {
        let mut node = apply_move(&mut self.history_to(at)?, self.node(at)?, name)?;
        let known = self.tree.child(at, node.name.as_deref().unwrap_or_default());
        let mut change = Change::default();
        let is_timed = at == self.current && self.is_ongoing();
        let id = match known {
            Some(id) => id,
            None => {
                self.check_room(at)?;
                if is_timed && let Err(change) = self.record_time(&mut node, &meta) {
                    return Ok(change);
                }
                node.score = meta.score;
                self.leave_shared_link();
                self.tree.add(node)
            }
        };
        change.nodes.extend([at, id]);
        self.move_to(id)?;
        self.table.clear_offers();
        if known.is_none() && is_timed && !self.has_recorded_end() {
            // The move replaces what was taken back, the end included.
            self.header.ended = None;
        }
        if let Some(end) = self.here().end.clone()
            && self.header.ended.is_none()
        {
            self.header.ended = Some(EndedAt::new(id, end));
        }
        Ok(change)
    }

    /// The result as others see it: none while a game that is played here goes on again.
    pub(super) fn result(&self) -> Option<&EndedAt> {
        let ended = self.header.ended.as_ref();
        ended.filter(|ended| ended.is_recorded || !self.is_taken_back())
    }

    /// The game as it is exported.
    pub(crate) fn exported(&self) -> GameFile {
        GameFile { ended: self.result().cloned(), ..self.file() }
    }

    /// A game from a shared link becomes another game with the first move that is added.
    fn leave_shared_link(&mut self) {
        self.header.origin.take_if(|origin| origin.starts_with(SHARED));
    }

    /// Whether the result is that of a game played elsewhere.
    fn has_recorded_end(&self) -> bool {
        self.header.ended.as_ref().is_some_and(|ended| ended.is_recorded)
    }

    /// Checks that a child may be added to a node.
    fn check_room(&self, at: u32) -> ApiResult<()> {
        if self.tree.len() >= MAX_NODES {
            return Err(Problem::TooManyMoves { max: MAX_NODES }.into());
        }
        let depth = self.tree.variation_depth(at);
        if depth >= MAX_VARIATION_DEPTH && !self.node(at)?.children.is_empty() {
            return Err(Problem::VariationsTooDeep { max: MAX_VARIATION_DEPTH }.into());
        }
        Ok(())
    }

    /// Records the time of a move and updates the clock; `Err` if the flag fell, which ends the game.
    fn record_time(&mut self, node: &mut Node, meta: &MoveMeta) -> Result<(), Change> {
        let spent = meta.time.unwrap_or_else(|| self.stopwatch.elapsed());
        let spent_ms = spent.as_millis() as u64;
        node.time_ms = (spent_ms > 0).then_some(spent_ms);
        let Some(left) = self.clocks() else { return Ok(()) };
        let counted = if self.is_clock_running() { spent_ms } else { 0 };
        match self.header.clock.after_move(left, self.turn(), counted) {
            Ok(left) => {
                node.clock_ms = Some(left);
                Ok(())
            }
            Err(_) => Err(self.lose_on_time()),
        }
    }

    /// Makes another node the current one.
    pub(crate) fn go_to(&mut self, id: u32) -> ApiResult<Change> {
        self.move_to(id)?;
        Ok(Change::default())
    }

    fn move_to(&mut self, id: u32) -> ApiResult<()> {
        self.history = self.history_to(id)?;
        let path: Vec<u32> = self.tree.path(id).iter().map(|node| node.id).collect();
        self.last_child.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
        self.cancel_search();
        self.engine_error = None;
        self.current = id;
        self.stopwatch.reset(self.subscribers > 0);
        Ok(())
    }

    /// Cancels the search for the next move.
    pub(crate) fn cancel_search(&mut self) {
        if let Some(pending) = self.pending.take() {
            pending.stop_handle.stop();
        }
    }

    /// The human's side in a game against an engine.
    pub(super) fn only_human(&self) -> Option<Side> {
        match self.header.players.each_ref().map(Seat::is_human) {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        }
    }

    pub(super) fn undo_target(&self) -> Option<u32> {
        self.last_turn_of(self.only_human())
    }

    /// The last node before the current one at which `side` (or either, if `None`) was to move.
    pub(super) fn last_turn_of(&self, side: Option<Side>) -> Option<u32> {
        let mut path = self.tree.path(self.current);
        path.pop();
        let is_target = |node: &&&Node| side.is_none_or(|side| node.turn == side);
        path.iter().rev().find(is_target).map(|node| node.id)
    }

    pub(super) fn redo_target(&self) -> Option<u32> {
        let next = |node: &Node| {
            let first = node.children.first();
            self.last_child
                .get(&node.id)
                .filter(|id| self.tree.get(**id).is_some())
                .or(first)
                .copied()
        };
        let human = self.only_human();
        let mut at = self.tree.get(next(self.here())?)?;
        while human.is_some_and(|human| at.turn != human)
            && let Some(node) = next(at).and_then(|id| self.tree.get(id))
        {
            at = node;
        }
        Some(at.id)
    }

    pub(crate) fn undo(&mut self) -> ApiResult<Change> {
        let target = self.undo_target();
        let target = target.ok_or(Problem::NothingToUndo)?;
        // The end stays at its node: redo brings it back, another move replaces it.
        self.go_to(target)
    }

    pub(crate) fn redo(&mut self) -> ApiResult<Change> {
        let target = self.redo_target();
        let target = target.ok_or(Problem::NothingToRedo)?;
        self.go_to(target)
    }

    /// Resigns, agrees on a draw or claims one.
    pub(crate) fn end(&mut self, request: EndGame) -> ApiResult<Change> {
        if !self.is_ongoing() {
            return Err(Problem::GameOver.into());
        }
        let side = request.side.unwrap_or_else(|| self.turn());
        let end = match request.action {
            EndAction::Resign => GameEnd::off_board(Some(other(side)), EndReason::Resignation),
            EndAction::AgreeDraw if self.header.players.iter().all(Seat::is_human) => {
                GameEnd::off_board(None, EndReason::Agreement)
            }
            EndAction::AgreeDraw | EndAction::DeclineDraw => {
                return Err(Problem::AgreementNeedsTwoHumans.into());
            }
            EndAction::OfferDraw => return self.offer_draw_to_engine(),
            EndAction::ClaimDraw => {
                let reason = claimable_draw(&self.history).ok_or(Problem::NoDrawToClaim)?;
                GameEnd::off_board(None, reason)
            }
        };
        Ok(self.end_with(end))
    }

    /// Ends the game at the current node, off the board.
    pub(super) fn end_with(&mut self, end: GameEnd) -> Change {
        let clock_ms = self.clock_now().map(|clock| clock.left_ms);
        self.cancel_search();
        self.table.clear_offers();
        self.stopwatch.set_running(false);
        self.header.ended = Some(EndedAt { clock_ms, ..EndedAt::new(self.current, end) });
        Change::default()
    }

    pub(crate) fn resign(&mut self, side: Side) -> Change {
        self.end_with(GameEnd::off_board(Some(other(side)), EndReason::Resignation))
    }

    pub(super) fn lose_on_time(&mut self) -> Change {
        let loser = self.turn();
        let change = self.end_with(GameEnd::off_board(Some(other(loser)), EndReason::Time));
        if let Some(ended) = &mut self.header.ended
            && let Some(left) = &mut ended.clock_ms
        {
            left[loser.index()] = 0;
        }
        change
    }

    pub(crate) fn change(&mut self, change: GameChange) -> Change {
        if let Some(players) = change.players {
            self.header.players = players;
            self.cancel_search();
            self.engine_error = None;
        }
        if let Some(paused) = change.paused {
            self.header.paused = paused;
            if paused {
                self.cancel_search();
            }
        }
        self.header.delay_ms = change.delay_ms.unwrap_or(self.header.delay_ms);
        if let Some(folder) = change.folder {
            let tags = &mut self.header.tags;
            tags.retain(|tag| tag.name != FOLDER);
            let value = folder.trim().to_owned();
            tags.extend((!value.is_empty()).then(|| Tag { name: FOLDER.into(), value }));
        }
        Change::default()
    }

    pub(crate) fn change_node(&mut self, id: u32, change: NodeChange) -> ApiResult<Change> {
        self.node(id)?;
        if change.comment.as_ref().is_some_and(|comment| comment.len() > MAX_COMMENT) {
            return Err(Problem::CommentTooLong { max: MAX_COMMENT }.into());
        }
        if change.glyphs.as_ref().is_some_and(|glyphs| glyphs.len() > MAX_GLYPHS) {
            return Err(Problem::TooManyGlyphs { max: MAX_GLYPHS }.into());
        }
        if let Some(node) = self.tree.get_mut(id) {
            node.comment = change.comment.unwrap_or_else(|| std::mem::take(&mut node.comment));
            node.glyphs = change.glyphs.unwrap_or_else(|| std::mem::take(&mut node.glyphs));
        }
        Ok(Change { nodes: [id].into(), ..Change::default() })
    }

    /// Deletes a node and its descendants; the parent becomes current if the current node was among them.
    pub(crate) fn delete_node(&mut self, id: u32) -> ApiResult<Change> {
        let parent = self.node(id)?.parent;
        let parent = parent.ok_or(Problem::CannotDeleteRoot)?;
        if self.tree.path(self.current).iter().any(|node| node.id == id) {
            self.move_to(parent)?;
        }
        let removed = self.tree.remove(id);
        if self.header.ended.as_ref().is_some_and(|ended| removed.contains(&ended.node)) {
            self.header.ended = None;
        }
        if let Some(review) = &mut self.header.review {
            review.moves.retain(|reviewed| !removed.contains(&reviewed.node));
        }
        Ok(Change { nodes: [parent].into(), removed, ..Change::default() })
    }

    pub(crate) fn promote(&mut self, id: u32) -> ApiResult<Change> {
        self.node(id)?;
        let parent = self.tree.promote(id);
        let parent = parent.ok_or(Problem::AlreadyMainLine)?;
        Ok(Change { nodes: [parent].into(), ..Change::default() })
    }

    /// Stores a review: scores and glyphs on the nodes, better lines as variations.
    pub(crate) fn apply_review(&mut self, review: Review) -> Change {
        let mut change = Change { review: true, ..Change::default() };
        for reviewed in &review.moves {
            let Some(node) = self.tree.get_mut(reviewed.node) else { continue };
            let Some(parent) = node.parent else { continue };
            node.score = Some(reviewed.score.clone());
            // The review owns the glyphs ?! ? ??.
            node.glyphs.retain(|glyph| ![2, 4, 6].contains(glyph));
            node.glyphs.extend(reviewed.judgement.glyph());
            change.nodes.insert(reviewed.node);
            if reviewed.judgement.glyph().is_some() {
                self.add_line(parent, &reviewed.best, &mut change);
            }
        }
        self.header.review = Some(review);
        change
    }

    /// Adds a line as a variation, unless its first move is in the tree already.
    fn add_line(&mut self, parent: u32, moves: &[String], change: &mut Change) {
        const MAX_PLIES: usize = 8;
        let known = moves.first().is_some_and(|first| self.tree.child(parent, first).is_some());
        if known || self.check_room(parent).is_err() {
            return;
        }
        let Ok(mut history) = self.history_to(parent) else { return };
        let mut at = parent;
        for name in moves.iter().take(MAX_PLIES) {
            let applied = self.node(at).and_then(|from| apply_move(&mut history, from, name));
            let Ok(node) = applied else { return };
            let id = self.tree.add(node);
            change.nodes.extend([at, id]);
            at = id;
        }
    }

    pub(crate) fn set_engine_error(&mut self, problem: Problem) -> Change {
        self.engine_error = Some(problem);
        Change::transient()
    }

    pub(crate) fn clear_engine_error(&mut self) {
        self.engine_error = None;
    }
}

pub(super) const fn other(side: Side) -> Side {
    match side {
        Side::First => Side::Second,
        Side::Second => Side::First,
    }
}
