//! Commands that search: output, interrupts, `tablero play`.

mod common;

use std::io::Read;
use std::process::{Command, Stdio};

use common::{directory, json, stderr, stdout, tablero, tablero_with_input};
use serde_json::Value;

/// JSON lines.
fn json_lines(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&tablero(arguments));
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON value a line")).collect()
}

#[test]
fn best_prints_all_principal_variations() {
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

/// Every format, the same answer as without, and clear refusals.
#[test]
fn best_writes_the_search_tree() {
    let folder = directory("tree");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let best = |player: &str, more: &[&str]| {
        let fixed = ["best", "othello", "start moves f5 d6", "--threads", "1", "--player", player];
        tablero(&[&fixed[..], more].concat())
    };
    for player in ["minimax depth=3", "alphabeta depth=5", "mcts iterations=300"] {
        let json_file = path("tree.json");
        let output = best(player, &["--tree", &json_file, "--force", "--json"]);
        let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let plain: Value = serde_json::from_str(&stdout(&best(player, &["--json"]))).expect("JSON");
        assert_eq!((&answer["moves"], &answer["nodes"]), (&plain["moves"], &plain["nodes"]));
        let tree = std::fs::read_to_string(&json_file).expect("written");
        let tree: Value = serde_json::from_str(&tree).expect("JSON");
        assert_eq!(tree["choice"]["move"], answer["moves"][0]["move"], "{player}");
        assert_eq!(tree["searched"], answer["nodes"], "{player}");
        assert!(tree["nodes"].as_array().expect("nodes").len() > 5, "{player}");
    }
    for (name, beginning) in [("tree.dot", "digraph tree {"), ("tree.svg", "<svg xmlns=")] {
        let file = path(name);
        stdout(&best("mcts iterations=300", &["--tree", &file]));
        let text = std::fs::read_to_string(&file).expect("written");
        assert!(text.starts_with(beginning), "{name}");
        let refused = best("mcts iterations=300", &["--tree", &file]);
        assert!(stderr(&refused).contains("use --force to overwrite it"), "{}", stderr(&refused));
    }
    let refused = best("champion depth=2", &["--tree", &path("x.json")]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("has no tree to show: use minimax"), "{}", stderr(&refused));
    let refused = best("mcts", &["--tree", &path("x.png")]);
    assert!(stderr(&refused).contains("must be .json, .dot or .svg"), "{}", stderr(&refused));
    assert!(!folder.join("x.json").exists() && !folder.join("x.png").exists());
}

#[test]
fn games_players_and_levels_are_listed() {
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
fn an_engine_runs_until_its_input_ends() {
    let input = "uci\nisready\nposition startpos moves e2e4\ngo depth 2\n";
    let answer = stdout(&tablero_with_input(&["engine", "uci"], input));
    assert!(answer.contains("uciok") && answer.contains("readyok"), "{answer}");
    let answer = stdout(&tablero_with_input(&["engine", "gtp"], "1 name\n2 genmove b\n3 quit\n"));
    assert!(answer.contains("=1 Tablero") && answer.contains("=2 "), "{answer}");
}

#[test]
fn a_review_finds_the_blunder_and_annotates_the_file() {
    let folder = directory("review");
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
    assert!(stderr(&output).contains("reports no scores"), "{}", stderr(&output));
}

#[test]
fn a_tournament_prints_final_and_running_ratings() {
    let folder = directory("tournament").to_string_lossy().into_owned();
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
fn invalid_utf8_does_not_end_a_game() {
    let arguments = ["play", "othello", "--second", "human"];
    let output = tablero_with_input(&arguments, b"\xff\xfe\nf5\nquit\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("white"), "{}", stderr(&output));
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Ctrl-C finishes the running games, prints how to resume, and exits with status 130.
#[cfg(unix)]
#[test]
fn an_interrupted_match_says_how_to_resume() {
    let folder = directory("interrupt").to_string_lossy().into_owned();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tablero"))
        .args(["match", "othello", "mcts iterations=300", "mcts iterations=300", "--games", "4000"])
        .args(["--data", &folder, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The log of the first game shows that the match has started.
    let events = std::path::Path::new(&folder).join("jobs/match-1");
    let has_started = || std::fs::read_dir(&events).is_ok_and(|files| files.count() > 2);
    while !has_started() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    let status = child.wait().expect("ends");
    let mut message = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut message).expect("text");
    assert_eq!(status.code(), Some(130), "{message}");
    assert!(message.contains("tablero jobs resume match-1 --data"), "{message}");
}

/// Plays with `--lang es`, or by the locale.
fn play_in_spanish(arguments: &[&str], input: &str) -> (String, String) {
    let arguments = [&["play"], arguments, &["--lang", "es"]].concat();
    let output = tablero_with_input(&arguments, input);
    (stdout(&output), stderr(&output))
}

#[test]
fn play_speaks_spanish() {
    let humans = ["othello", "--first", "human", "--second", "human"];
    let (shown, errors) =
        play_in_spanish(&humans, "f5\njugadas\nmoves\na1\ndeshacer\ndeshacer\nayuda\nsalir\n");
    assert!(shown.contains("turno de blancas") && shown.contains("jugada 1: f5"), "{shown}");
    assert_eq!(shown.matches("f4 d6 f6").count(), 2, "{shown}");
    assert!(shown.contains("humano (negras)>") && shown.contains("rendirse"), "{shown}");
    assert!(errors.contains("`a1`: se esperaba una jugada"), "{errors}");
    assert!(errors.contains("no hay ninguna jugada que deshacer"), "{errors}");
    let (shown, _) = play_in_spanish(&humans, "reglas\nrendirse\n");
    assert!(shown.contains("victoria de blancas por abandono"), "{shown}");
    let line = "a1\nb1\na2\nb2\na3\n";
    let humans = ["tictactoe", "--first", "human", "--second", "human"];
    assert!(play_in_spanish(&humans, line).0.contains("victoria de x"));
    let won = "start moves f5 d6 c5 f4 e7 f6 g5 e6 e3";
    let short = ["othello", "--second", "human", "--position", won];
    assert!(play_in_spanish(&short, "").0.contains("victoria de negras por 64 fichas"));
}

#[test]
fn the_locale_selects_the_language_of_play() {
    let play = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablero"));
        command.args(["play", "shobu", "--second", "human"]).stdin(Stdio::null());
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            command.env_remove(name);
        }
        let output = command.envs(variables.iter().copied()).output().expect("the program starts");
        stdout(&output)
    };
    assert!(play(&[("LANG", "es_ES.UTF-8")]).contains("turno de negras"));
    assert!(play(&[("LC_MESSAGES", "es_MX"), ("LANG", "de_DE")]).contains("turno de negras"));
    assert!(play(&[("LC_ALL", "C"), ("LANG", "es_ES")]).contains("black to move"));
    assert!(play(&[]).contains("black to move"));
}

#[test]
fn play_explains_what_is_not_a_move() {
    let output = tablero_with_input(&["play", "othello", "--second", "human"], "a1\nzz\n");
    let errors = stderr(&output);
    assert!(errors.contains("`a1`: expected a legal move") && errors.contains("`zz`:"), "{errors}");
    assert!(!errors.contains("line 1"), "{errors}");
}

/// The analyst of Othello is the champion, which solves this endgame exactly within its second.
#[test]
fn hints_come_from_the_strongest_player() {
    let start = "OOOOOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X----O--- X";
    let position = format!("{start} moves d7 f7 d8");
    let arguments = ["play", "othello", "--first", "human", "--second", "human", "--position"];
    let arguments = [&arguments[..], &[&position]].concat();
    let shown = stdout(&tablero_with_input(&arguments, "hint\neval\n"));
    assert!(shown.contains("try c8") && shown.contains("-28.00 for white: c8"), "{shown}");
}
