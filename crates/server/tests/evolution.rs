//! Evolutions over HTTP: start, watch, stop, resume; evolved individuals as players.

mod common;

use common::{Site, wait_for};
use serde_json::{Value, json};

fn start(site: &Site, change: impl FnOnce(&mut Value)) -> String {
    let mut request = json!({
        "game": "tictactoe", "genome": "lines", "scheme": "othello7 population=3",
        "generations": 3, "seed": 7
    });
    change(&mut request);
    let job = site.post("/api/evolutions", &request);
    job["id"].as_str().expect("an id").into()
}

fn job(site: &Site, id: &str) -> Value {
    site.get(&format!("/api/jobs/{id}")).ok()
}

fn finished(site: &Site, id: &str) -> Value {
    wait_for("the evolution", || {
        let job = job(site, id);
        let status = job["summary"]["status"].as_str().expect("a status");
        assert_ne!(status, "failed", "{job}");
        (status == "finished").then_some(job)
    })
}

#[test]
fn every_game_lists_genomes_and_schemes() {
    let site = Site::new("evolution-options");
    for game in ["othello", "chess", "shobu", "connectfour", "tictactoe"] {
        let options = site.get(&format!("/api/catalog/{game}/evolution")).ok();
        let names = |list: &str| -> Vec<String> {
            let all = options[list].as_array().expect("a list").iter();
            all.map(|one| one["name"].as_str().expect("a name").into()).collect()
        };
        for network in ["net", "growing"] {
            assert!(names("genomes").contains(&network.to_owned()), "{options}");
        }
        assert_eq!(names("schemes"), ["othello7", "es", "cmaes"]);
    }
    let options = site.get("/api/catalog/othello/evolution").ok();
    let sci = options["genomes"].as_array().unwrap().iter().find(|one| one["name"] == "sci");
    let sci = sci.expect("Othello7's");
    assert_eq!((&sci["genes"], &sci["scheme"]), (&json!(3), &json!("othello7")));
    assert_eq!(sci["is_othello7"], true);
    assert!(site.get("/api/catalog/go/evolution").error(404).contains("othello"));
}

#[test]
fn individuals_of_an_evolution_play() {
    let site = Site::new("evolution");
    let id = start(&site, |_| {});
    let view = finished(&site, &id);
    let evolution = &view["evolution"];
    let generations = evolution["generations"].as_array().expect("generations");
    assert_eq!(generations.len(), 3, "{evolution}");
    assert_eq!(generations[2]["generation"], 3);
    assert!(generations[0]["best"].as_f64() >= generations[0]["mean"].as_f64());
    for curve in evolution["curves"].as_array().expect("curves") {
        assert_eq!(curve["values"].as_array().unwrap().len(), 3, "{curve}");
    }
    assert!(evolution["games"].as_u64() > Some(0));
    assert_eq!(view["summary"]["game"], "tictactoe");
    assert_eq!(view["summary"]["detail"], "lines, othello7 population=3");

    let generation = site.get(&format!("/api/jobs/{id}/generations/2")).ok();
    assert_eq!(generation["individuals"].as_array().unwrap().len(), 6, "{generation}");
    assert_eq!(generation["individuals"][5]["number"], 6);
    assert!(site.get(&format!("/api/jobs/{id}/generations/4")).error(404).contains('4'));
    let file = site.get(&format!("/api/jobs/{id}/generations/2/file"));
    assert!(file.text().contains("tablero-genomes 1"), "{}", file.text());
    assert!(file.head.contains(&format!("filename=\"{id}-2.genes\"")), "{}", file.head);
    let evl = site.get(&format!("/api/jobs/{id}/generations/2/file?format=evl"));
    assert!(!evl.error(409).is_empty());
    assert!(
        site.get(&format!("/api/jobs/{id}/generations/2/file?format=x")).error(400).contains("evl")
    );

    let engine = format!("minimax depth=1 eval=job:{id}/2/6");
    let seats = json!([{"player": "human"}, {"player": engine}]);
    let game = site.new_game(&json!({"game": "tictactoe", "players": seats}));
    let game = game["id"].as_str().unwrap();
    site.play(game, "b2");
    let settled = site.settled(game);
    assert_eq!(settled["state"]["current"], 2, "{}", settled["state"]);
    assert!(settled["state"]["engine_error"].is_null());

    // Individuals play each other in a tournament.
    let line = |generation: u64| format!("minimax depth=1 eval=job:{id}/{generation}/1");
    let players = json!([line(1), line(2), line(3)]);
    let request = json!({"game": "tictactoe", "players": players, "games": 2, "openings": "start"});
    let tournament = site.post("/api/jobs", &request)["id"].as_str().unwrap().to_owned();
    let view = finished(&site, &tournament);
    assert_eq!(view["games"], 6);
}

