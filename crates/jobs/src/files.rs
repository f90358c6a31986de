use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobError;

/// Writes a file so that readers, and whoever comes after a crash, find either the old content or
/// the new, never a part: it is written beside its place and then renamed.
pub fn write_beside(path: &Path, bytes: &[u8]) -> Result<(), JobError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(hidden_name(&name));
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        // What cannot be written can often not be removed either; the first error is the news.
        let _ = fs::remove_file(&beside);
        JobError::io(path)(error)
    })
}

/// A name that starts with a dot and that no other thread or process uses.
pub(crate) fn hidden_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(".{name}.{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Writes `value` as JSON, see [`write_beside`].
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), JobError> {
    let mut text = serde_json::to_string_pretty(value).map_err(JobError::content(path))?;
    text.push('\n');
    write_beside(path, text.as_bytes())
}

/// The value that [`write_json`] wrote, if the file exists.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JobError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(JobError::content(path)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
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
