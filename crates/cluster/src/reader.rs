//! Reads the reports of a run, each once, whatever happens to the server meanwhile.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use crate::layout::Layout;
use crate::wire::Report;

/// How many reports are asked for at a time, and for how long.
const AT_ONCE: usize = 500;
const ASK: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(200);
/// The server forgets a reader that has been gone for so long.
const FORGET: Duration = Duration::from_secs(60);

pub(crate) struct Reader {
    subject: String,
    /// The number that the next report has at least.
    next: u64,
    /// How many reports the present consumer has given us.
    given: u64,
    consumer: Option<PullConsumer>,
    batch: Option<Batch>,
}

impl Reader {
    /// Reads what is put under `subject` and a dot.
    pub(crate) fn new(subject: &str) -> Self {
        let subject = format!("{subject}.>");
        Self { subject, next: 1, given: 0, consumer: None, batch: None }
    }

    /// The number of the last report that was read; 0 if none was.
    pub(crate) const fn last(&self) -> u64 {
        self.next - 1
    }

    /// Asks the server anew, from where we are.
    pub(crate) fn reset(&mut self) {
        self.consumer = None;
        self.batch = None;
    }

    /// The server has begun to count anew: so do we.
    pub(crate) fn rewind(&mut self) {
        self.next = 1;
        self.reset();
    }

    /// The next report and its number, if one comes in time.
    pub(crate) async fn next(&mut self, layout: &Layout, wait: Duration) -> Option<(u64, Report)> {
        loop {
            if self.batch.is_none() && self.ask(layout).await.is_err() {
                self.reset();
                sleep(PAUSE).await;
                return None;
            }
            let message = match timeout(wait, self.batch.as_mut()?.next()).await {
                Err(_) => return None,
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(_))) => {
                    self.reset();
                    sleep(PAUSE).await;
                    return None;
                }
                Ok(None) => {
                    self.batch = None;
                    continue;
                }
            };
            let Ok(info) = message.info() else { continue };
            self.given += 1;
            if info.consumer_sequence != self.given {
                // One before this was lost on the way.
                self.reset();
                continue;
            }
            let sequence = info.stream_sequence;
            self.next = sequence + 1;
            // What is no report comes from no worker of ours.
            if let Ok(report) = serde_json::from_slice(&message.payload) {
                return Some((sequence, report));
            }
        }
    }

    async fn ask(&mut self, layout: &Layout) -> Result<(), async_nats::Error> {
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => {
                self.given = 0;
                let config = pull::Config {
                    filter_subject: self.subject.clone(),
                    ack_policy: AckPolicy::None,
                    deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.next },
                    inactive_threshold: FORGET,
                    // How far we are we know ourselves.
                    memory_storage: true,
                    ..Default::default()
                };
                layout.results.create_consumer(config).await?
            }
        };
        self.batch = Some(consumer.batch().max_messages(AT_ONCE).expires(ASK).messages().await?);
        self.consumer = Some(consumer);
        Ok(())
    }
}
