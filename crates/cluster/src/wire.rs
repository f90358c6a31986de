//! Messages on the wire, all JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// Maximum message size; the `max_payload` of a NATS server is 1 MiB by default.
pub(crate) const MAX_PAYLOAD: usize = 1_000_000;
/// Maximum size of a task or output, which leaves room for the rest of its message.
pub(crate) const MAX_TASK_BYTES: usize = MAX_PAYLOAD - 50_000;
/// Maximum number of tasks in a batch.
pub(crate) const MAX_BATCH_TASKS: usize = 500;

/// Tasks that one thread of a worker runs in sequence: the unit of delivery.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// The program's version, on which outputs may depend.
    pub(crate) version: String,
    /// The run's display name.
    pub(crate) name: String,
    /// [`Work::KIND`](tablero_jobs::Work::KIND) of the tasks.
    pub(crate) kind: String,
    /// Hashes of the files that the tasks name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) tasks: Vec<Box<RawValue>>,
}

/// Outputs of a batch, or of a part of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The worker's id.
    pub(crate) worker: String,
    /// Mean time per task; 0 if none was run.
    pub(crate) seconds_per_task: f64,
    pub(crate) outputs: Vec<TaskOutput>,
}

/// Output or error of a task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TaskOutput {
    /// The task's [`task_id`].
    pub(crate) task: String,
    #[serde(default, deserialize_with = "some_value", skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// `null` is an output, not a missing one.
fn some_value<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl TaskOutput {
    pub(crate) fn new(task: String, result: Result<String, String>) -> Self {
        let output = result.and_then(|text| {
            RawValue::from_string(text).map_err(|error| format!("invalid output: {error}"))
        });
        match output {
            Ok(output) => Self { task, output: Some(output), error: None },
            Err(error) => Self { task, output: None, error: Some(error) },
        }
    }

    pub(crate) fn into_result(self) -> Result<String, String> {
        match self.output {
            Some(output) => Ok(Box::<str>::from(output).into_string()),
            None => Err(self.error.unwrap_or_else(|| "the worker sent no output".into())),
        }
    }
}

/// What went wrong with a batch so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FailureHistory {
    /// Workers that started it in quarantine and did not finish.
    pub(crate) attempted_by: BTreeSet<String>,
    /// Number of rejections.
    pub(crate) rejections: usize,
    /// Workers that rejected it.
    pub(crate) rejected_by: BTreeSet<String>,
}

/// Content hash of a task. It makes delivery idempotent: a task that was published twice, or again by a
/// restarted coordinator, has the same id, and so has its output.
pub(crate) fn task_id(kind: &str, task: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(kind);
    hash.update([0]);
    hash.update(task);
    hex(&hash.finalize()[..16])
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A worker's reply to a ping.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerInfo {
    /// Host, process and connection.
    pub id: String,
    /// Program version.
    pub version: String,
    /// Tasks that run in parallel.
    pub threads: usize,
    /// Batches delivered and not acknowledged yet.
    pub ack_pending: usize,
    /// Tasks run.
    pub tasks: u64,
    /// Games played.
    pub games: u64,
    /// Failed tasks.
    pub failed: u64,
    /// Games per second, recently.
    pub games_per_second: f64,
    /// Display name of the current run; empty when idle.
    pub run: String,
    /// Uptime in seconds.
    pub uptime_seconds: f64,
}

/// A run: the tasks of one job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunInfo {
    /// Display name: the job's id.
    pub name: String,
    /// The coordinator's host.
    pub host: String,
    /// Program version, which workers must have too.
    pub version: String,
    /// Kind of the current tasks.
    pub kind: String,
    /// `running`, `stopped` or `done`.
    pub state: String,
    /// Tasks submitted.
    pub tasks: u64,
    /// Tasks finished.
    pub done: u64,
    /// Time of this update (Unix time).
    pub updated: f64,
}

/// A task that failed for good.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Display name of the run.
    pub run: String,
    /// Kind of the task.
    pub kind: String,
    /// The task's JSON, truncated if long.
    pub task: String,
    /// Why it failed.
    pub reason: String,
    /// The worker that published this.
    pub worker: String,
    /// When (Unix time).
    pub at: f64,
}

/// Unix time in seconds.
pub(crate) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// This machine's host name.
pub(crate) fn host() -> String {
    let read = |path| std::fs::read_to_string(path).ok();
    let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname"));
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let name: String =
        name.trim().chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
    if name.is_empty() { "machine".into() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_round_trip_byte_for_byte() {
        for text in ["[1.50, 2e3]", "{\"b\": 1, \"a\":\"\\u00e9\"}", "null"] {
            let report = Report {
                worker: "w".into(),
                seconds_per_task: 0.5,
                outputs: vec![TaskOutput::new("t".into(), Ok(text.into()))],
            };
            let wire = serde_json::to_string(&report).unwrap();
            let mut read: Report = serde_json::from_str(&wire).unwrap();
            assert_eq!(read.outputs.remove(0).into_result().as_deref(), Ok(text));
        }
        let failed = TaskOutput::new("t".into(), Err("why".into())).into_result();
        assert_eq!(failed, Err("why".into()));
        assert!(TaskOutput::new("t".into(), Ok("{".into())).into_result().is_err());
    }

    #[test]
    fn task_ids_depend_on_kind_and_content() {
        assert_eq!(task_id("a", "1"), task_id("a", "1"));
        assert_ne!(task_id("a", "1"), task_id("a", "2"));
        assert_ne!(task_id("a", "1"), task_id("b", "1"));
        assert_eq!(task_id("a", "1").len(), 32);
    }
}
