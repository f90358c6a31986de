//! Clients that stall: half-open requests, slow bodies, idle connections, silent WebSockets.

mod common;

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use common::{Response, Site, raw_on, request, wait_for};
use serde_json::json;
use socket2::{Domain, Socket, Type};
use tungstenite::Message;

const SHORT: Duration = Duration::from_millis(300);

/// A connection from an address of the loopback network.
fn connect_from(host: [u8; 4], port: u16) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((host, 0)).into()).expect("a loopback address");
    let server = SocketAddr::from(([127, 0, 0, 1], port));
    socket.connect(&server.into()).expect("a connection");
    socket.into()
}

fn connect(site: &Site) -> TcpStream {
    TcpStream::connect(("127.0.0.1", site.port)).expect("a connection")
}

/// Whether the server has closed a connection on which it never sent anything.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a setting");
    match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

// Other systems have a single loopback address.
#[cfg(target_os = "linux")]
#[test]
fn half_open_requests_lock_nobody_out() {
    let site = Site::with("half-open", |config| {
        (config.connections.total, config.connections.per_address) = (100, 40);
    });
    let about = |host| {
        let head = format!("GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", site.port);
        raw_on(connect_from(host, site.port), &head, b"").status
    };
    let mut half_open = Vec::new();
    for count in 0..300 {
        let mut stream = connect_from([127, 0, 0, 1 + (count % 5) as u8], site.port);
        stream.write_all(b"GET /api/about HTTP/1.1\r\nHost: ").expect("half a request");
        half_open.push(stream);
    }
    assert_eq!(about([127, 0, 0, 9]), 200, "from another address");
    assert_eq!(about([127, 0, 0, 1]), 200, "from an address of the half-open ones");
    let open = || half_open.iter().filter(|stream| !is_closed(stream)).count();
    wait_for("the others to be closed", || (open() <= 100).then_some(()));
    assert!(open() >= 90, "as many as allowed stay open until they time out");
}

#[test]
fn connections_beyond_the_limit_are_refused_while_all_are_busy() {
    let site = Site::with("busy", |config| config.connections.per_address = 2);
    let sockets = [site.socket(), site.socket()];
    assert_eq!(site.get("/api/about").error(503), "too many connections; try again later");
    let ([first, _second], port) = (sockets, site.port);
    first.close();
    wait_for("room", || {
        // A refused connection may be reset before its response is read.
        let status =
            std::panic::catch_unwind(|| request(port, "GET", "/api/about", "", b"").status);
        (status.ok()? == 200).then_some(())
    });
}

#[test]
fn stalled_and_idle_connections_are_closed() {
    let site = Site::with("stalled", |config| {
        (config.connections.header_timeout, config.connections.body_timeout) = (SHORT, SHORT);
    });
    // No request, half a head, and idle after a request.
    let request = format!("GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", site.port);
    for part in ["", &request[..20], &request] {
        let mut stream = connect(&site);
        stream.write_all(part.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the connection is closed");
        let is_answered = answer.starts_with(b"HTTP/1.1 200");
        assert_eq!(is_answered, part == request, "{}", String::from_utf8_lossy(&answer));
    }
    // Half a body.
    let mut stream = connect(&site);
    let head = format!(
        "POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
         Content-Length: 1000\r\n\r\n{{",
        site.port
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the connection is closed");
    assert!(Response::parse(&answer).error(408).contains("in time"));
}

/// Reads a response of a connection that stays open; returns its status.
fn read_response(reader: &mut impl std::io::BufRead) -> u16 {
    let (mut status, mut length) = (0, 0);
    for line in reader.by_ref().lines() {
        let line = line.expect("a line").to_lowercase();
        if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().expect("a status");
        } else if let Some(rest) = line.strip_prefix("content-length: ") {
            length = rest.parse().expect("a length");
        } else if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    status
}

#[test]
fn a_connection_survives_bodies_that_nobody_needs() {
    let site = Site::new("ignored-body");
    let game = site.new_game(&json!({"game": "othello"}));
    let id = game["id"].as_str().expect("an id");
    site.play(id, "f5");
    let stream = connect(&site);
    let (mut writer, mut reader) = (stream.try_clone().expect("a clone"), BufReader::new(stream));
    let mut send = |path: &str, size: usize, is_late: bool| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {size}\r\n\r\n",
            site.port
        );
        writer.write_all(head.as_bytes()).expect("sent");
        if is_late {
            std::thread::sleep(Duration::from_millis(20));
        }
        writer.write_all(&vec![b'x'; size]).expect("sent");
        read_response(&mut reader)
    };
    for (size, is_late) in [(0, false), (10, false), (10, true), (200_000, false), (200_000, true)]
    {
        assert_eq!(send(&format!("/api/games/{id}/undo"), size, is_late), 200, "{size}");
        assert_eq!(send(&format!("/api/games/{id}/redo"), size, is_late), 200, "{size}");
        assert_eq!(send("/api/nothing", size, is_late), 404, "{size}");
        assert_eq!(send("/api/jobs/none/stop", size, is_late), 404, "{size}");
    }
    assert_eq!(send("/api/jobs/none/stop", 300_000, true), 413);
    assert_eq!(send(&format!("/api/games/{id}/undo"), 0, false), 200, "even after one too large");
}

#[test]
fn silent_websockets_are_closed() {
    let site = Site::with("silent", |config| config.connections.socket_timeout = SHORT);
    let mut stream = connect(&site);
    let request = format!(
        "GET /api/ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        site.port
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut received = Vec::new();
    // Reads pings, but answers none.
    let _ = stream.read_to_end(&mut received);
    assert!(received.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&received));
}

#[test]
fn websockets_that_answer_pings_stay_open() {
    let site = Site::with("pings", |config| {
        config.connections.socket_timeout = Duration::from_secs(3);
    });
    let mut socket = site.socket();
    let mut pings = 0;
    // One every second.
    while pings < 5 {
        pings += usize::from(matches!(socket.read(), Message::Ping(_)));
    }
    socket.send(&json!({"type": "watch", "game": "none"}));
    assert!(socket.wait("error")["error"]["message"].as_str().is_some());
}
