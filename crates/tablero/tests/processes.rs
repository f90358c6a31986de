//! Output files that exist or are in use, interrupts, and limits of the machine.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{data, directory, stderr, stdout, tablero, tablero_with_input};

/// A process that is killed at the end of the test.
struct Running(Child);

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablero"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("the program starts"))
    }

    fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status();
        assert!(status.expect("kill").success());
    }

    /// Whether the process has ended.
    fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("its status").is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for `condition`, up to a minute.
fn wait_until(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "no such condition");
        thread::sleep(Duration::from_millis(5));
    }
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Asserts that a command refuses to overwrite `file`, and overwrites it with `--force`.
fn assert_needs_force(arguments: &[&str], file: &Path) {
    fs::write(file, "precious").expect("a file");
    let refused = tablero(arguments);
    let problem = stderr(&refused);
    assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {problem}");
    assert!(problem.contains("exists; use --force"), "{arguments:?}: {problem}");
    assert_eq!(text(file), "precious", "{arguments:?}");
    drop(stdout(&tablero(&[arguments, &["--force"]].concat())));
    assert_ne!(text(file), "precious", "{arguments:?}");
}

#[test]
fn existing_files_are_overwritten_only_with_force() {
    let folder = directory("force");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let store = path("data");
    let jobs = ["--games", "2", "--data", &store, "--out"];
    let pgn = path("games.pgn");
    let players = ["tictactoe", "random", "random"];
    assert_needs_force(
        &[&["match"], &players[..], &jobs, &[pgn.as_str()]].concat(),
        &folder.join("games.pgn"),
    );
    let other = path("other.pgn");
    assert_needs_force(
        &[&["tournament"], &players[..], &jobs, &[other.as_str()]].concat(),
        &folder.join("other.pgn"),
    );
    let ggf = path("game.ggf");
    assert_needs_force(&["convert", &data("games.txt"), &ggf], &folder.join("game.ggf"));
    assert_needs_force(
        &["review", "f5d6", "--player", "alphabeta depth=1", "--out", &ggf],
        &folder.join("game.ggf"),
    );
    let jsonl = path("games.jsonl");
    let record = ["selfplay", "othello", "--player", "random", "--games", "2", "--out", &jsonl];
    drop(stdout(&tablero(&record)));
    for name in ["rows.csv", "games.positions"] {
        assert_needs_force(&["data", "othello", &jsonl, &path(name)], &folder.join(name));
    }
    let network = ["--net", "mlp 65-4-1", "--epochs", "1", "--out", &path("net.safetensors")];
    let train = [&["train", "othello", "--data", &jsonl][..], &network].concat();
    assert_needs_force(&train, &folder.join("net.safetensors"));
    let csv = path("table.csv");
    let selfplay = ["selfplay", "othello", "--player", "random", "--games", "1", "--out", &csv];
    assert_needs_force(&selfplay, &folder.join("table.csv"));
    drop(stdout(&tablero(&selfplay)));
    let genes = path("lines.genes");
    let evolve =
        ["evolve", "tictactoe", "--genome", "lines", "--generations", "1", "--out", &genes];
    let evolve = [&evolve[..], &["--data", &store]].concat();
    assert_needs_force(&evolve, &folder.join("lines.genes"));
    drop(stdout(&tablero(&[&evolve[..], &["--resume", &genes]].concat())));
}

#[test]
fn play_saves_over_an_existing_file_only_with_force() {
    let folder = directory("force-save");
    let file = folder.join("game.pgn");
    fs::write(&file, "precious").expect("a file");
    let name = file.display();
    let play = |input: String| {
        let output = tablero_with_input(&["play", "tictactoe"], input);
        stdout(&output) + &stderr(&output)
    };
    let refused = play(format!("save {name}\nquit\n"));
    assert!(refused.contains("--force") && text(&file) == "precious", "{refused}");
    // Its own file is overwritten.
    let saved = play(format!("save {name} --force\nsave {name}\nquit\n"));
    assert_eq!(saved.matches("saved to").count(), 2, "{saved}");
    assert_ne!(text(&file), "precious");
}

