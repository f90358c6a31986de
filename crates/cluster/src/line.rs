//! The connection, as something that may break.

use std::future::Future;

use tokio::sync::watch::{Receiver, Sender, channel};

/// How often the connection has been lost, and come back, so far. Answers to what was asked before that
/// may never come.
#[derive(Clone)]
pub(crate) struct Line(Receiver<u64>);

impl Line {
    /// A line, and where each loss is to be counted.
    pub(crate) fn new() -> (Self, Sender<u64>) {
        let (sender, receiver) = channel(0);
        (Self(receiver), sender)
    }

    /// How often it was lost.
    pub(crate) fn lost(&self) -> u64 {
        *self.0.borrow()
    }

    /// Waits until it was lost more often than `lost`, and is back.
    pub(crate) async fn breaks(&self, lost: u64) {
        let _ = self.0.clone().wait_for(|now| *now != lost).await;
    }

    /// An answer, unless the line has broken since it had been lost `lost` times.
    pub(crate) async fn answer<T>(&self, lost: u64, answer: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            answer = answer => Some(answer),
            () = self.breaks(lost) => None,
        }
    }
}
