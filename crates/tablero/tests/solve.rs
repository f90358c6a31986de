//! `tablero solve`.

mod common;

use std::fs;

use common::{directory, stderr, stdout, tablero};
use serde_json::Value;

/// FFO #40 with some empty squares filled, to be solved in no time.
const POSITION: &str = "OOOOOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X----O--- X;";

fn lines(arguments: &[&str]) -> Vec<Value> {
    let output = stdout(&tablero(arguments));
    output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn results_are_followed_by_totals() {
    let file = directory("solve").join("two.obf");
    let path = file.display().to_string();
    fs::write(&file, format!("{POSITION}\n{POSITION}\n")).expect("written");
    let answers = lines(&["solve", &path, "--json", "--threads", "1", "--hash", "1"]);
    let [first, second, totals] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!((&first["index"], &second["index"]), (&1.into(), &2.into()));
    assert_eq!(first["score"], second["score"]);
    assert_eq!(first["nodes"], second["nodes"], "the same search twice");
    assert!(first["expected"].is_null() && first["ok"].is_null());
    assert_eq!((&totals["positions"], &totals["wrong"]), (&2.into(), &0.into()));

    let outcome = lines(&["solve", &path, "--json", "--wld", "--number", "1", "--hash", "1"]);
    let score = first["score"].as_i64().expect("a number");
    assert_eq!(outcome[0]["score"], score.signum());

    // With the expected score in the file, and with a wrong one.
    let best = first["best"].as_str().expect("a move");
    fs::write(&file, format!("{POSITION} {best}:{score:+};\n")).expect("written");
    assert_eq!(lines(&["solve", &path, "--json"])[0]["ok"], true);
    fs::write(&file, format!("{POSITION} {best}:{:+};\n", score + 2)).expect("written");
    let wrong = tablero(&["solve", &path]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(stderr(&wrong).contains("differ"));
}

#[test]
fn errors_are_explained() {
    let missing = tablero(&["solve", "no-such-file.obf"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("no-such-file.obf"));
    let file = directory("solve-wrong").join("bad.obf");
    fs::write(&file, "XO\n").expect("written");
    let bad = tablero(&["solve", &file.display().to_string()]);
    assert!(stderr(&bad).contains("line 1"), "{}", stderr(&bad));
}
