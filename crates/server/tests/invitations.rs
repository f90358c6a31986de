//! Games between people on different machines: seats and their secrets, guests, presence, offers, clocks, TLS
//! and a public name.

mod common;

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Response, Site, Socket, raw};
use serde_json::{Value, json};
use tablero_server::TlsFiles;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// A game with an invitation on a server that others can reach.
struct Invited {
    site: Site,
    token: String,
    game: String,
    /// The cookies of both players and a watcher.
    seats: [String; 2],
    watcher: String,
}

impl Invited {
    fn new(name: &str, game: &Value) -> Self {
        let everywhere = IpAddr::from([0, 0, 0, 0]);
        let site = Site::with(name, |config| config.host = everywhere);
        let token = site.url().split("token=").nth(1).expect("a token").to_owned();
        let created = as_owner(&site, &token, "POST", "/api/games", game).ok();
        let id = created["id"].as_str().expect("an id").to_owned();
        let path = format!("/api/games/{id}/invitation");
        let answer = as_owner(&site, &token, "POST", &path, &json!({"side": "first"}));
        let own = cookie(&answer);
        let seat = answer.ok();
        assert_eq!(seat["side"], "first");
        let link = |path: &Value| cookie(&site.get(path.as_str().expect("a link")));
        let friend = link(&seat["links"]["seats"][1]);
        let watcher = link(&seat["links"]["watch"]);
        Self { site, token, game: id, seats: [own, friend], watcher }
    }

    /// A request with a cookie.
    fn send(&self, cookie: &str, method: &str, path: &str, body: &Value) -> Response {
        let headers = format!("Content-Type: application/json\r\nCookie: {cookie}\r\n");
        let path = format!("/api/games/{}{path}", self.game);
        self.site.request(method, &path, &headers, body.to_string().as_bytes())
    }

    fn post(&self, side: usize, path: &str, body: &Value) -> Response {
        self.send(&self.seats[side], "POST", path, body)
    }

    fn play(&self, side: usize, name: &str) -> Response {
        self.post(side, "/moves", &json!({ "move": name }))
    }

    fn end(&self, side: usize, action: &str) -> Response {
        self.post(side, "/end", &json!({ "action": action }))
    }

    fn takeback(&self, side: usize, action: &str) -> Response {
        self.post(side, "/takeback", &json!({ "action": action }))
    }

    fn watch(&self, cookie: &str) -> Socket {
        let mut socket = self.site.socket_with(cookie);
        socket.send(&json!({"type": "watch", "game": self.game}));
        socket.wait("game");
        socket
    }
}

fn as_owner(site: &Site, token: &str, method: &str, path: &str, body: &Value) -> Response {
    let headers = format!("Content-Type: application/json\r\nAuthorization: Bearer {token}\r\n");
    site.request(method, path, &headers, body.to_string().as_bytes())
}

/// The cookie that a response sets, without its attributes.
fn cookie(response: &Response) -> String {
    let line = response.head.split("set-cookie: ").nth(1).and_then(|rest| rest.lines().next());
    let line = line.unwrap_or_else(|| panic!("no cookie: {}", response.head));
    assert!(line.contains("httponly") && line.contains("samesite=lax"), "{line}");
    line.split(';').next().expect("a pair").to_owned()
}

/// The state of a game in the next message that has what is wanted.
fn state_with(socket: &mut Socket, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = socket.wait("game");
        if is_wanted(&message["view"]["state"]) {
            return message["view"]["state"].clone();
        }
    }
}

