//! Many games at once against one server: how long people wait for the machine, whether all are served
//! alike, and how much memory the server takes. `script/load-test` runs it.
//!
//! Every game has a person of its own (a thread) who watches it over a WebSocket, thinks for a while,
//! plays a random legal move over HTTP and waits for the machine's answer.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablero_core::Rng;
use tablero_server::{Config, Server};
use tungstenite::Message;

const USAGE: &str = "load-test [GAMES=200] [SECONDS=60] [THINK_MS=2000] [GAME=othello] [PLAYER=\"level intermediate\"] [MEMORY_MB=0] [MORE=0]

MEMORY_MB: the server's memory for tables; 0 for its default.
MORE: then so many games more with a few moves each, and eight checks of lines with large tables at once; at the end
the server's memory after a while without requests.";

/// Tells this program that it is the server: the megabytes for tables.
const SERVER: &str = "TABLERO_LOAD_TEST_SERVER";

/// What is to be tried.
struct Plan {
    games: usize,
    time: Duration,
    think_ms: u64,
    game: String,
    player: String,
    /// The server's own choice if 0.
    memory_mb: usize,
    /// Games after the load.
    more: usize,
}

/// What happened in one game.
#[derive(Default)]
struct Outcome {
    /// From sending the move to seeing the machine's.
    answers: Vec<Duration>,
    /// From sending the move to its acknowledgement.
    requests: Vec<Duration>,
    errors: Vec<String>,
}

fn main() {
    if let Ok(memory_mb) = std::env::var(SERVER) {
        return serve(memory_mb.parse().expect("a number"));
    }
    let Some(plan) = Plan::read() else {
        println!("usage: {USAGE}");
        std::process::exit(2);
    };
    let server = ServerProcess::start(plan.memory_mb);
    println!(
        "{} games of {} against `{}` for {} s, people think {} ms on average",
        plan.games,
        plan.game,
        plan.player,
        plan.time.as_secs(),
        plan.think_ms
    );
    server.print_memory("at the start");
    let outcomes = Mutex::new(Vec::new());
    let end = Instant::now() + plan.time;
    thread::scope(|scope| {
        for number in 0..plan.games {
            let (plan, outcomes, port) = (&plan, &outcomes, server.port);
            let person = move || {
                let mut outcome = Outcome::default();
                let mut person = Person { port, rng: Rng::for_stream(1, number as u64), plan };
                if let Err(error) = person.play_until(end, &mut outcome) {
                    outcome.errors.push(error);
                }
                outcomes.lock().expect("no panic").push(outcome);
            };
            thread::Builder::new()
                .stack_size(256 << 10)
                .spawn_scoped(scope, person)
                .expect("a thread");
        }
    });
    server.print_memory("with all games open");
    let mut outcomes = outcomes.into_inner().expect("no panic");
    if plan.more > 0 {
        let errors = play_more(&plan, &server);
        outcomes.push(Outcome { errors, ..Outcome::default() });
    }
    drop(server);
    report(&outcomes, plan.time);
}

/// Many games more and checks of players, then nothing for a while.
fn play_more(plan: &Plan, server: &ServerProcess) -> Vec<String> {
    const THREADS: usize = 10;
    const MOVES: usize = 6;
    const CHECKS: usize = 8;
    let person = |number: u64| Person { port: server.port, rng: Rng::for_stream(2, number), plan };
    let mut errors = in_parallel(THREADS, |thread| {
        let mut person = person(thread as u64);
        (thread..plan.more).step_by(THREADS).try_for_each(|_| person.play_moves(MOVES))
    });
    server.print_memory(&format!("after {} games more", plan.more));
    errors.extend(in_parallel(CHECKS, |thread| {
        let path = format!("/api/catalog/{}/check-player", plan.game);
        let line = json!({"player": "alphabeta hash=512"});
        person(thread as u64).post(&path, &line).map(drop)
    }));
    server.print_memory(&format!("after {CHECKS} checks of players"));
    for _ in 0..4 {
        thread::sleep(Duration::from_secs(30));
        server.print_memory("30 s later");
    }
    errors
}

