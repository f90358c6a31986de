use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::{read_json, remove_stale_temporaries, write_json};
use crate::lock::{Lock, LockError};
use crate::log::last_entry;
use crate::{BuildInfo, Event, JobError, Log, Progress, read_log};

const HEADER: &str = "job.json";
const STATE: &str = "state.json";
const RESULT: &str = "result.json";
const EVENTS: &str = "events.jsonl";
const LOCK: &str = "lock";

/// The immutable header of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The kind of job: `match`, `evolution`, ...
    pub kind: String,
    /// Everything that the result depends on, except the seed.
    pub config: serde_json::Value,
    /// The random seed.
    pub seed: u64,
    /// The version of the program that made the job.
    pub version: String,
    /// Creation time, in seconds since the Unix epoch.
    pub created: f64,
}

/// The state of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// The status.
    pub status: Status,
    /// Why it failed or stopped; may be empty.
    #[serde(default)]
    pub message: String,
    /// The time of the last change, in seconds since the Unix epoch.
    pub since: f64,
}

/// The status of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Never started.
    New,
    /// Running.
    Running,
    /// Its process died; can be resumed.
    Interrupted,
    /// Cancelled; can be resumed.
    Stopped,
    /// Done; there is a result.
    Finished,
    /// Ended with an error.
    Failed,
}

/// A job in its folder, readable from any process. [`run`](Self::run) starts or resumes it.
#[derive(Clone, Debug)]
pub struct Job {
    folder: PathBuf,
    id: String,
    header: Header,
}

/// A job that this process has locked and is running.
///
/// It ends with [`finish`](Self::finish), [`stop`](Self::stop) or [`fail`](Self::fail); if it is dropped
/// without any of them, its status is [`Status::Interrupted`].
#[derive(Debug)]
pub struct RunningJob {
    job: Job,
    events: Mutex<Log>,
    _lock: Lock,
}

impl Header {
    pub(crate) fn new(
        kind: &str,
        config: &impl Serialize,
        seed: u64,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            kind: kind.into(),
            config: serde_json::to_value(config)?,
            seed,
            version: BuildInfo::current().id(),
            created: now(),
        })
    }

    /// Writes the header file, which makes a folder a job.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), JobError> {
        write_json(&folder.join(HEADER), self)
    }
}

