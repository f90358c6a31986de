//! Reads the reports of a run, each exactly once, across reconnects and server restarts.
//!
//! The consumer is ephemeral and without acks: the coordinator tracks the stream sequence itself. A gap in
//! the consumer sequence means a lost message; the consumer is then created anew from the next sequence.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use crate::assets::Assets;
use crate::wire::Report;

/// Size and expiry of a pull request.
const BATCH_SIZE: usize = 500;
const EXPIRES: Duration = Duration::from_secs(2);
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// The server deletes the consumer of a coordinator that has been gone for this long.
const INACTIVE_THRESHOLD: Duration = Duration::from_secs(60);

pub(crate) struct ReportReader {
    subject: String,
    /// Stream sequence from which the next report is read.
    next_sequence: u64,
    /// Messages that the current consumer has delivered.
    delivered: u64,
    consumer: Option<PullConsumer>,
    batch: Option<Batch>,
}

impl ReportReader {
    /// Reads everything under the subject prefix.
    pub(crate) fn new(prefix: &str) -> Self {
        let subject = format!("{prefix}.>");
        Self { subject, next_sequence: 1, delivered: 0, consumer: None, batch: None }
    }

    /// Stream sequence of the last report read; 0 if none.
    pub(crate) const fn last_sequence(&self) -> u64 {
        self.next_sequence - 1
    }

    /// Creates a new consumer for the next read, at the current sequence.
    pub(crate) fn reset(&mut self) {
        self.consumer = None;
        self.batch = None;
    }

    /// Starts over: the stream was created anew and counts from 1.
    pub(crate) fn rewind(&mut self) {
        self.next_sequence = 1;
        self.reset();
    }

    /// The next report with its stream sequence, if one arrives within `wait`.
    pub(crate) async fn next(&mut self, assets: &Assets, wait: Duration) -> Option<(u64, Report)> {
        loop {
            if self.batch.is_none() && self.request(assets).await.is_err() {
                self.reset();
                sleep(RETRY_DELAY).await;
                return None;
            }
            let message = match timeout(wait, self.batch.as_mut()?.next()).await {
                Err(_) => return None,
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(_))) => {
                    self.reset();
                    sleep(RETRY_DELAY).await;
                    return None;
                }
                Ok(None) => {
                    self.batch = None;
                    continue;
                }
            };
            let Ok(info) = message.info() else { continue };
            self.delivered += 1;
            if info.consumer_sequence != self.delivered {
                self.reset();
                continue;
            }
            let sequence = info.stream_sequence;
            self.next_sequence = sequence + 1;
            // Anything else on the subject is not from a worker.
            if let Ok(report) = serde_json::from_slice(&message.payload) {
                return Some((sequence, report));
            }
        }
    }

    async fn request(&mut self, assets: &Assets) -> Result<(), async_nats::Error> {
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => {
                self.delivered = 0;
                let config = pull::Config {
                    filter_subject: self.subject.clone(),
                    ack_policy: AckPolicy::None,
                    deliver_policy: DeliverPolicy::ByStartSequence {
                        start_sequence: self.next_sequence,
                    },
                    inactive_threshold: INACTIVE_THRESHOLD,
                    memory_storage: true,
                    ..Default::default()
                };
                assets.results.create_consumer(config).await?
            }
        };
        let batch = consumer.batch().max_messages(BATCH_SIZE).expires(EXPIRES).messages();
        self.batch = Some(batch.await?);
        self.consumer = Some(consumer);
        Ok(())
    }
}
