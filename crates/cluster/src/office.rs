//! What a worker does with messages, apart from the tasks themselves: looks at them, gets their files,
//! reports, refuses, gives up. Each step lasts until the server has confirmed it.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{Acker, PublishMessage};
use tokio::time::sleep;

use crate::crew::{ANSWER, call};
use crate::files::Cache;
use crate::layout::{Layout, dead_subject, result_subject, task_subject};
use crate::pool::{Job, Outcome};
use crate::wire::{Bundle, DeadTask, MOST_BYTES, MOST_TASKS, Output, Past, Report, now, task_id};
use crate::{Notes, Settings};

const PAUSE: Duration = Duration::from_millis(300);
/// How much of a task is kept when it is given up.
const SHOWN: usize = 4000;
/// How often a task is delivered before it is done alone: workers end for reasons of their own, too, and
/// a task that is done alone leaves the other threads of a worker idle.
const IN_COMPANY: i64 = 2;

/// A message that a worker holds.
pub(crate) struct Held {
    pub(crate) ticket: u64,
    pub(crate) acker: Acker,
    pub(crate) run: String,
    /// The bundle's name.
    pub(crate) name: String,
    /// How often it was delivered, this time included. That says nothing about what is in it: it may
    /// have waited beside something else that ended its worker.
    pub(crate) delivered: i64,
}

/// What a worker has at hand for messages.
pub(crate) struct Office {
    pub(crate) worker: String,
    pub(crate) client: Client,
    pub(crate) layout: Layout,
    pub(crate) settings: Settings,
    pub(crate) cache: Cache,
    pub(crate) notes: Notes,
}

impl Office {
    /// Looks at a message; gives what is to be done, if this is for us to do.
    pub(crate) async fn prepare(&self, held: &Held, payload: &[u8]) -> Option<Job> {
        let bundle = match read(payload) {
            Ok(bundle) => bundle,
            Err(why) => {
                let text =
                    String::from_utf8_lossy(&payload[..payload.len().min(SHOWN)]).into_owned();
                self.bury(held, "?", "?", &text, &why).await;
                self.confirm(held, AckKind::Term).await;
                return None;
            }
        };
        let version = &self.settings.version;
        if bundle.version != *version {
            let why = format!("version {} is needed, this is version {version}", bundle.version);
            self.refuse(held, &bundle, &why).await;
            return None;
        }
        if held.delivered > 1 && bundle.tasks.len() > 1 && self.split(held, &bundle).await {
            return None;
        }
        let is_suspect = held.delivered > IN_COMPANY && bundle.tasks.len() == 1;
        if is_suspect && self.past(held).await.tried_by.len() >= self.settings.tries {
            let why = format!(
                "{} workers ended or hung while they did this task and nothing else",
                self.settings.tries
            );
            self.give_up(held, &bundle, &why).await;
            return None;
        }
        match self.cache.files(&self.layout.files, &bundle.files).await {
            Ok(files) => Some(Job { ticket: held.ticket, bundle, files, is_suspect }),
            Err(why) => {
                self.refuse(held, &bundle, &why).await;
                None
            }
        }
    }

    /// Sends what came out of a bundle.
    pub(crate) async fn report(&self, held: &Held, outcome: Outcome) {
        let Outcome { bundle, outputs, seconds, failed, .. } = outcome;
        let outputs = match outputs {
            Ok(outputs) => outputs,
            Err(why) => return self.refuse(held, &bundle, &why).await,
        };
        for (index, why) in failed {
            (self.notes)(&format!("a task of {} failed: {why}", bundle.name));
            self.bury(held, &bundle.name, &bundle.kind, bundle.tasks[index].get(), &why).await;
        }
        self.send_outputs(held, outputs, seconds).await;
        self.confirm(held, AckKind::Ack).await;
    }

