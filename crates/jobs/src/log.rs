use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobError;

/// A file to which values are only ever added, one line of JSON each.
///
/// A process that is killed while it writes leaves at most a torn last line; opening the log cuts
/// that off, so that what is added next starts on a line of its own.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    lines: usize,
    /// Where the last whole line ends.
    end: u64,
    torn: u64,
}

impl Log {
    /// Opens the log at `path`, or starts it.
    pub fn open(path: &Path) -> Result<Self, JobError> {
        Self::open_whole(path).map_err(JobError::io(path))
    }

    fn open_whole(path: &Path) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let (lines, end) = count_lines(&file)?;
        let torn = file.metadata()?.len() - end;
        cut(&mut file, end)?;
        Ok(Self { path: path.to_owned(), file, lines, end, torn })
    }

    /// How many values it holds.
    pub const fn len(&self) -> usize {
        self.lines
    }

    /// Whether it holds nothing.
    pub const fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// How many bytes of a torn last line were cut off when the log was opened.
    pub const fn torn(&self) -> u64 {
        self.torn
    }

    /// Adds a value.
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), JobError> {
        self.append_line(serde_json::to_vec(value).map_err(JobError::content(&self.path))?)
    }

    fn append_line(&mut self, mut line: Vec<u8>) -> Result<(), JobError> {
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            // A full disk may have taken a part; the next line must not start behind it. If even
            // this fails, the torn line is cut off when the log is next opened.
            let _ = cut(&mut self.file, self.end);
            return Err(JobError::io(&self.path)(error));
        }
        self.lines += 1;
        self.end += line.len() as u64;
        Ok(())
    }

    /// The values so far, the oldest first.
    pub fn read<T: DeserializeOwned>(
        &self,
    ) -> Result<impl Iterator<Item = Result<T, JobError>> + use<T>, JobError> {
        read_log(&self.path)
    }
}

/// Leaves only the first `end` bytes, and goes there.
fn cut(file: &mut File, end: u64) -> io::Result<()> {
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// Counts the whole lines of a file, and their bytes.
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

/// The values of a log that another process may be writing to: a last line that is not yet whole
/// is left out. A log that does not exist is empty.
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

/// The newest value of a log, without reading all of a long one.
pub(crate) fn last_of_log<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JobError> {
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
    // What stands after the last line feed is not yet whole.
    let Some(line) = bytes.split(|byte| *byte == b'\n').rev().nth(1) else {
        return Ok(None);
    };
    serde_json::from_slice(line).map(Some).map_err(JobError::content(path))
}

/// Reads a log line by line; ends after the first error.
struct Lines<T> {
    path: PathBuf,
    source: Option<BufReader<File>>,
    number: usize,
    value: PhantomData<fn() -> T>,
}

impl<T> Lines<T> {
    /// The next whole line.
    fn next_line(&mut self) -> Option<io::Result<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.source.as_mut()?.read_until(b'\n', &mut line);
        self.number += 1;
        match read {
            Ok(_) if line.last() != Some(&b'\n') => None,
            read => Some(read.map(|_| line)),
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
    fn keeps_what_was_added() {
        let folder = Folder::new("log");
        let path = folder.path().join("log.jsonl");
        assert_eq!(read_log::<String>(&path).unwrap().count(), 0);
        assert_eq!(last_of_log::<String>(&path).unwrap(), None);
        let mut log = Log::open(&path).unwrap();
        log.append(&"one").unwrap();
        drop(log);
        let mut log = Log::open(&path).unwrap();
        assert_eq!((log.len(), log.torn()), (1, 0));
        log.append(&"two\nlines").unwrap();
        assert_eq!(values(&log), ["one", "two\nlines"]);
    }

    /// Whatever part of the last line was written, the lines before it stay.
    #[test]
    fn a_torn_last_line_is_cut_off() {
        let folder = Folder::new("torn");
        let path = folder.path().join("log.jsonl");
        let (whole, last) = ("\"one\"\n\"two\"\n", "\"three\"\n");
        for length in 1..last.len() {
            fs::write(&path, format!("{whole}{}", &last[..length])).unwrap();
            assert_eq!(read_log::<String>(&path).unwrap().count(), 2, "a reader leaves it out");
            assert_eq!(last_of_log::<String>(&path).unwrap().as_deref(), Some("two"));
            let mut log = Log::open(&path).unwrap();
            assert_eq!((log.len(), log.torn()), (2, length as u64));
            log.append(&"four").unwrap();
            assert_eq!(values(&log), ["one", "two", "four"]);
        }
    }

    #[test]
    fn the_end_of_a_long_log_is_found() {
        let folder = Folder::new("long");
        let path = folder.path().join("log.jsonl");
        let mut log = Log::open(&path).unwrap();
        assert_eq!(last_of_log::<String>(&path).unwrap(), None);
        for number in 0..20_000 {
            log.append(&format!("number {number}")).unwrap();
        }
        assert_eq!(last_of_log::<String>(&path).unwrap().as_deref(), Some("number 19999"));
        assert_eq!(Log::open(&path).unwrap().len(), 20_000);
    }

    #[test]
    fn a_line_that_is_not_json_is_named() {
        let folder = Folder::new("broken");
        let path = folder.path().join("log.jsonl");
        fs::write(&path, "1\nx\n3\n").unwrap();
        let read: Vec<_> = read_log::<u32>(&path).unwrap().collect();
        assert_eq!(read.len(), 2);
        let error = read[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