#[test]
fn companion_files_are_checked_first() {
    let folder = directory("companions");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    fs::write(path("game.trn"), "precious").expect("a file");
    let refused = tablero(&["convert", &data("games.txt"), &path("game.wtb")]);
    assert!(stderr(&refused).contains("game.trn exists; use --force"), "{}", stderr(&refused));
    assert_eq!(fs::read_dir(&folder).expect("a directory").count(), 1, "nothing was written");
}

/// Devices and standard output are written to as they are.
#[cfg(unix)]
#[test]
fn streams_need_no_force() {
    let folder = directory("streams");
    let store = folder.join("data").to_string_lossy().into_owned();
    let null = folder.join("null.pgn");
    std::os::unix::fs::symlink("/dev/null", &null).expect("a link");
    let null = null.to_string_lossy().into_owned();
    let games = ["--games", "2", "--data", &store, "--out", &null];
    for _ in 0..2 {
        drop(stdout(&tablero(&[&["match", "tictactoe", "random", "random"], &games[..]].concat())));
    }
    let file = data("games.txt");
    assert!(!stdout(&tablero(&["convert", &file, "-", "--to", "ggf"])).is_empty());
}

/// A match of slow games on one thread, with some of them finished.
fn slow_match(folder: &Path) -> (Running, PathBuf) {
    let (store, out) = (folder.join("data"), folder.join("games.pgn"));
    let arguments = ["match", "tictactoe", "mcts time=200ms", "random", "--games", "1000"];
    let [data, file] = [&store, &out].map(|path| path.to_string_lossy().into_owned());
    let rest = ["--openings", "start", "--threads", "1", "--data", &data, "--out", &file];
    let running = Running::start(&[&arguments[..], &rest].concat());
    wait_until(|| count_games(&out) >= 2);
    (running, out)
}

fn list_jobs(store: &str) -> String {
    stdout(&tablero(&["jobs", "list", "--data", store]))
}

fn count_games(file: &Path) -> usize {
    text(file).matches("[Result ").count()
}

#[test]
fn a_file_has_one_writer() {
    let folder = directory("two-writers");
    let (_first, out) = slow_match(&folder);
    let file = out.to_string_lossy().into_owned();
    let store = folder.join("other").to_string_lossy().into_owned();
    let second = ["match", "tictactoe", "random", "random", "--games", "2", "--data", &store];
    let refused = tablero(&[&second[..], &["--out", &file, "--force"]].concat());
    let problem = stderr(&refused);
    assert!(!refused.status.success() && problem.contains("another process"), "{problem}");
    assert!(count_games(&out) >= 2, "nothing was destroyed");
    let written_by_job = folder.join("lines.genes").to_string_lossy().into_owned();
    let evolve = ["evolve", "tictactoe", "--genome", "lines", "--data", &store, "--out"];
    let evolve = [&evolve[..], &[&written_by_job]].concat();
    let evolution = Running::start(&[&evolve[..], &["--generations", "100000000"]].concat());
    wait_until(|| folder.join("lines.genes").exists());
    let refused = tablero(&[&evolve[..], &["--generations", "1", "--force"]].concat());
    let problem = stderr(&refused);
    assert!(problem.contains("written by the running job evolution-1"), "{problem}");
    drop(evolution);
}

