//! Views of a game for the API.

use tablero_core::Openings;

use super::game::{Change, Game};
use super::nodes::{claimable_draw, legal_moves};
use super::records::event;

use crate::api::{EndReason, GameInfo, GameState, GameSummary, GameView, LegalMove};
use crate::game_file::now;

/// The tag with a game's folder in the library; files keep it.
pub(super) const FOLDER: &str = "Folder";

impl Game {
    /// Records the time of a change.
    pub(crate) fn touch(&mut self) {
        self.header.changed = now();
    }

    /// Increments the version; returns what changed.
    pub(crate) fn commit(&mut self, change: &Change) -> GameView {
        let since = self.version;
        self.version += 1;
        let order = self.tree.in_order();
        let nodes = order.into_iter().filter(|node| change.nodes.contains(&node.id)).cloned();
        GameView {
            since,
            nodes: nodes.collect(),
            removed: change.removed.clone(),
            review: self.header.review.clone().filter(|_| change.review),
            ..self.base_view()
        }
    }

    /// The whole game.
    pub(crate) fn view(&self) -> GameView {
        GameView {
            nodes: self.tree.in_order().into_iter().cloned().collect(),
            review: self.header.review.clone(),
            ..self.base_view()
        }
    }

    /// A view without nodes.
    fn base_view(&self) -> GameView {
        GameView {
            id: self.id.clone(),
            version: self.version,
            since: 0,
            info: self.info(),
            state: self.state(),
            nodes: Vec::new(),
            removed: Vec::new(),
            review: None,
        }
    }

    fn info(&self) -> GameInfo {
        let header = &self.header;
        GameInfo {
            game: header.game.clone(),
            rules: header.rules.clone(),
            players: header.players.clone(),
            clock: header.clock,
            start: header.start.clone(),
            is_default_start: self.is_default_start,
            created: header.created,
            changed: header.changed,
            tags: header.tags.clone(),
        }
    }

    fn state(&self) -> GameState {
        let end = self.end_here();
        let (moves, claim) = self.options_here(end.is_some());
        GameState {
            current: self.current,
            turn: self.turn(),
            end,
            claim,
            moves,
            thinking: self.pending.as_ref().map(|pending| pending.side),
            engine_error: self.engine_error.clone().map(Into::into),
            paused: self.header.paused,
            delay_ms: self.header.delay_ms,
            clock: self.clock_now(),
            ended: self.header.ended.as_ref().map(|ended| ended.node),
            result: self.header.ended.as_ref().map(|ended| ended.end.clone()),
            undo: self.undo_target(),
            redo: self.redo_target(),
            remote: self.remote_state(),
        }
    }

    /// The legal moves, and the draw that may be claimed.
    fn options_here(&self, is_over: bool) -> (Vec<LegalMove>, Option<EndReason>) {
        if is_over {
            return (Vec::new(), None);
        }
        (legal_moves(self.history()), claimable_draw(self.history()))
    }

    /// Where the game was copied from, if it was.
    pub(crate) fn origin(&self) -> Option<&str> {
        self.header.origin.as_deref()
    }

    pub(crate) fn summary(&self) -> GameSummary {
        let header = &self.header;
        let tag = |name: &str| {
            header.tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
        };
        GameSummary {
            id: self.id.clone(),
            game: header.game.clone(),
            rules: header.rules.clone(),
            players: header.players.clone(),
            end: self.result().map(|ended| ended.end.clone()),
            turn: self.turn(),
            plies: self.here().ply,
            cells: self.here().cells.clone(),
            event: event(tag("Event"), tag("Date")),
            folder: tag(FOLDER).unwrap_or_default().into(),
            opening: self.opening(),
            created: header.created,
            changed: header.changed,
        }
    }

    /// The name of the opening; empty if it has none.
    fn opening(&self) -> String {
        let openings = Openings::of(self.entry.game());
        openings.of_history(self.history()).map_or_else(String::new, |opening| opening.name.into())
    }

    /// The text that full-text search matches, in lower case.
    pub(crate) fn search_text(&self) -> String {
        let header = &self.header;
        let players = header.players.iter().flat_map(|seat| [&seat.name, &seat.player]);
        let tags = header.tags.iter().map(|tag| &tag.value);
        let nodes = self.tree.in_order();
        let moves = nodes.iter().filter_map(|node| node.label.as_ref());
        let comments = nodes.iter().map(|node| &node.comment);
        let texts =
            players.chain(tags).chain(moves).chain(comments).filter(|text| !text.is_empty());
        texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" ")
    }
}
