//! A worker's message handling around the tasks: validation, file download, reports, rejections, dead letters.
//!
//! Delivery is at least once, so nothing is acknowledged before its effect is stored: outputs before the ack of
//! their batch, republished batches before the ack of the one they replace.
//!
//! A batch that some worker did not finish is redelivered. Its tasks are then published one by one, so
//! that a poison task takes no others along; a task delivered more than [`SHARED_DELIVERIES`] times is
//! quarantined, and dead-lettered once [`Settings::max_attempts`] workers have crashed on it alone.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{Acker, PublishMessage};
use tokio::time::sleep;

use crate::assets::{Assets, dead_subject, result_subject, task_subject};
use crate::files::FileCache;
use crate::pool::{BatchResult, ReadyBatch};
use crate::registry::{DISCOVERY_TIMEOUT, discover};
use crate::wire::{
    Batch, DeadLetter, FailureHistory, MAX_BATCH_TASKS, MAX_PAYLOAD, Report, TaskOutput, now,
    task_id,
};
use crate::{Log, Settings};

const RETRY_DELAY: Duration = Duration::from_millis(300);
/// How long a rejected batch waits for its redelivery.
const REJECT_DELAY: Duration = Duration::from_secs(1);
/// A task in a dead letter is truncated to this length.
const MAX_DEAD_TASK_LEN: usize = 4000;
/// Deliveries of a task that may run beside others. Workers also stop for reasons of their own, and a
/// quarantined task idles the other threads of its worker.
const SHARED_DELIVERIES: i64 = 2;

/// A delivered message that is not acknowledged yet.
pub(crate) struct Delivery {
    /// Unique within this worker.
    pub(crate) id: u64,
    pub(crate) acker: Acker,
    pub(crate) run: String,
    /// The batch's name.
    pub(crate) name: String,
    /// Number of deliveries so far, this one included. Not a number of failures: the batch may have
    /// been queued behind one that crashed its worker.
    pub(crate) delivered: i64,
}

/// A worker's connection to the assets.
pub(crate) struct MessageHandler {
    pub(crate) worker: String,
    pub(crate) client: Client,
    pub(crate) assets: Assets,
    pub(crate) settings: Settings,
    pub(crate) cache: FileCache,
    pub(crate) log: Log,
}

impl MessageHandler {
    /// Validates a message and fetches its files; `None` if it was settled some other way.
    pub(crate) async fn prepare(&self, delivery: &Delivery, payload: &[u8]) -> Option<ReadyBatch> {
        let batch = match parse_batch(payload) {
            Ok(batch) => batch,
            Err(reason) => {
                let start = &payload[..payload.len().min(MAX_DEAD_TASK_LEN)];
                let text = String::from_utf8_lossy(start).into_owned();
                self.publish_dead_letter(delivery, "?", "?", &text, &reason).await;
                self.ack(delivery, AckKind::Term).await;
                return None;
            }
        };
        let version = &self.settings.version;
        if batch.version != *version {
            let reason = format!("needs version {}, this is version {version}", batch.version);
            self.reject(delivery, &batch, &reason).await;
            return None;
        }
        if delivery.delivered > 1 && batch.tasks.len() > 1 && self.split(delivery, &batch).await {
            return None;
        }
        let is_quarantined = delivery.delivered > SHARED_DELIVERIES && batch.tasks.len() == 1;
        let max_attempts = self.settings.max_attempts;
        if is_quarantined && self.failure_history(delivery).await.attempted_by.len() >= max_attempts
        {
            let reason = format!("{max_attempts} workers crashed or hung on this task alone");
            self.dead_letter(delivery, &batch, &reason).await;
            return None;
        }
        match self.cache.fetch_all(&self.assets.files, &batch.files).await {
            Ok(files) => Some(ReadyBatch {
                delivery: delivery.id,
                batch: Arc::new(batch),
                files,
                is_quarantined,
                since: Instant::now(),
            }),
            Err(reason) => {
                self.reject(delivery, &batch, &reason).await;
                None
            }
        }
    }

    /// Publishes the result of a batch and acknowledges it.
    pub(crate) async fn report(&self, delivery: &Delivery, result: BatchResult) {
        let BatchResult { batch, outputs, seconds_per_task, failed, .. } = result;
        let outputs = match outputs {
            Ok(outputs) => outputs,
            Err(reason) => return self.reject(delivery, &batch, &reason).await,
        };
        for (index, error) in failed {
            (self.log)(&format!("a task of {} failed: {error}", batch.name));
            let task = batch.tasks[index].get();
            self.publish_dead_letter(delivery, &batch.name, &batch.kind, task, &error).await;
        }
        self.publish_outputs(delivery, outputs, seconds_per_task).await;
        self.ack(delivery, AckKind::Ack).await;
    }

