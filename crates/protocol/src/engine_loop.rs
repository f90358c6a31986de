//! The engine loop: one thread reads the input, one searches, and the loop between them handles both as events.
//!
//! ```text
//! stdin ──> reader thread ──Line──┐
//!                                 ├──> engine loop ──> stdout
//! search thread ──Info, Done──────┘        │
//!       └<──────── start, stop ────────────┘
//! ```
//! So the engine reacts to `stop`, `isready` and `quit` while it searches.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, scope};

use tablero_core::{
    AnyControl, AnyGameHistory, AnyInfo, AnyMove, AnyPlayer, AnySearchResult, Limits, PlayerError,
};

use crate::lines::{LineTooLong, read_line};
use crate::queue::{Line, LineQueue};

/// Events in the order of their occurrence.
pub(crate) enum Event {
    /// A line of input.
    Line(Line),
    /// End of input.
    Eof,
    /// Search information.
    Info(AnyInfo),
    /// The search is over.
    Done(Finished),
}

/// The result of a search, and the player.
pub(crate) struct Finished {
    pub(crate) player: Box<AnyPlayer>,
    pub(crate) result: Result<AnySearchResult, PlayerError>,
}

/// Position and limits of a search.
#[derive(Clone)]
pub(crate) struct SearchRequest {
    pub(crate) game: AnyGameHistory,
    pub(crate) limits: Limits,
    /// Root moves to search, if not all.
    pub(crate) searchmoves: Option<Vec<AnyMove>>,
}

/// Handle of a running search.
#[derive(Clone)]
pub(crate) struct SearchHandle(Arc<AtomicBool>);

impl SearchHandle {
    /// Makes the player return its best move soon.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Receives input lines, search information and results.
pub(crate) struct EngineLoop<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    sender: Sender<Message>,
    messages: Receiver<Message>,
    queue: Arc<LineQueue>,
    /// Lines that arrived during [`search_and_wait`](Self::search_and_wait).
    deferred: VecDeque<Line>,
    is_eof: bool,
    search: Option<SearchHandle>,
}

impl Drop for EngineLoop<'_, '_> {
    /// Stops a running search and the reader.
    fn drop(&mut self) {
        self.queue.close();
        if let Some(search) = &self.search {
            search.stop();
        }
    }
}

enum Message {
    Event(Event),
    /// Ends the session.
    LineTooLong,
    /// The search thread panicked; the loop resumes the panic.
    Panic(Box<dyn Any + Send>),
}

/// Rejects an illegal move of the player, so that it never reaches the GUI.
fn check_legal(
    game: &AnyGameHistory,
    result: AnySearchResult,
) -> Result<AnySearchResult, PlayerError> {
    if game.position().is_legal(result.m) {
        return Ok(result);
    }
    Err(PlayerError::Failed { player: "the player".into(), what: "chose an illegal move".into() })
}

/// Runs `session` on an engine loop that reads `input` up to its end or the line that `is_last`.
pub(crate) fn run_engine_loop<T>(
    input: impl BufRead + Send,
    is_last: fn(&str) -> bool,
    session: impl FnOnce(&mut EngineLoop<'_, '_>) -> io::Result<T>,
) -> io::Result<T> {
    scope(|scope| {
        let (sender, messages) = channel();
        let queue = Arc::new(LineQueue::default());
        let (lines, line_queue) = (sender.clone(), queue.clone());
        let read = move || read_input(input, is_last, &line_queue, &lines);
        Builder::new().spawn_scoped(scope, read)?;
        let mut engine_loop = EngineLoop {
            scope,
            sender,
            messages,
            queue,
            deferred: VecDeque::new(),
            is_eof: false,
            search: None,
        };
        session(&mut engine_loop)
    })
}

