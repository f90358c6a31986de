//! The cluster commands, with a real nats-server and worker processes.

// The log of a worker is shown when a test fails.
#![allow(clippy::print_stderr)]

mod common;
#[path = "../../cluster/tests/common/server.rs"]
mod server;

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{stderr, stdout, tablero};
use serde_json::Value;
use server::{Server, make_keys, wait_until};
use tablero_pattern_learning::{LearnConfig, Plan, SelfPlayConfig, open_run};

/// A worker process that is killed at the end of the test.
struct Worker(Child);

impl Worker {
    fn start(server: &Server, more: &[&str]) -> Self {
        Self::start_at(server, &server.url(), more)
    }

    fn start_at(server: &Server, url: &str, more: &[&str]) -> Self {
        let cache = server.folder().join("cache");
        let mut process = Command::new(env!("CARGO_BIN_EXE_tablero"))
            .args(["worker", "--nats", url, "--threads", "1", "--cache"])
            .arg(cache)
            .args(more)
            .current_dir(server.folder())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // Drain the log: a full pipe would block the worker.
        let log = BufReader::new(process.stderr.take().expect("piped"));
        std::thread::spawn(move || {
            log.lines().map_while(Result::ok).for_each(|l| eprintln!("{l}"))
        });
        Self(process)
    }

    fn signal(&self, name: &str) {
        signal(self.0.id(), name);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.expect("kill").success());
}

/// A population of 31 genomes in the format of Othello7.
fn genomes(folder: &Path) -> PathBuf {
    let mut text = String::from("1 1\n5\n");
    for number in 0..31 {
        text += &format!("0.000000 {}.000000 -25.000000 1.000000\n", 80 - number);
    }
    text += "Tiempo: 0 horas, 0 minutos, 1 segundos\n";
    let path = folder.join("mine.evl");
    fs::write(&path, text).expect("a file of genomes");
    path
}

fn match_arguments(folder: &Path, name: &str, evl: &Path) -> Vec<String> {
    let (games, data) = (folder.join(format!("{name}.txt")), folder.join(name));
    let weights = format!("minimax depth=2 eval={}#2", evl.display());
    ["match", "othello", &weights, "alphabeta depth=2 within=2", "--games", "30", "--seed", "7"]
        .into_iter()
        .map(String::from)
        .chain(["--json".into(), "--out".into(), games.to_string_lossy().into()])
        .chain(["--data".into(), data.to_string_lossy().into()])
        .collect()
}

