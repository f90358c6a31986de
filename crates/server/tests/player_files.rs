//! Files with players over HTTP: upload, check, play, evolve on, delete.

mod common;

use common::{Response, Site, wait_for};
use serde_json::{Value, json};

const EVL: &[u8] = include_bytes!("../../../weights/othello7-sci.evl");
const GENES: &[u8] = include_bytes!("../../../weights/shobu-pressure.genes");
const WEIGHTS: &[u8] = include_bytes!("../../../weights/othello-patterns.weights");
const NETWORK: &[u8] = include_bytes!("../../../weights/shobu-4x32.safetensors");
const KERAS: &[u8] = include_bytes!("../../nets/tests/keras/otelo.h5");

fn upload(site: &Site, name: &str, bytes: &[u8]) -> Response {
    let path = format!("/api/player-files?name={name}");
    site.request("POST", &path, "Content-Type: application/octet-stream\r\n", bytes)
}

fn names(site: &Site) -> Vec<String> {
    let files = site.get("/api/player-files").ok();
    let files = files.as_array().expect("a list").iter();
    files.map(|file| file["name"].as_str().expect("a name").into()).collect()
}

fn problem(site: &Site, game: &str, line: &str) -> Value {
    let path = format!("/api/catalog/{game}/check-player");
    site.post(&path, &json!({ "player": line }))["problem"].clone()
}

#[test]
fn every_kind_of_file_becomes_a_player() {
    let mut site = Site::new("player-files");
    assert_eq!(names(&site), [""; 0]);
    let added = upload(&site, "player100aSCI.evl", EVL).ok();
    assert_eq!((&added["game"], &added["kind"]), (&json!("othello"), &json!("genomes")), "{added}");
    assert_eq!((&added["detail"], &added["generations"]), (&json!("sci"), &json!(100)));
    assert_eq!(added["individuals"], 30);
    assert_eq!(added["player"], "alphabeta depth=4 eval=file:player100aSCI.evl");
    let others = [
        ("a.genes", GENES, "shobu"),
        ("b.weights", WEIGHTS, "othello"),
        ("c.safetensors", NETWORK, "shobu"),
        ("red_otelo.h5", KERAS, "othello"),
    ];
    for (name, bytes, game) in others {
        let added = upload(&site, name, bytes).ok();
        assert_eq!(added["game"], game, "{added}");
        assert_eq!(added["bytes"], bytes.len());
        assert!(problem(&site, game, added["player"].as_str().unwrap()).is_null(), "{added}");
    }
    // The same file is kept once; another of the same name gets a number.
    assert_eq!(upload(&site, "player100aSCI.evl", EVL).ok()["name"], "player100aSCI.evl");
    let mut changed = EVL.to_vec();
    changed.push(b'\n');
    let second = upload(&site, "..%2Fplayer100aSCI.EVL", &changed).ok();
    assert_eq!(second["name"], "player100aSCI-2.evl");

    site.restart();
    assert_eq!(names(&site).len(), 6);
    assert!(names(&site).contains(&"c.safetensors".into()));

    // A person plays against the file, and against its third individual.
    for line in
        ["minimax depth=1 eval=file:player100aSCI.evl", "greedy eval=file:player100aSCI.evl#3"]
    {
        let seats = json!([{"player": "human"}, {"player": line}]);
        let game = site.new_game(&json!({"game": "othello", "players": seats}));
        let game = game["id"].as_str().unwrap();
        site.play(game, "d3");
        let settled = site.settled(game);
        assert_eq!(settled["state"]["current"], 2, "{}", settled["state"]);
        assert!(settled["state"]["engine_error"].is_null());
    }
}

