//! A fixed number of inputs for every reader, the same in every run.

use tablero_fuzz::targets;

fn check(group: &str) {
    let chosen: Vec<_> =
        targets().into_iter().filter(|target| target.name.starts_with(group)).collect();
    assert!(!chosen.is_empty(), "no targets in {group}");
    for target in chosen {
        assert!(!target.samples.is_empty(), "{} has no samples", target.name);
        let run = target.run(1, |round| round < target.rounds);
        if let Some(failure) = run.failures.first() {
            let input = String::from_utf8_lossy(&failure.input);
            panic!("{}: {} on {input:?}", target.name, failure.message);
        }
    }
}

#[test]
fn game_files_do_not_panic() {
    check("formats/");
}

#[test]
fn weights_do_not_panic() {
    check("weights/");
}

#[test]
fn records_do_not_panic() {
    check("records/");
}

#[test]
fn lines_do_not_panic() {
    check("lines/");
}

#[test]
fn protocols_do_not_panic() {
    check("protocols/");
}