    /// Somebody else may do it; if nobody will, the last one says why.
    async fn refuse(&self, held: &Held, bundle: &Bundle, why: &str) {
        (self.notes)(&format!("refusing tasks of {}: {why}", bundle.name));
        let mut past = self.past(held).await;
        past.refusals += 1;
        past.tried_by.remove(&self.worker);
        past.refused_by.insert(self.worker.clone());
        self.keep_past(held, &past).await;
        if past.refusals >= self.settings.tries && self.all_are_in(&past.refused_by).await {
            self.give_up(held, bundle, &format!("no worker will do it: {why}")).await;
        } else {
            self.confirm(held, AckKind::Nak(Some(Duration::from_secs(1)))).await;
        }
    }

    /// Whether every worker that is there is in a list.
    async fn all_are_in(&self, list: &BTreeSet<String>) -> bool {
        let workers = call(&self.client, ANSWER).await.unwrap_or_default();
        workers
            .iter()
            .filter(|worker| worker.version == self.settings.version)
            .all(|worker| list.contains(&worker.id))
    }

    /// A task is about to be begun alone. If that cannot be kept, it does not count: a task is tried
    /// once too often rather than once too rarely.
    pub(crate) async fn count_try(&self, held: &Held) {
        let mut past = self.past(held).await;
        past.tried_by.insert(self.worker.clone());
        self.keep_past(held, &past).await;
    }

    /// What went wrong with a bundle so far, as far as it is known.
    async fn past(&self, held: &Held) -> Past {
        let past = self.layout.pasts.get(past_key(held)).await.ok().flatten();
        past.and_then(|past| serde_json::from_slice(&past).ok()).unwrap_or_default()
    }

    async fn keep_past(&self, held: &Held, past: &Past) {
        let text = serde_json::to_vec(past).unwrap_or_default();
        let _ = self.layout.pasts.put(past_key(held), text.into()).await;
    }

    async fn give_up(&self, held: &Held, bundle: &Bundle, why: &str) {
        (self.notes)(&format!("giving up a task of {}: {why}", bundle.name));
        let mut outputs = Vec::new();
        for task in &bundle.tasks {
            self.bury(held, &bundle.name, &bundle.kind, task.get(), why).await;
            outputs.push(Output::new(task_id(&bundle.kind, task.get()), Err(why.into())));
        }
        self.send_outputs(held, outputs, 0.0).await;
        self.confirm(held, AckKind::Ack).await;
    }

    /// Some worker has failed at a bundle: from now on its tasks go alone, so that a bad one does not
    /// drag good ones along. Says whether there was room for them in the queue.
    async fn split(&self, held: &Held, bundle: &Bundle) -> bool {
        let subject = task_subject(&bundle.version, &held.run);
        for (index, task) in bundle.tasks.iter().enumerate() {
            let alone = Bundle { tasks: vec![task.clone()], ..bundle.clone() };
            let name = format!("{}-{index}", held.name);
            let message = PublishMessage::build()
                .payload(serde_json::to_vec(&alone).unwrap_or_default().into())
                .message_id(&name);
            if self.publish(&format!("{subject}.{name}"), message).await.is_err() {
                return false;
            }
        }
        self.confirm(held, AckKind::Ack).await;
        true
    }

    /// Sends outputs in as many messages as they need, until all have arrived. The first report of a
    /// name stands: the same one from another worker says the same.
    async fn send_outputs(&self, held: &Held, outputs: Vec<Output>, seconds: f64) {
        let subject = format!("{}.{}", result_subject(&held.run), held.name);
        for (part, outputs) in parts(outputs).into_iter().enumerate() {
            let report = Report { worker: self.worker.clone(), seconds, outputs };
            let payload = serde_json::to_vec(&report).unwrap_or_default();
            let subject = if part == 0 { subject.clone() } else { format!("{subject}-p{part}") };
            loop {
                let message = PublishMessage::build()
                    .payload(payload.clone().into())
                    .expected_last_subject_sequence(0);
                match self.publish(&subject, message).await {
                    Ok(()) | Err(PublishErrorKind::WrongLastSequence) => break,
                    // The server is away, or full: what was done must not be lost.
                    Err(_) => sleep(PAUSE).await,
                }
            }
        }
    }

