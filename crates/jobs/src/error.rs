use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a job could not be read, kept or run.
#[derive(Debug, Error)]
pub enum JobError {
    /// A file or folder could not be read or written.
    #[error("{}: {problem}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        problem: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {problem}", path.display())]
    Content {
        /// Which one.
        path: PathBuf,
        /// Where in it, and what is wrong.
        problem: String,
    },
    /// There is no such job.
    #[error("there is no job `{0}`")]
    NotFound(String),
    /// The job is running, in this process or another.
    #[error("job `{id}` is already running{}", process(*.pid))]
    Busy {
        /// The job.
        id: String,
        /// The process that runs it, if it said so.
        pid: Option<u32>,
    },
    /// A folder holds a run that was made otherwise than asked for.
    #[error(
        "{} holds a run with {what} {found}, not {asked}; leave that out to go on with it, or choose another folder",
        folder.display()
    )]
    OtherRun {
        /// The run's folder.
        folder: PathBuf,
        /// What differs.
        what: &'static str,
        /// As it is.
        found: String,
        /// As it was asked for.
        asked: String,
    },
    /// A task failed.
    #[error("task {index} ({kind}) failed: {problem}")]
    Task {
        /// Its place in the list, from 0.
        index: usize,
        /// Its kind.
        kind: &'static str,
        /// What went wrong.
        problem: String,
    },
    /// The executor failed, not the tasks.
    #[error("the tasks could not be run: {0}")]
    Executor(String),
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

impl JobError {
    /// The run in `folder` has another `what` than asked for.
    pub fn other_run(
        folder: &Path,
        what: &'static str,
        found: impl ToString,
        asked: impl ToString,
    ) -> Self {
        let (found, asked) = (found.to_string(), asked.to_string());
        Self::OtherRun { folder: folder.to_owned(), what, found, asked }
    }

    /// For `map_err`: what the system said about `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |problem| Self::Io { path, problem }
    }

    /// For `map_err`: what is wrong with the JSON in `path`.
    pub(crate) fn content(path: &Path) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Content { path, problem: error.to_string() }
    }
}