impl Job {
    /// The job in a folder outside any store; `None` if there is none.
    pub fn in_folder(folder: &Path) -> Result<Option<Self>, JobError> {
        match Self::read(folder.to_owned(), &folder.display().to_string()) {
            Ok(job) => Ok(Some(job)),
            Err(JobError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The job to resume in `folder`; `None` if there is none. Its kind, and its seed if given, must match.
    pub fn resume_in(
        folder: &Path,
        kind: &str,
        seed: Option<u64>,
    ) -> Result<Option<Self>, JobError> {
        let Some(job) = Self::in_folder(folder)? else { return Ok(None) };
        let header = job.header();
        match seed {
            _ if header.kind != kind => {
                Err(JobError::run_mismatch(folder, "kind", &header.kind, kind))
            }
            Some(seed) if seed != header.seed => {
                Err(JobError::run_mismatch(folder, "seed", header.seed, seed))
            }
            _ => Ok(Some(job)),
        }
    }

    /// Creates a job in a folder of its own, outside any store.
    pub fn create_in(
        folder: &Path,
        kind: &str,
        config: &impl Serialize,
        seed: u64,
    ) -> Result<Self, JobError> {
        fs::create_dir_all(folder).map_err(JobError::io(folder))?;
        let header = Header::new(kind, config, seed).map_err(JobError::content(folder))?;
        header.write(folder)?;
        Self::read(folder.to_owned(), &folder.display().to_string())
    }

    /// The job in `folder`.
    pub(crate) fn read(folder: PathBuf, id: &str) -> Result<Self, JobError> {
        let header = read_json(&folder.join(HEADER))?;
        let header = header.ok_or_else(|| JobError::NotFound(id.into()))?;
        Ok(Self { folder, id: id.into(), header })
    }

    /// The id in the store.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The configuration.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, JobError> {
        let path = self.folder.join(HEADER);
        serde_json::from_value(self.header.config.clone()).map_err(JobError::content(&path))
    }

    /// The current state.
    pub fn state(&self) -> Result<State, JobError> {
        // The lock first: a job that ends between the two reads then has its final state.
        let is_held = Lock::is_held(&self.folder.join(LOCK));
        let written: Option<State> = read_json(&self.folder.join(STATE))?;
        let mut state = written.unwrap_or_else(|| State {
            status: Status::New,
            message: String::new(),
            since: self.header.created,
        });
        if state.status == Status::Running && !is_held {
            state.status = Status::Interrupted;
        }
        Ok(state)
    }

    /// All events so far.
    pub fn events(&self) -> Result<Vec<Event>, JobError> {
        read_log(&self.folder.join(EVENTS))?.collect()
    }

    /// The latest event.
    pub fn last_event(&self) -> Result<Option<Event>, JobError> {
        last_entry(&self.folder.join(EVENTS))
    }

    /// The result, if it is finished.
    pub fn result<T: DeserializeOwned>(&self) -> Result<Option<T>, JobError> {
        read_json(&self.folder.join(RESULT))
    }

    /// The checkpoint `name`, if one was saved.
    pub fn checkpoint<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, JobError> {
        read_json(&self.folder.join(checkpoint_file(name)))
    }

    /// Locks the job and starts or resumes it.
    pub fn run(self) -> Result<RunningJob, JobError> {
        let lock = self.lock()?;
        remove_stale_temporaries(&self.folder);
        let events = Log::open(&self.folder.join(EVENTS))?;
        let running = RunningJob { job: self, events: Mutex::new(events), _lock: lock };
        running.set_state(Status::Running, "")?;
        Ok(running)
    }

    pub(crate) fn lock(&self) -> Result<Lock, JobError> {
        let path = self.folder.join(LOCK);
        Lock::take(&path).map_err(|error| match error {
            LockError::Held(pid) => JobError::Busy { id: self.id.clone(), pid },
            LockError::Io(error) => JobError::io(&path)(error),
        })
    }
}

impl RunningJob {
    /// The job itself.
    pub const fn job(&self) -> &Job {
        &self.job
    }

    /// Opens the log `name`. A truncated last line is dropped and reported.
    pub fn log(&self, name: &str) -> Result<Log, JobError> {
        let log = Log::open(&self.job.folder.join(format!("{name}.jsonl")))?;
        if log.truncated_bytes() > 0 {
            let bytes = log.truncated_bytes();
            let message = format!("dropped a truncated line of {bytes} bytes from the log {name}");
            self.report(&Progress::new(log.len() as u64, None).with_message(message))?;
        }
        Ok(log)
    }

    /// Saves the checkpoint `name`, replacing the previous one.
    pub fn save_checkpoint(&self, name: &str, value: &impl Serialize) -> Result<(), JobError> {
        write_json(&self.job.folder.join(checkpoint_file(name)), value)
    }

    /// Appends a progress event.
    pub fn report(&self, progress: &Progress) -> Result<(), JobError> {
        let event = Event { at: now(), progress: progress.clone() };
        // A panic while appending leaves at worst a truncated line, which the log handles.
        self.events.lock().unwrap_or_else(PoisonError::into_inner).append(&event)
    }

    /// Writes the result and marks the job finished.
    pub fn finish(self, result: &impl Serialize) -> Result<(), JobError> {
        write_json(&self.job.folder.join(RESULT), result)?;
        self.set_state(Status::Finished, "")
    }

    /// Marks the job stopped; it can be resumed.
    pub fn stop(self, message: &str) -> Result<(), JobError> {
        self.set_state(Status::Stopped, message)
    }

    /// Marks the job failed.
    pub fn fail(self, message: &str) -> Result<(), JobError> {
        self.set_state(Status::Failed, message)
    }

    fn set_state(&self, status: Status, message: &str) -> Result<(), JobError> {
        let state = State { status, message: message.into(), since: now() };
        write_json(&self.job.folder.join(STATE), &state)
    }
}

fn checkpoint_file(name: &str) -> String {
    format!("{name}.checkpoint.json")
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
