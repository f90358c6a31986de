//! Output files: an existing one is overwritten only with `--force`, and one that another process writes to never.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use tablero_jobs::{Job, JobError, atomic_create, atomic_write};

use crate::out::usage;

/// `--force`.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct ForceArg {
    /// Overwrite an existing output file.
    #[arg(long)]
    force: bool,
}

impl ForceArg {
    /// Overwrites also if `is_own`: the file is an earlier state of the same output.
    pub(crate) const fn or(self, is_own: bool) -> Self {
        Self { force: self.force || is_own }
    }

    /// Refuses an existing file, before the work whose results go there.
    pub(crate) fn check(self, path: &Path) -> anyhow::Result<()> {
        if !self.force && !is_stdout(path) && path.is_file() { Err(exists(path)) } else { Ok(()) }
    }

    /// Writes a whole file atomically; devices, FIFOs and `-` (standard output) in place.
    pub(crate) fn write(self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let written =
            if self.force { atomic_write(path, bytes) } else { atomic_create(path, bytes) };
        match written {
            Err(JobError::Io { problem, .. }) if problem.kind() == ErrorKind::AlreadyExists => {
                Err(exists(path))
            }
            written => written.context("cannot write"),
        }
    }
}

fn exists(path: &Path) -> anyhow::Error {
    usage(format!("{} exists; use --force to overwrite it", path.display()))
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether both paths are of the same existing file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// An output that grows game by game: a file locked against other processes, or a device, a FIFO or standard output
/// (`-`).
pub(crate) struct OutputStream {
    path: PathBuf,
    target: Box<dyn Write + Send>,
}

impl OutputStream {
    /// Starts an empty file.
    pub(crate) fn create(path: &Path, force: ForceArg) -> anyhow::Result<Self> {
        force.check(path)?;
        let target =
            open(path, force).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned(), target })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let written = self.target.write_all(bytes).and_then(|()| self.target.flush());
        written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

fn open(path: &Path, force: ForceArg) -> io::Result<Box<dyn Write + Send>> {
    if is_stdout(path) {
        return Ok(Box::new(io::stdout()));
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(Box::new(OpenOptions::new().write(true).open(path)?));
    }
    // Emptied only once it is locked: another process may be writing to it.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            io::Error::new(ErrorKind::ResourceBusy, "another process is writing to it")
        }
        TryLockError::Error(error) => error,
    })?;
    if !force.force && file.metadata()?.len() > 0 {
        let problem = "another process has just written it; use --force to overwrite it";
        return Err(io::Error::new(ErrorKind::AlreadyExists, problem));
    }
    file.set_len(0)?;
    Ok(Box::new(file))
}

/// The file in a job's folder that names the job's output file.
const OUTPUT: &str = "output.json";

/// Records the output file of a job, which the job may overwrite when it is resumed.
pub(crate) fn record_output(job: &Job, path: &Path) -> anyhow::Result<()> {
    let text = serde_json::to_vec(&path_text(path))?;
    Ok(atomic_write(&job.folder().join(OUTPUT), &text)?)
}

/// Whether `path` is the recorded output file of a job.
pub(crate) fn is_output_of(job: &Job, path: &Path) -> bool {
    let recorded = fs::read(job.folder().join(OUTPUT)).ok();
    let recorded = recorded.and_then(|text| serde_json::from_slice::<String>(&text).ok());
    recorded == Some(path_text(path))
}

fn path_text(path: &Path) -> String {
    let path = path.canonicalize().or_else(|_| std::path::absolute(path));
    path.unwrap_or_default().to_string_lossy().into_owned()
}
