//! Tiny learning runs, from nothing to weights.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tablero_champion::eval::Weights;
use tablero_jobs::{Stop, Threads};
use tablero_pattern_learning::{BEST, LearnConfig, Learned, Plan, Style, open_run, run_learning};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("tablero-patterns-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Few games that look one ply ahead.
fn tiny() -> LearnConfig {
    let quick = LearnConfig::quick("test");
    let style = Style { random_from: 10, random_to: 44, depth: 1, exact: 8 };
    let plan = |trust| Plan { games: 1_500, style, trust, memory: 1 };
    LearnConfig {
        plans: vec![plan(0.0), plan(0.3)],
        gate_pairs: 40,
        gate_depth: 2,
        gate_exact: 6,
        measured: 10,
        measured_depth: 2,
        rounds: 6,
        ..quick
    }
}

/// Runs until done, or until so many steps were told.
fn learn(folder: &Path, threads: usize, steps: Option<usize>) -> Learned {
    let job = open_run(folder, &tiny(), Some(5)).unwrap();
    let stop = Stop::default();
    let threads = Threads::new(NonZeroUsize::new(threads).unwrap());
    let mut told = 0;
    let mut tell = |_: &_| {
        told += 1;
        if Some(told) == steps {
            stop.request();
        }
    };
    run_learning(job, &threads, &stop, &mut tell).unwrap()
}

fn weights(folder: &Path, name: &str) -> Weights {
    Weights::read(&fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn learns_from_nothing_and_comes_to_the_same_after_interruptions() {
    let (whole, parts) = (Folder::new("whole"), Folder::new("parts"));
    let learned = learn(&whole.0, 2, None);
    let [first, second] = &learned.generations[..] else {
        panic!("two generations, not {learned:?}");
    };
    assert!(first.score > 0.55 && first.accepted, "beats an evaluation of zeros: {first:?}");
    assert!(first.held_out < first.held_out_before, "learned something: {first:?}");
    assert!(second.held_out < second.held_out_before, "learned more: {second:?}");
    let report = fs::read_to_string(whole.0.join("report.md")).unwrap();
    assert!(report.contains("| 2 | 1,500 | 1 | 8 |"), "{report}");

    // Within games, the fit and the gate.
    for steps in [3, 20, 30, 60] {
        let so_far = learn(&parts.0, 1, Some(steps));
        assert!(so_far.generations.len() < 2, "{steps} steps are not all");
    }
    learn(&parts.0, 1, None);
    for name in ["generation-1.weights", "generation-2.weights", BEST] {
        let (whole, parts) = (weights(&whole.0, name), weights(&parts.0, name));
        assert!(whole.parameters() == parts.parameters(), "{name} differs");
        assert_eq!(whole.probcut(), parts.probcut(), "{name}");
    }
}

#[test]
fn says_what_is_wrong_with_a_run() {
    let folder = Folder::new("wrong");
    learn(&folder.0, 2, Some(1));
    let other_seed = open_run(&folder.0, &tiny(), Some(6)).unwrap_err().to_string();
    assert!(other_seed.contains("seed 5, not 6"), "{other_seed}");
    let nothing = LearnConfig { plans: Vec::new(), ..tiny() };
    assert!(open_run(&folder.0, &nothing, None).unwrap_err().to_string().contains("one plan"));
}
