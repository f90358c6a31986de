//! The WebSocket: subscriptions, analysis, review, jobs.

mod common;

use common::{Site, wait_for};
use serde_json::{Value, json};

fn id(game: &Value) -> String {
    game["id"].as_str().expect("an id").into()
}

#[test]
fn subscribers_see_every_move() {
    let site = Site::new("watch");
    let seats = json!([{"player": "human"}, {"player": "level easy"}]);
    let game = id(&site.new_game(&json!({"game": "othello", "players": seats})));
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch", "game": game}));
    let whole = socket.wait("game");
    assert_eq!(whole["view"]["since"], 0);
    site.play(&game, "f5");
    let mine = socket.wait("game");
    assert_eq!(mine["view"]["state"]["thinking"], "second");
    let answer = socket.wait("game");
    assert_eq!(answer["view"]["since"], mine["view"]["version"]);
    assert_eq!(answer["view"]["state"]["current"], 2);
    let node = &answer["view"]["nodes"][1];
    assert_eq!((&node["id"], &node["parent"]), (&json!(2), &json!(1)));
    assert!(node["score"]["win_probability"].is_f64(), "{node}");
    site.request("DELETE", &format!("/api/games/{game}"), "", b"");
    assert_eq!(socket.wait("game_deleted")["game"], json!(game));
    socket.send(&json!({"type": "watch", "game": "none"}));
    assert!(socket.wait("error")["error"]["message"].as_str().unwrap().contains("none"));
    socket.send(&json!({"type": "dance"}));
    assert!(socket.wait("error")["error"]["message"].as_str().unwrap().contains("watch"));
}

