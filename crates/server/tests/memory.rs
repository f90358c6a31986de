//! The memory of players: within the budget under load, freed when idle. A file of its own, since it measures
//! the memory of its process.
#![cfg(target_os = "linux")]

mod common;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use common::{Site, wait_for};
use serde_json::{Value, json};

const BUDGET: usize = 64;

/// Resident anonymous memory of this process, in MB.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a line");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes >> 10
}

#[test]
fn players_stay_within_the_budget() {
    let site = Site::with("memory", |config| {
        config.memory_mb = BUDGET;
        config.idle_timeout = Duration::from_millis(200);
        // All games search at once.
        config.limits.searches = 8;
    });
    let check = |player: &str| {
        site.post("/api/catalog/othello/check-player", &json!({ "player": player }))["problem"]
            .clone()
    };
    let before = resident_mb();
    let (peak, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(resident_mb(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(5));
            }
        });
        // Checking builds nothing.
        let checks: Vec<_> =
            (0..8).map(|_| scope.spawn(|| check(&format!("alphabeta hash={BUDGET}")))).collect();
        for check in checks {
            assert_eq!(check.join().expect("no panic"), Value::Null);
        }
        assert!(peak.load(Ordering::Relaxed) < before + 32, "checks allocate nothing");
        let too_much = check(&format!("alphabeta hash={}", BUDGET + 1));
        assert_eq!(too_much["code"], "search_limit", "{too_much}");
        let too_much = check("mcts time=1s");
        assert_eq!(too_much["code"], "player_too_large", "{too_much}");

        // Together they need four times the budget, so that they wait for each other.
        let players = json!([{"player": "alphabeta hash=48 time=300ms"}, {"player": "human"}]);
        let game = json!({"game": "othello", "players": players});
        let games: Vec<Value> = (0..5).map(|_| site.new_game(&game)).collect();
        for game in &games {
            let game = site.settled(game["id"].as_str().expect("an id"));
            assert_eq!(game["state"]["current"], 1, "{game}");
        }
        done.store(true, Ordering::Relaxed);
    });
    let (peak, allowed) = (peak.into_inner(), before + BUDGET as u64 + 48);
    assert!(peak <= allowed, "{peak} MB of {allowed}, {before} before");
    wait_for("the tables to be freed", || (resident_mb() < before + 24).then_some(()));
}
