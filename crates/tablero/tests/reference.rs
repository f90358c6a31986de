//! The generated pages in docs/reference.

mod common;

use std::fs;
use std::path::Path;

use common::{directory, stdout, tablero};

#[test]
fn the_reference_pages_are_up_to_date() {
    let generated = directory("reference");
    stdout(&tablero(&["reference", "--out", &generated.to_string_lossy()]));
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let mut stale = Vec::new();
    for page in fs::read_dir(&generated).expect("pages") {
        let name = page.expect("a page").file_name();
        let text = fs::read_to_string(generated.join(&name)).expect("text");
        if fs::read_to_string(committed.join(&name)).unwrap_or_default() != text {
            stale.push(name.to_string_lossy().into_owned());
        }
    }
    stale.sort();
    assert!(
        stale.is_empty(),
        "out of date in docs/reference: {}; run: cargo run --package tablero -- reference",
        stale.join(", ")
    );
}

#[test]
fn every_option_is_described() {
    let generated = directory("reference-options");
    stdout(&tablero(&["reference", "--out", &generated.to_string_lossy()]));
    let page = fs::read_to_string(generated.join("command-line.md")).expect("a page");
    let options = page.lines().filter(|line| line.starts_with("| `-"));
    let mut count = 0;
    for option in options {
        assert!(!option.ends_with("|  |"), "{option}");
        count += 1;
    }
    assert!(count > 100, "{count} options");
    for part in
        ["### tablero jobs resume", "`--q-ratio P`", "**Self-play**", "tablero learn tictactoe"]
    {
        assert!(page.contains(part), "{part}");
    }
}
