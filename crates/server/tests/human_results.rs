//! The results of people against engines, from the library.

mod common;

use common::{Site, wait_for};
use serde_json::{Value, json};

/// A game in which a person resigns, or is the only one who does not.
fn resigned(site: &Site, game: &str, players: [&str; 2], loser: &str) {
    let seats = players.map(|player| json!({"player": player, "name": "Ada"}));
    let view = site.new_game(&json!({"game": game, "players": seats, "paused": true}));
    let path = format!("/api/games/{}/end", view["id"].as_str().unwrap());
    site.post(&path, &json!({"action": "resign", "side": loser}));
}

#[test]
fn finished_games_of_people_against_engines_count() {
    let site = Site::new("human-results");
    let empty = site.get("/api/human-results").ok();
    assert_eq!(empty, json!({"opponents": [], "games": []}));
    resigned(&site, "othello", ["human", "level 1"], "first");
    resigned(&site, "othello", ["level 1", "human"], "first");
    resigned(&site, "othello", ["human", "random"], "second");
    resigned(&site, "chess", ["human", "random"], "first");
    // Neither games of two people nor of two engines count, nor unfinished ones.
    resigned(&site, "othello", ["human", "human"], "first");
    resigned(&site, "othello", ["random", "random"], "first");
    site.new_game(
        &json!({"game": "othello", "players": [{"player": "human"}, {"player": "random"}]}),
    );

    let all = site.get("/api/human-results").ok();
    let results: Vec<&Value> =
        all["games"].as_array().unwrap().iter().map(|game| &game["result"]).collect();
    assert_eq!(results, ["loss", "win", "win", "loss"], "{all}");
    assert_eq!(all["games"][0]["name"], "Ada");
    assert_eq!(all["opponents"].as_array().unwrap().len(), 3);
    let othello = site.get("/api/human-results?game=othello").ok();
    assert_eq!(
        othello["opponents"],
        json!([
            {"game": "othello", "player": "level 1", "results": [1, 0, 1]},
            {"game": "othello", "player": "random", "results": [1, 0, 0]},
        ])
    );
    assert_eq!(site.get("/api/human-results?game=go").ok()["games"], json!([]));
}

#[test]
fn a_position_of_othello7_goes_on_against_an_engine() {
    let site = Site::new("tab");
    // Black (1) played d3, White c3.
    let mut rows = vec![["0"; 10]; 10];
    for (row, column) in [(3, 4), (4, 5), (5, 4)] {
        rows[row][column] = "1";
    }
    for (row, column) in [(3, 3), (4, 4), (5, 5)] {
        rows[row][column] = "2";
    }
    let text: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    let body = text.join("\n");
    let imported = site.request("POST", "/api/import?name=a.tab", "", body.as_bytes()).ok();
    let id = imported["created"][0].as_str().expect("a game").to_owned();
    let game = site.game(&id);
    // The engine takes the side to move and replies at once.
    let to_move = usize::from(game["nodes"][0]["turn"] == "second");
    let mut seats = json!([{"player": "human"}, {"player": "human"}]);
    seats[to_move]["player"] = json!("minimax depth=1 eval=sci");
    site.send("PATCH", &format!("/api/games/{id}"), &json!({"players": seats})).ok();
    wait_for("the reply", || (site.settled(&id)["state"]["current"] == 1).then_some(()));
}

#[test]
fn matches_have_results_by_side() {
    let site = Site::new("by-side");
    let players = ["minimax depth=9", "random"];
    let request = json!({"game": "tictactoe", "players": players, "games": 8, "openings": "start"});
    let id = site.post("/api/jobs", &request)["id"].as_str().unwrap().to_owned();
    let view = wait_for("the match", || {
        let job = site.get(&format!("/api/jobs/{id}")).ok();
        (job["summary"]["status"] == "finished").then_some(job)
    });
    let rows = &view["crosstable"]["players"];
    let side = |row: usize, side: usize| -> Vec<u64> {
        let results = rows[row]["by_side"][side].as_array().expect("wins, draws, losses").iter();
        results.map(|count| count.as_u64().unwrap()).collect()
    };
    for row in 0..2 {
        for index in 0..2 {
            assert_eq!(side(row, index).iter().sum::<u64>(), 4, "each side in half of the games");
            // What one wins as first side the other loses as second.
            let mut mirrored = side(1 - row, 1 - index);
            mirrored.reverse();
            assert_eq!(side(row, index), mirrored, "{rows}");
        }
    }
    assert!(side(0, 0)[2] == 0 && side(0, 1)[2] == 0, "perfect play does not lose: {rows}");
}
