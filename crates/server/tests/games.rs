//! Games over HTTP: play, edit, save, search, export, import.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Site, wait_for};
use serde_json::{Value, json};
use tablero_server::{Config, Server};

fn id(game: &Value) -> String {
    game["id"].as_str().expect("an id").into()
}

fn names(moves: &Value) -> Vec<&str> {
    moves.as_array().expect("a list").iter().filter_map(|m| m["move"].as_str()).collect()
}

#[test]
fn the_catalog_lists_all_games() {
    let site = Site::new("catalogue");
    let games = site.get("/api/catalog").ok();
    let names: Vec<_> = games.as_array().unwrap().iter().map(|game| &game["name"]).collect();
    assert_eq!(names, ["othello", "chess", "shobu", "connectfour", "tictactoe"]);
    for game in games.as_array().unwrap() {
        let board = &game["board"];
        let cells =
            board["columns"].as_array().unwrap().len() * board["rows"].as_array().unwrap().len();
        assert_eq!(board["start"].as_str().unwrap().len(), cells, "{game}");
        assert_eq!(board["grounds"].as_str().unwrap().len(), cells, "{game}");
        let name = game["name"].as_str().unwrap();
        let players = site.get(&format!("/api/catalog/{name}/players")).ok();
        assert!(players["levels"].as_array().unwrap().len() >= 3, "{players}");
        for lang in ["en", "es"] {
            let rules = site.get(&format!("/api/catalog/{name}/rules?lang={lang}")).ok();
            let paragraphs = rules["paragraphs"].as_array().unwrap();
            assert!(
                paragraphs.iter().all(|one| one["text"].as_str().unwrap().len() > 10),
                "{rules}"
            );
        }
    }
    assert!(site.get("/api/catalog/go/players").error(404).contains("othello"));
    assert!(site.get("/api/catalog/chess/rules?lang=xx").error(400).contains("en"));
    assert!(site.get("/api/nothing").error(404).contains("openapi"));
    assert_eq!(site.get("/api/openapi.json").ok()["info"]["title"], "Tablero");
}

#[test]
fn moves_describe_their_effect_on_the_board() {
    let site = Site::new("moves");
    let game = site.new_game(&json!({"game": "othello"}));
    assert_eq!(names(&game["state"]["moves"]), ["d3", "c4", "f5", "e6"]);
    let shape = &game["state"]["moves"][2]["shape"];
    assert_eq!(*shape, json!({"kind": "place", "to": 37, "flips": [36]}));
    let after = site.play(&id(&game), "f5");
    assert_eq!(after["since"], game["version"]);
    assert!(after["version"].as_u64() > after["since"].as_u64());
    let node = &after["nodes"][1];
    assert_eq!(node["pieces"], json!([4, 1]));
    assert_eq!(node["touched"], json!([37]));
    assert_eq!(node["cells"].as_str().unwrap().chars().nth(36), Some('X'));

    let game = site.new_game(&json!({"game": "shobu", "rules": "across"}));
    assert_eq!(game["info"]["rules"], "across");
    assert_eq!(game["nodes"][0]["boards"], json!([[4, 4], [4, 4], [4, 4], [4, 4]]));
    let turn = game["state"]["moves"][0]["shape"].clone();
    assert_eq!(turn["kind"], "turn");
    let first = game["state"]["moves"][0]["move"].as_str().unwrap();
    let next = site.play(&id(&game), first);
    let second = next["state"]["moves"][0]["move"].as_str().unwrap();
    let numbers =
        [&next, &site.play(&id(&game), second)].map(|view| view["nodes"][1]["number"].clone());
    let number = |by: &str| json!({"number": 1, "by": by});
    assert_eq!(numbers, [number("first"), number("second")], "pairs are counted");
    assert!(turn["passive"]["from"].is_u64() && turn["aggressive"]["to"].is_u64(), "{turn}");

    let position = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let game = site.new_game(&json!({"game": "chess", "position": position}));
    let moves = game["state"]["moves"].as_array().unwrap();
    let en_passant = moves.iter().find(|m| m["label"] == "dxe3").expect("en passant");
    assert_eq!(
        *en_passant,
        json!({"move": "d4e3", "label": "dxe3", "shape":
            {"kind": "slide", "from": 35, "to": 44, "promotion": null, "takes": 36}})
    );
    let after = site.play(&id(&game), "dxe3");
    assert_eq!(after["nodes"][1]["captured"], json!(["", "P"]));
    assert_eq!(after["nodes"][1]["number"], json!({"number": 1, "by": "second"}));
    assert!(!after["info"]["is_default_start"].as_bool().unwrap());
}