#[test]
fn bad_files_are_refused() {
    let site = Site::new("player-files-bad");
    let code =
        |response: &Response| response.json()["code"].as_str().unwrap_or_default().to_owned();
    let text = upload(&site, "game.tab", b"0 0 0").error(400);
    assert!(text.contains(".evl, .genes, .weights, .safetensors, .keras, .h5"), "{text}");
    let damaged = upload(&site, "x.evl", &EVL[..EVL.len() / 2]);
    assert_eq!((damaged.status, &*code(&damaged)), (400, "malformed_file"), "{damaged:?}");
    let expected = damaged.json()["params"]["expected"].clone();
    assert!(expected["es"].as_str().unwrap().contains("polinomio"), "{expected}");
    let text = upload(&site, "x.genes", b"\x00\xffnothing").error(400);
    assert!(text.contains("not text"), "{text}");
    let other_game = String::from_utf8(GENES.to_vec()).unwrap().replace("shobu", "go");
    let text = upload(&site, "x.genes", other_game.as_bytes()).error(400);
    assert!(text.contains("go") && text.contains("othello"), "{text}");
    for (name, bytes) in [("x.weights", NETWORK), ("x.safetensors", WEIGHTS), ("x.weights", b"")] {
        let refused = upload(&site, name, bytes);
        assert_eq!(refused.status, 400, "{name}: {refused:?}");
        let text = refused.text();
        assert!(!text.contains("/tablero-"), "no paths of the server: {text}");
    }
    let mut damaged = NETWORK.to_vec();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    assert_eq!(code(&upload(&site, "x.safetensors", &damaged)), "invalid_network_file");
    assert_eq!(names(&site), [""; 0]);
    let left = std::fs::read_dir(site.folder.join("players")).unwrap().count();
    assert_eq!(left, 0, "nothing is left behind");
}

#[test]
fn names_in_player_lines_are_checked() {
    let site = Site::new("player-files-names");
    upload(&site, "p.evl", EVL).ok();
    let message = |game: &str, line: &str| -> String {
        problem(&site, game, line)["message"].as_str().unwrap_or_default().into()
    };
    assert_eq!(message("othello", "minimax eval=file:p.evl"), "");
    assert_eq!(message("othello", "minimax eval=file:p.evl#30"), "");
    assert!(message("othello", "minimax eval=file:p.evl#31").contains("1 to 30"));
    assert!(message("shobu", "minimax eval=file:p.evl").contains("for othello, not for shobu"));
    for name in ["q.evl", "p.evl.json", "../players/p.evl", "", "%2e%2e", "p.genes"] {
        let text = message("othello", &format!("minimax eval=file:{name}"));
        assert!(text.contains("no player file"), "{name}: {text}");
    }
    // Paths of the user's own are still refused.
    let path = site.folder.join("players/p.evl");
    let text = message("othello", &format!("minimax eval={}", path.display()));
    assert!(text.contains("files are not read here"), "{text}");

    assert_eq!(site.request("DELETE", "/api/player-files/q.evl", "", b"").status, 404);
    assert_eq!(site.request("DELETE", "/api/player-files/..%2Fgames", "", b"").status, 404);
    assert_eq!(site.request("DELETE", "/api/player-files/p.evl", "", b"").status, 204);
    assert_eq!(names(&site), [""; 0]);
    assert!(message("othello", "minimax eval=file:p.evl").contains("no player file"));
}

#[test]
fn an_evolution_goes_on_from_a_file() {
    let site = Site::new("player-files-evolve");
    upload(&site, "p.evl", EVL).ok();
    upload(&site, "n.safetensors", NETWORK).ok();
    let request = json!({
        "game": "othello", "genome": "sci", "scheme": "othello7 population=2", "generations": 1,
        "player": "greedy", "initial_file": "p.evl",
    });
    let id = site.post("/api/evolutions", &request)["id"].as_str().unwrap().to_owned();
    wait_for("the evolution", || {
        let job = site.get(&format!("/api/jobs/{id}")).ok();
        assert_ne!(job["summary"]["status"], "failed", "{job}");
        (job["summary"]["status"] == "finished").then_some(())
    });
    // The file has a hundred generations behind it.
    let file = site.get(&format!("/api/jobs/{id}/generations/101/file")).text();
    assert!(file.contains("p.evl"), "the parent is recorded: {file}");

    let refused = |change: Value| -> String {
        let mut request = request.clone();
        for (name, value) in change.as_object().unwrap() {
            request[name] = value.clone();
        }
        site.send("POST", "/api/evolutions", &request).error(400)
    };
    assert!(refused(json!({"genome": "jma"})).contains("`sci`, not `jma`"));
    assert!(refused(json!({"initial_file": "n.safetensors"})).contains("not text"));
    assert!(refused(json!({"initial": {"job": id, "generation": 1}})).contains("either"));
    let mut request = request.clone();
    request["initial_file"] = json!("q.evl");
    site.send("POST", "/api/evolutions", &request).error(404);
}
