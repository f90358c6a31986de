//! Slow players hold up nobody, and their moves have a limit of time.

mod common;

use common::Site;
use serde_json::{Value, json};

fn id(game: &Value) -> String {
    game["id"].as_str().expect("an id").into()
}

/// A game that begins with an engine's move.
fn start(site: &Site, game: &str, player: &str) -> String {
    let seats = json!([{ "player": player }, {"player": "human"}]);
    id(&site.new_game(&json!({"game": game, "players": seats})))
}

#[test]
fn a_quick_player_does_not_wait_for_slow_ones() {
    let site = Site::with("slow", |config| {
        config.limits.searches = 1;
        config.limits.move_ms = 600_000;
    });
    let slow: Vec<String> = (0..3).map(|_| start(&site, "chess", "minimax depth=100")).collect();
    for _ in 0..3 {
        let quick = start(&site, "chess", "random");
        let game = site.settled(&quick);
        assert_eq!(game["state"]["current"], 1, "{game}");
    }
    for id in &slow {
        assert_eq!(site.game(id)["state"]["thinking"], "first", "it goes on");
    }
    // More of them than threads: the oldest have to move.
    let more: Vec<String> = (0..4).map(|_| start(&site, "chess", "minimax depth=100")).collect();
    for id in &slow[..2] {
        let game = site.settled(id);
        assert_eq!(game["state"]["current"], 1, "{game}");
        assert!(game["state"]["engine_error"].is_null(), "{game}");
    }
    let thinking = more.iter().filter(|id| !site.game(id)["state"]["thinking"].is_null());
    assert_eq!(thinking.count(), 4);
}

#[test]
fn moves_have_a_limit_of_time() {
    let site = Site::with("move-time", |config| config.limits.move_ms = 200);
    for (game, player) in [
        ("chess", "minimax depth=100"),
        ("othello", "alphabeta depth=60"),
        ("shobu", "mcts iterations=1000000000"),
    ] {
        let game = site.settled(&start(&site, game, player));
        assert_eq!(game["state"]["current"], 1, "{player}: {game}");
        assert!(game["state"]["engine_error"].is_null(), "{player}: {game}");
    }
    let check = json!({"player": "alphabeta time=1s"});
    let answer = site.post("/api/catalog/chess/check-player", &check);
    assert_eq!(answer["problem"]["code"], "move_time_limit", "{answer}");
}