#[test]
fn a_game_is_played_to_the_end_and_undone() {
    let site = Site::new("end");
    let game = site.new_game(&json!({"game": "tictactoe"}));
    let id = id(&game);
    for name in ["a1", "b1", "a2", "b2"] {
        site.play(&id, name);
    }
    let won = site.play(&id, "a3");
    assert_eq!(won["state"]["end"], json!({"winner": "first", "margin": null, "reason": "played"}));
    assert_eq!(won["state"]["moves"], json!([]));
    let over = site.send("POST", &format!("/api/games/{id}/moves"), &json!({"move": "c3"}));
    assert!((400..500).contains(&over.status), "{}", over.text());
    let list = site.get("/api/games?result=first").ok();
    assert_eq!((&list["total"], &list["games"][0]["id"]), (&json!(1), &json!(id)));

    let back = site.post(&format!("/api/games/{id}/undo"), &json!({}));
    assert!(back["state"]["end"].is_null(), "{back}");
    assert_eq!(site.get("/api/games?result=unfinished").ok()["total"], 1);
    let other = site.play(&id, "c3");
    let main = site.game(&id)["nodes"][4]["children"].clone();
    assert_eq!(main, json!([5, 6]), "the other move is a variation");
    assert_eq!(other["state"]["current"], 6);
    let back = site.post(&format!("/api/games/{id}/undo"), &json!({}));
    assert_eq!(back["state"]["redo"], 6);
    let again = site.post(&format!("/api/games/{id}/redo"), &json!({}));
    assert_eq!(again["state"]["current"], 6);

    let resigned = site.post(&format!("/api/games/{id}/end"), &json!({"action": "resign"}));
    assert_eq!(
        resigned["state"]["end"],
        json!({"winner": "first", "margin": null, "reason": "resignation"})
    );
    let twice =
        site.send("POST", &format!("/api/games/{id}/end"), &json!({"action": "agree_draw"}));
    assert!(twice.error(409).contains("over"));
}

#[test]
fn an_engine_replies_and_undo_takes_back_both_plies() {
    let site = Site::new("engine");
    let seats = json!([{"name": "Ana", "player": "human"}, {"player": "level easy"}]);
    for game in ["othello", "chess", "shobu", "connectfour", "tictactoe"] {
        let created = site.new_game(&json!({"game": game, "players": seats}));
        let (id, first) = (id(&created), names(&created["state"]["moves"])[0].to_owned());
        let played = site.play(&id, &first);
        assert!(played["state"]["undo"].is_u64(), "{played}");
        let settled = site.settled(&id);
        assert_eq!(settled["state"]["current"], 2, "{game}: {}", settled["state"]);
        assert_eq!(settled["state"]["turn"], "first");
        let back = site.post(&format!("/api/games/{id}/undo"), &json!({}));
        assert_eq!((&back["state"]["current"], &back["state"]["redo"]), (&json!(0), &json!(2)));
        let again = site.post(&format!("/api/games/{id}/redo"), &json!({}));
        assert_eq!(again["state"]["current"], 2);
    }
    // A paused engine waits for `step`.
    let seats = json!([{"player": "random"}, {"player": "human"}]);
    let created = site.new_game(&json!({"game": "othello", "players": seats, "paused": true}));
    let id = id(&created);
    assert!(created["state"]["thinking"].is_null());
    site.post(&format!("/api/games/{id}/step"), &json!({}));
    assert_eq!(site.settled(&id)["state"]["current"], 1);
    let stepped = site.post(&format!("/api/games/{id}/step"), &json!({"player": "greedy"}));
    assert_eq!(stepped["state"]["thinking"], "second", "an engine moves for the human");
    assert_eq!(site.settled(&id)["state"]["current"], 2);
}

