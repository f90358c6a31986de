use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The lock of the process that runs a job.
///
/// An advisory file lock (`flock`), which the system releases when the process ends: a dead process leaves a
/// lock file, but no lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Why a lock could not be taken.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Held by another process, with its id if known.
    Held(Option<u32>),
    Io(io::Error),
}

impl Lock {
    /// Takes the lock.
    pub(crate) fn take(path: &Path) -> Result<Self, LockError> {
        // `is_held` takes the lock for a moment.
        const ATTEMPTS: u32 = 10;
        let mut file = open(path).map_err(LockError::Io)?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
                Err(TryLockError::WouldBlock) if attempt == ATTEMPTS => {
                    return Err(LockError::Held(read_pid(&mut file)));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            }
        }
        write_pid(&mut file).map_err(LockError::Io)?;
        Ok(Self { _file: file })
    }

    /// Whether the lock is held.
    pub(crate) fn is_held(path: &Path) -> bool {
        let Ok(file) = File::open(path) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Writes the process id, for error messages of other processes.
fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Folder;

    #[test]
    fn the_lock_is_exclusive() {
        let folder = Folder::new("lock");
        let path = folder.path().join("lock");
        assert!(!Lock::is_held(&path));
        let lock = Lock::take(&path).unwrap();
        assert!(Lock::is_held(&path));
        let refused = Lock::take(&path).unwrap_err();
        assert!(matches!(refused, LockError::Held(Some(pid)) if pid == std::process::id()));
        drop(lock);
        assert!(!Lock::is_held(&path));
        Lock::take(&path).unwrap();
    }

    #[test]
    fn a_stale_lock_file_is_no_lock() {
        let folder = Folder::new("stale");
        let path = folder.path().join("lock");
        fs::write(&path, "1\n").unwrap();
        assert!(!Lock::is_held(&path));
        Lock::take(&path).unwrap();
    }
}
