//! A server as a process of its own: a test starts its own program again, as a server.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs, thread};

use serde_json::Value;
use tablero_server::{Config, Server};

use super::{Response, request, wait_for};

const FOLDER: &str = "TABLERO_TEST_FOLDER";
const PORT_FILE: &str = "TABLERO_TEST_PORT";

/// A running server, killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) port: u16,
}

/// Becomes a server if this program was started as one. Every test that starts processes begins with it.
pub(crate) fn serve_if_child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    tablero_registry::install(tablero_catalog::games());
    let server = Server::start(Config { port: 0, ..Config::new(folder.into()) }).unwrap();
    fs::write(env::var(PORT_FILE).unwrap(), format!("{}\n", server.port())).unwrap();
    loop {
        thread::park();
    }
}

/// A new data folder.
pub(crate) fn new_folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("tablero-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Process {
    /// Starts a server; `test` is the running test, which begins with [`serve_if_child`].
    pub(crate) fn start(test: &str, folder: &Path) -> Self {
        Self::start_with(&mut Command::new(env::current_exe().unwrap()), test, folder)
    }

    /// Starts a server that cannot write files of more than that many blocks, as on a full disk.
    #[cfg(unix)]
    pub(crate) fn start_with_file_limit(test: &str, folder: &Path, blocks: usize) -> Self {
        // Writing more is an error instead of a signal.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh"]).arg(env::current_exe().unwrap());
        Self::start_with(&mut shell, test, folder)
    }

    fn start_with(command: &mut Command, test: &str, folder: &Path) -> Self {
        let port_file = folder.join("port");
        let _ = fs::remove_file(&port_file);
        let child = command
            .args([test, "--exact"])
            .env(FOLDER, folder)
            .env(PORT_FILE, &port_file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let port = wait_for("the server", || {
            let file = fs::File::open(&port_file).ok()?;
            let mut line = String::new();
            BufReader::new(file).read_line(&mut line).ok()?;
            line.ends_with('\n').then(|| line.trim().parse().unwrap())
        });
        Self { child, port }
    }

    /// Kills the server, as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        let headers = "Content-Type: application/json\r\n";
        request(self.port, method, path, headers, body.to_string().as_bytes())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