#[test]
fn games_survive_a_restart() {
    let mut site = Site::new("restart");
    let seats = json!([{"name": "Ana", "player": "human"}, {"name": "Bo", "player": "human"}]);
    let clock = json!({"kind": "fischer", "main_ms": 60000, "increment_ms": 1000});
    let game = site.new_game(&json!({"game": "chess", "players": seats, "clock": clock}));
    let id = id(&game);
    site.play(&id, "e4");
    site.play(&id, "e5");
    site.post(&format!("/api/games/{id}/moves"), &json!({"move": "c5", "node": 1}));
    let change = json!({"comment": "Sicilian", "glyphs": [5]});
    site.send("PATCH", &format!("/api/games/{id}/nodes/3"), &change).ok();
    let before = site.game(&id);
    site.restart();
    let after = site.game(&id);
    for part in ["nodes", "info"] {
        assert_eq!(after[part], before[part]);
    }
    assert_eq!(after["state"]["current"], 3);
    assert_eq!(after["state"]["clock"]["left_ms"], before["state"]["clock"]["left_ms"]);
    let seats = json!([{"player": "human"}, {"player": "level easy"}]);
    site.send("PATCH", &format!("/api/games/{id}"), &json!({ "players": seats })).ok();
    site.play(&id, "Nf3");
    site.restart();
    let game = wait_for("the engine after a restart", || {
        let game = site.settled(&id);
        site.post(&format!("/api/games/{id}/step"), &json!({}));
        (game["state"]["current"].as_u64()? >= 5).then_some(game)
    });
    assert!(game["state"]["engine_error"].is_null());
}

#[test]
fn move_trees_are_edited() {
    let site = Site::new("tree");
    let id = id(&site.new_game(&json!({"game": "chess"})));
    site.play(&id, "e4");
    site.play(&id, "e5");
    let line = |at: u32, name: &str| {
        let body = json!({"move": name, "node": at});
        site.post(&format!("/api/games/{id}/moves"), &body)["state"]["current"].as_u64().unwrap()
    };
    assert_eq!(line(1, "c5"), 3);
    assert_eq!(line(3, "Nf3"), 4);
    assert_eq!(line(1, "c5"), 3, "the move is in the tree already");
    let promoted = site.post(&format!("/api/games/{id}/nodes/4/promote"), &json!({}));
    assert_eq!(promoted["nodes"][0]["children"], json!([3, 2]));
    let again = site.send("POST", &format!("/api/games/{id}/nodes/4/promote"), &json!({}));
    assert!(again.error(409).contains("main line"));
    let moves = site.get(&format!("/api/games/{id}/nodes/4/moves")).ok();
    assert!(names(&moves["moves"]).contains(&"d7d6"), "{moves}");
    let deleted = site.send("DELETE", &format!("/api/games/{id}/nodes/3"), &json!({})).ok();
    assert_eq!(deleted["removed"], json!([3, 4]));
    assert_eq!(deleted["state"]["current"], 1, "the parent is current");
    assert!(
        site.send("DELETE", &format!("/api/games/{id}/nodes/0"), &json!({}))
            .error(409)
            .contains("start")
    );
    assert!(site.get(&format!("/api/games/{id}/nodes/99/moves")).error(404).contains("99"));
    let put = site.send("PUT", &format!("/api/games/{id}/current"), &json!({"node": 2})).ok();
    assert_eq!(put["state"]["current"], 2);
}

