//! Many games at once against one server: how long people wait for the machine, and whether all are
//! served alike. `script/load-test` runs it.
//!
//! Every game has a person of its own (a thread) who watches it over a WebSocket, thinks for a while,
//! plays a random legal move over HTTP and waits for the machine's answer.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablero_core::Rng;
use tablero_server::{Config, Server};
use tungstenite::Message;

const USAGE: &str = "load-test [GAMES=200] [SECONDS=60] [THINK_MS=2000] [GAME=othello] [PLAYER=\"level intermediate\"] [MEMORY_MB]";

/// What is to be tried.
struct Plan {
    games: usize,
    time: Duration,
    think_ms: u64,
    game: String,
    player: String,
    /// The server's own choice if not said.
    memory_mb: Option<usize>,
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
    let Some(plan) = Plan::read() else {
        println!("usage: {USAGE}");
        std::process::exit(2);
    };
    let folder = std::env::temp_dir().join(format!("tablero-load-{}", std::process::id()));
    tablero_registry::install(tablero_catalog::games());
    tablero_core::keep_freed_memory();
    let mut config = Config { port: 0, ..Config::new(folder.clone()) };
    config.memory_mb = plan.memory_mb.unwrap_or(config.memory_mb);
    let memory_mb = config.memory_mb;
    let searches = config.limits.searches;
    let server = Server::start(config).expect("a server");
    let port = server.port();
    println!(
        "{} games of {} against `{}` for {} s, people think {} ms on average, {searches} searches at once, {memory_mb} MB for tables",
        plan.games,
        plan.game,
        plan.player,
        plan.time.as_secs(),
        plan.think_ms
    );
    let outcomes = Mutex::new(Vec::new());
    let end = Instant::now() + plan.time;
    thread::scope(|scope| {
        for number in 0..plan.games {
            let (plan, outcomes) = (&plan, &outcomes);
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
    let resident = resident_mb();
    drop(server);
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
    println!("resident memory with all games open: {} MB", resident.unwrap_or(0));
    report(&outcomes.into_inner().expect("no panic"), plan.time);
}

/// Memory of this process, where the system tells.
fn resident_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
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
            memory_mb: words.next().map_or(Some(None), |word| word.parse().ok().map(Some))?,
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
            let players = json!([{"player": "human"}, {"player": self.plan.player}]);
            let game = json!({"game": self.plan.game, "players": players});
            let game = self.post("/api/games", &game)?;
            let id = game["id"].as_str().ok_or("no id")?.to_owned();
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
                    if let Some(fault) = state["fault"]["message"].as_str() {
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

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
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