#[test]
fn each_player_has_only_the_own_seat() {
    let table = Invited::new("seats", &json!({"game": "tictactoe"}));
    let seat = |cookie: &str| table.send(cookie, "GET", "/seat", &json!({})).ok();
    assert_eq!(seat(&table.seats[0])["side"], "first");
    assert_eq!(seat(&table.seats[1]), json!({"side": "second", "links": null}));
    assert_eq!(seat(&table.watcher)["side"], Value::Null);

    assert!(table.play(1, "a1").error(403).contains("seat"), "not the second side's turn");
    table.play(0, "a1").ok();
    assert!(table.play(0, "a2").error(403).contains("seat"), "not the first side's turn");
    let watched = table.send(&table.watcher, "POST", "/moves", &json!({"move": "b2"}));
    assert!(watched.error(403).contains("seat"));
    let owner = as_owner(
        &table.site,
        &table.token,
        "POST",
        &format!("/api/games/{}/moves", table.game),
        &json!({"move": "b2"}),
    );
    assert!(owner.error(403).contains("seat"), "the token is not the opponent's seat");
    // A variation elsewhere is no move of the game.
    assert!(table.post(1, "/moves", &json!({"node": 0, "move": "b2"})).error(403).contains("seat"));
    table.play(1, "b2").ok();

    for (method, path, body) in [
        ("POST", "undo", json!({})),
        ("PUT", "current", json!({"node": 0})),
        ("POST", "step", json!({})),
        ("PATCH", "", json!({"paused": true})),
        ("DELETE", "nodes/1", json!({})),
    ] {
        let path = format!("/api/games/{}/{path}", table.game).trim_end_matches('/').to_owned();
        let answer = as_owner(&table.site, &table.token, method, &path, &body);
        assert!(answer.error(409).contains("remote"), "{method} {path}");
    }
    // After the end it is a game like any other.
    table.end(1, "resign").ok();
    let path = format!("/api/games/{}/undo", table.game);
    as_owner(&table.site, &table.token, "POST", &path, &json!({})).ok();
}

#[test]
fn guests_see_nothing_but_their_game() {
    let table = Invited::new("guests", &json!({"game": "tictactoe"}));
    let friend = &table.seats[1];
    let get = |cookie: &str, path: &str| {
        table.site.request("GET", path, &format!("Cookie: {cookie}\r\n"), b"").status
    };
    for path in ["/", "/api/catalog", "/api/about", "/api/catalog/tictactoe/rules"] {
        assert_eq!(get(friend, path), 200, "{path}");
    }
    let about = table.site.request("GET", "/api/about", &format!("Cookie: {friend}\r\n"), b"");
    assert_eq!(about.ok()["is_owner"], false);
    for path in ["/api/games", "/api/jobs", "/api/player-files", "/api/human-results"] {
        assert_eq!(get(friend, path), 403, "{path}");
        assert_eq!(get("", path), 401, "{path}");
    }
    let other = json!({"game": "tictactoe"});
    let other = as_owner(&table.site, &table.token, "POST", "/api/games", &other).ok();
    let path = format!("/api/games/{}", other["id"].as_str().expect("an id"));
    assert_eq!(get(friend, &path), 403, "another game");
    for (method, path) in
        [("DELETE", ""), ("POST", "/invitation"), ("PATCH", ""), ("POST", "/branch")]
    {
        let answer = table.send(friend, method, path, &json!({"side": "first"}));
        assert_eq!(answer.status, 403, "{method} {path}");
    }
    let create = table.site.request(
        "POST",
        "/api/games",
        &format!("Content-Type: application/json\r\nCookie: {friend}\r\n"),
        br#"{"game":"tictactoe"}"#,
    );
    assert!(create.error(403).contains("invitation"));

    // The socket carries the same bounds.
    let mut socket = table.site.socket_with(friend);
    let target = json!({"kind": "position", "game": "tictactoe"});
    socket.send(&json!({"type": "analyse", "request": 1, "target": target}));
    assert_eq!(socket.wait("error")["error"]["code"], "guest_not_permitted");
    socket.send(&json!({"type": "watch", "game": other["id"]}));
    assert_eq!(socket.wait("error")["error"]["code"], "guest_not_permitted");

    // Guesses and dead links.
    let (name, secret) = friend.split_once('=').expect("a pair");
    assert_eq!(get(&format!("{name}={}", "a".repeat(secret.len())), "/"), 401);
    let dead = table.site.get(&format!("/join/{}/{}", table.game, "a".repeat(32)));
    assert_eq!(dead.status, 404);
    assert!(dead.text().contains("invitation") && dead.text().contains("invitación"));
    assert_eq!(table.site.get("/join/nothing").status, 404);
}

