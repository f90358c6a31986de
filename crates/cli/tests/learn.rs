//! Learning through the program: a run that its time ends, going on with it, errors that help.

mod common;

use common::{folder, stderr, stdout, tablero};

#[test]
fn a_run_ends_with_its_time_and_tells_how_to_go_on() {
    let folder = folder("learn");
    let dir = folder.join("run").to_string_lossy().into_owned();
    let arguments = ["learn", "othello", "--net", "patterns", "--dir", &dir, "--quick"];
    let output = tablero(&[&arguments[..], &["--hours", "0.0001"]].concat());
    stdout(&output);
    assert!(stderr(&output).contains(&format!("--dir '{dir}'")), "{}", stderr(&output));
    let games = std::fs::read_to_string(folder.join("run/games-1.jsonl")).expect("games");
    assert!(games.contains("\"moves\""), "{games}");

    let other = tablero(&[&arguments[..], &["--seed", "7"]].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("holds a run with seed 1, not 7"), "{}", stderr(&other));
}

#[test]
fn wrong_usage_is_explained() {
    for (arguments, help) in [
        (&["learn", "chess", "--net", "patterns"][..], "othello only"),
        (&["learn", "othello", "--net", "nothing"], "patterns"),
        (&["learn", "othello", "--hours", "0"], "hours above 0"),
    ] {
        let output = tablero(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(help), "{}", stderr(&output));
    }
}
