//! Mutated requests and messages: whatever a client sends, nothing panics, no answer is an internal error, and
//! the server still answers.
//!
//! The same seed sends the same requests. For longer runs:
//! `TABLERO_FUZZ_SECONDS=600 TABLERO_FUZZ_SEED=7 cargo nextest run -p tablero-server --test fuzz`, or `script/soak`,
//! which reads the printed numbers.
#![allow(clippy::print_stdout)]

mod common;

use std::env;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::mutate::{mutate_bytes, mutate_value, url_part};
use common::{Response, Site, Socket};
use serde_json::{Value, json};
use tablero_core::Rng;
use tungstenite::Message;

/// A player file.
const EVL: &str = include_str!("../../../weights/othello7-sci.evl");

/// What to send before mutation.
struct Seed {
    method: &'static str,
    path: String,
    query: &'static str,
    body: Option<Value>,
}

/// How long to go on: a number of rounds, or a time.
struct Budget {
    rounds: u64,
    end: Option<Instant>,
}

impl Budget {
    fn new(rounds: u64) -> Self {
        let seconds = env::var("TABLERO_FUZZ_SECONDS").ok();
        let seconds = seconds.map(|text| text.parse().expect("TABLERO_FUZZ_SECONDS is a number"));
        Self { rounds, end: seconds.map(|s| Instant::now() + Duration::from_secs(s)) }
    }

    fn has(&self, round: u64) -> bool {
        self.end.map_or(round < self.rounds, |end| Instant::now() < end)
    }
}

fn seed() -> u64 {
    env::var("TABLERO_FUZZ_SEED")
        .map_or(1, |text| text.parse().expect("TABLERO_FUZZ_SEED is a number"))
}

/// The panics of all threads so far.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn record_panics() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(info.to_string());
        default(info);
    }));
}

fn assert_no_panic(sent: &str) {
    let panics = PANICS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    assert!(panics.is_empty(), "{panics:?} after {sent}");
}

/// A server whose searches are short.
fn site(name: &str) -> Site {
    record_panics();
    Site::with(name, |config| {
        (config.limits.move_ms, config.limits.analysis_ms) = (100, 100);
        config.limits.hash_mb = 2;
    })
}

/// A game with moves, against an engine.
fn new_game(site: &Site) -> String {
    let seats = json!([{"player": "human"}, {"player": "random"}]);
    let game = site.new_game(&json!({"game": "othello", "players": seats}));
    let id = game["id"].as_str().expect("an id");
    site.play(id, "f5");
    site.settled(id);
    id.into()
}

