//! Keeps the code of `docs/tutorials` in step with its sources: a block labelled `file#anchor` is the text between
//! `ANCHOR: anchor` and `ANCHOR_END: anchor` in that file.
//!
//! `UPDATE_TUTORIALS=1 cargo test -p tablero --test tutorials` rewrites the blocks.

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

/// The source between two anchors, dedented, without nested anchor comments.
fn excerpt(source: &str, name: &str) -> Option<String> {
    let is = |kind| move |line: &&str| anchor(line, kind) == Some(name);
    let mut lines = source.lines().skip_while(|line| !is("ANCHOR")(line));
    lines.next()?;
    let lines: Vec<&str> = lines
        .take_while(|line| !is("ANCHOR_END")(line))
        .filter(|line| anchor(line, "ANCHOR").or(anchor(line, "ANCHOR_END")).is_none())
        .collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let non_empty = lines.iter().filter(|line| !line.trim().is_empty());
    let margin = non_empty.map(indent).min()?;
    let dedented =
        lines.iter().map(|line| line.get(margin..).unwrap_or_default().to_owned() + "\n");
    Some(dedented.collect())
}

/// The tutorial with every labelled block replaced by the current source, and the labels.
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

fn tutorials() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs/tutorials")).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

#[test]
fn tutorial_blocks_match_the_source() {
    for path in tutorials() {
        let tutorial = read(&path);
        let (rendered, _) = render(&tutorial);
        if std::env::var_os("UPDATE_TUTORIALS").is_some() {
            fs::write(&path, &rendered).expect("the tutorial can be written");
            continue;
        }
        for (number, (actual, expected)) in (1..).zip(tutorial.lines().zip(rendered.lines())) {
            assert_eq!(actual, expected, "line {number} of {} is stale", path.display());
        }
        assert_eq!(tutorial, rendered);
    }
}

#[test]
fn every_anchor_is_used() {
    let labels: BTreeSet<_> = tutorials().iter().flat_map(|path| render(&read(path)).1).collect();
    let mut anchors = BTreeSet::new();
    for folder in [
        "crates/connectfour/src",
        "crates/connectfour/tests",
        "crates/tablero/examples",
        "examples/own-game/src",
    ] {
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
fn excerpts_are_dedented() {
    let source = "a\n    // ANCHOR: x\n    b {\n        c\n    // ANCHOR: y\n\n    }\n    // ANCHOR_END: x\nd\n";
    assert_eq!(excerpt(source, "x").as_deref(), Some("b {\n    c\n\n}\n"));
    assert_eq!(excerpt(source, "z"), None);
}
