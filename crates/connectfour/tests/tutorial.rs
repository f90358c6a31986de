//! `docs/add-a-game.md` shows code that runs: blocks labelled `file#anchor` are what stands
//! between `ANCHOR: anchor` and `ANCHOR_END: anchor` in that file.
//!
//! `UPDATE_TUTORIAL=1 cargo test -p tablero-connectfour --test tutorial` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The name in an anchor comment of this kind, `ANCHOR` or `ANCHOR_END`.
fn anchor<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    line.trim().strip_prefix("// ")?.strip_prefix(kind)?.strip_prefix(": ")
}

/// The source between two anchors, moved to the left, without other anchors inside.
fn excerpt(source: &str, name: &str) -> Option<String> {
    let is = |kind| move |line: &&str| anchor(line, kind) == Some(name);
    let mut lines = source.lines().skip_while(|line| !is("ANCHOR")(line));
    lines.next()?;
    let lines: Vec<&str> = lines
        .take_while(|line| !is("ANCHOR_END")(line))
        .filter(|line| anchor(line, "ANCHOR").or(anchor(line, "ANCHOR_END")).is_none())
        .collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let written = lines.iter().filter(|line| !line.trim().is_empty());
    let margin = written.map(indent).min()?;
    let moved = lines.iter().map(|line| line.get(margin..).unwrap_or_default().to_owned() + "\n");
    Some(moved.collect())
}

/// The tutorial with every labelled block as it should be, and the labels.
fn render(tutorial: &str) -> (String, BTreeSet<String>) {
    let (mut out, mut labels) = (String::new(), BTreeSet::new());
    let mut lines = tutorial.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(info) = line.strip_prefix("```").map(str::trim).filter(|info| !info.is_empty())
        else {
            continue;
        };
        let block: String = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        match info.split_once(' ') {
            Some((_, label)) => {
                let (file, name) = label.split_once('#').expect("a label `file#anchor`");
                let code = excerpt(&read(&root().join(file)), name);
                out.push_str(&code.unwrap_or_else(|| panic!("no anchor {label}")));
                labels.insert(label.to_owned());
            }
            None => {
                assert_ne!(info, "rust", "Rust code needs a label, or it goes stale:\n{block}");
                out.push_str(&block);
            }
        }
        out.push_str("```\n");
    }
    (out, labels)
}

#[test]
fn the_tutorial_shows_the_code() {
    let path = root().join("docs/add-a-game.md");
    let tutorial = read(&path);
    let (rendered, labels) = render(&tutorial);
    assert!(!labels.is_empty());
    if std::env::var_os("UPDATE_TUTORIAL").is_some() {
        fs::write(&path, &rendered).expect("the tutorial can be written");
        return;
    }
    for (number, (is, should)) in (1..).zip(tutorial.lines().zip(rendered.lines())) {
        assert_eq!(is, should, "line {number} of {} is stale", path.display());
    }
    assert_eq!(tutorial, rendered);
}

#[test]
fn every_anchor_is_shown() {
    let (_, labels) = render(&read(&root().join("docs/add-a-game.md")));
    let mut anchors = BTreeSet::new();
    for folder in ["crates/connectfour/src", "crates/connectfour/tests", "examples/own-game/src"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let file = entry.expect("a file").file_name().into_string().expect("UTF-8");
            let source = read(&root().join(folder).join(&file));
            let names = source.lines().filter_map(|line| anchor(line, "ANCHOR"));
            anchors.extend(names.map(|name| format!("{folder}/{file}#{name}")));
        }
    }
    assert_eq!(anchors, labels);
}

#[test]
fn excerpts_are_cut_out_and_moved() {
    let source = "a\n    // ANCHOR: x\n    b {\n        c\n    // ANCHOR: y\n\n    }\n    // ANCHOR_END: x\nd\n";
    assert_eq!(excerpt(source, "x").as_deref(), Some("b {\n    c\n\n}\n"));
    assert_eq!(excerpt(source, "z"), None);
}
