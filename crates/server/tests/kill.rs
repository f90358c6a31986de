//! Durability: a killed server loses no change that it has acknowledged; a full disk takes back what could not
//! be saved; a data folder has one server.

mod common;

use std::{fs, thread};

use common::process::{Process, new_folder, serve_if_child};
use common::request;
use serde_json::{Value, json};
use tablero_server::{Config, Server};

#[test]
fn acknowledged_changes_survive_a_kill() {
    const TEST: &str = "acknowledged_changes_survive_a_kill";
    serve_if_child();
    let folder = new_folder("kill");
    let mut server = Process::start(TEST, &folder);
    let game = server.send("POST", "/api/games", &json!({"game": "othello"})).ok();
    let path = format!("/api/games/{}", game["id"].as_str().unwrap());
    for round in 1..=3 {
        for _ in 0..5 {
            let view = server.send("GET", &path, &json!({})).ok();
            let name = view["state"]["moves"][0]["move"].clone();
            server.send("POST", &format!("{path}/moves"), &json!({ "move": name })).ok();
        }
        // Killed in the middle of a change.
        let busy = thread::spawn({
            let (path, port) = (path.clone(), server.port);
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
        server.kill();
        busy.join().unwrap();
        server = Process::start(TEST, &folder);
        let view = server.send("GET", &path, &json!({})).ok();
        assert_eq!(view["state"]["current"], 5 * round, "round {round}");
        assert_eq!(server.send("GET", "/api/games", &json!({})).ok()["broken"], json!([]));
        let left = fs::read_dir(folder.join("games")).unwrap().count();
        assert_eq!(left, 2, "the game, the lock and nothing half-written");
    }
    drop(server);
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn what_a_full_disk_cannot_hold_is_taken_back() {
    const TEST: &str = "what_a_full_disk_cannot_hold_is_taken_back";
    serve_if_child();
    let folder = new_folder("full-disk");
    // The databases exist already; games no longer fit.
    drop(Process::start(TEST, &folder));
    let server = Process::start_with_file_limit(TEST, &folder, 2);
    let start = |opponent: &str| {
        let seats = json!([{"player": "human"}, {"player": opponent}]);
        let game = json!({"game": "othello", "players": seats});
        let game = server.send("POST", "/api/games", &game).ok();
        format!("/api/games/{}", game["id"].as_str().unwrap())
    };
    let view = |path: &str| server.send("GET", path, &json!({})).ok();
    let play = |path: &str, view: &Value| {
        let name = view["state"]["moves"][0]["move"].clone();
        server.send("POST", &format!("{path}/moves"), &json!({ "move": name }))
    };

    // A person's move.
    let path = start("human");
    let (before, refused) = loop {
        let before = view(&path);
        let answer = play(&path, &before);
        if answer.status != 200 {
            break (before, answer);
        }
    };
    assert!(refused.error(500).contains("could not be saved"), "{}", refused.text());
    let after = view(&path);
    for part in ["nodes", "info"] {
        assert_eq!(after[part], before[part], "{part}");
    }
    assert_eq!(after["state"], before["state"]);
    play(&path, &after).error(500);

    // An engine's move.
    let other = start("random");
    let stuck = loop {
        let view = common::wait_for("the engine", || {
            let view = view(&other);
            view["state"]["thinking"].is_null().then_some(view)
        });
        if view["state"]["turn"] == "second" || play(&other, &view).status != 200 {
            break view;
        }
    };
    if stuck["state"]["turn"] == "second" {
        assert_eq!(stuck["state"]["engine_error"]["code"], "game_not_saved", "{stuck}");
    }

    // With room on the disk it goes on where it was.
    drop(server);
    let server = Process::start(TEST, &folder);
    let after = server.send("GET", &path, &json!({})).ok();
    assert_eq!(after["nodes"], before["nodes"]);
    let name = after["state"]["moves"][0]["move"].clone();
    server.send("POST", &format!("{path}/moves"), &json!({ "move": name })).ok();
    drop(server);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_data_folder_has_one_server() {
    serve_if_child();
    let folder = new_folder("one-server");
    let mut first = Process::start("a_data_folder_has_one_server", &folder);
    tablero_registry::install(tablero_catalog::games());
    let start = || Server::start(Config { port: 0, ..Config::new(folder.clone()) });
    let Err(refused) = start() else { panic!("a second server") };
    let address = format!("http://127.0.0.1:{}/", first.port);
    assert!(refused.to_string().contains(&address), "{refused}");
    assert!(refused.to_string().contains("--data"), "{refused}");
    first.kill();
    let second = start().expect("the lock of a dead server does not count");
    let Err(refused) = start() else { panic!("a third server") };
    assert!(refused.to_string().contains(&second.url()), "{refused}");
    drop(second);
    fs::remove_dir_all(&folder).unwrap();
}
