//! The command line: exit status, output, error messages.

mod common;

use std::fs;

use common::{data, directory, json, stderr, stdout, tablero, tablero_with_input};
use serde_json::Value;

#[test]
fn perft_counts() {
    let counts = |arguments: &[&str]| json(arguments)["counts"].clone();
    let othello = counts(&["perft", "othello", "7", "--json"]);
    assert_eq!(othello, serde_json::json!([4, 12, 56, 244, 1396, 8200, 55092]));
    let across = counts(&["perft", "shobu", "3", "--rules", "across", "--json"]);
    assert_eq!(across, serde_json::json!([116, 12132, 1_119_428]));
    let distinct = counts(&["perft", "shobu", "2", "--distinct", "--json"]);
    assert_eq!(distinct, serde_json::json!([174, 28360]));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let chess = counts(&["perft", "chess", "3", "--position", kiwipete, "--json"]);
    assert_eq!(chess, serde_json::json!([48, 2039, 97862]));
    let after = counts(&["perft", "chess", "2", "--position", "start moves e4 e7e5", "--json"]);
    assert_eq!(after, serde_json::json!([29, 835]));
}

#[test]
fn show_detects_every_format() {
    for (name, game, format) in [
        ("game.pgn", "chess", "pgn"),
        ("suite.epd", "chess", "epd"),
        ("across.pgn", "shobu", "pgn"),
        ("two.ggf", "othello", "ggf"),
        ("ffo.obf", "othello", "obf"),
        ("start.tab", "othello", "tab"),
        ("games.txt", "othello", "transcript"),
    ] {
        let shown = json(&["show", &data(name), "--json"]);
        assert_eq!((&shown["game"], &shown["format"]), (&game.into(), &format.into()), "{name}");
        // The same content from standard input, without a file name.
        let content = fs::read_to_string(data(name)).expect("test data");
        let piped = stdout(&tablero_with_input(&["show", "-", "--json"], &content));
        let piped: Value = serde_json::from_str(&piped).expect("JSON");
        assert_eq!(piped, shown, "{name}");
        let picture = stdout(&tablero(&["show", &data(name), "--color", "always"]));
        assert!(picture.contains("\x1b["), "{name} has no colours");
    }
}

#[test]
fn show_detects_pasted_text() {
    for (text, game, position_has) in [
        ("f5 d6 c3", "othello", "---"),
        ("1. e4 e5 2. Nf3", "chess", "5N2"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "chess", "RNBQKBNR"),
        ("b wwww........bbbb wwww........bbbb wwww........bbbb wwww........bbbb", "shobu", "wwww"),
        ("1. b2 a1", "tictactoe", "x o.. .x."),
        ("o x.. .o. ..x", "tictactoe", "o x.. .o. ..x"),
    ] {
        let shown = json(&["show", text, "--json"]);
        assert_eq!(shown["game"], game, "{text}");
        assert!(shown["position"].as_str().unwrap_or_default().contains(position_has), "{shown}");
    }
}

#[test]
fn show_selects_a_game_and_a_ply() {
    let list = stdout(&tablero(&["show", &data("two.ggf"), "--list"]));
    assert!(list.contains("Ana – Bo") && list.lines().count() == 2, "{list}");
    let second = json(&["show", &data("two.ggf"), "--number", "2", "--at", "1", "--json"]);
    assert_eq!(second["side"], "white");
    let wrong = tablero(&["show", &data("two.ggf"), "--number", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("1 to 2"), "{}", stderr(&wrong));
}

#[test]
fn convert_preserves_games() {
    let folder = directory("convert");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let convert = |from: &str, to: &str| drop(stdout(&tablero(&["convert", from, to])));
    let moves = |file: &str| {
        let shown = json(&["show", file, "--json"]);
        (shown["moves"].clone(), shown["players"].clone())
    };
    convert(&data("two.ggf"), &path("a.pgn"));
    convert(&path("a.pgn"), &path("b.wtb"));
    convert(&path("b.wtb"), &path("c.ggf"));
    assert_eq!(moves(&path("c.ggf")), moves(&data("two.ggf")));
    assert!(folder.join("b.jou").exists() && folder.join("b.trn").exists());
    convert(&data("game.pgn"), &path("d.pgn"));
    convert(&path("d.pgn"), &path("e.pgn"));
    let text = |name: &str| fs::read_to_string(path(name)).expect("written");
    assert_eq!(text("d.pgn"), text("e.pgn"));
    assert!(text("d.pgn").contains("(2... Nf6 3. Qxe5+ Be7)"), "{}", text("d.pgn"));
    convert(&data("suite.epd"), &path("f.epd"));
    assert_eq!(text("f.epd"), fs::read_to_string(data("suite.epd")).expect("test data"));
    convert(&data("across.pgn"), &path("g.shobu"));
    assert!(text("g.shobu").contains("[Variant \"across\"]"));
    let to_stdout = stdout(&tablero(&["convert", &data("games.txt"), "-", "--to", "obf"]));
    assert_eq!(to_stdout.lines().count(), 2);
}

#[test]
fn a_damaged_companion_file_is_reported() {
    let folder = directory("names");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    drop(stdout(&tablero(&["convert", &data("two.ggf"), &path("a.wtb")])));
    fs::write(path("a.jou"), b"no header").expect("written");
    let shown = tablero(&["show", &path("a.wtb")]);
    assert!(stderr(&shown).contains("in the accompanying .jou file"), "{}", stderr(&shown));
}

#[test]
fn divide_counts_sum_to_the_total() {
    for extra in [&[][..], &["--distinct"]] {
        let arguments = [&["perft", "shobu", "2", "--divide"], extra].concat();
        let text = stdout(&tablero(&arguments));
        let (parts, counts): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| !line.starts_with("depth"));
        let number = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
        let sum: u64 = parts.iter().map(|line| number(line).expect("a count")).sum();
        let last = counts.last().and_then(|line| line.split_whitespace().nth(2));
        assert_eq!(last, Some(sum.to_string().as_str()), "{text}");
    }
}

