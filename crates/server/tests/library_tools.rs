//! Folders, export of many games, and lines of play that are not stored.

mod common;

use common::Site;
use serde_json::{Value, json};

fn id(game: &Value) -> String {
    game["id"].as_str().expect("an id").into()
}

#[test]
fn games_are_kept_in_folders() {
    let site = Site::new("folders");
    let ids: Vec<String> =
        (0..3).map(|_| id(&site.new_game(&json!({"game": "tictactoe"})))).collect();
    let put = |id: &str, folder: &str| {
        site.send("PATCH", &format!("/api/games/{id}"), &json!({ "folder": folder }))
    };
    put(&ids[0], "Club").ok();
    put(&ids[1], " Ñandú & co ").ok();
    let all = site.get("/api/games").ok();
    assert_eq!(all["folders"], json!(["Club", "Ñandú & co"]));
    let found = site.get("/api/games?folder=Club").ok();
    assert_eq!((&found["total"], &found["games"][0]["id"]), (&json!(1), &json!(ids[0])));
    assert_eq!(found["games"][0]["folder"], "Club");
    let found = site.get("/api/games?folder=%C3%91and%C3%BA%20%26%20co").ok();
    assert_eq!(found["total"], 1);
    assert_eq!(site.get("/api/games?folder=club").ok()["total"], 0);
    put(&ids[0], "").ok();
    assert_eq!(site.get("/api/games").ok()["folders"], json!(["Ñandú & co"]));
    assert_eq!(put(&ids[0], &"x".repeat(201)).status, 400);
    // Files keep it.
    site.play(&ids[1], "a1");
    let pgn = site.get(&format!("/api/games/{}/export", ids[1])).text();
    assert!(pgn.contains("[Folder \"Ñandú & co\"]"), "{pgn}");
}

#[test]
fn many_games_are_exported_in_one_file() {
    let site = Site::new("bulk");
    let played = |game: &str, moves: &[&str]| {
        let id = id(&site.new_game(&json!({ "game": game })));
        moves.iter().for_each(|name| {
            site.play(&id, name);
        });
        id
    };
    let othello = played("othello", &["d3", "c3", "c4"]);
    played("othello", &["f5", "d6"]);
    played("othello", &[]);
    let chess = played("chess", &["e4", "e5"]);
    site.send("PATCH", &format!("/api/games/{othello}"), &json!({"folder": "Mine"})).ok();

    let pgn = site.get("/api/export?game=othello");
    assert_eq!(pgn.text().matches("[Event ").count(), 2, "those with moves: {}", pgn.text());
    assert!(pgn.head.contains("filename=\"othello-2-games.pgn\""), "{}", pgn.head);
    let one = site.get("/api/export?game=othello&folder=Mine").text();
    assert_eq!(one.matches("[Event ").count(), 1, "{one}");
    let ggf = site.get("/api/export?game=othello&format=ggf").text();
    assert_eq!(ggf.matches("(;GM[Othello]").count(), 2, "{ggf}");
    // What is exported can be imported again.
    let imported = site.request("POST", "/api/import?pick=all", "", pgn.text().as_bytes()).ok();
    assert_eq!(imported["created"].as_array().expect("created").len(), 2);

    assert!(site.get("/api/export?game=shobu").error(409).contains("no game"));
    assert!(site.get("/api/export?game=othello&format=doc").error(400).contains("available"));
    assert_eq!(site.get("/api/export?game=othello&companion=xyz").status, 400);
    assert_eq!(site.get("/api/export").status, 400);
    site.send("DELETE", &format!("/api/games/{chess}"), &json!({}));
    assert_eq!(site.get("/api/export?game=chess").status, 409);
}

#[test]
fn a_line_of_play_is_described_and_not_stored() {
    let site = Site::new("line");
    let line =
        |game: &str, body: &Value| site.send("POST", &format!("/api/catalog/{game}/line"), body);
    let start = line("othello", &json!({})).ok();
    assert_eq!(start["moves"].as_array().expect("moves").len(), 4);
    let after = line("othello", &json!({"moves": ["d3", "c3"]})).ok();
    assert_eq!((&after["node"]["ply"], &after["node"]["turn"]), (&json!(2), &json!("first")));
    assert_eq!(after["node"]["label"], "c3");
    let mate = line("chess", &json!({"moves": ["f3", "e5", "g4", "Qh4"]})).ok();
    assert_eq!(mate["node"]["end"]["winner"], "second");
    assert_eq!(mate["moves"], json!([]));
    assert!(line("chess", &json!({"moves": ["e5"]})).error(400).contains("e5"));
    assert_eq!(line("chess", &json!({"position": "nonsense"})).status, 400);
    assert_eq!(line("go", &json!({})).status, 404);
    assert_eq!(site.get("/api/games").ok()["total"], 0);
}
