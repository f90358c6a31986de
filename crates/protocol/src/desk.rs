//! The threads of an engine: one reads, one thinks, and the one that talks sits between them.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, scope};

use tablero_core::{
    AnyChoice, AnyControl, AnyInfo, AnyMatch, AnyMove, AnyPlayer, Limits, PlayerError,
};

/// What happened, in the order in which it did.
pub(crate) enum Event {
    /// The peer sent a line.
    Line(String),
    /// The peer will send nothing more.
    End,
    /// The player found something out.
    Info(AnyInfo),
    /// The player decided.
    Done(Thought),
}

/// A decision, and the player back from making it.
pub(crate) struct Thought {
    pub(crate) player: Box<AnyPlayer>,
    pub(crate) result: Result<AnyChoice, PlayerError>,
}

/// A decision to be made.
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) game: AnyMatch,
    pub(crate) limits: Limits,
    /// The moves to choose from, if not all.
    pub(crate) only: Option<Vec<AnyMove>>,
}

/// A thought that is under way.
#[derive(Clone)]
pub(crate) struct Thinking(Arc<AtomicBool>);

impl Thinking {
    /// Makes the player answer soon.
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Where lines, news and decisions come together.
pub(crate) struct Desk<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    sender: Sender<Message>,
    messages: Receiver<Message>,
    /// Lines that came while nobody could act on them.
    kept: VecDeque<String>,
    ended: bool,
    thinking: Option<Thinking>,
}

impl Drop for Desk<'_, '_> {
    /// Nobody waits for an answer any more.
    fn drop(&mut self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop();
        }
    }
}

enum Message {
    Event(Event),
    /// The thinking thread panicked; so shall this one.
    Panic(Box<dyn Any + Send>),
}

/// A peer must not be sent an illegal move, whatever the player answers.
fn check_legal(game: &AnyMatch, choice: AnyChoice) -> Result<AnyChoice, PlayerError> {
    if game.position().is_legal(choice.m) {
        return Ok(choice);
    }
    Err(PlayerError::Failed { player: "the player".into(), what: "chose an illegal move".into() })
}

/// Runs `work` at a desk to which `input` is delivered, up to its end or the line that `is_last`.
pub(crate) fn at_desk<T>(
    input: impl BufRead + Send,
    is_last: fn(&str) -> bool,
    work: impl FnOnce(&mut Desk<'_, '_>) -> T,
) -> T {
    scope(|scope| {
        let (sender, messages) = channel();
        let lines = sender.clone();
        scope.spawn(move || deliver(input, is_last, &lines));
        let mut desk =
            Desk { scope, sender, messages, kept: VecDeque::new(), ended: false, thinking: None };
        work(&mut desk)
    })
}

fn deliver(mut input: impl BufRead, is_last: fn(&str) -> bool, sender: &Sender<Message>) {
    while let Some(line) = read_line(&mut input) {
        let last = is_last(&line);
        if sender.send(Message::Event(Event::Line(line))).is_err() || last {
            return;
        }
    }
    // If nobody is at the desk any more, nobody needs to know.
    let _ = sender.send(Message::Event(Event::End));
}

/// The next line, whatever bytes it has; none at the end, or when reading fails.
pub(crate) fn read_line(input: &mut impl BufRead) -> Option<String> {
    /// Longer lines are cut into several: no peer has a reason to fill the memory.
    const LONGEST: u64 = 1 << 20;
    let mut bytes = Vec::new();
    let count = input.take(LONGEST).read_until(b'\n', &mut bytes).ok()?;
    let line = String::from_utf8_lossy(&bytes);
    (count > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

impl<'scope> Desk<'scope, '_> {
    /// Waits for the next event.
    pub(crate) fn next(&mut self) -> Event {
        match self.messages.recv() {
            Ok(Message::Event(Event::End)) | Err(_) => {
                self.ended = true;
                Event::End
            }
            Ok(Message::Event(event)) => event,
            Ok(Message::Panic(cause)) => resume_unwind(cause),
        }
    }

    /// Waits for the next line, for a protocol in which one command is dealt with at a time; none
    /// at the end. Nobody may be thinking.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        if let Some(line) = self.kept.pop_front() {
            return Some(line);
        }
        if self.ended {
            return None;
        }
        match self.next() {
            Event::Line(line) => Some(line),
            _ => None,
        }
    }

    /// Whether the end, or a line that `is_urgent`, has come.
    pub(crate) fn is_wanted(&self, is_urgent: fn(&str) -> bool) -> bool {
        self.ended || self.kept.iter().any(|line| is_urgent(line))
    }

    /// Lets `player` think about `task`; its news and its decision come as events.
    pub(crate) fn think(&mut self, mut player: Box<AnyPlayer>, task: Task) -> Thinking {
        let thinking = Thinking(Arc::new(AtomicBool::new(false)));
        let stop = thinking.clone();
        let sender = self.sender.clone();
        self.scope.spawn(move || {
            let mut report = |info: &AnyInfo| {
                let _ = sender.send(Message::Event(Event::Info(info.clone())));
            };
            let decide = || {
                let mut control = AnyControl::new(&stop.0, &mut report);
                if let Some(only) = &task.only {
                    control = control.with_only(only);
                }
                let choice = player.choose(&task.game, &task.limits, &mut control)?;
                check_legal(&task.game, choice)
            };
            let message = match catch_unwind(AssertUnwindSafe(decide)) {
                Ok(result) => Message::Event(Event::Done(Thought { player, result })),
                Err(cause) => Message::Panic(cause),
            };
            let _ = sender.send(message);
        });
        self.thinking = Some(thinking.clone());
        thinking
    }

    /// Lets `player` think and waits for the decision. Lines that come meanwhile are kept; one that
    /// `is_urgent`, or the end, stops the thought.
    pub(crate) fn think_and_wait(
        &mut self,
        player: Box<AnyPlayer>,
        task: Task,
        is_urgent: fn(&str) -> bool,
        mut news: impl FnMut(&AnyInfo) -> io::Result<()>,
    ) -> io::Result<Thought> {
        let is_wanted = self.is_wanted(is_urgent);
        let thinking = self.think(player, task);
        if is_wanted {
            thinking.stop();
        }
        loop {
            match self.next() {
                Event::Line(line) => {
                    if is_urgent(&line) {
                        thinking.stop();
                    }
                    self.kept.push_back(line);
                }
                Event::End => thinking.stop(),
                Event::Info(info) => news(&info)?,
                Event::Done(thought) => return Ok(thought),
            }
        }
    }
}
