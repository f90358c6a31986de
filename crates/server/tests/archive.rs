//! The archive over HTTP: import, search, explorer, openings; puzzles and progress.

mod common;

use std::fs;
use std::path::Path;

use common::{Site, wait_for};
use serde_json::{Value, json};

const GAMES: &str = "[Event \"Cup\"]\n[White \"Ana\"]\n[Black \"Bo\"]\n[Date \"2020.01.02\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n\
    [Event \"Open\"]\n[White \"Cleo\"]\n[Black \"Ana\"]\n[Date \"2021.??.??\"]\n\n1. e4 e5 2. Qh5 0-1\n\n\
    [Event \"Bad\"]\n\n1. e4 e9 *\n";

fn upload(site: &Site, import: &str, name: &str, bytes: &[u8]) {
    let path = format!("/api/archive/upload?import={import}&name={name}");
    let response = site.request("POST", &path, "Content-Type: application/octet-stream\r\n", bytes);
    assert_eq!(response.status, 204, "{response:?}");
}

/// Imports files and returns the finished import.
fn import(site: &Site, files: &[(&str, &[u8])]) -> Value {
    let begun = site.post("/api/archive/imports", &json!({}));
    let id = begun["id"].as_str().unwrap().to_owned();
    for (name, bytes) in files {
        upload(site, &id, name, bytes);
    }
    site.post(&format!("/api/archive/imports/{id}/start"), &json!({}));
    finished(site, &id)
}

fn finished(site: &Site, id: &str) -> Value {
    wait_for("the import", || {
        let all: Value = site.get("/api/archive/imports").ok();
        let one = all.as_array().unwrap().iter().find(|one| one["id"] == id)?.clone();
        (one["state"]["kind"] == "finished").then_some(one)
    })
}

#[test]
fn files_are_imported_searched_and_explored() {
    let site = Site::new("archive");
    let done = import(&site, &[("games.pgn", GAMES.as_bytes())]);
    assert_eq!((&done["games"], &done["skipped"]), (&json!(2), &json!(1)));
    assert_eq!(done["problems"][0]["game"], 3);
    let again = import(&site, &[("games.pgn", GAMES.as_bytes())]);
    assert_eq!((&again["games"], &again["duplicates"]), (&json!(0), &json!(2)));

    let found: Value = site.get("/api/archive/games?player=ana&from=2021").ok();
    assert_eq!(found["total"], 1);
    let game = &found["games"][0];
    assert_eq!((&game["players"][0], &game["event"]), (&json!("Cleo"), &json!("Open")));
    let sicilian: Value = site.get("/api/archive/games?opening=sicilian").ok();
    assert_eq!(sicilian["total"], 1);
    let by_position: Value =
        site.get("/api/archive/games?game=chess&position=start%20moves%20e2e4%20e7e5").ok();
    assert_eq!(by_position["total"], 1);
    assert_eq!(site.get("/api/archive/games?position=start").status, 400);

    let explored: Value =
        site.get("/api/archive/explore?game=chess&position=start%20moves%20e4").ok();
    assert_eq!(
        (&explored["games"], &explored["opening"]),
        (&json!(2), &json!("King's Pawn Opening"))
    );
    let moves = explored["moves"].as_array().unwrap();
    let c5 = moves.iter().find(|played| played["label"] == "c5").unwrap();
    // Black, who played it, lost.
    assert_eq!((&c5["wins"], &c5["losses"], &c5["name"]), (&json!(0), &json!(1), &json!("c7c5")));

    // Opened twice, it is one game of the library.
    let id = game["id"].as_i64().unwrap();
    let open =
        |id: i64| site.post(&format!("/api/archive/games/{id}/open"), &json!({}))["id"].clone();
    assert_eq!(open(id), open(id));
    assert_eq!(site.send("POST", "/api/archive/games/999/open", &json!({})).status, 404);
    let stats: Value = site.get("/api/archive/stats").ok();
    assert_eq!((&stats["games"], &stats["players"]), (&json!(2), &json!(3)));
}

#[test]
fn wthor_files_keep_their_names() {
    let site = Site::new("archive-wthor");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../othello/tests/data");
    let read = |name: &str| fs::read(samples.join(name)).unwrap();
    let (games, players, events) = (read("random.wtb"), read("random.jou"), read("random.trn"));
    let files: [(&str, &[u8]); 3] =
        [("WTH_2001.wtb", &games), ("WTHOR.JOU", &players), ("WTHOR.TRN", &events)];
    assert_eq!(import(&site, &files)["games"], 12);
    let found: Value = site.get("/api/archive/games?game=othello").ok();
    let named = |game: &&Value| game["players"][0] != "" && game["event"] != "";
    assert!(found["games"].as_array().unwrap().iter().any(|game| named(&game)));
}

#[test]
fn an_interrupted_import_goes_on_with_the_server() {
    let mut site = Site::new("archive-resume");
    // As a server leaves it that was killed during an import, and one that was killed while files were sent.
    for (id, started) in [("aaaaaaaaaa", true), ("bbbbbbbbbb", false)] {
        let folder = site.folder.join("imports").join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("games.pgn"), GAMES).unwrap();
        if started {
            fs::write(folder.join(".started"), "").unwrap();
        }
    }
    site.restart();
    assert_eq!(finished(&site, "aaaaaaaaaa")["games"], 2);
    wait_for("the folders", || {
        let left = fs::read_dir(site.folder.join("imports")).unwrap().count();
        (left == 0).then_some(())
    });
}