fn seeds(game: &str) -> Vec<Seed> {
    let seats = json!([{"player": "human", "name": "me"}, {"player": "random", "name": ""}]);
    let clock = json!({"kind": "fischer", "main_ms": 60_000, "increment_ms": 1000});
    let arena = json!({
        "game": "tictactoe", "players": ["random", "greedy"], "games": 2, "seed": 7, "openings": "start",
        "sprt": null, "clock": null, "move_ms": 10
    });
    let evolution = json!({
        "game": "tictactoe", "genome": "lines", "scheme": "othello7 population=3", "generations": 1, "seed": 7
    });
    let learning = json!({"game": "tictactoe", "quick": true, "games": 2, "sims": 2, "generations": 1, "seed": 3});
    let position = json!({"rules": "standard", "position": "start", "board": null});
    let requests = [
        ("GET", "/api/about", "", None),
        ("GET", "/api/catalog", "", None),
        ("GET", "/api/catalog/chess/rules", "lang=es", None),
        ("GET", "/api/catalog/chess/players", "", None),
        (
            "POST",
            "/api/catalog/othello/check-player",
            "",
            Some(json!({"player": "alphabeta depth=3"})),
        ),
        ("POST", "/api/catalog/chess/check-position", "", Some(position)),
        (
            "POST",
            "/api/think/othello",
            "",
            Some(json!({
                "rules": "standard", "position": "start", "moves": ["f5"], "player": "mcts iterations=50",
                "max_nodes": 1000, "seed": 1
            })),
        ),
        ("GET", "/api/catalog/shobu/evolution", "", None),
        ("GET", "/api/games", "page=0&per_page=5&game=othello&player=me&result=draw&text=f5", None),
        (
            "POST",
            "/api/games",
            "",
            Some(json!({
                "game": "chess", "rules": "standard", "players": seats, "clock": clock, "delay_ms": 0,
                "position": null, "start": null, "moves": ["e2e4"]
            })),
        ),
        ("GET", "/api/games/GAME", "", None),
        (
            "PATCH",
            "/api/games/GAME",
            "",
            Some(json!({"players": seats, "paused": false, "delay_ms": 0})),
        ),
        ("POST", "/api/games/GAME/moves", "", Some(json!({"move": "d6", "node": 0}))),
        ("POST", "/api/games/GAME/undo", "", None),
        ("POST", "/api/games/GAME/redo", "", None),
        ("PUT", "/api/games/GAME/current", "", Some(json!({"node": 1}))),
        ("POST", "/api/games/GAME/step", "", Some(json!({"player": "random"}))),
        ("POST", "/api/games/GAME/end", "", Some(json!({"action": "claim_draw", "side": "first"}))),
        ("GET", "/api/games/GAME/export", "format=wthor&companion=jou", None),
        ("GET", "/api/games/GAME/share", "node=1", None),
        ("POST", "/api/games/GAME/branch", "", Some(json!({"node": 1, "players": seats}))),
        ("GET", "/api/games/GAME/nodes/1/moves", "", None),
        ("PATCH", "/api/games/GAME/nodes/1", "", Some(json!({"comment": "good", "glyphs": [1]}))),
        ("DELETE", "/api/games/GAME/nodes/2", "", None),
        ("POST", "/api/games/GAME/nodes/1/promote", "", None),
        ("POST", "/api/share", "", Some(json!({"link": "othello~standard~start~f5"}))),
        ("POST", "/api/import", "format=pgn&pick=all", Some(json!("1. e4 e5 2. Nf3 *"))),
        ("GET", "/api/jobs", "", None),
        ("POST", "/api/jobs", "", Some(arena)),
        ("GET", "/api/jobs/match-1", "", None),
        ("GET", "/api/jobs/match-1/games", "page=0&per_page=5&player=0&result=draw", None),
        ("POST", "/api/jobs/match-1/games/0", "", None),
        ("POST", "/api/jobs/match-1/stop", "", None),
        ("POST", "/api/jobs/match-1/resume", "", None),
        ("POST", "/api/evolutions", "", Some(evolution)),
        ("GET", "/api/jobs/evolution-1/generations/1", "", None),
        ("GET", "/api/jobs/evolution-1/generations/1/file", "format=genes&rank=1", None),
        ("POST", "/api/learning-runs", "", Some(learning)),
        ("GET", "/api/jobs/learn-1/training-games/1/0", "", None),
        ("POST", "/api/jobs/learn-1/training-games/1/0", "", None),
        ("GET", "/api/jobs/learn-1/networks/1/evaluation", "position=start", None),
        ("DELETE", "/api/jobs/match-1", "", None),
        ("GET", "/api/experiments", "", None),
        ("POST", "/api/experiments", "", Some(json!({"name": "unicen", "quick": true}))),
        ("GET", "/api/player-files", "", None),
        ("POST", "/api/player-files", "name=a.evl", Some(json!(EVL))),
        ("DELETE", "/api/player-files/a.evl", "", None),
        ("GET", "/api/human-results", "game=othello", None),
        ("DELETE", "/api/games/OTHER", "", None),
        ("GET", "/api/ws", "", None),
        ("GET", "/api/cluster", "", None),
        ("GET", "/api/catalog/othello/openings", "", None),
        (
            "GET",
            "/api/archive/games",
            "game=othello&player=me&side=first&opponent=you&from=1990&to=2020&event=x&opening=x&result=draw&position=start",
            None,
        ),
        ("POST", "/api/archive/games/1/open", "", None),
        ("GET", "/api/archive/explore", "game=chess&rules=standard&position=start", None),
        ("GET", "/api/archive/stats", "", None),
        ("GET", "/api/archive/imports", "", None),
        ("POST", "/api/archive/imports", "", None),
        ("POST", "/api/archive/upload", "import=1&name=a.pgn", Some(json!("1. e4 e5 *"))),
        ("POST", "/api/archive/imports/1/start", "", None),
        ("DELETE", "/api/archive/imports/1", "", None),
        ("GET", "/api/board", "game=chess&rules=standard&position=start", None),
        ("GET", "/api/puzzles", "game=chess", None),
        (
            "POST",
            "/api/puzzles",
            "",
            Some(json!({"game": "chess", "source": "archive", "count": 1})),
        ),
        ("DELETE", "/api/puzzles", "game=chess", None),
        ("POST", "/api/puzzles/file", "name=a.pgn", Some(json!("1. e4 e5 *"))),
        ("GET", "/api/puzzles/next", "game=chess", None),
        ("POST", "/api/puzzles/1/attempts", "", Some(json!({"move": "e2e4"}))),
        ("DELETE", "/api/puzzles/1", "", None),
        ("GET", "/api/progress", "game=othello", None),
        (
            "POST",
            "/api/catalog/chess/line",
            "",
            Some(json!({"rules": "standard", "position": "start", "moves": ["e2e4"]})),
        ),
        ("GET", "/api/experiment-templates", "", None),
        ("GET", "/api/experiment-templates/match", "game=chess", None),
        ("GET", "/api/catalog/othello/evaluations", "", None),
        (
            "POST",
            "/api/catalog/othello/explain",
            "",
            Some(json!({
                "rules": "standard", "position": "start", "moves": ["f5", "d6"], "player": "greedy eval=jma"
            })),
        ),
        ("GET", "/api/export", "game=othello&format=pgn&player=me&folder=x&text=f5", None),
        ("POST", "/api/games/GAME/invitation", "", Some(json!({"side": "first"}))),
        ("GET", "/api/games/GAME/seat", "", None),
        ("PUT", "/api/games/GAME/name", "", Some(json!({"name": "Ana"}))),
        ("POST", "/api/games/GAME/takeback", "", Some(json!({"action": "request"}))),
        ("DELETE", "/api/games/GAME/invitation", "", None),
        ("GET", "/", "", None),
    ];
    let seed = |(method, path, query, body): (_, &str, _, _)| Seed {
        method,
        path: path.replace("GAME", game),
        query,
        body,
    };
    requests.into_iter().map(seed).collect()
}

