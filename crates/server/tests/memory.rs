//! The memory of players: within the budget under load, in live games and in jobs, freed when idle. A file of its own, since it measures
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

/// Checks a player line; the problem with it, if any.
fn check(site: &Site, player: &str) -> Value {
    let path = "/api/catalog/othello/check-player";
    site.post(path, &json!({ "player": player }))["problem"].clone()
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The largest memory of this process while `run` runs, in MB.
fn peak_during(run: impl FnOnce()) -> u64 {
    let (peak, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(resident_mb(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(5));
            }
        });
        // Also if it panics, so that the test fails instead of waiting for the thread.
        let _done = SetOnDrop(&done);
        run();
    });
    peak.into_inner()
}

#[test]
fn players_stay_within_the_budget() {
    let site = Site::with("memory", |config| {
        config.memory_mb = BUDGET;
        config.idle_timeout = Duration::from_millis(200);
        // All games search at once.
        config.limits.searches = 8;
    });
    let before = resident_mb();
    let is_free = || (resident_mb() < before + 24).then_some(());
    for load in [check_players, play_live_games, play_tournament] {
        load(&site, before);
        wait_for("the tables to be freed", is_free);
    }
}

/// Checking builds nothing.
fn check_players(site: &Site, before: u64) {
    let peak = peak_during(|| {
        let line = &format!("alphabeta hash={BUDGET}");
        thread::scope(|scope| {
            let checks: Vec<_> = (0..8).map(|_| scope.spawn(move || check(site, line))).collect();
            for check in checks {
                assert_eq!(check.join().expect("no panic"), Value::Null);
            }
        });
    });
    assert!(peak < before + 32, "checks allocate nothing");
    let too_much = check(site, &format!("alphabeta hash={}", BUDGET + 1));
    assert_eq!(too_much["code"], "search_limit", "{too_much}");
    let too_much = check(site, "mcts time=1s");
    assert_eq!(too_much["code"], "player_too_large", "{too_much}");
}

/// Together they need four times the budget, so that they wait for each other.
fn play_live_games(site: &Site, before: u64) {
    let peak = peak_during(|| {
        let players = json!([{"player": "alphabeta hash=48 time=300ms"}, {"player": "human"}]);
        let game = json!({"game": "othello", "players": players});
        let games: Vec<Value> = (0..5).map(|_| site.new_game(&game)).collect();
        for game in &games {
            let game = site.settled(game["id"].as_str().expect("an id"));
            assert_eq!(game["state"]["current"], 1, "{game}");
        }
    });
    let allowed = before + BUDGET as u64 + 48;
    assert!(peak <= allowed, "{peak} MB of {allowed}, {before} before");
}

/// Together the players need three times the budget, those of the games that the cores could play at once seven
/// times.
fn play_tournament(site: &Site, before: u64) {
    let lines = |hash: usize| -> Vec<String> {
        (1..=6).map(|width| format!("alphabeta depth=1 within={width} hash={hash}")).collect()
    };
    let tournament = |hash| json!({"game": "othello", "players": lines(hash), "games": 2, "openings": "random=4"});
    let refused = site.send("POST", "/api/jobs", &tournament(BUDGET / 2 + 1));
    assert_eq!(refused.json()["code"], "players_too_large");
    let peak = peak_during(|| {
        let job = site.post("/api/jobs", &tournament(BUDGET / 2));
        let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
        wait_for("the tournament", || {
            let status = site.get(&path).ok()["summary"]["status"].clone();
            assert_ne!(status, "failed");
            (status == "finished").then_some(())
        });
    });
    let allowed = before + BUDGET as u64 + 48;
    assert!(peak <= allowed, "{peak} MB of {allowed}, {before} before");
}
