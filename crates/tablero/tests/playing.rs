//! Commands in which players think: what they print, and what a stop leaves.

mod common;

use std::io::Read;
use std::process::{Command, Stdio};

use common::{folder, json, stderr, stdout, tablero, tablero_with_input};
use serde_json::Value;

/// Several JSON values, one a line.
fn json_lines(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&tablero(arguments));
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect()
}

#[test]
fn best_finds_a_mate_in_every_line_asked_for() {
    let mate = "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1";
    let answer =
        json(&["best", "chess", mate, "--multipv", "3", "--player", "alphabeta depth=3", "--json"]);
    let moves = answer["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 3);
    assert_eq!((&moves[0]["move"], &moves[0]["value"]), (&"Ra8#".into(), &"#1".into()));
    assert!(moves[0]["score"].as_f64() > moves[1]["score"].as_f64());
    for key in ["depth", "nodes", "nps", "time"] {
        assert!(answer[key].is_number(), "{key}");
    }
}

#[test]
fn lists_name_games_players_and_levels() {
    let games = json_lines(&["games", "--json"]);
    let names: Vec<_> = games.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["othello", "chess", "shobu", "connectfour", "tictactoe"]);
    let players = json_lines(&["players", "--json", "--game", "chess"]);
    let level = players.iter().find(|row| row["name"] == "level 10").expect("ten levels");
    assert!(level["elo"].as_i64() > Some(1000) && level["player"].is_string());
    assert!(players.iter().any(|row| row["name"] == "alphabeta" && row["options"].is_array()));
    assert!(stdout(&tablero(&["players"])).contains("chess 30, shobu 2"));
}

#[test]
fn an_engine_answers_until_its_input_ends() {
    let said = "uci\nisready\nposition startpos moves e2e4\ngo depth 2\n";
    let answer = stdout(&tablero_with_input(&["engine", "uci"], said));
    assert!(answer.contains("uciok") && answer.contains("readyok"), "{answer}");
    let answer = stdout(&tablero_with_input(&["engine", "gtp"], "1 name\n2 genmove b\n3 quit\n"));
    assert!(answer.contains("=1 Tablero") && answer.contains("=2 "), "{answer}");
}

#[test]
fn a_review_names_the_blunder_and_annotates_the_file() {
    let folder = folder("review");
    let file = folder.join("annotated.pgn").to_string_lossy().into_owned();
    let game = "1. f3 e5 2. g4 Qh4#";
    let fixed = ["--player", "alphabeta depth=3"];
    let answer = json(&[&["review", game, "--json", "--out", &file][..], &fixed].concat());
    let verdicts: Vec<_> =
        answer["moves"].as_array().expect("moves").iter().map(|m| &m["verdict"]).collect();
    assert_eq!(verdicts[2..], ["blunder", "best"]);
    assert!(std::fs::read_to_string(&file).expect("written").contains("g4 $4"));
    let text = stdout(&tablero(&[&["review", game][..], &fixed].concat()));
    assert!(text.contains("white: accuracy") && text.contains("1 blunder"), "{text}");
    let output = tablero(&[&["review", game][..], &["--player", "random"]].concat());
    assert!(stderr(&output).contains("gives no values"), "{}", stderr(&output));
}

#[test]
fn a_tournament_shows_ratings_and_the_running_one() {
    let folder = folder("tournament").to_string_lossy().into_owned();
    let players = ["tournament", "tictactoe", "random", "greedy", "alphabeta depth=9"];
    let rest = ["--games", "4", "--data", &folder];
    let answer = json(&[&players[..], &rest, &["--json"]].concat());
    let runs: Vec<f64> = answer["players"]
        .as_array()
        .expect("players")
        .iter()
        .filter_map(|p| p["running_elo"].as_f64())
        .collect();
    assert!((runs.iter().sum::<f64>() - 1200.0).abs() < 1e-6, "{runs:?}");
    assert!(stdout(&tablero(&[&players[..], &rest].concat())).contains(" run "));
}

#[test]
fn what_is_no_text_does_not_end_a_game() {
    let arguments = ["play", "othello", "--second", "human"];
    let output = tablero_with_input(&arguments, b"\xff\xfe\nf5\nquit\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("white"), "{}", stderr(&output));
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Ctrl-C finishes the games under way, says how to go on, and is no success.
#[cfg(unix)]
#[test]
fn an_interrupted_match_tells_how_to_go_on() {
    let folder = folder("interrupt").to_string_lossy().into_owned();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tablero"))
        .args(["match", "othello", "mcts iterations=300", "mcts iterations=300", "--games", "4000"])
        .args(["--data", &folder, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The first game's file says that the match is under way.
    let events = std::path::Path::new(&folder).join("jobs/match-1");
    let begun = || std::fs::read_dir(&events).is_ok_and(|files| files.count() > 2);
    while !begun() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    let status = child.wait().expect("ends");
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("tablero jobs resume match-1 --data"), "{said}");
}