#[test]
fn links_last_until_there_are_new_ones() {
    let mut table = Invited::new("links", &json!({"game": "tictactoe"}));
    let seats = format!("/api/games/{}/seat", table.game);
    let links = as_owner(&table.site, &table.token, "GET", &seats, &json!({})).ok();
    let link = links["links"]["seats"][1].as_str().expect("a link").to_owned();
    // Who has a seat keeps it, whatever link is opened.
    let headers = format!("Cookie: {}\r\n", table.seats[0]);
    let opened = table.site.request("GET", &link, &headers, b"");
    assert_eq!((opened.status, cookie(&opened)), (303, table.seats[0].clone()));
    assert!(opened.head.contains(&format!("location: /#/game/{}", table.game)));
    // The page may be a stranger's until the cookie is set.
    assert_eq!(table.site.get("/").status, 401);

    table.play(0, "a1").ok();
    table.site.restart_with(|config| config.host = IpAddr::from([0, 0, 0, 0]));
    table.token = table.site.url().split("token=").nth(1).expect("a token").to_owned();
    // The port is in the cookie's name, and new after this restart.
    let rename = |cookie: &String| {
        let (_, value) = cookie.split_once('=').expect("a pair");
        format!("tablero-{}-{}={value}", table.site.port, table.game)
    };
    table.seats = [rename(&table.seats[0]), rename(&table.seats[1])];
    table.play(1, "b2").ok();

    let path = format!("/api/games/{}/invitation", table.game);
    let side = json!({"side": "second"});
    let answer = as_owner(&table.site, &table.token, "POST", &path, &side);
    let own = cookie(&answer);
    assert_eq!(answer.ok()["side"], "second");
    assert_eq!(table.site.get(&link).status, 404, "the old link is dead");
    assert_eq!(table.send(&table.seats[1], "GET", "", &json!({})).status, 401);
    assert_eq!(table.send(&own, "GET", "", &json!({})).status, 200);
    as_owner(&table.site, &table.token, "DELETE", &path, &json!({})).ok();
    assert_eq!(table.send(&own, "GET", "", &json!({})).status, 401, "withdrawn");
    let moves = format!("/api/games/{}/moves", table.game);
    as_owner(&table.site, &table.token, "POST", &moves, &json!({"move": "c3"})).ok();
}

#[test]
fn only_two_humans_can_be_remote() {
    let site = Site::new("humans");
    let players = json!([{"player": "human"}, {"player": "level 1"}]);
    let game = site.new_game(&json!({"game": "tictactoe", "players": players}));
    let path = format!("/api/games/{}/invitation", game["id"].as_str().expect("an id"));
    assert!(site.send("POST", &path, &json!({"side": "first"})).error(409).contains("humans"));
    // Nobody else reaches a server on loopback.
    assert_eq!(site.get("/api/about").ok()["shared_url"], Value::Null);
}

