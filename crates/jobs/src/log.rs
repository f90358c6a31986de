use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobError;

/// Maximum length of a line in bytes, with its line feed. The longest are the games of a self-play task.
const MAX_LINE: u64 = 64 << 20;

/// An append-only file of JSON values, one per line (JSON Lines).
///
/// A process killed while it writes leaves at most a truncated last line, which is dropped when the log is
/// next opened.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    lines: usize,
    /// The end of the last complete line.
    end: u64,
    truncated_bytes: u64,
}

impl Log {
    /// Opens the log at `path`, or starts it. A log has one writer: it is locked until dropped.
    pub fn open(path: &Path) -> Result<Self, JobError> {
        Self::open_whole(path).map_err(JobError::io(path))
    }

    fn open_whole(path: &Path) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another process is writing to it; wait for it, or choose another file",
            ),
            TryLockError::Error(error) => error,
        })?;
        let (lines, end) = count_lines(&file)?;
        let truncated_bytes = file.metadata()?.len() - end;
        truncate(&mut file, end)?;
        Ok(Self { path: path.to_owned(), file, lines, end, truncated_bytes })
    }

    /// The number of values.
    pub const fn len(&self) -> usize {
        self.lines
    }

    /// Whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// The length of the truncated last line that was dropped when the log was opened; 0 if there was none.
    pub const fn truncated_bytes(&self) -> u64 {
        self.truncated_bytes
    }

    /// Appends a value.
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), JobError> {
        self.append_line(serde_json::to_vec(value).map_err(JobError::content(&self.path))?)
    }

    fn append_line(&mut self, mut line: Vec<u8>) -> Result<(), JobError> {
        line.push(b'\n');
        if line.len() as u64 > MAX_LINE {
            return Err(JobError::content(&self.path)(too_long()));
        }
        if let Err(error) = self.file.write_all(&line) {
            // After a partial write (a full disk) the next line must not follow the fragment. If this
            // fails too, the fragment is dropped when the log is next opened.
            let _ = truncate(&mut self.file, self.end);
            return Err(JobError::io(&self.path)(error));
        }
        self.lines += 1;
        self.end += line.len() as u64;
        Ok(())
    }

    /// The values, the oldest first.
    pub fn read<T: DeserializeOwned>(
        &self,
    ) -> Result<impl Iterator<Item = Result<T, JobError>> + use<T>, JobError> {
        read_log(&self.path)
    }
}

fn too_long() -> String {
    format!("a value is longer than {} MiB", MAX_LINE >> 20)
}

