//! Perft against the counts of `data/shobu-perft.json`.

use serde_json::Value;
use tablero_core::conformance::{check_perft, check_perft_distinct};
use tablero_core::{Game, Notation};
use tablero_shobu::{Shobu, ShobuRules};

/// Deeper counts need a release build: `cargo bench -p tablero-shobu` checks the start at depth 4.
const MAX_DEPTH: usize = 3;

/// Checks the counts under key `name` for every position that has them.
fn check_counts(name: &str, rules: ShobuRules, check: fn(&Shobu, &[u64])) {
    let file: Value = serde_json::from_str(include_str!("data/shobu-perft.json")).expect("JSON");
    let positions = file["positions"].as_array().expect("positions");
    let mut checked = 0;
    for entry in positions {
        let Some(counts) = entry[name].as_array() else { continue };
        let text = entry["pos"].as_str().expect("a position");
        let position = Shobu::parse_position(text, rules).expect("a readable position");
        assert_eq!(position.position_text(), text);
        let counts: Vec<u64> =
            counts.iter().take(MAX_DEPTH).map(|count| count.as_u64().expect("a count")).collect();
        check(&position, &counts);
        checked += 1;
    }
    assert!(checked >= 17, "{name}: {checked} positions");
}

#[test]
fn official_rules() {
    check_counts("perft", ShobuRules::Official, check_perft);
}

#[test]
fn across_rules() {
    check_counts("perft_far", ShobuRules::Across, check_perft);
}

#[test]
fn distinct_turns() {
    check_counts("perft_dedup", ShobuRules::Official, check_perft_distinct);
}

#[test]
fn wins_on_the_first_turn() {
    let file: Value = serde_json::from_str(include_str!("data/shobu-perft.json")).expect("JSON");
    for entry in file["positions"].as_array().expect("positions") {
        let Some(wins) = entry["wins_at_ply1"].as_u64() else { continue };
        let text = entry["pos"].as_str().expect("a position");
        let position = Shobu::parse_position(text, ShobuRules::Official).expect("readable");
        let by_stones = |next: &Shobu| {
            tablero_shobu::Board::ALL.iter().any(|&board| next.stones(next.side(), board) == 0)
        };
        let won = position.moves().into_iter().filter(|&turn| by_stones(&position.after(turn)));
        assert_eq!(won.count() as u64, wins, "{text}");
    }
}