fn texts(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// The summary without wall-clock times.
fn timeless(output: &str) -> Value {
    let mut summary: Value = serde_json::from_str(output.trim()).expect("JSON");
    summary["nps"] = Value::Null;
    summary
}

/// The same games, byte for byte, on one thread, on two, and on three workers. A player has a file that
/// the workers receive with the task.
#[test]
fn matches_are_the_same_on_threads_and_workers() {
    let Some(server) = Server::start("cli-same") else { return };
    let folder = common::directory("cluster-same");
    let evl = genomes(&folder);
    let url = server.url();
    let workers = [(); 3].map(|()| Worker::start(&server, &[]));
    let mut seen = Vec::new();
    for (name, more) in
        [("one", ["--threads", "1"]), ("two", ["--threads", "2"]), ("cluster", ["--nats", &url])]
    {
        let mut arguments = match_arguments(&folder, name, &evl);
        arguments.extend(more.map(String::from));
        let summary = timeless(&stdout(&tablero(&texts(&arguments))));
        let games = fs::read(folder.join(format!("{name}.txt"))).expect("games");
        assert_eq!(games.iter().filter(|byte| **byte == b'\n').count(), 30);
        seen.push((summary, games));
    }
    assert!(
        seen.iter().all(|one| *one == seen[0]),
        "{:?}",
        seen.iter().map(|s| &s.0).collect::<Vec<_>>()
    );
    let status = stdout(&tablero(&["cluster", "status", "--json", "--nats", &url]));
    let status: Value = serde_json::from_str(&status).expect("JSON");
    assert_eq!(status["workers"].as_array().expect("workers").len(), 3);
    let games = |worker: &Value| worker["games"].as_u64().expect("a number");
    let total: u64 = status["workers"].as_array().unwrap().iter().map(games).sum();
    assert_eq!((total, &status["dead_letters"], &status["queued"]), (30, &0.into(), &0.into()));
    assert_eq!(status["runs"][0]["name"], "match-1");
    let text = stdout(&tablero(&["cluster", "status", "--nats", &url]));
    assert!(text.contains("workers: 3") && text.contains("match-1"), "{text}");
    // Ctrl-C stops a worker cleanly.
    let [mut first, ..] = workers;
    first.signal("INT");
    assert!(first.0.wait().expect("it ends").success());
}

/// The same training data on one thread, on two, and on three workers.
#[test]
fn self_play_is_the_same_on_threads_and_workers() {
    let Some(server) = Server::start("cli-selfplay") else { return };
    let folder = common::directory("cluster-selfplay");
    let url = server.url();
    let _workers = [(); 3].map(|()| Worker::start(&server, &[]));
    let table = |name: &str, place: [&str; 2]| {
        let out = folder.join(format!("{name}.csv"));
        let played = tablero(&[
            "selfplay",
            "othello",
            "--player",
            "mcts iterations=20",
            "--games",
            "12",
            "--seed",
            "4",
            "--out",
            &out.to_string_lossy(),
            place[0],
            place[1],
        ]);
        assert!(played.status.success(), "{}", stderr(&played));
        fs::read_to_string(out).expect("a table")
    };
    let one = table("one", ["--threads", "1"]);
    assert!(one.lines().count() > 600, "{}", one.lines().count());
    assert_eq!(table("two", ["--threads", "2"]), one);
    assert_eq!(table("cluster", ["--nats", &url]), one);
}

/// Pattern learning gives the same result with games, positions and matches computed by workers.
#[test]
fn pattern_learning_runs_on_workers() {
    let Some(server) = Server::start("cli-patterns") else { return };
    let folder = common::directory("cluster-patterns");
    let _workers = [(); 2].map(|()| Worker::start(&server, &[]));
    let self_play =
        SelfPlayConfig { min_random_plies: 30, max_random_plies: 50, depth: 1, exact_empties: 6 };
    let plan = Plan { games: 200, self_play, q_ratio: 0.3, replay_generations: 0 };
    let config = LearnConfig {
        plans: vec![plan],
        gate_pairs: 4,
        gate_depth: 1,
        gate_exact_empties: 4,
        probcut_positions: 6,
        probcut_depth: 2,
        cg_iterations: 2,
        ..LearnConfig::quick("test")
    };
    let learn = |name: &str, place: [&str; 2]| {
        let run = folder.join(name);
        drop(open_run(&run, &config, Some(3)).expect("a run"));
        let dir = run.to_string_lossy();
        let words = ["learn", "othello", "--net", "patterns", "--dir", &dir, place[0], place[1]];
        let learned = tablero(&words);
        assert!(learned.status.success(), "{}", stderr(&learned));
        ["games-1", "probcut-1", "gate-1", "games-2", "probcut-2", "gate-2"]
            .map(|log| fs::read_to_string(run.join(format!("{log}.jsonl"))).expect("a log"))
    };
    let here = learn("here", ["--threads", "2"]);
    assert_eq!(learn("workers", ["--nats", &server.url()]), here);
    let status = stdout(&tablero(&["cluster", "status", "--json", "--nats", &server.url()]));
    let status: Value = serde_json::from_str(&status).expect("JSON");
    let games = |worker: &Value| worker["games"].as_u64().expect("a number");
    let total: u64 = status["workers"].as_array().expect("workers").iter().map(games).sum();
    assert_eq!(total, 2 * (200 + 2 * 4), "all games are played by workers");
}

/// A training run on workers gives the same network, byte for byte.
#[test]
fn training_runs_are_the_same_on_workers() {
    let Some(server) = Server::start("cli-learn") else { return };
    let folder = common::directory("cluster-learn");
    let _workers = [(); 2].map(|()| Worker::start(&server, &[]));
    let learn = |name: &str, place: [&str; 2]| {
        let run = folder.join(name);
        let dir = run.to_string_lossy();
        let words =
            ["learn", "tictactoe", "--quick", "--games", "40", "--dir", &dir, place[0], place[1]];
        let learned = tablero(&words);
        assert!(learned.status.success(), "{}", stderr(&learned));
        fs::read(run.join("generation-3.safetensors")).expect("a network")
    };
    let here = learn("here", ["--threads", "2"]);
    assert!(learn("workers", ["--nats", &server.url()]) == here);
}

/// A match whose coordinator is killed by SIGKILL resumes to the same result.
#[test]
fn a_match_survives_the_death_of_its_coordinator() {
    let Some(server) = Server::start("cli-resume") else { return };
    let folder = common::directory("cluster-resume");
    let evl = genomes(&folder);
    let undisturbed = match_arguments(&folder, "undisturbed", &evl);
    let undisturbed = timeless(&stdout(&tablero(&texts(&undisturbed))));
    let worker = Worker::start(&server, &[]);
    let mut arguments = match_arguments(&folder, "killed", &evl);
    arguments.extend(["--nats".into(), server.url()]);
    let mut coordinator = Command::new(env!("CARGO_BIN_EXE_tablero"))
        .args(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let log = folder.join("killed/jobs/match-1/games.jsonl");
    wait_until("some games are played", || {
        fs::read_to_string(&log).is_ok_and(|text| text.lines().count() > 1)
            || coordinator.try_wait().expect("a child").is_some()
    });
    let _ = coordinator.kill();
    coordinator.wait().expect("it ends");
    let data = folder.join("killed").to_string_lossy().into_owned();
    let games = folder.join("killed.txt").to_string_lossy().into_owned();
    let resumed = tablero(&[
        "jobs",
        "resume",
        "match-1",
        "--json",
        "--data",
        &data,
        "--out",
        &games,
        "--nats",
        &server.url(),
    ]);
    assert_eq!(timeless(&stdout(&resumed)), undisturbed);
    let read = |name: &str| fs::read(folder.join(name)).expect("games");
    assert_eq!(read("killed.txt"), read("undisturbed.txt"));
    drop(worker);
}

/// A worker starts only allowed external engines.
#[test]
fn engines_are_started_only_where_allowed() {
    let Some(server) = Server::start("cli-allow") else { return };
    let folder = common::directory("cluster-allow");
    let engine = format!("uci {} engine uci --game tictactoe", env!("CARGO_BIN_EXE_tablero"));
    let bounded = format!("{engine} depth=1");
    let run = |name: &str| {
        let data = folder.join(name).to_string_lossy().into_owned();
        tablero(&[
            "match",
            "tictactoe",
            &bounded,
            "random",
            "--games",
            "2",
            "--data",
            &data,
            "--nats",
            &server.url(),
        ])
    };
    let strict = Worker::start(&server, &[]);
    let refused = run("refused");
    assert!(!refused.status.success());
    let problem = stderr(&refused);
    assert!(
        problem.contains("rejected by every worker") && problem.contains("--allow"),
        "{problem}"
    );
    drop(strict);
    let _allowing = Worker::start(&server, &["--allow", &engine]);
    assert!(stdout(&run("allowed")).contains("2 games"));
}

/// A password in a URL appears neither in the process list nor in messages.
#[test]
fn secrets_are_not_shown() {
    let Some(server) = Server::with("cli-secret", &["--user", "ana", "--pass", "hidden9"]) else {
        return;
    };
    let url = format!("nats://ana:hidden9@127.0.0.1:{}", server.port);
    let mut worker = Command::new(env!("CARGO_BIN_EXE_tablero"))
        .args(["worker", "--threads", "1", "--nats", &url, "--cache"])
        .arg(server.folder().join("cache"))
        .stderr(Stdio::piped())
        .spawn()
        .map(Worker)
        .expect("the program starts");
    let mut log = BufReader::new(worker.0.stderr.take().expect("piped")).lines();
    let joined = log.by_ref().map_while(Result::ok).find(|line| line.contains("worker"));
    assert!(joined.is_some_and(|line| !line.contains("hidden9")));
    if cfg!(target_os = "linux") {
        let command = fs::read(format!("/proc/{}/cmdline", worker.0.id())).expect("its arguments");
        let command = String::from_utf8_lossy(&command).into_owned();
        assert!(command.contains("nats://127.0.0.1") && !command.contains("hidden9"), "{command}");
    }
    let denied = tablero(&["cluster", "status", "--nats", &url.replace("hidden9", "wrong9")]);
    let problem = stderr(&denied);
    assert!(problem.contains("denied access") && !problem.contains("wrong9"), "{problem}");
    let unconfigured = stderr(&tablero(&["cluster", "status"]));
    assert!(unconfigured.contains("--nats"), "{unconfigured}");
    worker.signal("INT");
    assert!(worker.0.wait().expect("it ends").success());
}

/// A server with a certificate of a private authority and a token: both come from options, files or the
/// environment, and what is wrong with them is said.
#[test]
fn tls_and_a_token_are_configured_by_options_and_environment() {
    let keys = common::directory("cluster-tls");
    if !make_keys(&keys) {
        return;
    }
    let path = |name: &str| keys.join(name).to_string_lossy().into_owned();
    let (certificate, key, ca) = (path("server.pem"), path("server.key"), path("ca.pem"));
    let configuration = format!(
        "authorization {{ token: \"t0ken9\" }}\n\
         tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}\n"
    );
    fs::write(keys.join("nats.conf"), configuration).expect("a configuration");
    fs::write(keys.join("token"), "t0ken9\n").expect("a token");
    let Some(server) = Server::with("cli-tls", &["-c", &path("nats.conf")]) else { return };
    let url = format!("tls://localhost:{}", server.port);
    let token_file = path("token");
    let _worker =
        Worker::start_at(&server, &url, &["--nats-ca", &ca, "--nats-token-file", &token_file]);
    let data = path("data");
    let run = |url: &str, more: &[(&str, &str)]| {
        Command::new(env!("CARGO_BIN_EXE_tablero"))
            .args(["match", "tictactoe", "random", "greedy", "--games", "4"])
            .args(["--nats", url, "--data", &data])
            .envs(more.iter().copied())
            .output()
            .expect("the program runs")
    };
    let (trusted, token) = (("TABLERO_NATS_CA", &*ca), ("TABLERO_NATS_TOKEN", "t0ken9"));
    assert!(stdout(&run(&url, &[trusted, token])).contains("4 games"));
    let with_token = url.replace("localhost", "t0ken9@localhost");
    assert!(stdout(&run(&with_token, &[trusted])).contains("4 games"));
    let failure = |url: &str, more: &[(&str, &str)]| {
        let output = run(url, more);
        assert!(!output.status.success());
        stderr(&output)
    };
    let untrusted = failure(&url, &[token]);
    assert!(untrusted.contains("is not trusted") && untrusted.contains("--nats-ca"), "{untrusted}");
    let denied = failure(&url, &[trusted, ("TABLERO_NATS_TOKEN", "wrong9")]);
    assert!(denied.contains("denied access") && !denied.contains("wrong9"), "{denied}");
    let anonymous = failure(&url, &[trusted]);
    assert!(anonymous.contains("denied access") && anonymous.contains("token"), "{anonymous}");
}

/// A `tablero serve` process that is killed at the end of the test.
struct WebServer {
    process: Worker,
    address: String,
}

impl WebServer {
    fn start(server: &Server, url: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tablero"))
            .args(["serve", "--port", "0", "--nats", url, "--data"])
            .arg(server.folder().join("data"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Worker)
            .expect("the program starts");
        let out = BufReader::new(process.0.stdout.take().expect("piped"));
        let line = out.lines().map_while(Result::ok).next().expect("its address");
        let address = line.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { process, address }
    }

    fn request(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("the page");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
}

/// A learning run of the page plays its games on workers, with the same networks as without them.
#[test]
fn learning_runs_of_the_page_use_the_workers() {
    let Some(server) = Server::start("cli-page-learn") else { return };
    let page = WebServer::start(&server, &server.url());
    let learn = |id: &str| {
        let order =
            r#"{"game": "tictactoe", "quick": true, "games": 24, "sims": 8, "generations": 2}"#;
        assert_eq!(page.request("POST", "/api/learning-runs", order)["id"], id);
        wait_until("the run is over", || {
            let job = page.request("GET", &format!("/api/jobs/{id}"), "");
            assert_ne!(job["summary"]["status"], "failed", "{job}");
            job["summary"]["status"] == "finished"
        });
        let folder = server.folder().join("data/jobs").join(id);
        fs::read(folder.join("generation-2.safetensors")).expect("a network")
    };
    let here = learn("learn-1");
    let _worker = Worker::start(&server, &[]);
    let look = || page.request("GET", "/api/cluster", "");
    wait_until("the worker is seen", || {
        look()["state"]["workers"].as_array().is_some_and(|workers| workers.len() == 1)
    });
    assert_eq!(look()["state"]["workers"][0]["games"], 0, "the first run had no workers");
    assert!(learn("learn-2") == here);
    wait_until("the self-play games are counted", || {
        look()["state"]["workers"][0]["games"].as_u64().is_some_and(|games| games >= 2 * 24)
    });
    page.process.signal("INT");
}

/// The server reports the workers without secrets, runs jobs on them, and survives a restart of NATS.
#[test]
fn the_server_reports_the_cluster_and_runs_jobs_on_it() {
    let Some(mut server) = Server::with("cli-page", &["--user", "ana", "--pass", "hidden9"]) else {
        return;
    };
    let url = format!("nats://ana:hidden9@127.0.0.1:{}", server.port);
    let page = WebServer::start(&server, &url);
    let look = || page.request("GET", "/api/cluster", "");
    let alone = look();
    assert_eq!(alone["state"]["workers"], serde_json::json!([]), "{alone}");
    assert!(!alone.to_string().contains("hidden9"), "{alone}");
    let _worker = Worker::start_at(&server, &url, &[]);
    wait_until("the worker is seen", || {
        look()["state"]["workers"].as_array().is_some_and(|workers| workers.len() == 1)
    });
    let order = r#"{"game": "othello", "players": ["random", "greedy"], "games": 20}"#;
    assert_eq!(page.request("POST", "/api/jobs", order)["id"], "match-1");
    wait_until("the match is over", || {
        page.request("GET", "/api/jobs/match-1", "")["summary"]["status"] == "finished"
    });
    wait_until("its games are counted", || look()["state"]["workers"][0]["games"] == 20);
    let seen = look();
    assert_eq!((&seen["state"]["failures"], &seen["problem"]), (&0.into(), &Value::Null), "{seen}");
    assert_eq!(seen["state"]["runs"][0]["name"], "match-1");
    server.kill();
    wait_until("the loss is seen", || {
        let seen = look();
        assert!(!seen.to_string().contains("hidden9"), "{seen}");
        seen["problem"].is_string() && seen["state"].is_null()
    });
    server.restart();
    wait_until("it is back", || look()["state"].is_object());
    page.process.signal("INT");
}
