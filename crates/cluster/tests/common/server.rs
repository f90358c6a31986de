//! A real nats-server for a test.
// What tests print belongs on the terminal: why one is skipped, what a worker said.
#![allow(dead_code, clippy::print_stderr)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A program that does not come with every machine: without it the tests say so, and pass; with
/// `NATS_SERVER` set, as `script/test` does, it must be there.
pub(crate) fn server_program() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("NATS_SERVER").map(PathBuf::from) {
        assert!(given.is_file(), "NATS_SERVER: there is no program {}", given.display());
        return Some(given);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = [root.join(".venv/bin/nats-server"), "/usr/sbin/nats-server".into()];
    let program = places.into_iter().find(|place| place.is_file());
    if program.is_none() {
        eprintln!("skipped: there is no nats-server; script/test installs one");
    }
    program
}

/// A server that ends with its test.
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

    /// A server with more arguments.
    pub(crate) fn with(name: &str, arguments: &[&str]) -> Option<Self> {
        let program = server_program()?;
        let folder = folder(name);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments = arguments.iter().map(|argument| (*argument).into()).collect();
        let mut server = Self { program, folder, port, arguments, process: None };
        server.begin();
        Some(server)
    }

    /// Starts it, again after [`kill`](Self::kill).
    pub(crate) fn begin(&mut self) {
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

    /// As kill -9 does.
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

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited too long until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A folder of its own for a test, empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}
