use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobError;

/// Writes a file atomically: after a crash there is either the old content or the new, never a part.
///
/// The bytes go to a temporary file in the same folder, which is synced and renamed over the target; the folder is
/// synced too. Symbolic links are followed, and an existing file keeps its mode and owner. What is not a regular file
/// (a device, a FIFO) is written to in place, and `-` is standard output.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<(), JobError> {
    write(path, bytes, true).map_err(JobError::io(path))
}

/// Like [`atomic_write`], but an existing regular file is an error of the kind
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists) and stays as it is, also if another process creates it meanwhile.
pub fn atomic_create(path: &Path, bytes: &[u8]) -> Result<(), JobError> {
    write(path, bytes, false).map_err(JobError::io(path))
}

fn write(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    if path == Path::new("-") {
        let mut stdout = io::stdout().lock();
        return stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
    let target = link_target(path)?;
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_file() && !overwrite => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Ok(metadata) if metadata.is_file() => replace(&target, bytes, Some(&metadata), true),
        // Opening a folder for writing fails with the right error.
        Ok(_) => OpenOptions::new().write(true).open(&target)?.write_all(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            replace(&target, bytes, None, overwrite)
        }
        Err(error) => Err(error),
    }
}

/// The path behind symbolic links, whether or not anything is there.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // A relative link starts from its own folder.
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

fn replace(target: &Path, bytes: &[u8], old: Option<&Metadata>, overwrite: bool) -> io::Result<()> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = target.with_file_name(temporary_name(&name));
    let write = || {
        let mut file = File::create_new(&temporary)?;
        if let Some(old) = old {
            keep_owner_and_mode(&file, old)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        if overwrite {
            fs::rename(&temporary, target)?;
        } else {
            rename_new(&temporary, target)?;
        }
        sync_folder(target)
    };
    write().inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })
}

/// Renames a file to a name that must not exist: a hard link, unlike a rename, replaces nothing.
fn rename_new(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Ok(()) => fs::remove_file(temporary),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no hard links.
        Err(_) => fs::rename(temporary, target),
    }
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may give files away; for others the file becomes their own.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Makes the new name durable: without it a power cut may bring the old file back.
fn sync_folder(target: &Path) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(Path::new("."))) {
        Ok(folder) => folder.sync_all(),
        // A folder that can be written but not read cannot be synced.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

/// A hidden name that no other thread or process uses: `.NAME.PID-COUNT.tmp`.
pub(crate) fn temporary_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(".{name}.{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Removes temporary files and folders that killed processes left in a folder.
pub fn remove_stale_temporaries(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let owner = entry.file_name().to_str().and_then(temporary_owner);
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// The process whose [temporary file](temporary_name) this is.
fn temporary_owner(name: &str) -> Option<u32> {
    let (rest, _count) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('-')?;
    rest.rsplit_once('.')?.1.parse().ok()
}

/// Writes `value` as JSON, see [`atomic_write`].
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), JobError> {
    let mut text = serde_json::to_string_pretty(value).map_err(JobError::content(path))?;
    text.push('\n');
    atomic_write(path, text.as_bytes())
}

/// The value that [`write_json`] wrote, if the file exists.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JobError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(JobError::content(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JobError::io(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn replaces_whole_files_and_leaves_nothing_beside() {
        let folder = Folder::new("files");
        let path = folder.path().join("value.json");
        assert_eq!(read_json::<u32>(&path).unwrap(), None);
        for value in [7u32, 8] {
            write_json(&path, &value).unwrap();
            assert_eq!(read_json(&path).unwrap(), Some(value));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_json(&folder.path().join("no/such/folder"), &1).unwrap_err();
        assert!(error.to_string().contains("no/such/folder"), "{error}");
    }

    #[test]
    fn created_files_replace_nothing() {
        let folder = Folder::new("create");
        let path = folder.path().join("games.pgn");
        atomic_create(&path, b"first").unwrap();
        let Err(JobError::Io { problem, .. }) = atomic_create(&path, b"second") else {
            panic!("overwritten");
        };
        assert_eq!(problem.kind(), io::ErrorKind::AlreadyExists);
        let temporary = folder.path().join("temporary");
        fs::write(&temporary, "third").unwrap();
        let error = rename_new(&temporary, &path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "it appeared meanwhile");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        fs::remove_file(&temporary).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn follows_links_and_keeps_the_mode() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("links");
        let [file, link, dangling, made] =
            ["file", "link", "dangling", "made"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("file", &link).unwrap();
        symlink("made", &dangling).unwrap();
        atomic_write(&link, b"new").unwrap();
        atomic_write(&dangling, b"made").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&made).unwrap(), "made");
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(atomic_write(&folder.path().join("loop"), b"").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn writes_devices_in_place() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = Folder::new("devices");
        // A link, so that a mistake here destroys no device.
        let full = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let error = atomic_write(&full, b"text").unwrap_err();
        assert!(error.to_string().contains("No space left"), "{error}");
        assert!(fs::metadata(&full).unwrap().file_type().is_char_device());
        assert!(atomic_write(folder.path(), b"text").is_err(), "a folder is no file");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn removes_temporaries_of_dead_processes_only() {
        let folder = Folder::new("stale");
        let dead = folder.path().join(".value.json.4194999-0.tmp");
        let own = folder.path().join(temporary_name("value.json"));
        let other = folder.path().join(".hidden");
        for path in [&dead, &own, &other] {
            fs::write(path, "").unwrap();
        }
        remove_stale_temporaries(folder.path());
        assert!(!dead.exists() && own.exists() && other.exists());
    }

    #[test]
    fn numbers_come_back_to_the_last_bit() {
        let folder = Folder::new("floats");
        let path = folder.path().join("value.json");
        let mut bits = 1u64;
        for _ in 0..1000 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let text = serde_json::to_string(&number).unwrap();
                assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), number);
            }
        }
        fs::write(&path, "{").unwrap();
        assert!(read_json::<f64>(&path).unwrap_err().to_string().contains("line 1"));
    }
}
