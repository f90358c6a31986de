use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a job could not be read, written or run.
#[derive(Debug, Error)]
pub enum JobError {
    /// A file or folder could not be read or written.
    #[error("{}: {problem}", path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        problem: io::Error,
    },
    /// A file has invalid content.
    #[error("{}: {problem}", path.display())]
    Content {
        /// Its path.
        path: PathBuf,
        /// Location and problem.
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
        /// The process that runs it, if known.
        pid: Option<u32>,
    },
    /// A folder holds a run with other settings than requested.
    #[error(
        "{} holds a run with {setting} {found}, not {requested}; omit that option to resume the run, or choose another folder",
        folder.display()
    )]
    RunMismatch {
        /// The run's folder.
        folder: PathBuf,
        /// The setting that differs.
        setting: &'static str,
        /// Its value in the run.
        found: String,
        /// The requested value.
        requested: String,
    },
    /// A task failed.
    #[error("task {index} ({kind}) failed: {problem}")]
    Task {
        /// Its index in the list.
        index: usize,
        /// Its kind.
        kind: &'static str,
        /// Its error.
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
    /// The run in `folder` has another `setting` than requested.
    pub fn run_mismatch(
        folder: &Path,
        setting: &'static str,
        found: impl ToString,
        requested: impl ToString,
    ) -> Self {
        let (found, requested) = (found.to_string(), requested.to_string());
        Self::RunMismatch { folder: folder.to_owned(), setting, found, requested }
    }

    /// For `map_err`: an I/O error at `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |problem| Self::Io { path, problem }
    }

    /// For `map_err`: invalid JSON in `path`.
    pub(crate) fn content<E: fmt::Display>(path: &Path) -> impl FnOnce(E) -> Self {
        let path = path.to_owned();
        move |error| Self::Content { path, problem: error.to_string() }
    }
}
