//! What goes over the wire, all of it JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// The most that a message may hold; a NATS server takes a mebibyte unless told otherwise.
pub(crate) const MOST_BYTES: usize = 1_000_000;
/// The most that one task may hold, which leaves room for what is around it.
pub(crate) const MOST_TASK_BYTES: usize = MOST_BYTES - 50_000;
/// The most tasks in a message.
pub(crate) const MOST_TASKS: usize = 500;

/// Tasks that one worker does one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bundle {
    /// The program's version, as what comes out may depend on it.
    pub(crate) version: String,
    /// What people call the run.
    pub(crate) name: String,
    /// The kind of the tasks.
    pub(crate) kind: String,
    /// The files that the tasks name, and the hash of what is in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) tasks: Vec<Box<RawValue>>,
}

/// What came out of a bundle, or of a part of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Who did it.
    pub(crate) worker: String,
    /// How long a task took.
    pub(crate) seconds: f64,
    pub(crate) outputs: Vec<Output>,
}

/// What came out of a task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    /// The task's [`task_id`].
    pub(crate) task: String,
    #[serde(default, deserialize_with = "any_value", skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// `null` is an output, too.
fn any_value<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Output {
    pub(crate) fn new(task: String, result: Result<String, String>) -> Self {
        let output = result.and_then(|text| {
            RawValue::from_string(text).map_err(|error| format!("unreadable output: {error}"))
        });
        match output {
            Ok(output) => Self { task, output: Some(output), error: None },
            Err(error) => Self { task, output: None, error: Some(error) },
        }
    }

    pub(crate) fn into_result(self) -> Result<String, String> {
        match self.output {
            Some(output) => Ok(Box::<str>::from(output).into_string()),
            None => Err(self.error.unwrap_or_else(|| "a worker sent no output".into())),
        }
    }
}

/// What went wrong with a bundle so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Who has begun it alone, and not finished it.
    pub(crate) tried_by: BTreeSet<String>,
    /// How often it was refused.
    pub(crate) refusals: usize,
    /// By whom.
    pub(crate) refused_by: BTreeSet<String>,
}

/// A task is known by what it is: sent twice, or by a coordinator that was started again, it has the
/// same name, and so has its output.
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

/// A worker, as it describes itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerInfo {
    /// Its name: machine, process, connection.
    pub id: String,
    /// Its program's version.
    pub version: String,
    /// How many tasks it does at once.
    pub threads: usize,
    /// How many bundles of tasks it holds.
    pub held: usize,
    /// Tasks done.
    pub tasks: u64,
    /// Games played in them.
    pub games: u64,
    /// Tasks that failed.
    pub failed: u64,
    /// Games in the last seconds, per second.
    pub games_per_second: f64,
    /// The run that it works on; empty if none.
    pub run: String,
    /// Since when it has been there, in seconds.
    pub up_seconds: f64,
}

/// A run: the tasks of one job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunInfo {
    /// What people call it: the job's name.
    pub name: String,
    /// Where it is led from.
    pub host: String,
    /// The version of the program, which workers must have.
    pub version: String,
    /// The kind of its tasks.
    pub kind: String,
    /// `running`, `stopped` or `done`.
    pub state: String,
    /// Tasks so far.
    pub tasks: u64,
    /// Those that are done.
    pub done: u64,
    /// When this was written, in seconds since 1970 began (UTC).
    pub updated: f64,
}

/// A task that was given up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DeadTask {
    /// The run, as people call it.
    pub run: String,
    /// The kind of the task.
    pub kind: String,
    /// The task; shortened if long.
    pub task: String,
    /// Why it was given up.
    pub reason: String,
    /// Who gave it up.
    pub worker: String,
    /// When, in seconds since 1970 began (UTC).
    pub at: f64,
}

/// Seconds since 1970 began (UTC).
pub(crate) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// The name of this machine.
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
    fn outputs_keep_their_bytes() {
        for text in ["[1.50, 2e3]", "{\"b\": 1, \"a\":\"\\u00e9\"}", "null"] {
            let report = Report {
                worker: "w".into(),
                seconds: 0.5,
                outputs: vec![Output::new("t".into(), Ok(text.into()))],
            };
            let wire = serde_json::to_string(&report).unwrap();
            let mut read: Report = serde_json::from_str(&wire).unwrap();
            assert_eq!(read.outputs.remove(0).into_result().as_deref(), Ok(text));
        }
        let failed = Output::new("t".into(), Err("why".into())).into_result();
        assert_eq!(failed, Err("why".into()));
        assert!(Output::new("t".into(), Ok("{".into())).into_result().is_err());
    }

    #[test]
    fn tasks_are_told_apart() {
        assert_eq!(task_id("a", "1"), task_id("a", "1"));
        assert_ne!(task_id("a", "1"), task_id("a", "2"));
        assert_ne!(task_id("a", "1"), task_id("b", "1"));
        assert_eq!(task_id("a", "1").len(), 32);
    }
}
