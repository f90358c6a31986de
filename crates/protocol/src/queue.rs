//! Lines between the reader and the session. Their number is bounded: a peer that sends faster than the session
//! handles its lines has to wait.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that may wait; with the longest ones, 64 MiB.
const MAX_WAITING: usize = 1024;

/// Counts the lines that wait to be handled.
#[derive(Default)]
pub(crate) struct LineQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    is_closed: bool,
}

/// A line, counted until it is dropped.
pub(crate) struct Line {
    text: String,
    queue: Arc<LineQueue>,
}

impl LineQueue {
    /// Counts a line, as soon as there is room for it; `None` once the queue is closed.
    pub(crate) fn admit(self: &Arc<Self>, text: String) -> Option<Line> {
        let has_to_wait = |state: &mut State| state.waiting >= MAX_WAITING && !state.is_closed;
        let state = self.changed.wait_while(self.lock(), has_to_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        let line = Line { text, queue: self.clone() };
        let is_closed = state.is_closed;
        drop(state);
        (!is_closed).then_some(line)
    }

    /// Ends the waiting of the reader.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.queue.lock().waiting -= 1;
        self.queue.changed.notify_one();
    }
}

impl Deref for Line {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::scope;

    use super::*;

    #[test]
    fn a_reader_waits_while_too_many_lines_wait() {
        let queue = Arc::new(LineQueue::default());
        let mut lines: Vec<Line> =
            (0..MAX_WAITING).map_while(|number| queue.admit(number.to_string())).collect();
        assert_eq!(lines.len(), MAX_WAITING);
        scope(|scope| {
            let (sender, admitted) = channel();
            scope.spawn(|| {
                let sender = sender;
                while let Some(line) = queue.admit("more".into()) {
                    sender.send(line).expect("a receiver");
                }
            });
            assert!(admitted.try_recv().is_err());
            drop(lines.pop());
            assert_eq!(&*admitted.recv().expect("room for one"), "more");
            // That line is handled, so there is room for the next one.
            drop(admitted.recv().expect("a line"));
            queue.close();
            while admitted.recv().is_ok() {}
        });
    }
}
