//! The trees of searches over the API.

mod common;

use common::Site;
use serde_json::{Value, json};

fn think(site: &Site, game: &str, body: &Value) -> Value {
    site.post(&format!("/api/think/{game}"), body)
}

/// Every search shows its tree; parents come first, and every line of moves is legal.
#[test]
fn every_search_shows_its_tree() {
    let site = Site::new("think");
    for (game, player) in [
        ("othello", "minimax depth=3"),
        ("chess", "alphabeta nodes=5000"),
        ("shobu", "level 2"),
        ("connectfour", "mcts iterations=300"),
        ("tictactoe", "mcts iterations=100 playout=eval"),
        ("othello", "puct net=othello-2x32 sims=50"),
    ] {
        let tree = think(&site, game, &json!({ "player": player, "max_nodes": 2000 }));
        let nodes = tree["nodes"].as_array().unwrap_or_else(|| panic!("{player}: {tree}"));
        assert!((2..=4000).contains(&nodes.len()), "{player}: {}", nodes.len());
        for node in &nodes[1..] {
            assert!(node["parent"].as_u64() < node["id"].as_u64());
        }
        let chosen = tree["choice"]["move"].as_str().expect("a move");
        assert!(nodes.iter().any(|node| node["move"] == chosen), "{player} plays {chosen}");
        let mut deepest = nodes.last().expect("nodes");
        let mut line = Vec::new();
        while let Some(parent) = deepest["parent"].as_u64() {
            line.extend(deepest["move"].as_str());
            assert_ne!(deepest["step"], "null-move", "there is none in these games");
            deepest = &nodes[parent as usize];
        }
        line.reverse();
        let view = site.post(&format!("/api/catalog/{game}/line"), &json!({ "moves": line }));
        assert!(view["node"].is_object(), "{game} {line:?}: {view}");
    }
}

/// The same request gives the same tree, and bad ones say what is wrong.
#[test]
fn requests_are_checked() {
    let site = Site::new("think-checked");
    let request = json!({ "player": "mcts iterations=200", "moves": ["f5"], "seed": 4 });
    assert_eq!(think(&site, "othello", &request), think(&site, "othello", &request));
    for (game, body, code) in [
        ("othello", json!({ "player": "champion depth=4" }), "no_search_tree"),
        ("othello", json!({ "player": "random" }), "no_search_tree"),
        ("othello", json!({ "player": "human" }), "unknown_player_kind"),
        ("chess", json!({ "player": "uci /bin/sh" }), "program_not_permitted"),
        ("chess", json!({ "player": "alphabeta depth=3", "max_nodes": 7 }), "out_of_range"),
        ("chess", json!({ "player": "alphabeta depth=3", "max_nodes": 9_000_000 }), "out_of_range"),
        (
            "chess",
            json!({ "player": "alphabeta depth=3", "moves": ["e9"] }),
            "invalid_move_in_line",
        ),
        ("chess", json!({ "player": "alphabeta depth=3", "position": "x" }), "invalid_position"),
        ("tictactoe", json!({ "player": "mcts", "position": "o xxx oo. ..." }), "game_over"),
        ("checkers", json!({ "player": "mcts" }), "unknown_game"),
        ("chess", json!({ "moves": [] }), "invalid_request"),
    ] {
        let response = site.send("POST", &format!("/api/think/{game}"), &body);
        assert!((400..500).contains(&response.status), "{body}: {}", response.status);
        assert_eq!(response.json()["code"], code, "{body}");
    }
}

/// A search without its own limit ends at the server's.
#[test]
fn the_time_is_bounded() {
    let site = Site::with("think-time", |config| config.limits.analysis_ms = 300);
    let tree = think(&site, "chess", &json!({ "player": "alphabeta depth=90", "max_nodes": 500 }));
    assert_eq!(tree["is_complete"], false);
    let nodes = tree["nodes"].as_array().expect("nodes").len();
    assert!(nodes <= 1000, "{nodes}");
    assert!(tree["searched"].as_u64() > Some(1000));
}
