//! A worker's questions for bundles of tasks. All are answered at one place: if it listened anew for each,
//! the server would have more to do with that than with the answer.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::context::Context;
use async_nats::{Client, StatusCode, Subscriber};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use crate::ClusterError;

/// How long the server keeps a question open.
const ASK: Duration = Duration::from_secs(1);
/// How much later we believe that it was lost.
const LATE: Duration = Duration::from_secs(1);

/// The question that is open, if one is, and where it is answered.
pub(crate) struct Pulls {
    inbox: String,
    answers: Subscriber,
    /// How many questions were asked; also the last one's name.
    asked: u64,
    /// How many bundles the open question may still bring.
    open: usize,
    /// When it will certainly be over.
    until: Instant,
}

/// The server does not know what we ask for, or cannot answer.
pub(crate) struct Unanswered;

impl Pulls {
    pub(crate) async fn new(client: &Client) -> Result<Self, ClusterError> {
        let inbox = client.new_inbox();
        let answers = client.subscribe(format!("{inbox}.*")).await;
        let answers = answers.map_err(ClusterError::server("cannot listen for tasks"))?;
        Ok(Self { inbox, answers, asked: 0, open: 0, until: Instant::now() })
    }

    /// Whether a question is open.
    pub(crate) const fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Asks for up to `most` bundles; says whether that was possible.
    pub(crate) async fn ask(&mut self, consumer: &PullConsumer, most: usize) -> bool {
        self.asked += 1;
        let config = BatchConfig { batch: most, expires: Some(ASK), ..BatchConfig::default() };
        let sent = consumer.request_batch(config, self.name().into()).await;
        self.open = if sent.is_ok() { most } else { 0 };
        self.until = Instant::now() + ASK + LATE;
        sent.is_ok()
    }

    /// The connection was lost, and the open question with it.
    pub(crate) const fn forget(&mut self) {
        self.open = 0;
    }

    /// The next bundle; none if the question is over, because nothing more came in time. While no
    /// question is open it waits for ever.
    pub(crate) async fn next(&mut self, context: &Context) -> Result<Option<Message>, Unanswered> {
        if self.open == 0 {
            return std::future::pending().await;
        }
        loop {
            let Ok(Some(message)) = timeout_at(self.until, self.answers.next()).await else {
                self.open = 0;
                return Ok(None);
            };
            let status = message.status.unwrap_or(StatusCode::OK);
            if status == StatusCode::OK {
                self.open -= 1;
                return Ok(Some(Message { message, context: context.clone() }));
            }
            // A question that we have forgotten may end later than the one that is open.
            if message.subject.as_str() == self.name() {
                self.open = 0;
                let is_over = [StatusCode::TIMEOUT, StatusCode::NOT_FOUND].contains(&status);
                return if is_over { Ok(None) } else { Err(Unanswered) };
            }
        }
    }

    /// The open question's name, at which it is answered.
    fn name(&self) -> String {
        format!("{}.{}", self.inbox, self.asked)
    }
}