/// Games of hours are abandoned, and played again when the job is resumed: the games are those of a match that was
/// never interrupted.
#[test]
fn an_interrupted_match_abandons_its_games() {
    let folder = directory("interrupts");
    let [slow, store] =
        ["slow", "data"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let hours = ["match", "othello", "mcts time=1000s", "random", "--data"];
    let hours: Vec<&str> = hours.into_iter().chain([slow.as_str()]).collect();
    let mut running = Running::start(&hours);
    wait_until(|| list_jobs(&slow).contains("running"));
    running.interrupt();
    wait_until(|| running.has_ended());
    assert_eq!(running.0.wait().expect("its status").code(), Some(130));
    assert!(list_jobs(&slow).contains("stopped"));

    let players = ["match", "othello", "mcts iterations=2000", "alphabeta depth=2"];
    let rest = ["--games", "12", "--seed", "3", "--data", &store, "--out"];
    let [whole, part] = ["whole.pgn", "part.pgn"].map(|name| folder.join(name));
    let [whole_file, part_file] = [&whole, &part].map(|path| path.to_string_lossy().into_owned());
    drop(stdout(&tablero(&[&players[..], &rest, &[&whole_file]].concat())));
    let mut running = Running::start(&[&players[..], &rest, &[&part_file]].concat());
    wait_until(|| count_games(&part) >= 2);
    running.interrupt();
    wait_until(|| running.has_ended());
    let resume = ["jobs", "resume", "match-2", "--data", &store, "--out", &part_file];
    let other = folder.join("foreign.pgn");
    fs::write(&other, "precious").expect("a file");
    let refused = tablero(&[&resume[..6], &[&other.to_string_lossy()]].concat());
    assert!(stderr(&refused).contains("exists; use --force"), "{}", stderr(&refused));
    assert_eq!(text(&other), "precious");
    drop(stdout(&tablero(&resume)));
    let timeless = |path: &Path| {
        let text = text(path);
        let is_kept = |word: &&str| !word.starts_with("0:0") && *word != "[%emt";
        text.split_whitespace().filter(is_kept).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(timeless(&part), timeless(&whole));
}

/// Self-play finishes its games, unless it is interrupted again.
#[test]
fn a_second_interrupt_ends_a_job_at_once() {
    let folder = directory("second-interrupt");
    let out = folder.join("games.jsonl").to_string_lossy().into_owned();
    let slow = ["selfplay", "othello", "--player", "mcts time=30s", "--games", "2", "--out", &out];
    let mut running = Running::start(&slow);
    wait_until(|| Path::new(&out).exists());
    thread::sleep(Duration::from_millis(300));
    running.interrupt();
    thread::sleep(Duration::from_millis(300));
    assert!(!running.has_ended(), "the games in progress are finished first");
    running.interrupt();
    wait_until(|| running.has_ended());
    assert_eq!(running.0.wait().expect("its status").code(), Some(130));
}

#[test]
fn an_interrupted_server_abandons_the_games_of_its_jobs() {
    let folder = directory("interrupted-server");
    let store = folder.to_string_lossy().into_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablero"));
    command.args(["serve", "--port", "0", "--data", &store]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Running(command.spawn().expect("the program starts"));
    let (mut url, stdout) = (String::new(), server.0.stdout.take().expect("its output"));
    BufReader::new(stdout).read_line(&mut url).expect("its address");
    let address = url.trim().trim_start_matches("http://").trim_end_matches('/');
    let slow = "mcts time=30s";
    let body = format!(r#"{{"game":"tictactoe","players":["{slow}","{slow}"],"games":2}}"#);
    let head = "POST /api/jobs HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json";
    let length = body.len();
    let request = format!("{head}\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains("match-1"), "{answer}");
    let status = || list_jobs(&store);
    wait_until(|| status().contains("running"));
    server.interrupt();
    wait_until(|| server.has_ended());
    assert!(status().contains("stopped"), "{}", status());
}

#[test]
fn threads_and_memory_beyond_the_machine_are_usage_errors() {
    let lines = ["alphabeta depth=1 threads=100000", "mcts memory=999999999"];
    for line in lines {
        let output = tablero(&["best", "tictactoe", "start", "--player", line]);
        let problem = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{problem}");
        assert!(problem.contains("is a whole number 1 to "), "{problem}");
    }
    let output = tablero(&["match", "tictactoe", lines[0], "random", "--games", "2"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = tablero(&["best", "tictactoe", "start", "--threads", "10000"]);
    assert!(stderr(&output).contains("10000 is not in 1..="), "{}", stderr(&output));
}