#[test]
fn invalid_artifact_names_are_rejected() {
    let site = Site::new("evolution-names");
    let id = start(&site, |_| {});
    finished(&site, &id);
    let problem = |line: &str| -> String {
        let check = json!({ "player": line });
        let checked = site.post("/api/catalog/tictactoe/check-player", &check);
        checked["problem"]["message"].as_str().unwrap_or_default().into()
    };
    let name = |rest: &str| format!("minimax eval=job:{rest}");
    assert_eq!(problem(&name(&format!("{id}/3/1"))), "");
    assert!(problem(&name(&format!("{id}/9/1"))).contains("no generation 9"));
    let beyond = problem(&name(&format!("{id}/3/7")));
    assert!(beyond.contains("no individual 7") && beyond.contains("1 to 6"), "{beyond}");
    assert!(problem(&name("evolution-77/1/1")).contains("evolution-77"));
    for wrong in [&*id, "x", "", "../x/1/1", &format!("{id}/a/1"), &format!("{id}/1")] {
        assert!(!problem(&name(wrong)).is_empty(), "{wrong}");
    }
    // An individual of one game cannot play another.
    let check = json!({"player": format!("minimax eval=job:{id}/3/1")});
    let checked = site.post("/api/catalog/othello/check-player", &check);
    assert!(checked["problem"]["message"].as_str().unwrap().contains("for tictactoe"), "{checked}");
}

/// No line of the page reads a file by its path, not even an artifact's.
#[test]
fn player_lines_cannot_name_files() {
    let site = Site::new("evolution-files");
    let id = start(&site, |_| {});
    finished(&site, &id);
    let evolved = format!("minimax eval=job:{id}/3/1");
    let check = |line: &str| {
        let checked = site.post("/api/catalog/tictactoe/check-player", &json!({ "player": line }));
        checked["problem"]["message"].as_str().map(str::to_owned)
    };
    assert_eq!(check(&evolved), None, "now there is a file");
    let players = site.folder.join("jobs").join(&id).join("players");
    let file = std::fs::read_dir(players).unwrap().next().unwrap().unwrap().path();
    for line in [
        format!("minimax \"eval={}\"", file.display()),
        format!("minimax \"eval={}#1\"", file.display()),
        format!("puct \"net={}\"", file.display()),
        format!("mcts \"net={}\"", file.display()),
    ] {
        let problem = check(&line).expect("rejected");
        assert!(problem.contains("no such name") || problem.contains("not read here"), "{problem}");
        let seats = json!([{"player": "human"}, {"player": line}]);
        let game = json!({"game": "tictactoe", "players": seats});
        assert_eq!(site.send("POST", "/api/games", &game).status, 400, "{line}");
        let arena = json!({"game": "tictactoe", "players": [line, "random"], "games": 2});
        assert_eq!(site.send("POST", "/api/jobs", &arena).status, 400, "{line}");
        let evolution = json!({"game": "tictactoe", "genome": "lines", "generations": 1,
            "scheme": "es", "opponents": [line]});
        assert_eq!(site.send("POST", "/api/evolutions", &evolution).status, 400, "{line}");
    }
}

#[test]
fn invalid_requests_are_rejected() {
    let site = Site::new("evolution-wrong");
    let error = |change: Value| {
        let mut request = json!({"game": "othello", "genome": "sci", "generations": 1});
        request.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        site.send("POST", "/api/evolutions", &request).error(400)
    };
    assert!(error(json!({"generations": 0})).contains("1 to"));
    assert!(error(json!({"generations": 100_001})).contains("100000"));
    assert!(error(json!({"genome": "classic"})).contains("sci"));
    assert!(error(json!({"scheme": "es x=1"})).contains("lambda"));
    assert!(error(json!({"player": "mcts"})).contains("minimax"));
    assert!(error(json!({"player": "alphabeta hash=60000"})).contains("hash"));
    assert!(error(json!({"openings": "/etc/passwd"})).contains("random=PLIES"));
    assert!(error(json!({"opponents": ["uci /bin/true"]})).contains("external engine"));
    assert!(error(json!({"rules": "x"})).contains("standard"));
    let initial = json!({"job": "evolution-9", "generation": 1});
    let request = json!({"game": "othello", "genome": "sci", "generations": 1, "initial": initial});
    assert!(site.send("POST", "/api/evolutions", &request).error(404).contains("evolution-9"));
    assert_eq!(site.get("/api/jobs").ok(), json!([]), "no job was created");
}

#[test]
fn a_resumed_evolution_has_the_same_result() {
    let mut site = Site::new("evolution-resume");
    let whole = start(&site, |request| request["generations"] = json!(40));
    let expected = finished(&site, &whole)["evolution"]["generations"].clone();
    let id = start(&site, |request| request["generations"] = json!(40));
    site.send("POST", &format!("/api/jobs/{id}/stop"), &json!({}));
    let stopped = wait_for("the end of it", || {
        let status = job(&site, &id)["summary"]["status"].as_str().unwrap().to_owned();
        (!["running", "waiting"].contains(&status.as_str())).then_some(status)
    });
    assert!(["stopped", "new", "finished"].contains(&stopped.as_str()), "{stopped}");
    site.restart();
    if stopped != "finished" {
        site.post(&format!("/api/jobs/{id}/resume"), &json!({}));
    }
    assert_eq!(finished(&site, &id)["evolution"]["generations"], expected);

    // Another evolution starts from its last population.
    let next = start(&site, |request| {
        request["initial"] = json!({"job": id, "generation": 40});
        request["generations"] = json!(2);
    });
    let generations = finished(&site, &next)["evolution"]["generations"].clone();
    assert_eq!(generations[0]["generation"], 41, "{generations}");
    let deleted = site.send("DELETE", &format!("/api/jobs/{next}"), &json!({}));
    assert_eq!(deleted.status, 204);
}