#[test]
fn players_are_compared_along_a_game() {
    let site = Site::new("compare");
    let game = id(&site.new_game(&json!({"game": "tictactoe"})));
    for name in ["a1", "b2", "c3", "a3"] {
        site.play(&game, name);
    }
    let mut socket = site.socket();
    let players = ["alphabeta depth=9", "greedy"];
    socket.send(&json!({
        "type": "compare", "request": 5, "game": game, "players": players, "judge": "alphabeta depth=9",
        "move_ms": 500
    }));
    assert_eq!(socket.wait("review_progress")["total"], 5);
    let comparison = socket.wait("comparison")["comparison"].clone();
    assert_eq!(socket.wait("done")["reason"], "complete");
    assert_eq!(comparison["players"], json!(players));
    let moves = comparison["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 5);
    assert_eq!((&moves[2]["node"], &moves[2]["played"]), (&json!(2), &json!("c3")));
    assert_eq!(comparison["right"][1], 0, "greedy is never better: {comparison}");
    for compared in moves {
        assert_eq!(compared["agree"] == true, compared["judged"].is_null(), "{compared}");
    }
    let refused = json!({
        "type": "compare", "request": 6, "game": game, "players": ["uci /bin/sh", "greedy eval=/etc/passwd"]
    });
    socket.send(&refused);
    assert!(socket.wait("error")["error"]["message"].as_str().unwrap().contains("not allowed"));
}

#[test]
fn engines_play_each_other_while_watched() {
    let site = Site::new("engines-watched");
    let seats = json!([{"player": "random"}, {"player": "greedy"}]);
    let game = id(&site.new_game(&json!({"game": "tictactoe", "players": seats})));
    assert!(site.game(&game)["state"]["thinking"].is_null(), "no subscribers");
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch", "game": game}));
    let end = loop {
        let view = socket.wait("game")["view"].clone();
        if !view["state"]["end"].is_null() {
            break view;
        }
    };
    assert!(end["state"]["moves"].as_array().unwrap().is_empty());

    // With a delay: pausing takes effect at once, then step by step.
    let seats = json!([{"player": "random"}, {"player": "random"}]);
    let slow = json!({"game": "othello", "players": seats, "delay_ms": 3_600_000});
    let game = id(&site.new_game(&slow));
    socket.send(&json!({"type": "watch", "game": game}));
    socket.wait("game");
    assert_eq!(site.game(&game)["state"]["thinking"], "first");
    let paused = site.send("PATCH", &format!("/api/games/{game}"), &json!({"paused": true})).ok();
    assert!(paused["state"]["thinking"].is_null(), "{paused}");
    let quick = json!({"delay_ms": 0});
    site.send("PATCH", &format!("/api/games/{game}"), &quick).ok();
    site.post(&format!("/api/games/{game}/step"), &json!({}));
    let settled = site.settled(&game);
    assert_eq!(settled["state"]["current"], 1, "exactly one step");
}

#[test]
fn the_flag_falls_while_watched() {
    let site = Site::new("clock");
    let clock = json!({"kind": "per_move", "ms": 300});
    let game = id(&site.new_game(&json!({"game": "othello", "clock": clock})));
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch", "game": game}));
    let first = socket.wait("game")["view"]["state"]["clock"].clone();
    assert_eq!(first, json!({"left_ms": [300, 300], "running": null}), "not before the first move");
    site.play(&game, "f5");
    let played = socket.wait("game")["view"]["state"]["clock"].clone();
    assert_eq!(played["running"], "second");
    let end = socket.wait("game")["view"]["state"]["end"].clone();
    assert_eq!(end, json!({"winner": "first", "margin": null, "reason": "time"}));
}

#[test]
fn positions_are_analysed_until_stopped() {
    let site = Site::new("analysis");
    let mut socket = site.socket();
    let target = json!({"kind": "position", "game": "othello", "moves": ["f5", "d6"]});
    let analyse = |request: u32, target: &Value, multipv: usize| json!({"type": "analyse", "request": request, "target": target, "multipv": multipv});
    socket.send(&analyse(7, &target, 64));
    let report = loop {
        let message = socket.wait("analysis");
        assert_eq!(message["request"], 7);
        if message["report"]["depth"].as_u64().unwrap() >= 4 {
            break message["report"].clone();
        }
    };
    let pvs = report["pvs"].as_array().unwrap();
    assert_eq!(pvs.len(), 5, "one for every legal move: {report}");
    for pv in pvs {
        let probability = pv["score"]["win_probability"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&probability), "{pv}");
        assert_eq!(pv["first"]["kind"], "place");
        assert!(pv["moves"].as_array().unwrap().len() > 1 || report["depth"] == 1);
    }
    socket.send(&json!({"type": "stop", "request": 7}));
    assert_eq!(socket.wait("done"), json!({"type": "done", "request": 7, "reason": "stopped"}));

    // A small game is solved.
    let target = json!({"kind": "position", "game": "tictactoe", "moves": ["a1", "b2"]});
    socket.send(&analyse(8, &target, 1));
    assert_eq!(socket.wait("done"), json!({"type": "done", "request": 8, "reason": "complete"}));

    let game = id(&site.new_game(&json!({"game": "chess"})));
    site.play(&game, "e4");
    let target = json!({"kind": "node", "game": game, "node": 1});
    socket.send(&analyse(9, &target, 2));
    let message = socket.wait("analysis");
    assert_eq!(message["report"]["pvs"][0]["first"]["kind"], "slide");
    // A search with the same id replaces it.
    socket.send(&analyse(9, &target, 1));
    assert_eq!(socket.wait("done")["reason"], "stopped");
    for (invalid, mention) in [
        (analyse(1, &json!({"kind": "node", "game": "none", "node": 0}), 1), "none"),
        (analyse(1, &target, 1000), "multipv"),
        (json!({"type": "analyse", "request": 1, "target": target, "threads": 0}), "threads"),
        (json!({"type": "analyse", "request": 1, "target": target, "hash_mb": 99999}), "hash_mb"),
        (json!({"type": "analyse", "request": 1, "target": target, "player": "uci x"}), "allowed"),
    ] {
        socket.send(&invalid);
        let message = socket.wait("error");
        assert_eq!(message["request"], 1);
        assert!(message["error"]["message"].as_str().unwrap().contains(mention), "{message}");
    }
}

#[test]
fn closing_the_socket_stops_its_searches() {
    let site = Site::with("closing", |config| config.limits.searches = 1);
    let target = json!({"kind": "position", "game": "chess"});
    let analyse = json!({"type": "analyse", "request": 1, "target": target});
    let mut first = site.socket();
    first.send(&analyse);
    first.wait("analysis");
    let mut second = site.socket();
    second.send(&analyse);
    assert_eq!(second.wait("queued")["request"], 1);
    first.close();
    second.wait("analysis");
}

#[test]
fn a_review_is_stored_in_the_game() {
    let mut site = Site::new("review");
    let game = id(&site.new_game(&json!({"game": "tictactoe"})));
    // The second move loses.
    for name in ["a1", "b1", "b2"] {
        site.play(&game, name);
    }
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch", "game": game}));
    socket.wait("game");
    socket.send(&json!({"type": "review", "request": 3, "game": game, "nodes": 100_000}));
    let progress = socket.wait("review_progress");
    assert_eq!(progress["total"], 4);
    // The game and the end of the search arrive in either order.
    let (mut view, mut done) = (Value::Null, Value::Null);
    while view.is_null() || done.is_null() {
        let message = socket.next();
        match message["type"].as_str() {
            Some("game") => view = message["view"].clone(),
            Some("done") => done = message,
            _ => assert_eq!(message["type"], "review_progress", "{message}"),
        }
    }
    assert_eq!(view["review"]["moves"].as_array().unwrap().len(), 3, "{view}");
    assert_eq!(done["reason"], "complete");
    site.restart();
    let game = site.game(&game);
    let reviewed = &game["review"]["moves"][1];
    assert_eq!((&reviewed["node"], &reviewed["judgement"]), (&json!(2), &json!("blunder")));
    assert_eq!(reviewed["best"][0], "b2", "only the centre holds the draw");
    let nodes = game["nodes"].as_array().unwrap();
    let node = |id: u32| nodes.iter().find(|node| node["id"] == id).unwrap();
    assert_eq!(node(2)["glyphs"], json!([4]));
    assert!(node(1)["children"].as_array().unwrap().len() == 2, "the better line is a variation");

    let empty = id(&site.new_game(&json!({"game": "chess"})));
    let mut socket = site.socket();
    socket.send(&json!({"type": "review", "request": 4, "game": empty}));
    assert!(socket.wait("error")["error"]["message"].as_str().unwrap().contains("no moves"));
}