impl Seed {
    fn mutated_path(&self, rng: &mut Rng) -> String {
        let mut segments: Vec<String> = self.path.split('/').map(str::to_owned).collect();
        if rng.below(6) == 0 {
            let at = rng.below(segments.len() as u64 - 1) as usize + 1;
            segments[at] = url_part(rng);
        }
        let mut query: Vec<String> = self.query.split('&').map(str::to_owned).collect();
        if rng.below(2) == 0 {
            let at = rng.below(query.len() as u64) as usize;
            let name = query[at].split('=').next().unwrap_or_default().to_owned();
            query[at] = format!("{name}={}", url_part(rng));
        }
        let query = query.join("&");
        segments.join("/") + if query.is_empty() { "" } else { "?" } + &query
    }

    fn mutated_body(&self, rng: &mut Rng) -> Vec<u8> {
        let mut body = self.body.clone().unwrap_or_default();
        if rng.below(8) > 0 {
            mutate_value(rng, &mut body);
        }
        let mut bytes = match body {
            Value::Null => Vec::new(),
            Value::String(text) if RAW.contains(&&*self.path) => text.into_bytes(),
            body => body.to_string().into_bytes(),
        };
        if rng.below(4) == 0 {
            mutate_bytes(rng, &mut bytes);
        }
        bytes
    }
}