#[test]
fn files_are_exported_and_imported() {
    let site = Site::new("files");
    let id_of_new = id(&site.new_game(&json!({"game": "othello"})));
    for name in ["f5", "d6", "c3", "d3"] {
        site.play(&id_of_new, name);
    }
    site.post(&format!("/api/games/{id_of_new}/moves"), &json!({"move": "f4", "node": 1}));
    for format in ["pgn", "ggf", "transcript", "obf", "tab", "wthor"] {
        let file = site.get(&format!("/api/games/{id_of_new}/export?format={format}"));
        assert_eq!(file.status, 200, "{format}: {}", file.text());
        assert!(file.head.contains("content-disposition: attachment"), "{}", file.head);
        let back = site.request(
            "POST",
            &format!("/api/import?format={format}&game=othello"),
            "",
            &file.body,
        );
        let back = back.ok();
        assert_eq!((&back["format"], &back["count"]), (&json!(format), &json!(1)), "{back}");
        assert_eq!(back["created"].as_array().unwrap().len(), 1);
        if format == "pgn" {
            let game = site.game(back["created"][0].as_str().unwrap());
            assert_eq!(game["nodes"].as_array().unwrap().len(), 6, "with the variation");
        }
    }
    let invalid = site.get(&format!("/api/games/{id_of_new}/export?format=doc"));
    assert!(invalid.error(400).contains("pgn"));

    // Of several games none is imported without `pick`.
    let two = "1. e4 e5 *\n\n[White \"Ana\"]\n\n1. d4 d5 1/2-1/2\n";
    let looked = site.request("POST", "/api/import?game=chess", "", two.as_bytes()).ok();
    assert_eq!((&looked["count"], &looked["created"]), (&json!(2), &json!([])));
    assert_eq!(looked["records"][1]["players"][0], "Ana");
    let picked = site.request("POST", "/api/import?game=chess&pick=1", "", two.as_bytes()).ok();
    let game = site.game(picked["created"][0].as_str().unwrap());
    assert_eq!(game["state"]["end"]["winner"], Value::Null);
    assert_eq!(game["state"]["end"]["reason"], "unknown");
    // Games that cannot be read are skipped and reported.
    let damaged = "[White \"Eva\"]\n\n1. e4 Qz9 *\n\n[White \"Ana\"]\n\n1. d4 *\n";
    let rest = site.request("POST", "/api/import?game=chess&pick=all", "", damaged.as_bytes());
    let rest = rest.ok();
    assert_eq!(rest["created"].as_array().unwrap().len(), 1);
    assert_eq!((&rest["count"], &rest["skipped"]), (&json!(1), &json!(1)));
    let skipped = &rest["skipped_games"][0];
    assert_eq!((&skipped["number"], &skipped["found"]["en"]), (&json!(1), &json!("`Qz9`")));
    assert_eq!(skipped["location"], json!({"line": 3, "column": 7}));
    let utf16 = site.request("POST", "/api/import", "", b"\xff\xfe1\0.\0").error(400);
    assert!(utf16.contains("UTF-8"), "{utf16}");
    assert!(site.request("POST", "/api/import?pick=x", "", b"1. e4").error(400).contains("pick"));
    let text = site.request("POST", "/api/import", "", b"hello there").error(400);
    assert!(text.contains("hello there") && text.contains("pgn"), "{text}");
    // The name of an upload is not used as a path.
    let name = "/api/import?name=..%2F..%2Fetc%2Fpasswd";
    assert_eq!(site.request("POST", name, "", b"f5d6").ok()["game"], "othello");
}

