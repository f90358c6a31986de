//! `tablero serve`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

fn tablero(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablero"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A process that is killed at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn serves_until_it_is_stopped() {
    let data = std::env::temp_dir().join(format!("tablero-serve-{}", std::process::id()));
    let folder = data.to_str().expect("text");
    let mut server =
        Running(tablero(&["serve", "--port", "0", "--data", folder]).spawn().expect("it starts"));
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().expect("its output"))
        .read_line(&mut url)
        .expect("a line");
    let address = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    let address = address.expect("an address and nothing else");

    let mut stream = TcpStream::connect(address).expect("it listens");
    let request =
        format!("GET /api/about HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains("\"allows_engines\":false"), "{answer}");

    let port = address.rsplit_once(':').expect("a port").1;
    let other = data.join("other");
    let other = other.to_str().expect("text");
    let taken = tablero(&["serve", "--port", port, "--data", other]).output().expect("it runs");
    let message = String::from_utf8_lossy(&taken.stderr).into_owned();
    assert_eq!(taken.status.code(), Some(2), "{message}");
    assert!(message.contains("in use") && message.contains("--port"), "{message}");
    let locked = tablero(&["serve", "--port", "0", "--data", folder]).output().expect("it runs");
    let message = String::from_utf8_lossy(&locked.stderr).into_owned();
    assert_eq!(locked.status.code(), Some(1), "{message}");
    assert!(message.contains(address) && message.contains("--data"), "{message}");
    drop(server);
    fs::remove_dir_all(&data).expect("our directory");
}

#[test]
fn invalid_addresses_are_refused() {
    let output = tablero(&["serve", "--host", "example.org"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1"));
}