/// Runs work on several threads; returns its errors.
fn in_parallel(threads: usize, work: impl Fn(usize) -> Result<(), String> + Sync) -> Vec<String> {
    let work = &work;
    thread::scope(|scope| {
        let spawned: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let results = spawned.into_iter().map(|thread| thread.join().expect("no panic"));
        results.filter_map(Result::err).collect()
    })
}

/// A server in a process of its own, whose memory is that of the server alone.
struct ServerProcess {
    child: Child,
    port: u16,
}

fn serve(memory_mb: usize) {
    let folder = std::env::temp_dir().join(format!("tablero-load-{}", std::process::id()));
    tablero_registry::install(tablero_catalog::games());
    tablero_core::keep_freed_memory();
    let mut config = Config { port: 0, ..Config::new(folder.clone()) };
    // All people have the same address.
    config.connections.total = 10_000;
    config.connections.per_address = 10_000;
    if memory_mb > 0 {
        config.memory_mb = memory_mb;
    }
    let server = Server::start(config).expect("a server");
    println!("{}", server.port());
    // Until the load test is over.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    drop(server);
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
}

impl ServerProcess {
    fn start(memory_mb: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .env(SERVER, memory_mb.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut line).expect("a port");
        Self { child, port: line.trim().parse().expect("a port") }
    }

    /// Prints the server's resident memory now and at its peak, where the system tells.
    fn print_memory(&self, when: &str) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let megabytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
            Some(kilobytes >> 10)
        };
        if let (Some(now), Some(peak)) = (megabytes("VmRSS:"), megabytes("VmHWM:")) {
            println!("resident memory {when}: {now} MB, peak {peak} MB");
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Plan {
    fn read() -> Option<Self> {
        let mut words = std::env::args().skip(1);
        let mut number = |usual: u64| words.next().map_or(Some(usual), |word| word.parse().ok());
        Some(Self {
            games: number(200)? as usize,
            time: Duration::from_secs(number(60)?),
            think_ms: number(2000)?,
            game: words.next().unwrap_or_else(|| "othello".into()),
            player: words.next().unwrap_or_else(|| "level intermediate".into()),
            memory_mb: words.next().map_or(Some(0), |word| word.parse().ok())?,
            more: words.next().map_or(Some(0), |word| word.parse().ok())?,
        })
    }
}

struct Person<'a> {
    port: u16,
    rng: Rng,
    plan: &'a Plan,
}

