//! Connection epochs: a reply to a request sent before a reconnect may never arrive.
//!
//! The epoch counts reconnects. A request remembers the epoch it was sent in and is given up as soon as
//! the epoch changes, instead of running into its timeout.

use std::future::Future;

use tokio::sync::watch::{Receiver, Sender, channel};

/// The number of reconnects so far.
#[derive(Clone)]
pub(crate) struct ConnectionEpoch(Receiver<u64>);

impl ConnectionEpoch {
    /// Epoch 0, and the sender that advances it.
    pub(crate) fn new() -> (Self, Sender<u64>) {
        let (sender, receiver) = channel(0);
        (Self(receiver), sender)
    }

    /// The current epoch.
    pub(crate) fn current(&self) -> u64 {
        *self.0.borrow()
    }

    /// Waits for the first epoch that is not `epoch`.
    pub(crate) async fn changed(&self, epoch: u64) {
        let _ = self.0.clone().wait_for(|current| *current != epoch).await;
    }

    /// The reply to a request of `epoch`; `None` if the epoch changes first.
    pub(crate) async fn reply<T>(&self, epoch: u64, reply: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            reply = reply => Some(reply),
            () = self.changed(epoch) => None,
        }
    }
}