#[test]
fn lines_are_shared_and_branched() {
    let site = Site::new("share");
    let id_of_new = id(&site.new_game(&json!({"game": "chess"})));
    for name in ["e4", "c5", "Nf3"] {
        site.play(&id_of_new, name);
    }
    let share = site.get(&format!("/api/games/{id_of_new}/share?node=2")).ok();
    assert_eq!(share["text"], "chess~standard~~e2e4.c7c5");
    let opened = site.post("/api/share", &share);
    assert_eq!(opened["state"]["current"], 2);
    let branch = json!({"node": 2, "position_only": true});
    let game = site.post(&format!("/api/games/{id_of_new}/branch"), &branch);
    assert_eq!(game["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(game["nodes"][0]["position"], opened["nodes"][2]["position"]);
    let share = site.get(&format!("/api/games/{}/share", id(&game))).ok();
    let opened = site.post("/api/share", &share);
    assert_eq!(opened["nodes"][0]["position"], game["nodes"][0]["position"]);
    for wrong in ["", "chess", "go~x~~", "chess~standard~~e2e5", "chess~standard~nonsense~"] {
        let answer = site.send("POST", "/api/share", &json!({ "text": wrong }));
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
    }
}

#[test]
fn positions_are_checked() {
    let site = Site::new("positions");
    let check =
        |game: &str, body: &Value| site.post(&format!("/api/catalog/{game}/check-position"), body);
    for game in ["othello", "chess", "shobu", "connectfour", "tictactoe"] {
        let catalog = site.get("/api/catalog").ok();
        let about = catalog.as_array().unwrap().iter().find(|g| g["name"] == game).unwrap().clone();
        let board = json!({"cells": about["board"]["start"], "turn": "first"});
        let right = check(game, &json!({ "board": board }));
        assert!(right["problem"].is_null(), "{right}");
        let usual = site.new_game(&json!({ "game": game }));
        assert_eq!(right["position"], usual["info"]["start"], "{game}");
        let wrong = check(game, &json!({"board": {"cells": "..", "turn": "first"}}));
        assert!(wrong["problem"]["message"].as_str().unwrap().contains("cells"), "{wrong}");
        let none = check(game, &json!({}));
        assert!(none["problem"]["message"].as_str().unwrap().contains("either"), "{none}");
    }
    let kings = format!("K{}K", ".".repeat(62));
    let wrong = check("chess", &json!({"board": {"cells": kings, "turn": "first"}}));
    assert!(wrong["problem"].is_object(), "{wrong}");
    let odd = format!("z{}", ".".repeat(63));
    let wrong = check("chess", &json!({"board": {"cells": odd, "turn": "first"}}));
    assert!(wrong["problem"]["message"].as_str().unwrap().contains("no piece `z`"), "{wrong}");
    let over = check("othello", &json!({"board": {"cells": ".".repeat(64), "turn": "second"}}));
    assert_eq!(over["is_over"], true);
    let number = site.new_game(&json!({"game": "chess", "rules": "chess960", "start_number": 0}));
    assert!(number["info"]["start"].as_str().unwrap().contains("BBQNNRKR"), "{number}");
}

#[test]
fn errors_name_what_would_be_valid() {
    let site = Site::new("bad");
    let id = id(&site.new_game(&json!({"game": "othello"})));
    let create = |body: Value| site.send("POST", "/api/games", &body);
    assert!(create(json!({"game": "go"})).error(400).contains("othello"));
    assert!(create(json!({"game": "chess", "rules": "atomic"})).error(400).contains("chess960"));
    assert!(create(json!({"game": "chess", "position": "x"})).error(400).contains("column"));
    assert!(create(json!({"gme": "chess"})).error(422).contains("gme"));
    let clock = json!({"kind": "per_move", "ms": 1});
    assert!(create(json!({"game": "chess", "clock": clock})).error(400).contains("100 ms"));
    let seats = json!([{"player": "human"}, {"player": "level 99"}]);
    assert!(create(json!({"game": "chess", "players": seats})).error(400).contains("level"));
    let path = format!("/api/games/{id}/moves");
    let play = |body: Value| site.send("POST", &path, &body);
    assert!(play(json!({"move": "a1"})).error(400).contains("d3, c4, f5, e6"));
    assert!(play(json!({"move": "f5", "node": 7})).error(404).contains("7"));
    // Errors are data: a code and parameters.
    let illegal = play(json!({"move": "a1"})).json();
    assert_eq!(
        (&illegal["code"], &illegal["params"]["name"]),
        (&json!("illegal_move"), &json!("a1"))
    );
    assert_eq!(illegal["params"]["legal"], json!(["d3", "c4", "f5", "e6"]), "{illegal}");
    let invalid = create(json!({"game": "chess", "position": "x"})).json();
    assert_eq!(invalid["params"]["location"], json!({"line": 1, "column": 1}), "{invalid}");
    let missing = create(json!({"game": "go"})).json();
    assert_eq!(
        (&missing["code"], &missing["params"]["name"]),
        (&json!("unknown_game"), &json!("go"))
    );
    let available = missing["params"]["available"].as_array().unwrap();
    assert!(available.contains(&json!("shobu")), "{missing}");
    let undo = site.send("POST", &format!("/api/games/{id}/undo"), &json!({})).json();
    assert_eq!(undo, json!({"code": "nothing_to_undo", "message": "there is no move to undo"}));
    let broken = site.request("POST", &path, "Content-Type: application/json\r\n", b"{");
    assert!(broken.error(400).contains("JSON"), "{}", broken.text());
    assert!(site.get("/api/games/none").error(404).contains("none"));
    assert!(
        site.send("POST", &format!("/api/games/{id}/undo"), &json!({})).error(409).contains("undo")
    );
    assert!(site.get("/api/games?result=lost").error(400).contains("unfinished"));
    assert_eq!(site.send("DELETE", &path, &json!({})).status, 404);
    assert_eq!(site.request("DELETE", &format!("/api/games/{id}"), "", b"").status, 204);
    assert_eq!(site.get(&format!("/api/games/{id}")).status, 404);
}

#[test]
fn the_library_is_searched_and_lists_broken_files() {
    let mut site = Site::new("library");
    for (game, name) in [("chess", "Ana"), ("othello", "Bo"), ("othello", "Ana")] {
        let seats = json!([{"name": name, "player": "human"}, {"player": "level easy"}]);
        site.new_game(&json!({"game": game, "players": seats}));
    }
    let total = |site: &Site, query: &str| {
        site.get(&format!("/api/games?{query}")).ok()["total"].as_u64().unwrap()
    };
    assert_eq!(total(&site, ""), 3);
    assert_eq!(total(&site, "game=othello"), 2);
    assert_eq!(total(&site, "player=ana"), 2);
    assert_eq!(total(&site, "player=easy&game=chess"), 1);
    assert_eq!(total(&site, "text=bo"), 1);
    let page = site.get("/api/games?per_page=2&page=1").ok();
    assert_eq!((&page["total"], page["games"].as_array().unwrap().len()), (&json!(3), 1));
    let config = Config { port: 0, ..Config::new(site.folder.clone()) };
    let error = Server::start(config).err().expect("the folder is locked").to_string();
    assert!(error.contains(&site.url()), "{error}");
    fs::write(site.folder.join("games/broken.json"), "{").unwrap();
    site.restart();
    let list = site.get("/api/games").ok();
    assert_eq!((&list["total"], list["broken"].as_array().unwrap().len()), (&json!(3), 1));
    assert_eq!(list["broken"][0]["problem"]["code"], "invalid_game_file");
}

#[test]
fn names_are_truncated_for_wthor_and_reported() {
    let site = Site::new("wthor");
    let seats = json!([
        {"name": "Łucja Wiśniewska-Kowalczyk", "player": "human"},
        {"name": "Bo", "player": "human"}
    ]);
    let id = id(&site.new_game(&json!({"game": "othello", "players": seats})));
    site.play(&id, "f5");
    let file = site.get(&format!("/api/games/{id}/export?format=wthor"));
    assert_eq!(file.status, 200, "{}", file.text());
    let renamed = file.head.lines().find_map(|line| line.strip_prefix("tablero-renamed: "));
    let renamed: Value = serde_json::from_str(renamed.expect("the header")).expect("JSON");
    // The test client lowercases headers.
    assert_eq!(renamed, json!([["Łucja wiśniewska-kowalczyk", "?ucja wi?niewska-ko"]]));
    let back = site.request("POST", "/api/import?format=wthor&game=othello", "", &file.body).ok();
    assert_eq!(back["count"], 1, "without the companion files");
    let names = site.get(&format!("/api/games/{id}/export?format=wthor&companion=jou"));
    assert!(String::from_utf8_lossy(&names.body).contains("?ucja Wi?niewska-Ko"));
    let pgn = site.get(&format!("/api/games/{id}/export?format=pgn"));
    assert!(pgn.text().contains("Łucja") && !pgn.head.contains("tablero-renamed"));
}

#[test]
fn the_result_of_an_imported_game_survives_undo() {
    let site = Site::new("recorded");
    let text = b"[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 0-1\n";
    let imported = site.request("POST", "/api/import?game=chess", "", text).ok();
    let id = imported["created"][0].as_str().unwrap().to_owned();
    let export = || site.get(&format!("/api/games/{id}/export?format=pgn")).text();
    let back = site.post(&format!("/api/games/{id}/undo"), &json!({}));
    assert!(back["state"]["end"].is_null(), "{back}");
    assert_eq!(
        (&back["state"]["ended"], &back["state"]["result"]["winner"]),
        (&json!(4), &json!("second"))
    );
    assert!(export().contains("0-1"));
    // A variation does not change it, either.
    site.play(&id, "d6");
    assert!(export().contains("0-1"));
    site.post(&format!("/api/games/{id}/undo"), &json!({}));
    let there = site.send("PUT", &format!("/api/games/{id}/current"), &json!({"node": 4})).json();
    assert_eq!(there["state"]["end"]["winner"], "second");

    // In a game that is played here, another move replaces the end that was taken back.
    let id = self::id(&site.new_game(&json!({"game": "tictactoe"})));
    for name in ["a1", "b1", "a2", "b2", "a3"] {
        site.play(&id, name);
    }
    site.post(&format!("/api/games/{id}/undo"), &json!({}));
    let again = site.post(&format!("/api/games/{id}/redo"), &json!({}));
    assert_eq!(again["state"]["end"]["winner"], "first");
    site.post(&format!("/api/games/{id}/undo"), &json!({}));
    let other = site.play(&id, "c3");
    assert!(other["state"]["ended"].is_null(), "{other}");
}

#[test]
fn a_shared_link_is_copied_once() {
    let site = Site::new("copies");
    let share = json!({"text": "chess~standard~~e2e4.c7c5"});
    let first = id(&site.post("/api/share", &share));
    assert_eq!(id(&site.post("/api/share", &share)), first);
    site.play(&first, "Nf3");
    assert_ne!(id(&site.post("/api/share", &share)), first, "it has become another game");
}

#[test]
fn chess960_starts_at_random() {
    let site = Site::new("random-start");
    let start =
        || site.new_game(&json!({"game": "chess", "rules": "chess960"}))["info"]["start"].clone();
    let first = start();
    assert!((0..20).any(|_| start() != first));
}

#[test]
fn games_without_moves_are_not_started() {
    let site = Site::new("started");
    let empty = id(&site.new_game(&json!({"game": "chess"})));
    let started = id(&site.new_game(&json!({"game": "chess"})));
    site.play(&started, "e4");
    site.post(&format!("/api/games/{started}/undo"), &json!({}));
    let list = site.get("/api/games?result=unfinished&started=true").ok();
    assert_eq!((&list["total"], &list["games"][0]["id"]), (&json!(1), &json!(started)), "{empty}");
    assert_eq!(site.get("/api/games?result=unfinished").ok()["total"], 2);
}

/// Lines may start external engines only if the server allows it.
#[cfg(unix)]
#[test]
fn external_engines_play_where_they_are_allowed() {
    use std::os::unix::fs::PermissionsExt as _;
    let engine = std::env::temp_dir().join(format!("tablero-engine-{}", std::process::id()));
    let script = r#"#!/bin/sh
        moves=0
        while read -r line; do case $line in
            uci) echo uciok;;
            isready) echo readyok;;
            ucinewgame) echo new >> "$0.log";;
            go*) moves=$((moves + 1)); set -- e7e5 b8c6 a7a6 a7a6; eval "echo bestmove \${$moves}";;
            quit) exit;;
        esac; done"#;
    fs::write(&engine, script).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("uci {}", engine.display());
    let game = json!({"game": "chess", "players": [{"player": "human"}, {"player": line}]});

    let closed = Site::new("engines-closed");
    assert!(closed.send("POST", "/api/games", &game).error(400).contains("not allowed"));
    assert_eq!(closed.get("/api/about").ok()["allows_engines"], false);

    let open = Site::with("engines-open", |config| config.allow_engines = true);
    assert_eq!(open.get("/api/about").ok()["allows_engines"], true);
    let id = id(&open.new_game(&game));
    open.play(&id, "e4");
    let settled = open.settled(&id);
    assert!(settled["state"]["engine_error"].is_null(), "{}", settled["state"]);
    let last = settled["nodes"].as_array().unwrap().last().unwrap();
    assert_eq!(last["label"], "e5", "{last}");

    // One process plays the whole game and gets `ucinewgame` only once.
    let log = PathBuf::from(format!("{}.log", engine.display()));
    let new_games = || fs::read_to_string(&log).unwrap().lines().count();
    for (m, answer) in [("Nf3", "Nc6"), ("Bb5", "a6")] {
        open.play(&id, m);
        let settled = open.settled(&id);
        let last = settled["nodes"].as_array().unwrap().last().unwrap();
        assert_eq!(last["label"], answer, "{last}");
    }
    assert_eq!(new_games(), 1);
    open.post(&format!("/api/games/{id}/undo"), &json!({}));
    open.play(&id, "Bc4");
    let settled = open.settled(&id);
    assert_eq!(settled["nodes"].as_array().unwrap().last().unwrap()["label"], "a6");
    assert_eq!(new_games(), 2, "reset after a change of line");
    fs::remove_file(log).unwrap();
    fs::remove_file(engine).unwrap();
}