#[test]
fn presence_offers_and_takebacks_reach_the_opponent() {
    let table = Invited::new("offers", &json!({"game": "tictactoe"}));
    let mut first = table.watch(&table.seats[0]);
    let second = table.watch(&table.seats[1]);
    let state = state_with(&mut first, |state| state["remote"]["present"][1] == true);
    assert_eq!(state["remote"]["joined"], json!([true, true]));
    second.close();
    state_with(&mut first, |state| state["remote"]["present"][1] == false);
    let mut second = table.watch(&table.seats[1]);
    state_with(&mut first, |state| state["remote"]["present"][1] == true);
    let mut watcher = table.watch(&table.watcher);

    // A draw is offered once a move, and answered by the other side.
    assert!(table.end(0, "agree_draw").error(409).contains("no offer"));
    table.end(0, "offer_draw").ok();
    state_with(&mut second, |state| state["remote"]["draw_offer"] == "first");
    state_with(&mut watcher, |state| state["remote"]["draw_offer"] == "first");
    assert!(table.end(0, "agree_draw").error(409).contains("no offer"), "one's own offer");
    table.end(1, "decline_draw").ok();
    assert!(table.end(0, "offer_draw").error(409).contains("already"));
    // A move ends an open offer.
    table.end(1, "offer_draw").ok();
    table.play(0, "a1").ok();
    assert!(table.end(0, "agree_draw").error(409).contains("no offer"));

    assert!(table.takeback(1, "request").error(409).contains("undo"), "no move yet");
    table.play(1, "b2").ok();
    table.takeback(0, "request").ok();
    assert!(table.takeback(0, "accept").error(409).contains("no offer"), "one's own request");
    table.takeback(1, "decline").ok();
    table.takeback(0, "request").ok();
    let state = table.takeback(1, "accept").ok();
    // Both moves are gone, and the first side is to move again.
    assert_eq!((&state["state"]["current"], &state["state"]["turn"]), (&json!(0), &json!("first")));
    assert_eq!(state["removed"].as_array().expect("removed").len(), 2);
    table.play(0, "c3").ok();
    table.takeback(0, "request").ok();
    let state = table.takeback(1, "accept").ok();
    assert_eq!((&state["state"]["current"], &state["state"]["turn"]), (&json!(0), &json!("first")));

    table.play(0, "a1").ok();
    table.end(1, "offer_draw").ok();
    let ended = table.end(0, "agree_draw").ok();
    assert_eq!(ended["state"]["end"]["reason"], "agreement");
    assert!(table.takeback(0, "request").error(409).contains("over"));
    let named = table.send(&table.seats[1], "PUT", "/name", &json!({"name": "Ana"})).ok();
    assert_eq!(named["info"]["players"][1]["name"], "Ana");
    let long = "x".repeat(300);
    assert_eq!(table.send(&table.seats[1], "PUT", "/name", &json!({ "name": long })).status, 400);
    let watched = table.send(&table.watcher, "PUT", "/name", &json!({"name": "Eva"}));
    assert_eq!(watched.status, 403);
}

#[test]
fn the_clock_waits_for_both_players() {
    let clock = json!({"kind": "fischer", "main_ms": 3000, "increment_ms": 0});
    let table = Invited::new("clock", &json!({"game": "tictactoe", "clock": clock}));
    let mut first = table.watch(&table.seats[0]);
    let played = table.play(0, "a1").ok();
    assert_eq!(played["state"]["clock"]["running"], Value::Null, "the other has not come yet");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let second = table.watch(&table.seats[1]);
    let state = state_with(&mut first, |state| state["clock"]["running"] == "second");
    assert!(state["clock"]["left_ms"][1].as_u64().expect("ms") > 2000, "{state}");
    // It runs on without the player, and the flag falls.
    second.close();
    let state = state_with(&mut first, |state| !state["end"].is_null());
    assert_eq!(state["end"]["reason"], "time");
    assert_eq!(state["end"]["winner"], "first");
}

#[test]
fn an_engine_answers_draw_offers() {
    let site = Site::new("draw");
    let players = json!([{"player": "human"}, {"player": "alphabeta depth=2"}]);
    let offer = |id: &str| {
        site.send("POST", &format!("/api/games/{id}/end"), &json!({"action": "offer_draw"}))
    };
    let game = site.new_game(&json!({"game": "chess", "players": players}));
    let id = game["id"].as_str().expect("an id");
    assert!(offer(id).error(409).contains("after 20 moves"));
    let humans = site.new_game(&json!({"game": "chess"}));
    assert!(offer(humans["id"].as_str().expect("an id")).error(409).contains("no opponent"));

    // Twenty quiet plies, after which one side is a queen up.
    let plies = "b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 b1d2 b8d7 \
                 d2b1 d7b8 b1d2 b8d7";
    for (start, accepts) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", false),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
    ] {
        let position = format!("{start} moves {plies}");
        let wanted = json!({"game": "chess", "position": position, "players": players});
        let game = site.new_game(&wanted);
        let id = game["id"].as_str().expect("an id");
        assert!(offer(id).error(409).contains("declines"), "it has not searched yet");
        site.play(id, "a2a3");
        site.settled(id);
        let answer = offer(id);
        if accepts {
            assert_eq!(answer.ok()["state"]["end"]["reason"], "agreement");
        } else {
            assert!(answer.error(409).contains("declines"));
            assert!(offer(id).error(409).contains("already"));
        }
    }
}

