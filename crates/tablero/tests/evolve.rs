//! `tablero evolve`: files of Othello7, kill and resume, players from files, error messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablero"));
    command.args(arguments).env("TABLERO_DATA", data).current_dir(data).stdin(Stdio::null());
    command
}

fn tablero(data: &Path, line: &str) -> Output {
    command(data, &words(line)).output().expect("the program starts")
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The error message of a command that fails with this status.
fn error(data: &Path, line: &str, status: i32) -> String {
    let output = tablero(data, line);
    assert_eq!(output.status.code(), Some(status), "{line}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("text")
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// An .evl file without the run time.
fn timeless(path: &Path) -> String {
    let mut text = fs::read_to_string(path).expect("a file");
    text.truncate(text.find("Tiempo: ").expect("a last line"));
    text
}

#[test]
fn an_evolved_genome_plays() {
    let data = directory("evolve-small");
    let evolve = "evolve othello --genome sci --generations 2 --out a.evl --json --player";
    let mut arguments = words(evolve);
    arguments.push("minimax depth=1");
    let output = command(&data, &arguments).output().expect("the program starts");
    let summary: Value = serde_json::from_str(&text(&output)).expect("JSON");
    assert_eq!((summary["generations"].as_u64(), summary["games"].as_u64()), (Some(2), Some(300)));
    let lines = fs::read_to_string(data.join("a.evl")).expect("a file");
    assert!(lines.starts_with("1 1\n2\n") && lines.lines().count() == 34, "{lines}");
    // Converting back and forth is lossless.
    text(&tablero(&data, "convert a.evl a.genes"));
    text(&tablero(&data, "convert a.genes b.evl"));
    assert_eq!(fs::read(data.join("a.evl")).expect("a"), fs::read(data.join("b.evl")).expect("b"));
    let players = ["greedy eval=a.evl", "greedy eval=a.genes#30"];
    let arguments = ["match", "othello", players[0], players[1], "--games", "2", "--json"];
    let output = command(&data, &arguments).output().expect("the program starts");
    let result: Value = serde_json::from_str(&text(&output)).expect("JSON");
    assert_eq!((result["games"].as_u64(), result["illegal"].as_u64()), (Some(2), Some(0)));
    // A finished run is continued from its file.
    let line =
        "evolve othello --genome sci --generations 1 --resume a.evl --out c.evl --player greedy";
    text(&tablero(&data, line));
    let lines = fs::read_to_string(data.join("c.evl")).expect("a file");
    assert!(lines.starts_with("1 1\n3\n"), "{lines}");
}

/// Resumes a killed run by its output file.
#[test]
fn a_killed_run_resumes_to_the_same_file() {
    let data = directory("evolve-kill");
    let line = "evolve othello --genome jma --generations 6 --player greedy --out";
    text(&tablero(&data, &format!("{line} whole.evl --threads 1")));
    let arguments = format!("{line} killed.evl --threads 2");
    let mut child = command(&data, &words(&arguments))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while !data.join("killed.evl").exists() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it runs, or has just ended");
    child.wait().expect("it ended");
    let resume = "evolve othello --genome jma --generations 6 --resume killed.evl --threads 1";
    let jobs = text(&tablero(&data, "jobs list"));
    if jobs.contains("interrupted") {
        text(&tablero(&data, resume));
    }
    assert_eq!(timeless(&data.join("killed.evl")), timeless(&data.join("whole.evl")));
}

#[test]
fn errors_are_explained() {
    let data = directory("evolve-errors");
    let sci = "evolve othello --genome sci";
    assert!(error(&data, &format!("{sci} --generations 0"), 2).contains("0 is not in 1..="));
    assert!(error(&data, "evolve othello --genome classic", 2).contains("iago"));
    assert!(error(&data, &format!("{sci} --scheme neat"), 2).contains("othello7, es"));
    assert!(error(&data, &format!("{sci} --out no/folder.evl"), 2).contains("no folder"));
    assert!(error(&data, "evolve chess --genome material --out x.evl", 2).contains("Othello"));
    fs::write(data.join("foreign.evl"), "GIF89a").expect("a file");
    assert!(error(&data, &format!("{sci} --resume foreign.evl"), 1).contains("line 1"));
    let players = ["match", "othello", "greedy eval=foreign.evl", "greedy", "--games", "2"];
    let output = command(&data, &players).output().expect("the program starts");
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(2) && message.contains("foreign.evl"), "{message}");
    let line = "evolve tictactoe --genome lines --generations 1 --out t.genes";
    text(&tablero(&data, line));
    assert!(error(&data, &format!("{sci} --resume t.genes"), 1).contains("for tictactoe"));
    assert!(error(&data, "convert t.genes t.evl", 1).contains("sci or jma"));
    assert!(!data.join("t.evl").exists());
}

#[test]
fn shipped_genomes_are_listed() {
    let data = directory("evolve-weights");
    let list = text(&tablero(&data, "weights --json"));
    let rows: Vec<Value> =
        list.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(rows.iter().any(|row| row["name"] == "othello7-sci" && row["game"] == "othello"));
    assert!(text(&tablero(&data, "weights --game othello")).contains("othello7-sci"));
}
