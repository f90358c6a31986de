//! `tablero experiment`: reports, resuming, error messages.

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

fn tablero(data: &Path, arguments: &[&str]) -> Output {
    command(data, arguments).output().expect("the program starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

#[test]
fn the_list_has_expected_results() {
    let data = directory("experiment-list");
    let list = text(&tablero(&data, &["experiment", "list"]));
    assert!(list.contains("unicen") && list.contains("shobu-minimax"), "{list}");
    for line in text(&tablero(&data, &["experiment", "list", "--json"])).lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert!(row["expect"].as_str().is_some_and(|text| !text.is_empty()), "{row}");
    }
}

#[test]
fn a_quick_run_writes_a_report() {
    let data = directory("experiment-quick");
    let printed = text(&tablero(&data, &["experiment", "run", "unicen", "--quick"]));
    assert!(printed.contains("hard – intermediate"), "{printed}");
    let out = data.join("experiment-unicen");
    let page = fs::read_to_string(out.join("report.md")).expect("a report");
    let pictures = page.matches(".svg)").count();
    assert_eq!(pictures, 8, "{page}");
    for picture in ["levels-score", "levels-mobility", "ends-score", "search-nodes", "search-time"]
    {
        assert!(page.contains(&format!("({picture}.svg)")), "{picture}");
        let svg = fs::read_to_string(out.join(format!("{picture}.svg"))).expect("a plot");
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{svg}");
    }
}

/// A killed run resumes to the same result and writes the report to the same place.
#[test]
fn a_killed_run_is_resumed() {
    let data = directory("experiment-killed");
    let run = ["experiment", "run", "shobu-minimax", "--quick", "--json", "--out"];
    let whole: Value = {
        let output = tablero(&data, &[&run[..], &["whole"]].concat());
        serde_json::from_str(&text(&output)).expect("JSON")
    };
    assert_eq!(whole["first_moves"][0]["moves"], 116);
    assert_eq!(whole["first_moves"][1]["moves"], 232);
    let mut killed = command(&data, &[&run[..], &["killed"]].concat());
    let killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut killed = killed.expect("the program starts");
    let log = data.join("jobs/experiment-2/search.jsonl");
    while fs::read(&log).map_or(0, |log| log.len()) == 0 {
        let ended = killed.try_wait().expect("a child");
        if ended.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    killed.kill().expect("killed");
    killed.wait().expect("gone");
    let resumed = text(&tablero(&data, &["jobs", "resume", "experiment-2", "--json"]));
    let resumed: Value = serde_json::from_str(&resumed).expect("JSON");
    let results = |figures: &Value| {
        let nodes = |player: &Value| player["depths"][1]["nodes"].clone();
        let players = figures["searches"][0]["players"].as_array().expect("players");
        let summary = &figures["matches"][0]["pairs"][0]["summary"];
        (summary["pentanomial"].clone(), players.iter().map(nodes).collect::<Vec<_>>())
    };
    assert_eq!(results(&resumed), results(&whole));
    assert!(data.join("killed/report.md").exists());
}

#[test]
fn errors_are_explained() {
    let data = directory("experiment-errors");
    fs::write(data.join("file"), "").expect("a file");
    for (arguments, status, message) in [
        (&["run", "hatchet"][..], 2, "unicen, shobu-minimax"),
        (&["run"], 2, "NAME"),
        (&["run", "unicen", "--quick", "--out", "file/report"], 1, "cannot write file/report"),
    ] {
        let output = tablero(&data, &[&["experiment"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