#[test]
fn play_undoes_and_redoes_moves() {
    let folder = directory("play");
    let file = folder.join("game.pgn").to_string_lossy().into_owned();
    let moves = |players: [&str; 2], input: &str| {
        let input = format!("{input}save {file} --force\n");
        let arguments = ["play", "othello", "--first", players[0], "--second", players[1]];
        drop(stdout(&tablero_with_input(&arguments, &input)));
        let shown = json(&["show", &file, "--json"]);
        shown["moves"].as_array().map_or(0, Vec::len)
    };
    let humans = ["human", "human"];
    assert_eq!(moves(humans, "f5\nd6\nc3\nundo\nundo\n"), 1);
    assert_eq!(moves(humans, "f5\nd6\nc3\nundo\nundo\nundo\nredo\n"), 1);
    assert_eq!(moves(humans, "f5\nundo\nd3\nredo\n"), 1, "a new move discards the undone one");
    let engine = ["human", "random"];
    assert_eq!(moves(engine, "f5\nundo\n"), 0);
    assert_eq!(moves(engine, "f5\nundo\nundo\nredo\n"), 2);
}

#[test]
fn the_limit_of_a_match_replaces_default_limits() {
    let folder = directory("bound");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let play = |nodes: &str, file: &str| {
        let players = ["mcts iterations=1500", "mcts"];
        let bounds = ["--games", "2", "--nodes", nodes, "--data", &path("data"), "--out", file];
        json(&[&["match", "tictactoe"], &players[..], &bounds, &["--json"]].concat())
    };
    // Both search 1500 iterations, although the default is 1000.
    play("1500", &path("a.pgn"));
    let same = ["match", "tictactoe", "mcts iterations=1500", "mcts iterations=1500"];
    let rest = ["--games", "2", "--data", &path("data"), "--out", &path("b.pgn")];
    drop(stdout(&tablero(&[&same[..], &rest].concat())));
    let values = |name: &str| {
        let text = fs::read_to_string(path(name)).expect("written");
        text.split("[%eval ").skip(1).map(|part| part[..5].to_owned()).collect::<Vec<_>>()
    };
    assert!(!values("a.pgn").is_empty());
    assert_eq!(values("a.pgn"), values("b.pgn"));
}

#[test]
fn a_resumed_match_writes_all_games() {
    let folder = directory("resume");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let data = path("data");
    let play =
        ["match", "tictactoe", "random", "random", "--games", "6", "--data", &data, "--json"];
    let played = json(&play);
    let sum = |names: [&str; 2]| -> u64 {
        let counts = names.iter().flat_map(|name| played[name].as_array().expect("counts"));
        counts.filter_map(Value::as_u64).sum()
    };
    assert_eq!(sum(["as_first", "as_second"]), 6, "{played}");
    let file = path("games.pgn");
    let resume = ["jobs", "resume", "match-1", "--out", &file, "--data", &data, "--json"];
    assert_eq!(json(&resume), played);
    let list = stdout(&tablero(&["show", &file, "--list"]));
    assert_eq!(list.lines().count(), 6, "{list}");
}

