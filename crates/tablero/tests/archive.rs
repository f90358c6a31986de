//! `tablero archive`: import, search, explore, stats; and an import that is killed.

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::{directory, json, stderr, stdout, tablero};

const GAMES: &str = "[Event \"Cup\"]\n[White \"Ana\"]\n[Black \"Bo\"]\n[Date \"2020.01.02\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n\
    [White \"Cleo\"]\n[Black \"Ana\"]\n[Date \"2021.??.??\"]\n\n1. e4 e5 2. Qh5 0-1\n\n\
    [White \"X\"]\n\n1. e4 e9 *\n";

#[test]
fn games_are_imported_found_and_explored() {
    let folder = directory("archive");
    let data = folder.join("data").to_string_lossy().into_owned();
    let file = folder.join("games.pgn").to_string_lossy().into_owned();
    fs::write(&file, GAMES).expect("written");
    let run = |args: &[&str]| json(&[&["archive"], args, &["--data", &data, "--json"]].concat());

    let imported = run(&["import", &file]);
    assert_eq!((&imported["games"], &imported["skipped"]), (&2.into(), &1.into()));
    assert!(imported["duplicates"] == 0 && imported["seconds"].is_f64());
    let again = tablero(&["archive", "import", &file, "--data", &data]);
    assert!(stderr(&again).contains("games.pgn: skipped game 3: line"), "{}", stderr(&again));
    assert!(stdout(&again).contains("0 new games, 2 duplicates, 1 skipped"), "{}", stdout(&again));

    let explored = run(&["explore", "chess", "start moves e4"]);
    assert_eq!(explored["games"], 2);
    let moves = explored["moves"].as_array().expect("moves");
    let c5 = moves.iter().find(|played| played["move"] == "c5").expect("played");
    assert_eq!((&c5["games"], &c5["wins"], &c5["losses"]), (&1.into(), &0.into(), &1.into()));
    assert!(explored["seconds"].is_f64());

    let found = run(&["search", "--player", "ana", "--opening", "sicilian"]);
    assert_eq!((&found["total"], &found["games"][0]["players"][1]), (&1.into(), &"Bo".into()));
    let pgn = stdout(&tablero(&["archive", "search", "--id", "1", "--data", &data]));
    assert!(pgn.contains("1. e4 c5 2. Nf3 d6 1-0"), "{pgn}");
    let position = tablero(&["archive", "search", "--position", "start", "--data", &data]);
    assert_eq!(position.status.code(), Some(2), "a position needs a game");
    assert_eq!(run(&["stats"])["games"], 2);
    let missing = tablero(&["archive", "import", "nothing.pgn", "--data", &data]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn a_killed_import_leaves_nothing_half_done() {
    let folder = directory("archive-kill");
    let data = folder.join("data").to_string_lossy().into_owned();
    let file = folder.join("games.pgn").to_string_lossy().into_owned();
    let game = |n: u32| {
        format!(
            "[White \"P{}\"]\n[Black \"Q\"]\n[Date \"{n}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n",
            n % 40_000
        )
    };
    const GAMES: u32 = 120_000;
    fs::write(&file, (0..GAMES).map(game).collect::<String>()).expect("written");
    let args = ["archive", "import", file.as_str(), "--data", data.as_str(), "--json"];
    for wait in [200, 1500, 3500] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tablero"))
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        sleep(Duration::from_millis(wait));
        child.kill().expect("killed");
        child.wait().expect("ended");
        // Every game is there with its index, or not at all.
        let stats = json(&["archive", "stats", "--data", &data, "--json"]);
        let explored =
            json(&["archive", "explore", "chess", "start moves e4 e5", "--data", &data, "--json"]);
        assert_eq!(stats["games"], explored["games"]);
    }
    let imported = json(&args);
    let total = imported["games"].as_u64().expect("games")
        + imported["duplicates"].as_u64().expect("duplicates");
    assert_eq!(total, u64::from(GAMES));
    let stats = json(&["archive", "stats", "--data", &data, "--json"]);
    let explored =
        json(&["archive", "explore", "chess", "start moves e4", "--data", &data, "--json"]);
    assert_eq!(stats["games"], explored["games"]);
}
