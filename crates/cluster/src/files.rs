//! Files that tasks name, in an object store under their SHA-256 (content-addressed): uploaded once,
//! downloaded once per worker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_nats::jetstream::object_store::ObjectStore;
use sha2::{Digest, Sha256};
use tablero_jobs::atomic_write;
use tokio::io::AsyncReadExt;

use crate::wire::hex;
use crate::{ClusterError, Files};

const MAX_FILE_BYTES: usize = 1 << 30;

/// Uploads a file unless the store has it; returns its hash.
pub(crate) async fn upload(store: &ObjectStore, path: &Path) -> Result<String, ClusterError> {
    let failed = |reason: String| ClusterError::File(format!("{}: {reason}", path.display()));
    let bytes = tokio::fs::read(path).await.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(failed("too large to be sent to workers".into()));
    }
    let hash = hex(&Sha256::digest(&bytes));
    if store.info(&hash).await.is_err() {
        let sent = store.put(hash.as_str(), &mut bytes.as_slice()).await;
        sent.map_err(|error| failed(format!("cannot be uploaded: {error}")))?;
    }
    Ok(hash)
}

/// A worker's cache of downloaded files.
pub(crate) struct FileCache {
    folder: PathBuf,
}

impl FileCache {
    pub(crate) fn new(folder: &Path) -> Result<Self, ClusterError> {
        std::fs::create_dir_all(folder).map_err(|error| {
            ClusterError::File(format!("cannot create the folder {}: {error}", folder.display()))
        })?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Local paths of files by the names that tasks use; missing files are downloaded.
    pub(crate) async fn fetch_all(
        &self,
        store: &ObjectStore,
        hashes: &BTreeMap<String, String>,
    ) -> Result<Files, String> {
        let mut files = Files::new();
        for (name, hash) in hashes {
            let fetched = self.fetch(store, hash).await;
            let path = fetched.map_err(|reason| format!("file {name}: {reason}"))?;
            files.insert(name.clone(), path);
        }
        Ok(files)
    }

    async fn fetch(&self, store: &ObjectStore, hash: &str) -> Result<PathBuf, String> {
        // The hash becomes a file name: nothing from the wire may escape the folder.
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("invalid hash".into());
        }
        let path = self.folder.join(hash);
        if path.is_file() {
            return Ok(path);
        }
        let object = store.get(hash).await.map_err(|error| error.to_string())?;
        let size = object.info().size;
        if size > MAX_FILE_BYTES {
            return Err(format!("{size} bytes exceed the limit of {MAX_FILE_BYTES}"));
        }
        let mut bytes = Vec::with_capacity(size);
        let mut limited = object.take(MAX_FILE_BYTES as u64);
        limited.read_to_end(&mut bytes).await.map_err(|error| error.to_string())?;
        if hex(&Sha256::digest(&bytes)) != hash {
            return Err("the stored content does not match its hash".into());
        }
        atomic_write(&path, &bytes).map_err(|error| error.to_string())?;
        Ok(path)
    }
}
