use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::{read_json, write_json};
use crate::lock::{Lock, LockError};
use crate::log::last_of_log;
use crate::{Event, JobError, Log, Progress, read_log};

const HEADER: &str = "job.json";
const STATE: &str = "state.json";
const RESULT: &str = "result.json";
const EVENTS: &str = "events.jsonl";
const LOCK: &str = "lock";

/// What a job is to do; never changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// What kind of work: `match`, `evolution`, ...
    pub kind: String,
    /// All that the work depends on, apart from the seed.
    pub config: serde_json::Value,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The version of the program that made the job.
    pub version: String,
    /// When it was made, in seconds since 1970 began (UTC).
    pub created: f64,
}

/// Where a job stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// In a word.
    pub status: Status,
    /// In a sentence: why it failed or stopped; may be empty.
    #[serde(default)]
    pub message: String,
    /// Since when, in seconds since 1970 began (UTC).
    pub since: f64,
}

/// Where a job stands, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Never started.
    New,
    /// Under way.
    Running,
    /// Its process ended without saying why; can be resumed.
    Interrupted,
    /// Stopped on request; can be resumed.
    Stopped,
    /// Done; there is a result.
    Finished,
    /// Could not go on.
    Failed,
}

/// A job in its folder, to look at from any process. [`run`](Self::run) is the way to work on it.
#[derive(Clone, Debug)]
pub struct Job {
    folder: PathBuf,
    id: String,
    header: Header,
}

/// A job that this process, and no other, works on.
///
/// It ends with [`finish`](Self::finish), [`stop`](Self::stop) or [`fail`](Self::fail); one that is
/// merely dropped shows as interrupted.
#[derive(Debug)]
pub struct Running {
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
            version: env!("CARGO_PKG_VERSION").into(),
            created: now(),
        })
    }

    /// Writes the file by which a folder is known as a job.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), JobError> {
        write_json(&folder.join(HEADER), self)
    }
}

impl Job {
    /// The job that has `folder` to itself, outside any store; none if no job is there.
    pub fn in_folder(folder: &Path) -> Result<Option<Self>, JobError> {
        match Self::read(folder.to_owned(), &folder.display().to_string()) {
            Ok(job) => Ok(Some(job)),
            Err(JobError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The run of a kind to go on with in `folder`, none if nothing is there. It goes on as it was made:
    /// `seed`, if given, must be its own.
    pub fn run_in(folder: &Path, kind: &str, seed: Option<u64>) -> Result<Option<Self>, JobError> {
        let Some(job) = Self::in_folder(folder)? else { return Ok(None) };
        let header = job.header();
        match seed {
            _ if header.kind != kind => {
                Err(JobError::other_run(folder, "kind", &header.kind, kind))
            }
            Some(seed) if seed != header.seed => {
                Err(JobError::other_run(folder, "seed", header.seed, seed))
            }
            _ => Ok(Some(job)),
        }
    }

    /// A new job, not yet started, that has `folder` to itself.
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

    /// Its name in the store.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is to do.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Its configuration.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, JobError> {
        let path = self.folder.join(HEADER);
        serde_json::from_value(self.header.config.clone()).map_err(JobError::content(&path))
    }

    /// Where it stands.
    pub fn state(&self) -> Result<State, JobError> {
        // The lock first: a job that ends between the two looks is then told as what it became.
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

    /// What it told so far.
    pub fn events(&self) -> Result<Vec<Event>, JobError> {
        read_log(&self.folder.join(EVENTS))?.collect()
    }

    /// What it told last.
    pub fn last_event(&self) -> Result<Option<Event>, JobError> {
        last_of_log(&self.folder.join(EVENTS))
    }

    /// What came out, if it is finished.
    pub fn result<T: DeserializeOwned>(&self) -> Result<Option<T>, JobError> {
        read_json(&self.folder.join(RESULT))
    }

    /// The checkpoint called `name`, if one was kept.
    pub fn checkpoint<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, JobError> {
        read_json(&self.folder.join(checkpoint_file(name)))
    }

    /// Starts to work on it, or goes on with it.
    pub fn run(self) -> Result<Running, JobError> {
        let lock = self.lock()?;
        let events = Log::open(&self.folder.join(EVENTS))?;
        let running = Running { job: self, events: Mutex::new(events), _lock: lock };
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

impl Running {
    /// The job itself.
    pub const fn job(&self) -> &Job {
        &self.job
    }

    /// Opens the log called `name`. If its last line was torn, that is cut off and told.
    pub fn log(&self, name: &str) -> Result<Log, JobError> {
        let log = Log::open(&self.job.folder.join(format!("{name}.jsonl")))?;
        if log.torn() > 0 {
            let message = format!("cut a torn line of {} bytes off the log {name}", log.torn());
            self.report(&Progress::new(log.len() as u64, None).message(message))?;
        }
        Ok(log)
    }

    /// Keeps a checkpoint called `name` in place of the one before.
    pub fn save_checkpoint(&self, name: &str, value: &impl Serialize) -> Result<(), JobError> {
        write_json(&self.job.folder.join(checkpoint_file(name)), value)
    }

    /// Tells how far it is to whoever watches the folder.
    pub fn report(&self, progress: &Progress) -> Result<(), JobError> {
        let event = Event { at: now(), progress: progress.clone() };
        // A panic while appending leaves at worst a torn line, which the log is made for.
        self.events.lock().unwrap_or_else(PoisonError::into_inner).append(&event)
    }

    /// It is done, and this came out.
    pub fn finish(self, result: &impl Serialize) -> Result<(), JobError> {
        write_json(&self.job.folder.join(RESULT), result)?;
        self.set_state(Status::Finished, "")
    }

    /// It stops before its end, to be resumed later.
    pub fn stop(self, message: &str) -> Result<(), JobError> {
        self.set_state(Status::Stopped, message)
    }

    /// It cannot go on.
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
