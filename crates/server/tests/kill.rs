//! Durability: a killed server loses no change that it has acknowledged.

mod common;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::{env, fs, thread};

use common::request;
use serde_json::{Value, json};
use tablero_server::{Config, Server};

/// The test starts itself as a server, with the data folder in this variable.
const FOLDER: &str = "TABLERO_TEST_FOLDER";

fn serve_if_child() {
    if let Some(folder) = env::var_os(FOLDER) {
        tablero_registry::install(tablero_catalog::games());
        let server = Server::start(Config { port: 0, ..Config::new(folder.into()) }).unwrap();
        fs::write(env::var("TABLERO_TEST_PORT").unwrap(), format!("{}\n", server.port())).unwrap();
        loop {
            thread::park();
        }
    }
}

fn start(folder: &std::path::Path) -> (Child, u16) {
    let port_file = folder.join("port");
    let _ = fs::remove_file(&port_file);
    let child = Command::new(env::current_exe().unwrap())
        .arg("acknowledged_changes_survive_a_kill")
        .env(FOLDER, folder)
        .env("TABLERO_TEST_PORT", &port_file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let port = common::wait_for("the server", || {
        let file = fs::File::open(&port_file).ok()?;
        let mut line = String::new();
        BufReader::new(file).read_line(&mut line).ok()?;
        line.ends_with('\n').then(|| line.trim().parse().unwrap())
    });
    (child, port)
}

fn send(port: u16, method: &str, path: &str, body: &Value) -> Value {
    let headers = "Content-Type: application/json\r\n";
    request(port, method, path, headers, body.to_string().as_bytes()).ok()
}

#[test]
fn acknowledged_changes_survive_a_kill() {
    serve_if_child();
    let folder = env::temp_dir().join(format!("tablero-kill-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let (mut child, mut port) = start(&folder);
    let game = send(port, "POST", "/api/games", &json!({"game": "othello"}));
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    for round in 1..=3 {
        for _ in 0..5 {
            let view = send(port, "GET", &path, &json!({}));
            let name = view["state"]["moves"][0]["move"].clone();
            send(port, "POST", &format!("{path}/moves"), &json!({ "move": name }));
        }
        // Killed in the middle of a change.
        let busy = thread::spawn({
            let path = path.clone();
            move || {
                for number in 0.. {
                    let body = json!({"comment": format!("{number}")}).to_string();
                    let headers = "Content-Type: application/json\r\n";
                    let patch = || {
                        request(port, "PATCH", &format!("{path}/nodes/0"), headers, body.as_bytes())
                    };
                    if std::panic::catch_unwind(patch).is_err() {
                        return;
                    }
                }
            }
        });
        thread::sleep(std::time::Duration::from_millis(50));
        child.kill().unwrap();
        child.wait().unwrap();
        busy.join().unwrap();
        (child, port) = start(&folder);
        let view = send(port, "GET", &path, &json!({}));
        assert_eq!(view["state"]["current"], 5 * round, "round {round}");
        assert_eq!(send(port, "GET", "/api/games", &json!({}))["broken"], json!([]));
        let left = fs::read_dir(folder.join("games")).unwrap().count();
        assert_eq!(left, 2, "the game, the lock and nothing half-written");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_dir_all(&folder).unwrap();
}
