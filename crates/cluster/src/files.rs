//! Files that tasks need: kept on the server under the hash of what is in them, fetched once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_nats::jetstream::object_store::ObjectStore;
use sha2::{Digest, Sha256};
use tablero_jobs::write_beside;
use tokio::io::AsyncReadExt;

use crate::wire::hex;
use crate::{ClusterError, Files};

/// The most that a file may hold.
const MOST_BYTES: usize = 1 << 30;

/// Puts a file into the store, unless it is there already; gives its hash.
pub(crate) async fn send(store: &ObjectStore, path: &Path) -> Result<String, ClusterError> {
    let failed = |problem: String| ClusterError::File(format!("{}: {problem}", path.display()));
    let bytes = tokio::fs::read(path).await.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > MOST_BYTES {
        return Err(failed("it is too large to be sent to workers".into()));
    }
    let hash = hex(&Sha256::digest(&bytes));
    if store.info(&hash).await.is_err() {
        let sent = store.put(hash.as_str(), &mut bytes.as_slice()).await;
        sent.map_err(|error| failed(format!("cannot be sent to the server: {error}")))?;
    }
    Ok(hash)
}

/// Files on a worker's disk.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn new(folder: &Path) -> Result<Self, ClusterError> {
        std::fs::create_dir_all(folder).map_err(|error| {
            ClusterError::File(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Where the files that tasks name are; those that are not there yet are fetched.
    pub(crate) async fn files(
        &self,
        store: &ObjectStore,
        wanted: &BTreeMap<String, String>,
    ) -> Result<Files, String> {
        let mut files = Files::new();
        for (name, hash) in wanted {
            let fetched = self.file(store, hash).await;
            let path = fetched.map_err(|problem| format!("the file {name}: {problem}"))?;
            files.insert(name.clone(), path);
        }
        Ok(files)
    }

    async fn file(&self, store: &ObjectStore, hash: &str) -> Result<PathBuf, String> {
        // A name of a task's choice must not lead out of the folder.
        if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("it is not known by a hash".into());
        }
        let path = self.folder.join(hash);
        if path.is_file() {
            return Ok(path);
        }
        let object = store.get(hash).await.map_err(|error| error.to_string())?;
        let size = object.info().size;
        if size > MOST_BYTES {
            return Err(format!("{size} bytes are more than a worker takes"));
        }
        let mut bytes = Vec::with_capacity(size);
        let mut limited = object.take(MOST_BYTES as u64);
        limited.read_to_end(&mut bytes).await.map_err(|error| error.to_string())?;
        if hex(&Sha256::digest(&bytes)) != hash {
            return Err("what the server has is something else".into());
        }
        write_beside(&path, &bytes).map_err(|error| error.to_string())?;
        Ok(path)
    }
}