/// Truncates the file to `end` bytes and seeks to its end.
fn truncate(file: &mut File, end: u64) -> io::Result<()> {
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// The number of complete lines, and their length in bytes.
fn count_lines(mut file: &File) -> io::Result<(usize, u64)> {
    let (mut lines, mut whole, mut offset) = (0, 0, 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok((lines, whole)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for (index, _) in buffer[..read].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            lines += 1;
            whole = offset + index as u64 + 1;
        }
        offset += read as u64;
    }
}

/// Reads a log that another process may be writing to: an incomplete last line is ignored. A missing log is
/// empty.
pub fn read_log<T: DeserializeOwned>(
    path: &Path,
) -> Result<impl Iterator<Item = Result<T, JobError>> + use<T>, JobError> {
    let source = match File::open(path) {
        Ok(file) => Some(BufReader::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(JobError::io(path)(error)),
    };
    Ok(Lines { path: path.to_owned(), source, number: 0, value: PhantomData })
}

/// The last value of a log, read from its end.
pub(crate) fn last_entry<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JobError> {
    const TAIL: u64 = 1 << 16;
    let tail = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = match tail() {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(JobError::io(path)(error)),
    };
    // The text after the last line feed is incomplete.
    let Some(line) = bytes.split(|byte| *byte == b'\n').rev().nth(1) else {
        return Ok(None);
    };
    serde_json::from_slice(line).map(Some).map_err(JobError::content(path))
}

/// Iterates over the lines of a log; stops after the first error.
struct Lines<T> {
    path: PathBuf,
    source: Option<BufReader<File>>,
    number: usize,
    value: PhantomData<fn() -> T>,
}

impl<T> Lines<T> {
    /// The next complete line.
    fn next_line(&mut self) -> Option<io::Result<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.source.as_mut()?.take(MAX_LINE).read_until(b'\n', &mut line);
        self.number += 1;
        match read {
            Ok(_) if line.last() == Some(&b'\n') => Some(Ok(line)),
            Ok(_) if line.len() as u64 == MAX_LINE => {
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, too_long())))
            }
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T: DeserializeOwned> Iterator for Lines<T> {
    type Item = Result<T, JobError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = match self.next_line()? {
            Err(error) => Err(JobError::io(&self.path)(error)),
            Ok(line) => serde_json::from_slice(&line).map_err(|error| JobError::Content {
                path: self.path.clone(),
                problem: format!("line {}: {error}", self.number),
            }),
        };
        if item.is_err() {
            self.source = None;
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Folder;

    fn values(log: &Log) -> Vec<String> {
        log.read().unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn a_second_writer_is_refused() {
        let folder = Folder::new("two-writers");
        let path = folder.path().join("log.jsonl");
        let mut log = Log::open(&path).unwrap();
        log.append(&1).unwrap();
        let error = Log::open(&path).unwrap_err().to_string();
        assert!(error.contains("another process is writing"), "{error}");
        drop(log);
        assert_eq!(Log::open(&path).unwrap().len(), 1);
    }

    #[test]
    fn values_round_trip() {
        let folder = Folder::new("log");
        let path = folder.path().join("log.jsonl");
        assert_eq!(read_log::<String>(&path).unwrap().count(), 0);
        assert_eq!(last_entry::<String>(&path).unwrap(), None);
        let mut log = Log::open(&path).unwrap();
        log.append(&"one").unwrap();
        drop(log);
        let mut log = Log::open(&path).unwrap();
        assert_eq!((log.len(), log.truncated_bytes()), (1, 0));
        log.append(&"two\nlines").unwrap();
        assert_eq!(values(&log), ["one", "two\nlines"]);
    }

    /// The lines before a truncated one are kept, wherever it is cut.
    #[test]
    fn a_truncated_last_line_is_dropped() {
        let folder = Folder::new("truncated");
        let path = folder.path().join("log.jsonl");
        let (whole, last) = ("\"one\"\n\"two\"\n", "\"three\"\n");
        for length in 1..last.len() {
            fs::write(&path, format!("{whole}{}", &last[..length])).unwrap();
            assert_eq!(read_log::<String>(&path).unwrap().count(), 2, "readers ignore it");
            assert_eq!(last_entry::<String>(&path).unwrap().as_deref(), Some("two"));
            let mut log = Log::open(&path).unwrap();
            assert_eq!((log.len(), log.truncated_bytes()), (2, length as u64));
            log.append(&"four").unwrap();
            assert_eq!(values(&log), ["one", "two", "four"]);
        }
    }

    #[test]
    fn the_last_entry_of_a_long_log_is_found() {
        let folder = Folder::new("long");
        let path = folder.path().join("log.jsonl");
        let mut log = Log::open(&path).unwrap();
        assert_eq!(last_entry::<String>(&path).unwrap(), None);
        for number in 0..20_000 {
            log.append(&format!("number {number}")).unwrap();
        }
        assert_eq!(last_entry::<String>(&path).unwrap().as_deref(), Some("number 19999"));
        drop(log);
        assert_eq!(Log::open(&path).unwrap().len(), 20_000);
    }

    /// A sparse file: its zeros take no space.
    #[test]
    fn an_endless_line_is_an_error() {
        let folder = Folder::new("endless");
        let path = folder.path().join("log.jsonl");
        fs::write(&path, "1\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(4 * MAX_LINE).unwrap();
        let read: Vec<_> = read_log::<u32>(&path).unwrap().collect();
        assert_eq!(read.len(), 2);
        let error = read[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("longer than 64 MiB"), "{error}");
        assert_eq!(Log::open(&path).unwrap().len(), 1, "a writer drops it");
        let mut log = Log::open(&path).unwrap();
        let error = log.append(&"x".repeat(MAX_LINE as usize)).unwrap_err().to_string();
        assert!(error.contains("longer than 64 MiB"), "{error}");
        assert_eq!(log.len(), 1);
    }

    #[test]
    fn an_invalid_line_is_reported_with_its_number() {
        let folder = Folder::new("broken");
        let path = folder.path().join("log.jsonl");
        fs::write(&path, "1\nx\n3\n").unwrap();
        let read: Vec<_> = read_log::<u32>(&path).unwrap().collect();
        assert_eq!(read.len(), 2);
        let error = read[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
