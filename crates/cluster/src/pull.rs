//! A worker's pull requests. All replies arrive on one wildcard inbox: a subscription per request would cost
//! the server more than the request itself.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::context::Context;
use async_nats::{Client, StatusCode, Subscriber};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use crate::ClusterError;

/// How long the server keeps a pull request open.
pub(crate) const EXPIRES: Duration = Duration::from_secs(1);
/// How long after that the request counts as lost.
const EXPIRY_SLACK: Duration = Duration::from_secs(1);

/// At most one open pull request, and the inbox of its replies.
pub(crate) struct PullSubscription {
    inbox: String,
    replies: Subscriber,
    /// Requests sent so far; the last one's number is part of its reply subject.
    requests: u64,
    /// Messages that the open request may still deliver.
    remaining: usize,
    /// When the open request is over at the latest.
    deadline: Instant,
}

/// The server rejected a pull request, for instance because the consumer is gone.
pub(crate) struct PullRejected;

impl PullSubscription {
    pub(crate) async fn new(client: &Client) -> Result<Self, ClusterError> {
        let inbox = client.new_inbox();
        let replies = client.subscribe(format!("{inbox}.*")).await;
        let replies = replies.map_err(ClusterError::server("cannot subscribe to tasks"))?;
        Ok(Self { inbox, replies, requests: 0, remaining: 0, deadline: Instant::now() })
    }

    /// Whether a request is open.
    pub(crate) const fn is_open(&self) -> bool {
        self.remaining > 0
    }

    /// Requests up to `max_messages`; returns whether the request was sent.
    pub(crate) async fn request(&mut self, consumer: &PullConsumer, max_messages: usize) -> bool {
        self.requests += 1;
        let config =
            BatchConfig { batch: max_messages, expires: Some(EXPIRES), ..BatchConfig::default() };
        let sent = consumer.request_batch(config, self.reply_subject().into()).await;
        self.remaining = if sent.is_ok() { max_messages } else { 0 };
        self.deadline = Instant::now() + EXPIRES + EXPIRY_SLACK;
        sent.is_ok()
    }

    /// Drops the open request, which was lost with the connection.
    pub(crate) const fn reset(&mut self) {
        self.remaining = 0;
    }

    /// The next message; `None` when the request expires. Never resolves while no request is open.
    pub(crate) async fn next(
        &mut self,
        context: &Context,
    ) -> Result<Option<Message>, PullRejected> {
        if self.remaining == 0 {
            return std::future::pending().await;
        }
        loop {
            let Ok(Some(message)) = timeout_at(self.deadline, self.replies.next()).await else {
                self.remaining = 0;
                return Ok(None);
            };
            let status = message.status.unwrap_or(StatusCode::OK);
            if status == StatusCode::OK {
                self.remaining -= 1;
                return Ok(Some(Message { message, context: context.clone() }));
            }
            // A status for an earlier request, dropped by `reset`, may still arrive.
            if message.subject.as_str() == self.reply_subject() {
                self.remaining = 0;
                let is_expired = [StatusCode::TIMEOUT, StatusCode::NOT_FOUND].contains(&status);
                return if is_expired { Ok(None) } else { Err(PullRejected) };
            }
        }
    }

    fn reply_subject(&self) -> String {
        format!("{}.{}", self.inbox, self.requests)
    }
}