    /// Adds a task to the list of those that were given up.
    async fn bury(&self, held: &Held, run: &str, kind: &str, task: &str, reason: &str) {
        let dead = DeadTask {
            run: run.into(),
            kind: kind.into(),
            task: task.chars().take(SHOWN).collect(),
            reason: reason.into(),
            worker: self.worker.clone(),
            at: now(),
        };
        let payload = serde_json::to_vec(&dead).unwrap_or_default();
        let message =
            PublishMessage::build().payload(payload.into()).expected_last_subject_sequence(0);
        let subject = dead_subject(&held.run, &task_id(kind, task));
        // A list for people: the run learns of it in any case. A task is in it once.
        let _ = self.publish(&subject, message).await;
    }

    async fn publish(
        &self,
        subject: &str,
        message: PublishMessage,
    ) -> Result<(), PublishErrorKind> {
        let Layout { context, line, .. } = &self.layout;
        let lost = line.lost();
        let sent = context.send_publish(subject.to_owned(), message).await;
        let arrival = sent.map_err(|error| error.kind())?.into_future();
        match line.answer(lost, arrival).await {
            Some(arrived) => arrived.map(drop).map_err(|error| error.kind()),
            None => Err(PublishErrorKind::TimedOut),
        }
    }

    async fn confirm(&self, held: &Held, kind: AckKind) {
        // If it is lost, the task is done once more, to the same end.
        let _ = held.acker.ack_with(kind).await;
    }
}

fn past_key(held: &Held) -> String {
    format!("{}.{}", held.run, held.name)
}

/// A bundle that is fit to be looked at.
fn read(payload: &[u8]) -> Result<Bundle, String> {
    if payload.len() > MOST_BYTES {
        return Err(format!("{} bytes are more than a worker takes", payload.len()));
    }
    let bundle: Bundle =
        serde_json::from_slice(payload).map_err(|error| format!("unreadable: {error}"))?;
    match bundle.tasks.len() {
        1..=MOST_TASKS => Ok(bundle),
        count => Err(format!("{count} tasks; 1 to {MOST_TASKS} are taken")),
    }
}

/// Outputs in portions that fit into messages.
fn parts(outputs: Vec<Output>) -> Vec<Vec<Output>> {
    let (mut parts, mut room) = (Vec::<Vec<Output>>::new(), 0);
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
                room = (MOST_BYTES - 1000).saturating_sub(size);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_sent_in_portions_that_fit() {
        let output = |size: usize| Output::new("t".into(), Ok(format!("\"{}\"", "x".repeat(size))));
        let sizes = [400_000, 500_000, 90_000, 10, 900_000, 10];
        let parts = parts(sizes.map(output).into());
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
        for part in parts {
            let report = Report { worker: "w".repeat(60), seconds: 0.1, outputs: part };
            assert!(serde_json::to_vec(&report).unwrap().len() <= MOST_BYTES);
        }
    }

    #[test]
    fn only_bundles_of_bounded_size_are_looked_at() {
        let bundle = |tasks: &str| {
            format!(r#"{{"version":"1","name":"n","kind":"k","tasks":[{tasks}]}}"#).into_bytes()
        };
        assert!(read(&bundle("1,2")).is_ok());
        assert!(read(&bundle("")).unwrap_err().contains("0 tasks"));
        assert!(read(&bundle(&vec!["1"; 501].join(","))).unwrap_err().contains("501 tasks"));
        assert!(read(&bundle(&"1".repeat(MOST_BYTES))).unwrap_err().contains("bytes"));
        assert!(read(b"{\"command\":\"rm\"}").unwrap_err().contains("unreadable"));
        assert!(read(&[0xff, 0xfe]).is_err());
    }
}