impl Person<'_> {
    /// One game after the other.
    fn play_until(&mut self, end: Instant, outcome: &mut Outcome) -> Result<(), String> {
        let url = format!("ws://127.0.0.1:{}/api/ws", self.port);
        let (mut socket, _) = tungstenite::connect(url).map_err(|error| error.to_string())?;
        while Instant::now() < end {
            let id = self.new_game()?;
            let watch = json!({"type": "watch", "game": id}).to_string();
            socket.send(Message::text(watch)).map_err(|error| error.to_string())?;
            let mut state = next_state(&mut socket, &id)?;
            while state["end"].is_null() && Instant::now() < end {
                // Somewhere between half and one and a half of the mean.
                let think = self.plan.think_ms / 2 + self.rng.below(self.plan.think_ms.max(1));
                thread::sleep(Duration::from_millis(think));
                let moves = state["moves"].as_array().ok_or("no moves")?;
                let name = self.rng.pick(moves).ok_or("no move")?["move"].clone();
                let begin = Instant::now();
                self.post(&format!("/api/games/{id}/moves"), &json!({ "move": name }))?;
                outcome.requests.push(begin.elapsed());
                state = next_state(&mut socket, &id)?;
                while state["end"].is_null() && state["turn"] == "second" {
                    if let Some(fault) = state["engine_error"]["message"].as_str() {
                        return Err(fault.into());
                    }
                    state = next_state(&mut socket, &id)?;
                }
                outcome.answers.push(begin.elapsed());
            }
            let unwatch = json!({"type": "unwatch", "game": id}).to_string();
            socket.send(Message::text(unwatch)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// A game against the machine; returns its id.
    fn new_game(&self) -> Result<String, String> {
        let players = json!([{"player": "human"}, {"player": self.plan.player}]);
        let game = json!({"game": self.plan.game, "players": players});
        Ok(self.post("/api/games", &game)?["id"].as_str().ok_or("no id")?.to_owned())
    }

    /// A new game, left after a few moves.
    fn play_moves(&mut self, count: usize) -> Result<(), String> {
        let id = self.new_game()?;
        for _ in 0..count {
            let state = loop {
                let game = self.request("GET", &format!("/api/games/{id}"), &Value::Null)?;
                if game["state"]["thinking"].is_null() {
                    break game["state"].clone();
                }
                thread::sleep(Duration::from_millis(10));
            };
            let moves = state["moves"].as_array().ok_or("no moves")?;
            let Some(chosen) = self.rng.pick(moves) else { return Ok(()) };
            self.post(&format!("/api/games/{id}/moves"), &json!({ "move": chosen["move"] }))?;
        }
        Ok(())
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.request("POST", path, body)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        let wrong = |error: std::io::Error| error.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(wrong)?;
        stream.write_all(request.as_bytes()).map_err(wrong)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(wrong)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(format!("{path}: {body}"));
        }
        serde_json::from_str(body).map_err(|error| error.to_string())
    }
}

/// The state that the next message about a game tells.
fn next_state<S: std::io::Read + std::io::Write>(
    socket: &mut tungstenite::WebSocket<S>,
    id: &str,
) -> Result<Value, String> {
    loop {
        let message = socket.read().map_err(|error| error.to_string())?;
        let Message::Text(text) = message else { continue };
        let mut message: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if message["type"] == "error" {
            return Err(message.to_string());
        }
        if message["view"]["id"] == id {
            return Ok(message["view"]["state"].take());
        }
    }
}

/// The times of one kind in a game.
type Times = fn(&Outcome) -> &Vec<Duration>;

fn report(outcomes: &[Outcome], time: Duration) {
    let all = |times: Times| {
        let mut all: Vec<Duration> =
            outcomes.iter().flat_map(|o| times(o).iter().copied()).collect();
        all.sort_unstable();
        all
    };
    println!(
        "{:<24} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "milliseconds", "count", "p50", "p90", "p99", "max"
    );
    let rows: [(&str, Times); 2] =
        [("move acknowledged", |o| &o.requests), ("machine has answered", |o| &o.answers)];
    for (name, times) in rows {
        let times = all(times);
        let at = |share: f64| {
            let index = (times.len().saturating_sub(1) as f64 * share).round() as usize;
            times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
        };
        println!(
            "{name:<24} {:>8} {:>8.1} {:>8.1} {:>8.1} {:>8.1}",
            times.len(),
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
    let means = outcomes.iter().filter(|o| !o.answers.is_empty()).map(|o| {
        o.answers.iter().sum::<Duration>().as_secs_f64() * 1000.0 / o.answers.len() as f64
    });
    let (least, most) =
        means.fold((f64::INFINITY, 0f64), |(a, b), mean| (a.min(mean), b.max(mean)));
    println!("mean wait of the luckiest and the unluckiest person: {least:.1} and {most:.1} ms");
    let answers = outcomes.iter().map(|o| o.answers.len()).sum::<usize>();
    println!("{:.1} answers/s", answers as f64 / time.as_secs_f64());
    let errors: Vec<&String> = outcomes.iter().flat_map(|o| &o.errors).collect();
    println!("errors: {}", errors.len());
    errors.iter().take(5).for_each(|error| println!("  {error}"));
    std::process::exit(i32::from(!errors.is_empty()));
}