/// Requests whose body is a file instead of JSON.
const RAW: [&str; 4] =
    ["/api/import", "/api/player-files", "/api/archive/upload", "/api/puzzles/file"];

const HEADERS: [&str; 10] = [
    "Accept-Encoding: gzip;q=x, *\r\n",
    "If-None-Match: \"\r\n",
    "Range: bytes=5-1\r\n",
    "Cookie: tablero-1=;;=;\r\n",
    "Content-Type: text/plain\r\n",
    "Upgrade: websocket\r\nConnection: upgrade\r\n",
    "Expect: 100-continue\r\n",
    "Sec-Fetch-Site: none\r\n",
    "Content-Encoding: gzip\r\n",
    "X-Filler: \u{e9}\u{1}\r\n",
];

/// A request that is valid HTTP, apart from strange headers.
fn mutated_request(rng: &mut Rng, site: &Site, seed: &Seed) -> Vec<u8> {
    let (path, body) = (seed.mutated_path(rng), seed.mutated_body(rng));
    let extra = if rng.below(5) == 0 { *rng.pick(&HEADERS).expect("a header") } else { "" };
    let head = format!(
        "{} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n{extra}\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        seed.method,
        site.port,
        body.len()
    );
    [head.into_bytes(), body].concat()
}

/// Sends bytes; returns what the server sent before it closed the connection.
fn exchange(site: &Site, bytes: &[u8], is_valid: bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", site.port)).expect("the server accepts");
    // The server may close the connection early.
    let _ = stream.write_all(bytes);
    if !is_valid {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// Stops a job that a mutated request has started.
fn stop_job(site: &Site, response: &Response) {
    let job = serde_json::from_slice::<Value>(&response.body).unwrap_or_default();
    if let (Some(id), true) = (job["id"].as_str(), job.get("kind").is_some()) {
        site.send("POST", &format!("/api/jobs/{id}/stop"), &json!({}));
    }
}

#[test]
fn mutated_requests_do_no_harm() {
    let site = site("fuzz-http");
    let mut game = new_game(&site);
    let (budget, seed) = (Budget::new(1500), seed());
    let mut round = 0;
    while budget.has(round) {
        let mut rng = Rng::for_stream(seed, round);
        if round.is_multiple_of(100) {
            game = new_game(&site);
        }
        let seeds = seeds(&game);
        let request = rng.pick(&seeds).expect("a seed");
        let mut bytes = mutated_request(&mut rng, &site, request);
        let is_valid = rng.below(4) > 0;
        if !is_valid {
            mutate_bytes(&mut rng, &mut bytes);
        }
        let answer = exchange(&site, &bytes, is_valid);
        let sent = format!("round {round} of seed {seed}: {:?}", String::from_utf8_lossy(&bytes));
        assert_no_panic(&sent);
        if answer.starts_with(b"HTTP/1.1 1") {
            // Continue, or a WebSocket.
        } else if answer.is_empty() {
            assert!(!is_valid, "no answer to {sent}");
        } else {
            let response = Response::parse(&answer);
            assert_ne!(response.status, 500, "{} to {sent}", response.text());
            stop_job(&site, &response);
        }
        round += 1;
    }
    assert_alive(&site);
    println!("{round} sent");
}

#[test]
fn every_request_of_the_api_is_mutated() {
    let document: Value = serde_json::from_str(&tablero_server::openapi()).expect("JSON");
    let seeds = seeds("1");
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let is_sent = |method: &str| {
            seeds.iter().any(|seed| {
                let parts = || path.split('/').zip(seed.path.split('/'));
                seed.method.eq_ignore_ascii_case(method)
                    && path.split('/').count() == seed.path.split('/').count()
                    && parts().all(|(part, sent)| part == sent || part.starts_with('{'))
            })
        };
        for method in methods.as_object().expect("methods").keys() {
            assert!(is_sent(method), "{method} {path}");
        }
    }
}

fn messages(game: &str) -> Vec<Value> {
    let node = json!({"kind": "node", "game": game, "node": 1});
    let position = json!({
        "kind": "position", "game": "chess", "rules": null, "position": null, "moves": ["e2e4"]
    });
    vec![
        json!({"type": "watch", "game": game}),
        json!({"type": "unwatch", "game": game}),
        json!({"type": "watch_jobs"}),
        json!({"type": "unwatch_jobs"}),
        json!({"type": "analyse", "request": 1, "target": node, "multipv": 2, "threads": 1, "hash_mb": 1,
               "player": null}),
        json!({"type": "analyse", "request": 2, "target": position, "player": "alphabeta depth=2"}),
        json!({"type": "review", "request": 3, "game": game, "move_ms": 1, "nodes": null, "player": null}),
        json!({
            "type": "compare", "request": 4, "game": game, "players": ["random", "greedy"], "judge": "greedy",
            "move_ms": 1
        }),
        json!({"type": "stop", "request": 1}),
    ]
}

fn mutated_message(rng: &mut Rng, game: &str) -> Message {
    let all = messages(game);
    let mut message = rng.pick(&all).expect("a message").clone();
    if rng.below(6) > 0 {
        mutate_value(rng, &mut message);
    }
    let mut bytes = message.to_string().into_bytes();
    match rng.below(10) {
        0 => Message::binary(bytes),
        1 => Message::Ping(bytes.into_iter().take(100).collect::<Vec<u8>>().into()),
        2 => {
            mutate_bytes(rng, &mut bytes);
            Message::text(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => Message::text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Reads until the answer to a message that is sent last; false if the server has closed the socket.
fn drain(socket: &mut Socket, sent: &str) -> bool {
    let last = json!({"type": "watch", "game": "the-last"});
    if !socket.try_send(Message::text(last.to_string())) {
        return false;
    }
    loop {
        let Some(message) = socket.try_next() else { return false };
        assert_ne!(message["error"]["code"], "internal", "{message} to {sent}");
        if message["error"]["params"]["id"] == "the-last" {
            return true;
        }
    }
}

/// Messages on one socket.
const MESSAGES: u64 = 10;

#[test]
fn mutated_messages_do_no_harm() {
    let site = site("fuzz-socket");
    let game = new_game(&site);
    let (budget, seed) = (Budget::new(60), seed());
    let (mut round, mut answered) = (0, 0);
    while budget.has(round) {
        let mut rng = Rng::for_stream(seed ^ 0x50c4e7, round);
        let mut socket = site.socket();
        let mut is_open = true;
        for number in 0..MESSAGES {
            let message = mutated_message(&mut rng, &game);
            let sent = format!("message {number} of round {round} of seed {seed}: {message:?}");
            is_open = is_open && socket.try_send(message) && drain(&mut socket, &sent);
            assert_no_panic(&sent);
        }
        answered += u64::from(is_open);
        // Not even a frame.
        let mut bytes = format!(
            "GET /api/ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            site.port
        )
        .into_bytes();
        bytes.extend((0..rng.below(200)).map(|_| rng.below(256) as u8));
        exchange(&site, &bytes, false);
        assert_no_panic(&format!("frames of round {round} of seed {seed}"));
        round += 1;
    }
    assert!(
        2 * answered > round,
        "{answered} of {round} sockets stayed open: most messages are errors only"
    );
    assert_alive(&site);
    println!("{} sent", MESSAGES * round);
}

/// The server plays on, and all games can be read.
fn assert_alive(site: &Site) {
    let game = new_game(site);
    assert_eq!(site.game(&game)["state"]["current"], 2);
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch", "game": game}));
    socket.wait("game");
    assert_eq!(site.get("/api/games").ok()["broken"], json!([]));
}