#[test]
fn bad_uploads_are_refused() {
    let site = Site::new("archive-bad");
    let path = "/api/archive/upload?import=nothing&name=x.pgn";
    assert_eq!(site.request("POST", path, "", b"1. e4").status, 404);
    let begun = site.post("/api/archive/imports", &json!({}));
    let id = begun["id"].as_str().unwrap();
    upload(&site, id, "..%2F..%2Fescape.pgn", b"1. e4 e5 *");
    assert!(!site.folder.join("escape.pgn").exists());
    assert!(site.folder.join("imports").join(id).join("escape.pgn").exists());
    assert_eq!(site.send("DELETE", &format!("/api/archive/imports/{id}"), &json!({})).status, 204);
    assert_eq!(site.send("DELETE", "/api/archive/imports/none", &json!({})).status, 404);
}

#[test]
fn openings_have_names_in_library_and_catalog() {
    let site = Site::new("archive-openings");
    let openings: Value = site.get("/api/catalog/othello/openings").ok();
    assert!(openings.as_array().unwrap().len() >= 40);
    let game =
        site.new_game(&json!({ "game": "othello", "position": "start moves f5 f6 e6 f4 e3" }));
    let list: Value = site.get("/api/games?game=othello").ok();
    assert_eq!(list["games"][0]["id"], game["id"]);
    assert_eq!(list["games"][0]["opening"], "Cow");
    let board: Value = site.get("/api/board?game=chess&position=start%20moves%20e4%20e6").ok();
    assert_eq!((&board["opening"], &board["turn"]), (&json!("French Defence"), &json!("first")));
    assert_eq!(board["moves"].as_array().unwrap().len(), 30);
}

#[test]
fn puzzles_from_files_are_rated_and_come_back() {
    let site = Site::new("puzzles");
    let suite = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\
        7k/5Q2/6K1/8/8/8/8/8 w - - bm Qg7#; id \"corner\";\n4k3/8/8/8/8/8/8/4K3 w - - id \"nothing\";\n";
    let path = "/api/puzzles/file?name=suite.epd";
    let made: Value = site.request("POST", path, "", suite.as_bytes()).ok();
    assert_eq!((&made["added"], &made["skipped"]), (&json!(2), &json!(1)));
    let puzzle: Value = site.get("/api/puzzles/next?game=chess").ok();
    assert_eq!((&puzzle["source"], &puzzle["origin"]), (&json!("suite"), &json!("back rank")));
    let attempts = format!("/api/puzzles/{}/attempts", puzzle["id"]);
    let wrong = site.post(&attempts, &json!({ "move": "d1d2" }));
    assert_eq!((&wrong["solved"], &wrong["solutions"]), (&json!(false), &json!(["Rd8#"])));
    assert!(wrong["ratings"][1].as_f64() < wrong["ratings"][0].as_f64());
    assert_eq!(site.post(&attempts, &json!({ "move": "d1d8" }))["solved"], true);
    let summary: Value = site.get("/api/puzzles?game=chess").ok();
    assert_eq!(
        (&summary["total"], &summary["new"], &summary["attempts"]),
        (&json!(2), &json!(1), &json!([2, 1]))
    );
    assert_eq!(site.get("/api/puzzles/next?game=othello").ok(), Value::Null);
    assert_eq!(site.send("POST", "/api/puzzles/99/attempts", &json!({ "move": "" })).status, 404);
}

#[test]
fn puzzles_from_the_archive_have_one_best_move() {
    let site = Site::new("puzzles-archive");
    // Scholar's mate, one move before the end, in many spellings of a game.
    let game = |player: u32| {
        format!(
            "[White \"{player}\"]\n[Black \"x\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n"
        )
    };
    let text: String = (0..5).map(game).collect();
    assert_eq!(import(&site, &[("games.pgn", text.as_bytes())])["games"], 5);
    site.post("/api/puzzles", &json!({ "game": "chess", "source": "archive", "count": 1 }));
    let summary = wait_for("a puzzle", || {
        let summary: Value = site.get("/api/puzzles?game=chess").ok();
        (summary["making"]["running"] == false).then_some(summary)
    });
    assert_eq!(summary["by_source"], json!([0, 1, 0]));
}

#[test]
fn progress_estimates_a_rating_and_adapts_the_level() {
    let site = Site::new("progress");
    let progress: Value = site.get("/api/progress?game=tictactoe").ok();
    assert_eq!((&progress["games"], &progress["rating"]), (&json!(0), &Value::Null));
    // A person resigns against level 3.
    let human = json!({ "player": "human", "name": "Ana" });
    let players = json!([human, { "player": "level 3", "name": "" }]);
    for _ in 0..3 {
        let game = site.new_game(&json!({ "game": "othello", "players": players }));
        let id = game["id"].as_str().unwrap();
        site.post(&format!("/api/games/{id}/end"), &json!({ "action": "resign", "side": "first" }));
    }
    let progress: Value = site.get("/api/progress?game=othello").ok();
    assert_eq!(progress["games"], 3);
    assert!(progress["rating"]["rating"].as_f64().unwrap() < 536.0, "{progress}");
    assert!(progress["rating"]["error"].as_f64().unwrap() > 50.0);
    let level = progress["level"].as_u64().unwrap();
    assert!(level < 3, "{progress}");
    let players = json!([human, { "player": "level adaptive", "name": "" }]);
    let game = site.new_game(&json!({ "game": "othello", "players": players }));
    assert_eq!(game["info"]["players"][1]["player"], format!("level {level}"));
}
