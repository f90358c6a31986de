//! The program as users call it: exit status, results on standard output, errors that help.

mod common;

use std::fs;

use common::{data, folder, json, stderr, stdout, tablero, tablero_with_input};
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
fn show_recognises_every_format() {
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
        // The same content without its name, on standard input.
        let content = fs::read_to_string(data(name)).expect("test data");
        let piped = stdout(&tablero_with_input(&["show", "-", "--json"], &content));
        let piped: Value = serde_json::from_str(&piped).expect("JSON");
        assert_eq!(piped, shown, "{name}");
        let picture = stdout(&tablero(&["show", &data(name), "--color", "always"]));
        assert!(picture.contains("\x1b["), "{name} is drawn in colour");
    }
}

#[test]
fn show_recognises_pasted_text() {
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
fn show_walks_through_games() {
    let list = stdout(&tablero(&["show", &data("two.ggf"), "--list"]));
    assert!(list.contains("Ana – Bo") && list.lines().count() == 2, "{list}");
    let second = json(&["show", &data("two.ggf"), "--number", "2", "--at", "1", "--json"]);
    assert_eq!(second["side"], "white");
    let wrong = tablero(&["show", &data("two.ggf"), "--number", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("1 to 2"), "{}", stderr(&wrong));
}

#[test]
fn convert_keeps_games() {
    let folder = folder("convert");
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
fn a_damaged_file_of_names_is_named() {
    let folder = folder("names");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    drop(stdout(&tablero(&["convert", &data("two.ggf"), &path("a.wtb")])));
    fs::write(path("a.jou"), b"no header").expect("written");
    let shown = tablero(&["show", &path("a.wtb")]);
    assert!(stderr(&shown).contains("in the .jou file beside it"), "{}", stderr(&shown));
}

#[test]
fn divide_adds_up() {
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
fn play_takes_moves_back_and_plays_them_again() {
    let folder = folder("play");
    let file = folder.join("game.pgn").to_string_lossy().into_owned();
    let moves = |players: [&str; 2], said: &str| {
        let said = format!("{said}save {file}\n");
        let arguments = ["play", "othello", "--first", players[0], "--second", players[1]];
        drop(stdout(&tablero_with_input(&arguments, &said)));
        let shown = json(&["show", &file, "--json"]);
        shown["moves"].as_array().map_or(0, Vec::len)
    };
    let people = ["human", "human"];
    assert_eq!(moves(people, "f5\nd6\nc3\nundo\nundo\n"), 1);
    assert_eq!(moves(people, "f5\nd6\nc3\nundo\nundo\nundo\nredo\n"), 1);
    assert_eq!(moves(people, "f5\nundo\nd3\nredo\n"), 1, "another move was played since");
    let machine = ["human", "random"];
    assert_eq!(moves(machine, "f5\nundo\n"), 0);
    assert_eq!(moves(machine, "f5\nundo\nundo\nredo\n"), 2);
}

#[test]
fn the_bound_of_a_match_replaces_the_players_own() {
    let folder = folder("bound");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let play = |nodes: &str, file: &str| {
        let players = ["mcts iterations=1500", "mcts"];
        let bounds = ["--games", "2", "--nodes", nodes, "--data", &path("data"), "--out", file];
        json(&[&["match", "tictactoe"], &players[..], &bounds, &["--json"]].concat())
    };
    // Both play 1500 iterations, not one of them only the usual 1000.
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
fn a_resumed_match_saves_all_its_games() {
    let folder = folder("resume");
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
fn errors_say_what_is_wrong() {
    for (arguments, status, says) in [
        (&["perft", "go", "3"][..], 2, "othello, chess, shobu, connectfour, tictactoe"),
        (&["perft", "shobu", "3", "--rules", "mine"], 2, "official, across"),
        (&["perft", "chess", "3", "--position", "8/8"], 2, "expected"),
        (&["perft", "chess", "3", "--position", "start moves e5"], 2, "move 1"),
        (&["perft", "othello", "0"], 2, "1..=30"),
        (&["show", "nonsense"], 1, "no format of ours"),
        (&["show", "missing.pgn"], 1, "no file missing.pgn"),
        (&["show", "/"], 1, "is a folder"),
        (&["show", "f5d6", "--from", "gff"], 2, "no format `gff`; known are othello (ggf"),
        (&["show", "f5d6", "--from", "tab"], 1, "not a right tab file"),
        (&["show", ""], 1, "no game or position"),
        (&["convert", "f5d6", "-", "--to", "epd"], 2, "ggf, wthor"),
        (&["convert", "f5d6", "/nowhere/x.ggf"], 1, "/nowhere/x.ggf"),
        (&["bench", "everything"], 2, "perft"),
        (&["engine", "gtp", "--game", "chess"], 2, "gtp is for othello, not for chess"),
        (&["solve", "x.obf", "--game", "chess"], 2, "chess has no solver"),
        (&["match", "othello", "random", "random", "--games", "0"], 2, "--games is at least 1"),
        (&["match", "othello", "random", "random", "--openings", "odd"], 2, "nor a file"),
        (&["match", "shobu", "random", "random", "--rules", "mine"], 2, "official, across"),
        (&["match", "shobu", "random", "human"], 2, "no player kind `human`"),
        (&["frobnicate"], 2, "unrecognized"),
    ] {
        let output = tablero(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
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
