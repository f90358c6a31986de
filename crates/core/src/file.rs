//! Files are read with a bound: a device such as `/dev/zero` has no end.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file or a pipe of at most `max` bytes; refuses devices and directories.
///
/// ```
/// let error = tablero_core::read_bounded(std::env::temp_dir().as_ref(), 1 << 20).unwrap_err();
/// assert_eq!(error.to_string(), "it is a directory, not a file");
/// ```
pub fn read_bounded(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(refused(io::ErrorKind::IsADirectory, "it is a directory, not a file".into()));
    }
    refuse_device(kind)?;
    if metadata.len() > max {
        return Err(too_large(max));
    }
    read_to_limit(file, max)
}

/// Checks that a path can be read to its end: that it is neither a device nor a socket.
pub fn check_no_device(path: &Path) -> io::Result<()> {
    let kind = path.metadata()?.file_type();
    if kind.is_dir() { Ok(()) } else { refuse_device(kind) }
}

fn refuse_device(kind: FileType) -> io::Result<()> {
    if kind.is_file() || is_pipe(kind) {
        return Ok(());
    }
    Err(refused(io::ErrorKind::InvalidInput, "it is neither a file nor a pipe".into()))
}

/// Reads to the end; fails after `max` bytes.
pub fn read_to_limit(source: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(too_large(max));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_: FileType) -> bool {
    false
}

fn too_large(max: u64) -> io::Error {
    let size = if max.is_multiple_of(1 << 20) {
        format!("{} MiB", max >> 20)
    } else {
        format!("{max} bytes")
    };
    refused(io::ErrorKind::FileTooLarge, format!("it is larger than {size}"))
}

fn refused(kind: io::ErrorKind, problem: String) -> io::Error {
    io::Error::new(kind, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_inclusive() {
        assert_eq!(read_to_limit(&b"abc"[..], 3).unwrap(), b"abc");
        let error = read_to_limit(&b"abcd"[..], 3).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 3 bytes");
        assert!(read_to_limit(io::repeat(0), 1 << 20).unwrap_err().to_string().contains("1 MiB"));
    }

    #[test]
    fn files_have_a_limit() {
        let path = std::env::temp_dir().join(format!("bounded-{}", std::process::id()));
        std::fs::write(&path, "abcd").unwrap();
        assert_eq!(read_bounded(&path, 4).unwrap(), b"abcd");
        assert_eq!(read_bounded(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_bounded(&path, 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 1 << 30).unwrap_err();
        assert_eq!(error.to_string(), "it is neither a file nor a pipe");
        assert!(check_no_device(Path::new("/dev/zero")).is_err());
        assert!(check_no_device(Path::new("/dev")).is_ok());
    }
}
