//! A real nats-server for a test.
// Tests print why they are skipped, and what workers log.
#![allow(dead_code, clippy::print_stderr)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Path of nats-server. Tests are skipped without it, unless `NATS_SERVER` is set, as `script/test` does:
/// then it must exist.
pub(crate) fn server_program() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("NATS_SERVER").map(PathBuf::from) {
        assert!(given.is_file(), "NATS_SERVER: no such program: {}", given.display());
        return Some(given);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let candidates = [root.join(".venv/bin/nats-server"), "/usr/sbin/nats-server".into()];
    let program = candidates.into_iter().find(|path| path.is_file());
    if program.is_none() {
        eprintln!("skipped: nats-server is not installed; script/test installs it");
    }
    program
}

/// A server process, killed on drop.
pub(crate) struct Server {
    program: PathBuf,
    folder: PathBuf,
    pub(crate) port: u16,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl Server {
    pub(crate) fn start(name: &str) -> Option<Self> {
        Self::with(name, &[])
    }

    /// A server with additional arguments.
    pub(crate) fn with(name: &str, arguments: &[&str]) -> Option<Self> {
        let program = server_program()?;
        let folder = folder(name);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments = arguments.iter().map(|argument| (*argument).into()).collect();
        let mut server = Self { program, folder, port, arguments, process: None };
        server.restart();
        Some(server)
    }

    /// Starts the process, again after [`kill`](Self::kill).
    pub(crate) fn restart(&mut self) {
        let store = self.folder.join("store");
        let process = Command::new(&self.program)
            .args(["-a", "127.0.0.1", "-js", "-p", &self.port.to_string(), "-sd"])
            .arg(store)
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.process = Some(process.expect("nats-server starts"));
        wait_until("the server listens", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub(crate) fn lose_disk(&self) {
        fs::remove_dir_all(self.folder.join("store")).unwrap();
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "timeout waiting until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A CA (`ca.pem`), and a server certificate signed by it (`server.pem`, `server.key`); `false` without openssl.
pub(crate) fn make_keys(folder: &Path) -> bool {
    let openssl = |arguments: &str| {
        let arguments = arguments.split(' ');
        Command::new("openssl").args(arguments).current_dir(folder).output()
    };
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1").unwrap();
    let steps = [
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
         -keyout ca.key -out ca.pem",
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
         -keyout server.key -out server.csr",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
         -extfile names -out server.pem",
    ];
    steps.iter().all(|step| match openssl(step) {
        Err(error) => {
            let is_required = std::env::var_os("NATS_SERVER").is_some();
            assert!(!is_required, "cannot run openssl: {error}");
            eprintln!("skipped: openssl is not installed");
            false
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
    })
}
