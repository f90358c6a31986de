//! A server on a free port with a temporary data folder, and a plain HTTP client.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod mutate;
pub(crate) mod process;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablero_server::{Config, Server};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A generous timeout, for busy machines.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server and its data folder.
pub(crate) struct Site {
    server: Option<Server>,
    pub(crate) folder: PathBuf,
    pub(crate) port: u16,
}

/// A response of the server.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Site {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, |_| {})
    }

    pub(crate) fn with(name: &str, change: impl FnOnce(&mut Config)) -> Self {
        let folder = std::env::temp_dir().join(format!("tablero-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let mut config = config(folder.clone());
        change(&mut config);
        tablero_registry::install(tablero_catalog::games());
        let server = Server::start(config).expect("a server");
        Self { port: server.port(), server: Some(server), folder }
    }

    pub(crate) fn url(&self) -> String {
        self.server.as_ref().expect("a server").url()
    }

    /// Stops the server and starts another with the same folder.
    pub(crate) fn restart(&mut self) {
        self.restart_with(|_| {});
    }

    /// Stops the server and starts another with the same folder and a changed configuration.
    pub(crate) fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        drop(self.server.take());
        let mut config = config(self.folder.clone());
        change(&mut config);
        let server = Server::start(config).expect("a server");
        self.port = server.port();
        self.server = Some(server);
    }

    pub(crate) fn raw(&self, request: &str, body: &[u8]) -> Response {
        raw(self.port, request, body)
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Response {
        request(self.port, method, path, headers, body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.request("GET", path, "", b"")
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        let headers = "Content-Type: application/json\r\n";
        self.request(method, path, headers, body.to_string().as_bytes())
    }

    /// Posts JSON; returns the JSON of the response.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, body).ok()
    }

    /// Creates a game; returns it whole.
    pub(crate) fn new_game(&self, game: &Value) -> Value {
        self.post("/api/games", game)
    }

    /// A whole game.
    pub(crate) fn game(&self, id: &str) -> Value {
        self.get(&format!("/api/games/{id}")).ok()
    }

    pub(crate) fn play(&self, id: &str, name: &str) -> Value {
        self.post(&format!("/api/games/{id}/moves"), &json!({ "move": name }))
    }

    /// The game once no engine is searching.
    pub(crate) fn settled(&self, id: &str) -> Value {
        wait_for("the engine", || {
            let game = self.game(id);
            game["state"]["thinking"].is_null().then_some(game)
        })
    }

    pub(crate) fn socket(&self) -> Socket {
        self.socket_with("")
    }

    /// A WebSocket opened with this `Cookie` header.
    pub(crate) fn socket_with(&self, cookie: &str) -> Socket {
        let url = format!("ws://127.0.0.1:{}/api/ws", self.port);
        let mut request = url.into_client_request().expect("a request");
        request.headers_mut().insert("cookie", cookie.parse().expect("a cookie"));
        let socket = tungstenite::connect(request).expect("a WebSocket").0;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
        }
        Socket(socket)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn config(folder: PathBuf) -> Config {
    Config { port: 0, ..Config::new(folder) }
}

/// Polls until there is a result.
pub(crate) fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = poll() {
            return result;
        }
        assert!(start.elapsed() < TIMEOUT, "timed out waiting for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn request(port: u16, method: &str, path: &str, headers: &str, body: &[u8]) -> Response {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}");
    raw(port, &head, body)
}

/// Sends a request; `head` is without Connection and Content-Length.
pub(crate) fn raw(port: u16, head: &str, body: &[u8]) -> Response {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    raw_on(stream, head, body)
}

/// Sends a request on a new connection.
pub(crate) fn raw_on(mut stream: TcpStream, head: &str, body: &[u8]) -> Response {
    let head = format!("{head}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).expect("the head is sent");
    // A server that rejects a body may close the connection early.
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Response::parse(&bytes)
}

impl Response {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        Self { status, head, body: bytes[end..].to_vec() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error} in {}: {}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    /// The JSON of a successful response.
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.text());
        self.json()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The message of an error with this status.
    pub(crate) fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()["message"].as_str().expect("an error").into()
    }
}

/// A client's end of a WebSocket.
pub(crate) struct Socket(WebSocket<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) fn send(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).expect("sent");
    }

    pub(crate) fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().expect("a message") {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// The next message, of any kind. Pings are answered.
    pub(crate) fn read(&mut self) -> Message {
        self.0.read().expect("a message")
    }

    /// Sends a message of any kind; false if the server has closed the socket.
    pub(crate) fn try_send(&mut self, message: Message) -> bool {
        self.0.send(message).is_ok()
    }

    /// The next JSON message; `None` if the server has closed the socket.
    pub(crate) fn try_next(&mut self) -> Option<Value> {
        loop {
            if let Message::Text(text) = self.0.read().ok()? {
                return Some(serde_json::from_str(&text).expect("JSON"));
            }
        }
    }

    /// The next message of this type, skipping others.
    pub(crate) fn wait(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next();
            assert!(kind == "error" || message["type"] != "error", "{message}");
            if message["type"] == kind {
                return message;
            }
        }
    }

    pub(crate) fn close(mut self) {
        let _ = self.0.close(None);
    }
}