#[test]
fn errors_are_explained() {
    for (arguments, status, message) in [
        (&["perft", "go", "3"][..], 2, "othello, chess, shobu, connectfour, tictactoe"),
        (&["perft", "shobu", "3", "--rules", "mine"], 2, "official, across"),
        (&["perft", "chess", "3", "--position", "8/8"], 2, "expected"),
        (&["perft", "chess", "3", "--position", "start moves e5"], 2, "move 1"),
        (&["perft", "othello", "0"], 2, "1..=30"),
        (&["show", "nonsense"], 1, "unrecognized format"),
        (&["show", "missing.pgn"], 1, "no such file: missing.pgn"),
        (&["show", "/"], 1, "is a directory"),
        (&["show", "f5d6", "--from", "gff"], 2, "no format `gff`; known are othello (ggf"),
        (&["show", "f5d6", "--from", "tab"], 1, "invalid tab file"),
        (&["show", ""], 1, "no game or position"),
        (&["convert", "f5d6", "-", "--to", "epd"], 2, "ggf, wthor"),
        (&["convert", "f5d6", "/nowhere/x.ggf"], 1, "/nowhere/x.ggf"),
        (&["bench", "everything"], 2, "perft"),
        (&["engine", "gtp", "--game", "chess"], 2, "gtp supports othello, not chess"),
        (&["solve", "x.obf", "--game", "chess"], 2, "chess has no solver"),
        (&["match", "othello", "random", "random", "--games", "0"], 2, "0 is not in 1..=100000000"),
        (&["match", "othello", "random", "random", "--openings", "odd"], 2, "nor a file"),
        (&["match", "shobu", "random", "random", "--rules", "mine"], 2, "official, across"),
        (&["match", "shobu", "random", "human"], 2, "no player kind `human`"),
        (&["frobnicate"], 2, "unrecognized"),
    ] {
        let output = tablero(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let output = tablero_with_input(&["show", "-"], "1. e4 e5 2. Ke3");
    assert!(stderr(&output).contains("line 1, column 13"), "{}", stderr(&output));
}

#[test]
fn every_command_has_examples() {
    let help = stdout(&tablero(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut count = 0;
    for line in commands.take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().expect("a command's name");
        if name != "help" && line.starts_with("  ") && !line.starts_with("   ") {
            let help = stdout(&tablero(&[name, "--help"]));
            assert!(help.contains("Example"), "{name} --help has no example");
            count += 1;
        }
    }
    assert!(count >= 5);
}

/// The starting position of Othello, which begins with empty squares.
const OTHELLO: &str = "---------------------------OX------XO--------------------------- X";

#[test]
fn positions_may_begin_with_a_hyphen() {
    assert_eq!(json(&["show", OTHELLO, "--json"])["game"], "othello");
    assert_eq!(json(&["show", "--json", OTHELLO])["game"], "othello");
    let player = ["--player", "alphabeta depth=1", "--json"];
    let best = json(&[&["best", "othello", OTHELLO], &player[..]].concat());
    assert_eq!(best["moves"].as_array().map(Vec::len), Some(1));
    let best = json(&[&["best"], &player[..], &["othello", OTHELLO]].concat());
    assert_eq!(best["moves"].as_array().map(Vec::len), Some(1));
    let perft = ["perft", "othello", "2", "--position", OTHELLO, "--json"];
    assert_eq!(json(&perft)["counts"], serde_json::json!([4, 12]));
    let game = format!("{OTHELLO} moves f5 d6");
    let review = json(&[&["review", &game], &player[..]].concat());
    assert_eq!(review["moves"].as_array().map(Vec::len), Some(2));
    assert_eq!(json(&["show", &game, "--json"])["moves"], serde_json::json!(["f5", "d6"]));
}

#[test]
fn misspelt_options_are_not_positions() {
    for arguments in [&["show", "--lst"][..], &["best", "othello", "--jsn"], &["review", "--nmber"]]
    {
        let output = tablero(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("no such option"), "{}", stderr(&output));
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let players = ["random", "random"];
    let of_match = |more: &[&'static str]| [&["match", "othello"], &players[..], more].concat();
    let selfplay = ["selfplay", "othello", "--player", "random", "--games", "1", "--out", "x.csv"];
    for (arguments, message) in [
        (of_match(&["--nodes", "0"]), "0 is not in 1..="),
        (of_match(&["--depth", "0"]), "0 is not in 1..=100"),
        (of_match(&["--max-plies", "0"]), "0 is not in 1..="),
        (of_match(&["--time", "0s"]), "a duration such as 100ms"),
        (vec!["evolve", "othello", "--genome", "sci", "--generations", "0"], "0 is not in 1..="),
        (vec!["learn", "othello", "--generations", "0"], "0 is not in 1..="),
        ([&selfplay[..], &["--random-plies", "99999999999"]].concat(), "is not in 0..="),
        (vec!["solve", "x.obf", "--hash", "65537"], "megabytes from 0 to"),
        (vec!["best", "othello", "start", "--time", "0"], "seconds from 0.001 to 86400"),
    ] {
        let output = tablero(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
}
