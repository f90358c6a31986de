//! TLS with the certificate of files, which are read again when they change (certificates are renewed).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::config::TlsFiles;

/// How often the files are checked for changes.
const CHECK_EVERY: Duration = Duration::from_secs(60);

/// The current certificate.
pub(crate) struct Tls {
    files: TlsFiles,
    acceptor: RwLock<(TlsAcceptor, Vec<Option<SystemTime>>)>,
}

impl Tls {
    /// Reads certificate and key.
    pub(crate) fn open(files: &TlsFiles) -> Result<Arc<Self>, String> {
        let acceptor = RwLock::new((read(files)?, modified(files)));
        Ok(Arc::new(Self { files: files.clone(), acceptor }))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Reads changed files again, for ever. Files that cannot be read leave the certificate as it is.
    pub(crate) async fn follow(self: Arc<Self>) {
        loop {
            tokio::time::sleep(CHECK_EVERY).await;
            let tls = Arc::clone(&self);
            // Fails only at shutdown.
            let _ = tokio::task::spawn_blocking(move || tls.reload()).await;
        }
    }

    fn reload(&self) {
        let now = modified(&self.files);
        let known = self.acceptor.read().unwrap_or_else(PoisonError::into_inner).1 == now;
        if !known && let Ok(acceptor) = read(&self.files) {
            *self.acceptor.write().unwrap_or_else(PoisonError::into_inner) = (acceptor, now);
        }
    }
}

fn modified(files: &TlsFiles) -> Vec<Option<SystemTime>> {
    let time = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    [&files.certificate, &files.key].map(time).into()
}

fn read(files: &TlsFiles) -> Result<TlsAcceptor, String> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| {
        format!("{}: {error}; expected PEM", path.display())
    };
    let certificates: Vec<CertificateDer<'static>> =
        CertificateDer::pem_file_iter(&files.certificate)
            .and_then(Iterator::collect)
            .map_err(|error| failed(&files.certificate, &error))?;
    if certificates.is_empty() {
        return Err(failed(&files.certificate, &"no certificate"));
    }
    let key =
        PrivateKeyDer::from_pem_file(&files.key).map_err(|error| failed(&files.key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| failed(&files.key, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_files_are_named() {
        let missing = PathBuf::from("no/such.pem");
        let files = TlsFiles { certificate: missing.clone(), key: missing };
        let error = Tls::open(&files).err().expect("an error");
        assert!(error.contains("no/such.pem"), "{error}");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let files = TlsFiles { certificate: source.clone(), key: source };
        let error = Tls::open(&files).err().expect("an error");
        assert!(error.contains("no certificate"), "{error}");
    }
}