fn read_input(
    mut input: impl BufRead,
    is_last: fn(&str) -> bool,
    queue: &Arc<LineQueue>,
    sender: &Sender<Message>,
) {
    while let Some(line) = read_line(&mut input) {
        let Ok(line) = line else {
            let _ = sender.send(Message::LineTooLong);
            return;
        };
        let last = is_last(&line);
        let Some(line) = queue.admit(line) else { return };
        if sender.send(Message::Event(Event::Line(line))).is_err() || last {
            return;
        }
    }
    // Fails only if the loop has ended.
    let _ = sender.send(Message::Event(Event::Eof));
}

impl<'scope> EngineLoop<'scope, '_> {
    /// Waits for the next event. Fails if a line of input is too long: whatever it said, the session cannot
    /// continue without it.
    pub(crate) fn next(&mut self) -> io::Result<Event> {
        match self.messages.recv() {
            Ok(Message::Event(Event::Eof)) | Err(_) => {
                self.is_eof = true;
                Ok(Event::Eof)
            }
            Ok(Message::Event(event)) => Ok(event),
            Ok(Message::LineTooLong) => {
                let what = format!("a line of input is {LineTooLong}");
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            Ok(Message::Panic(cause)) => resume_unwind(cause),
        }
    }

    /// Waits for the next line, for protocols that handle one command at a time; `None` at the end of input.
    /// No search may be running.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.deferred.pop_front() {
            return Ok(Some(line));
        }
        if self.is_eof {
            return Ok(None);
        }
        match self.next()? {
            Event::Line(line) => Ok(Some(line)),
            _ => Ok(None),
        }
    }

    /// Whether the input has ended or a line that `interrupts` is deferred.
    pub(crate) fn is_interrupted(&self, interrupts: fn(&str) -> bool) -> bool {
        self.is_eof || self.deferred.iter().any(|line| interrupts(line))
    }

    /// Starts a search; its information and result arrive as events.
    pub(crate) fn start_search(
        &mut self,
        mut player: Box<AnyPlayer>,
        request: SearchRequest,
    ) -> io::Result<SearchHandle> {
        let search = SearchHandle(Arc::new(AtomicBool::new(false)));
        let stop = search.clone();
        let sender = self.sender.clone();
        let run = move || {
            let mut report = |info: &AnyInfo| {
                let _ = sender.send(Message::Event(Event::Info(info.clone())));
            };
            let search_player = || {
                let mut control = AnyControl::new(&stop.0, &mut report);
                if let Some(searchmoves) = &request.searchmoves {
                    control = control.with_searchmoves(searchmoves);
                }
                let result = player.choose(&request.game, &request.limits, &mut control)?;
                check_legal(&request.game, result)
            };
            let message = match catch_unwind(AssertUnwindSafe(search_player)) {
                Ok(result) => Message::Event(Event::Done(Finished { player, result })),
                Err(cause) => Message::Panic(cause),
            };
            let _ = sender.send(message);
        };
        Builder::new().spawn_scoped(self.scope, run)?;
        self.search = Some(search.clone());
        Ok(search)
    }

    /// Searches and waits for the result. Lines that arrive meanwhile are deferred; one that `interrupts`, or the
    /// end of input, stops the search.
    pub(crate) fn search_and_wait(
        &mut self,
        player: Box<AnyPlayer>,
        request: SearchRequest,
        interrupts: fn(&str) -> bool,
        mut on_info: impl FnMut(&AnyInfo) -> io::Result<()>,
    ) -> io::Result<Finished> {
        let is_interrupted = self.is_interrupted(interrupts);
        let search = self.start_search(player, request)?;
        if is_interrupted {
            search.stop();
        }
        loop {
            match self.next()? {
                Event::Line(line) => {
                    if interrupts(&line) {
                        search.stop();
                    }
                    self.deferred.push_back(line);
                }
                Event::Eof => search.stop(),
                Event::Info(info) => on_info(&info)?,
                Event::Done(finished) => return Ok(finished),
            }
        }
    }
}