    /// Leaves the batch to another worker; dead-letters it once every worker has rejected it.
    async fn reject(&self, delivery: &Delivery, batch: &Batch, reason: &str) {
        (self.log)(&format!("rejecting tasks of {}: {reason}", batch.name));
        let mut history = self.failure_history(delivery).await;
        history.rejections += 1;
        history.attempted_by.remove(&self.worker);
        history.rejected_by.insert(self.worker.clone());
        self.put_failure_history(delivery, &history).await;
        if history.rejections >= self.settings.max_attempts
            && self.includes_all_workers(&history.rejected_by).await
        {
            self.dead_letter(delivery, batch, &format!("rejected by every worker: {reason}")).await;
        } else {
            self.ack(delivery, AckKind::Nak(Some(REJECT_DELAY))).await;
        }
    }

    async fn includes_all_workers(&self, ids: &BTreeSet<String>) -> bool {
        let workers = discover(&self.client, DISCOVERY_TIMEOUT).await.unwrap_or_default();
        workers
            .iter()
            .filter(|worker| worker.version == self.settings.version)
            .all(|worker| ids.contains(&worker.id))
    }

    /// Records that this worker starts a quarantined task. Best effort: an attempt that is not recorded
    /// means one more attempt.
    pub(crate) async fn record_attempt(&self, delivery: &Delivery) {
        let mut history = self.failure_history(delivery).await;
        history.attempted_by.insert(self.worker.clone());
        self.put_failure_history(delivery, &history).await;
    }

    async fn failure_history(&self, delivery: &Delivery) -> FailureHistory {
        let history = self.assets.failures.get(failure_key(delivery)).await.ok().flatten();
        history.and_then(|history| serde_json::from_slice(&history).ok()).unwrap_or_default()
    }

    async fn put_failure_history(&self, delivery: &Delivery, history: &FailureHistory) {
        let text = serde_json::to_vec(history).unwrap_or_default();
        let _ = self.assets.failures.put(failure_key(delivery), text.into()).await;
    }

    /// Fails all tasks of a batch for good.
    async fn dead_letter(&self, delivery: &Delivery, batch: &Batch, reason: &str) {
        (self.log)(&format!("dead-lettering a task of {}: {reason}", batch.name));
        let mut outputs = Vec::new();
        for task in &batch.tasks {
            let task = task.get();
            self.publish_dead_letter(delivery, &batch.name, &batch.kind, task, reason).await;
            outputs.push(TaskOutput::new(task_id(&batch.kind, task), Err(reason.into())));
        }
        self.publish_outputs(delivery, outputs, 0.0).await;
        self.ack(delivery, AckKind::Ack).await;
    }

    /// Replaces a redelivered batch by one batch per task; returns whether the queue had room for them.
    async fn split(&self, delivery: &Delivery, batch: &Batch) -> bool {
        for index in 0..batch.tasks.len() {
            let suffix = index.to_string();
            if self.republish(delivery, batch, index..index + 1, &suffix).await.is_err() {
                return false;
            }
        }
        self.ack(delivery, AckKind::Ack).await;
        true
    }

