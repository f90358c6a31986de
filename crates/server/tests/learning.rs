//! Learning runs over HTTP: start, watch, stop, resume; networks play and evaluate positions.

mod common;

use common::{Site, wait_for};
use serde_json::{Value, json};

fn start(site: &Site, change: impl FnOnce(&mut Value)) -> String {
    let mut request = json!({"game": "tictactoe", "quick": true, "games": 8, "sims": 4, "generations": 2, "seed": 3});
    change(&mut request);
    site.post("/api/learning-runs", &request)["id"].as_str().expect("an id").into()
}

fn job(site: &Site, id: &str) -> Value {
    site.get(&format!("/api/jobs/{id}")).ok()
}

fn finished(site: &Site, id: &str) -> Value {
    wait_for("the run", || {
        let job = job(site, id);
        let status = job["summary"]["status"].as_str().expect("a status");
        assert_ne!(status, "failed", "{job}");
        (status == "finished").then_some(job)
    })
}

#[test]
fn networks_of_a_run_play_and_evaluate() {
    let site = Site::new("learning");
    let id = start(&site, |_| {});
    let view = finished(&site, &id);
    let learning = &view["learning"];
    assert_eq!(learning["generations"].as_array().unwrap().len(), 2, "{learning}");
    assert!(learning["generations"][1]["value_loss"].as_f64().unwrap() > 0.0);
    assert_eq!(learning["networks"], json!([0, 1, 2]));
    assert_eq!(view["summary"]["detail"], learning["net"]);
    assert!(!view["events"].as_array().unwrap().is_empty());

    // The latest training games can be replayed.
    let latest = &learning["latest"][0];
    assert_eq!((&latest["generation"], &latest["index"]), (&json!(2), &json!(7)), "{latest}");
    let game = site.post(&format!("/api/jobs/{id}/training-games/2/7"), &json!({}));
    let plies = game["nodes"].as_array().unwrap().len() - 1;
    assert_eq!(json!(plies), latest["plies"]);
    let missing = site.send("POST", &format!("/api/jobs/{id}/training-games/2/8"), &json!({}));
    assert!(missing.error(404).contains("no game 8"));

    // Also move by move, with the values of the searches.
    assert_eq!(learning["replays"], json!([1, 2]));
    let replay = site.get(&format!("/api/jobs/{id}/training-games/2/7")).ok();
    let nodes = replay["nodes"].as_array().unwrap();
    assert_eq!((nodes.len() - 1, &replay["games"]), (plies, &json!(8)));
    assert_eq!((&replay["played_by"], &replay["end"]), (&json!(1), &latest["end"]));
    assert_eq!(nodes[0]["cells"], ".........");
    assert!(nodes.iter().any(|node| node["score"]["win_probability"].is_number()), "{replay}");
    let names: Vec<_> = nodes[1..].iter().map(|node| node["move"].clone()).collect();
    let line = site.post("/api/catalog/tictactoe/line", &json!({"moves": names}));
    assert_eq!(line["node"]["cells"], nodes[plies]["cells"]);
    for missing in ["2/8", "3/0", "0/0"] {
        site.get(&format!("/api/jobs/{id}/training-games/{missing}")).error(404);
    }

    // The evaluation of a network.
    let evaluation = site.get(&format!("/api/jobs/{id}/networks/2/evaluation?moves=b2%20a1")).ok();
    let priors =
        evaluation["moves"].as_array().unwrap().iter().map(|m| m["prior"].as_f64().unwrap());
    assert!((priors.clone().sum::<f64>() - 1.0).abs() < 1e-3, "{evaluation}");
    assert_eq!((priors.count(), &evaluation["turn"]), (7, &json!("first")));
    assert!(evaluation["value"].as_f64().unwrap().abs() <= 1.0);
    assert!(site.get(&format!("/api/jobs/{id}/networks/9/evaluation")).error(404).contains('9'));
    let wrong = site.get(&format!("/api/jobs/{id}/networks/2/evaluation?moves=z9"));
    assert!(wrong.error(400).contains("z9"));

    // The network plays.
    let engine = format!("puct net=job:{id}/2 sims=4");
    let seats = json!([{"player": "human"}, {"player": engine}]);
    let game = site.new_game(&json!({"game": "tictactoe", "players": seats}));
    let game = game["id"].as_str().unwrap();
    site.play(game, "b2");
    let settled = site.settled(game);
    assert!(settled["state"]["engine_error"].is_null(), "{}", settled["state"]);
    assert_eq!(settled["state"]["current"], 2);
    let check = json!({"player": format!("puct net=job:{id}/7")});
    let checked = site.post("/api/catalog/tictactoe/check-player", &check);
    assert!(
        checked["problem"]["message"].as_str().unwrap().contains("no generation 7"),
        "{checked}"
    );
}

#[test]
fn games_of_a_teacher_are_told_from_self_play() {
    let site = Site::new("learning-teacher");
    let id = start(&site, |request| request["teacher"] = json!("random"));
    finished(&site, &id);
    let replay =
        |generation: usize| site.get(&format!("/api/jobs/{id}/training-games/{generation}/0")).ok();
    assert_eq!((&replay(1)["played_by"], &replay(2)["played_by"]), (&Value::Null, &json!(1)));
    let game = site.post(&format!("/api/jobs/{id}/training-games/1/0"), &json!({}));
    assert_eq!(game["info"]["players"][0]["name"], format!("{id}, teacher"));
}

#[test]
fn invalid_requests_are_rejected() {
    let site = Site::new("learning-wrong");
    let error = |change: Value| {
        let mut request = json!({"game": "tictactoe", "quick": true});
        request.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        site.send("POST", "/api/learning-runs", &request).error(400)
    };
    assert!(error(json!({"generations": 0})).contains("1 to"));
    assert!(error(json!({"games": 0})).contains("1 to"));
    assert!(error(json!({"sims": 1_000_000})).contains("1 to"));
    assert!(!error(json!({"net": "magic"})).is_empty());
    assert!(error(json!({"teacher": "uci /bin/true"})).contains("external engine"));
    assert!(error(json!({"teacher": "puct net=/etc/passwd"})).contains("not read here"));
    assert!(error(json!({"rules": "x"})).contains("standard"));
    assert_eq!(site.get("/api/jobs").ok(), json!([]), "no job was created");
}

#[test]
fn a_stopped_run_can_be_resumed() {
    let site = Site::new("learning-resume");
    let id = start(&site, |request| request["games"] = json!(200));
    wait_for("some games", || {
        let latest = job(&site, &id)["learning"]["latest"].as_array().map_or(0, Vec::len);
        (latest > 0).then_some(())
    });
    site.send("POST", &format!("/api/jobs/{id}/stop"), &json!({}));
    let status = wait_for("the end of it", || {
        let status = job(&site, &id)["summary"]["status"].as_str().unwrap().to_owned();
        (status != "running").then_some(status)
    });
    if status != "finished" {
        assert_eq!(status, "stopped");
        site.post(&format!("/api/jobs/{id}/resume"), &json!({}));
    }
    let view = finished(&site, &id);
    assert_eq!(view["learning"]["generations"].as_array().unwrap().len(), 2);
}