#[test]
fn a_public_name_needs_the_token_even_on_loopback() {
    let site = Site::with("public", |config| {
        config.public_url = Some("https://play.example.org".parse().expect("a URL"));
    });
    let url = site.url();
    let token = url.strip_prefix("https://play.example.org/?token=").expect("a token").to_owned();
    let send = |host: &str, headers: &str, method: &str, path: &str| {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}");
        raw(site.port, &head, br#"{"game":"tictactoe"}"#)
    };
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(send("play.example.org", "", "GET", "/api/about").status, 401);
    assert_eq!(send("127.0.0.1", "", "GET", "/api/about").status, 401);
    let about = send("play.example.org", &bearer, "GET", "/api/about").ok();
    assert_eq!(about["shared_url"], "https://play.example.org/");
    assert_eq!(send("evil.example", &bearer, "GET", "/api/about").status, 421);
    let exchange = send("play.example.org", "", "GET", &format!("/?token={token}"));
    assert!(exchange.head.contains("; secure"), "{}", exchange.head);

    let create = |host: &str, origin: &str| {
        let headers = format!("{bearer}Content-Type: application/json\r\nOrigin: {origin}\r\n");
        send(host, &headers, "POST", "/api/games").status
    };
    assert_eq!(create("play.example.org", "https://play.example.org"), 200);
    // A proxy that does not pass the host on.
    assert_eq!(create("127.0.0.1:7117", "https://play.example.org"), 200);
    assert_eq!(create("play.example.org", "http://play.example.org"), 403);
    assert_eq!(create("play.example.org", "https://evil.example"), 403);
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn tls_by_certificate_files() {
    let files = TlsFiles { certificate: data("test-cert.pem"), key: data("test-key.pem") };
    let site = Site::with("tls", |config| config.tls = Some(files));
    assert!(site.url().starts_with("https://127.0.0.1:"), "{}", site.url());
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(data("test-ca.pem")).expect("a certificate");
    roots.add(authority).expect("a root");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = Arc::new(config);
    let send = |request: &str| {
        let stream = TcpStream::connect(("127.0.0.1", site.port)).expect("a connection");
        let name = "localhost".try_into().expect("a name");
        let client = ClientConnection::new(Arc::clone(&config), name).expect("a client");
        let mut tls = StreamOwned::new(client, stream);
        tls.write_all(request.as_bytes()).expect("sent");
        let mut bytes = Vec::new();
        // The server may close without a closure alert.
        let _ = tls.read_to_end(&mut bytes);
        Response::parse(&bytes)
    };
    let host = format!("localhost:{}", site.port);
    let about =
        send(&format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
    assert_eq!(about.status, 200);
    let body = r#"{"game":"tictactoe"}"#;
    let create = |origin: &str| {
        send(&format!(
            "POST /api/games HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    };
    assert_eq!(create(&format!("https://{host}")).status, 200);
    assert_eq!(create(&format!("http://{host}")).status, 403);
    let socket = send(&format!(
        "GET /api/ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ));
    assert_eq!(socket.status, 400, "an old version is refused, by the WebSocket's handler");
    // Plain HTTP gets no answer, and the server goes on.
    let mut plain = TcpStream::connect(("127.0.0.1", site.port)).expect("a connection");
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
    let mut bytes = Vec::new();
    let _ = plain.read_to_end(&mut bytes);
    assert!(!bytes.starts_with(b"HTTP/"), "{bytes:?}");
    let head = format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    assert_eq!(send(&head).status, 200);
}