    /// Publishes the tasks from `from` on as new batches for `shares` workers; returns whether the queue has
    /// stored all. Unlike a nak, this does not count as a failed delivery.
    pub(crate) async fn give_back(
        &self,
        delivery: &Delivery,
        batch: &Batch,
        from: usize,
        shares: usize,
    ) -> bool {
        let size = (batch.tasks.len() - from).div_ceil(shares.max(1)).max(1);
        for start in (from..batch.tasks.len()).step_by(size) {
            let tasks = start..batch.tasks.len().min(start + size);
            // The range is part of the name: the server drops a name that it has seen.
            let suffix = format!("{}to{}", tasks.start, tasks.end);
            if self.republish(delivery, batch, tasks, &suffix).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Publishes some tasks of a batch as a batch of their own.
    async fn republish(
        &self,
        delivery: &Delivery,
        batch: &Batch,
        tasks: Range<usize>,
        suffix: &str,
    ) -> Result<(), PublishErrorKind> {
        let part = Batch { tasks: batch.tasks[tasks].to_vec(), ..batch.clone() };
        let name = format!("{}-{suffix}", delivery.name);
        let message = PublishMessage::build()
            .payload(serde_json::to_vec(&part).unwrap_or_default().into())
            .message_id(&name);
        let subject = task_subject(&batch.version, &delivery.run);
        self.publish(&format!("{subject}.{name}"), message).await
    }

    /// Publishes outputs in messages of bounded size, retrying until all are stored. The first report on a
    /// subject wins: a duplicate from another worker has the same content.
    async fn publish_outputs(
        &self,
        delivery: &Delivery,
        outputs: Vec<TaskOutput>,
        seconds_per_task: f64,
    ) {
        let subject = format!("{}.{}", result_subject(&delivery.run), delivery.name);
        for (part, outputs) in split_outputs(outputs).into_iter().enumerate() {
            let report = Report { worker: self.worker.clone(), seconds_per_task, outputs };
            let payload = serde_json::to_vec(&report).unwrap_or_default();
            let subject = if part == 0 { subject.clone() } else { format!("{subject}-p{part}") };
            loop {
                let message = PublishMessage::build()
                    .payload(payload.clone().into())
                    .expected_last_subject_sequence(0);
                match self.publish(&subject, message).await {
                    Ok(()) | Err(PublishErrorKind::WrongLastSequence) => break,
                    // Disconnected, or the stream is full.
                    Err(_) => sleep(RETRY_DELAY).await,
                }
            }
        }
    }

    /// Adds a task to the dead letters, once. Best effort: the run gets the error in a report.
    async fn publish_dead_letter(
        &self,
        delivery: &Delivery,
        run: &str,
        kind: &str,
        task: &str,
        reason: &str,
    ) {
        let letter = DeadLetter {
            run: run.into(),
            kind: kind.into(),
            task: task.chars().take(MAX_DEAD_TASK_LEN).collect(),
            reason: reason.into(),
            worker: self.worker.clone(),
            at: now(),
        };
        let payload = serde_json::to_vec(&letter).unwrap_or_default();
        let message =
            PublishMessage::build().payload(payload.into()).expected_last_subject_sequence(0);
        let subject = dead_subject(&delivery.run, &task_id(kind, task));
        let _ = self.publish(&subject, message).await;
    }

    async fn publish(
        &self,
        subject: &str,
        message: PublishMessage,
    ) -> Result<(), PublishErrorKind> {
        let Assets { context, epoch, .. } = &self.assets;
        let sent_in = epoch.current();
        let sent = context.send_publish(subject.to_owned(), message).await;
        let ack = sent.map_err(|error| error.kind())?.into_future();
        match epoch.reply(sent_in, ack).await {
            Some(acked) => acked.map(drop).map_err(|error| error.kind()),
            None => Err(PublishErrorKind::TimedOut),
        }
    }

    pub(crate) async fn ack(&self, delivery: &Delivery, kind: AckKind) {
        // A lost ack means a redelivery, which is idempotent.
        let _ = delivery.acker.ack_with(kind).await;
    }
}

fn failure_key(delivery: &Delivery) -> String {
    format!("{}.{}", delivery.run, delivery.name)
}

/// Parses a batch of bounded size.
fn parse_batch(payload: &[u8]) -> Result<Batch, String> {
    if payload.len() > MAX_PAYLOAD {
        return Err(format!("{} bytes exceed the limit of {MAX_PAYLOAD}", payload.len()));
    }
    let batch: Batch =
        serde_json::from_slice(payload).map_err(|error| format!("invalid batch: {error}"))?;
    match batch.tasks.len() {
        1..=MAX_BATCH_TASKS => Ok(batch),
        count => Err(format!("{count} tasks in a batch; 1 to {MAX_BATCH_TASKS} are allowed")),
    }
}

/// Splits outputs so that each part fits into a message.
fn split_outputs(outputs: Vec<TaskOutput>) -> Vec<Vec<TaskOutput>> {
    let (mut parts, mut room) = (Vec::<Vec<TaskOutput>>::new(), 0);
    for output in outputs {
        let size = output.output.as_ref().map_or(0, |output| output.get().len())
            + output.error.as_ref().map_or(0, |error| 2 * error.len())
            + 100;
        match parts.last_mut() {
            Some(part) if size <= room => {
                part.push(output);
                room -= size;
            }
            _ => {
                parts.push(vec![output]);
                room = (MAX_PAYLOAD - 1000).saturating_sub(size);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_parts_fit_into_messages() {
        let output =
            |size: usize| TaskOutput::new("t".into(), Ok(format!("\"{}\"", "x".repeat(size))));
        let sizes = [400_000, 500_000, 90_000, 10, 900_000, 10];
        let parts = split_outputs(sizes.map(output).into());
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
        for outputs in parts {
            let report = Report { worker: "w".repeat(60), seconds_per_task: 0.1, outputs };
            assert!(serde_json::to_vec(&report).unwrap().len() <= MAX_PAYLOAD);
        }
    }

    #[test]
    fn batches_beyond_the_limits_are_invalid() {
        let batch = |tasks: &str| {
            format!(r#"{{"version":"1","name":"n","kind":"k","tasks":[{tasks}]}}"#).into_bytes()
        };
        assert!(parse_batch(&batch("1,2")).is_ok());
        assert!(parse_batch(&batch("")).unwrap_err().contains("0 tasks"));
        assert!(parse_batch(&batch(&vec!["1"; 501].join(","))).unwrap_err().contains("501 tasks"));
        assert!(parse_batch(&batch(&"1".repeat(MAX_PAYLOAD))).unwrap_err().contains("bytes"));
        assert!(parse_batch(b"{\"command\":\"rm\"}").unwrap_err().contains("invalid batch"));
        assert!(parse_batch(&[0xff, 0xfe]).is_err());
    }
}