#[test]
fn matches_are_played_watched_stopped_and_resumed() {
    let mut site = Site::new("jobs");
    let mut socket = site.socket();
    socket.send(&json!({"type": "watch_jobs"}));
    let order = json!({
        "game": "tictactoe", "players": ["random", "level hard"], "games": 20, "seed": 7
    });
    let job = site.post("/api/jobs", &order);
    assert_eq!((&job["id"], &job["kind"]), (&json!("match-1"), &json!("match")));
    let done = loop {
        let job = socket.wait("job")["job"].clone();
        if job["status"] == "finished" {
            break job;
        }
    };
    assert_eq!((&done["progress"]["done"], &done["seed"]), (&json!(20), &json!("7")));
    let view = site.get("/api/jobs/match-1").ok();
    let rows = view["crosstable"]["players"].as_array().unwrap();
    assert_eq!((&rows[0]["games"], &view["games"]), (&json!(20), &json!(20)));
    assert!(view["crosstable"]["match_stats"]["los"].as_f64().unwrap() < 0.5, "{view}");
    assert_eq!(view["config"]["settings"]["openings"], "balanced");
    let games = site.get("/api/jobs/match-1/games?per_page=5&page=1").ok();
    assert_eq!(games["games"].as_array().unwrap().len(), 5);
    assert_eq!(
        (&games["games"][0]["index"], &games["games"][0]["players"]),
        (&json!(5), &json!([1, 0]))
    );
    let game = site.post("/api/jobs/match-1/games/5", &json!({}));
    assert_eq!(game["info"]["players"][0]["player"], "level hard");
    assert!(site.send("POST", "/api/jobs/match-1/games/99", &json!({})).error(404).contains("99"));
    assert!(
        site.send("POST", "/api/jobs/match-1/resume", &json!({})).error(409).contains("finished")
    );

    // A long tournament, and one that is queued behind it.
    let order = json!({
        "game": "othello", "players": ["random", "greedy", "level easy"], "games": 1000
    });
    site.post("/api/jobs", &order);
    assert_eq!(site.post("/api/jobs", &order)["status"], "waiting");
    assert_eq!(site.post("/api/jobs/tournament-2/stop", &json!({}))["status"], "new");
    let status = |site: &Site| site.get("/api/jobs/tournament-1").ok();
    wait_for("some games", || (status(&site)["games"].as_u64()? >= 2).then_some(()));
    assert!(
        site.request("DELETE", "/api/jobs/tournament-1", "", b"").error(409).contains("running")
    );
    site.restart();
    let stopped = status(&site);
    assert_eq!(stopped["summary"]["status"], "stopped", "{}", stopped["summary"]);
    let before = stopped["games"].as_u64().unwrap();
    site.post("/api/jobs/tournament-1/resume", &json!({}));
    wait_for("more games", || (status(&site)["games"].as_u64()? > before).then_some(()));
    site.post("/api/jobs/tournament-1/stop", &json!({}));
    wait_for("the end", || (status(&site)["summary"]["status"] == "stopped").then_some(()));
    assert_eq!(site.request("DELETE", "/api/jobs/tournament-1", "", b"").status, 204);
    assert_eq!(site.get("/api/jobs").ok().as_array().unwrap().len(), 2);

    let wrong = |body: Value| site.send("POST", "/api/jobs", &body).error(400);
    assert!(wrong(json!({"game": "chess", "players": ["random"], "games": 2})).contains("two"));
    let players = json!(["random", "uci x"]);
    assert!(wrong(json!({"game": "chess", "players": players, "games": 2})).contains("allowed"));
    let players = json!(["random", "greedy"]);
    let openings = json!({"game": "chess", "players": players, "games": 2, "openings": "x"});
    assert!(wrong(openings).contains("random=PLIES"));
}
