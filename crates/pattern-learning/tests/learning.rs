//! Tiny learning runs, from zero weights.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tablero_champion::eval::Weights;
use tablero_jobs::{CancellationToken, Threads};
use tablero_pattern_learning::{
    BEST_WEIGHTS, LearnConfig, LearningHistory, Plan, SelfPlayConfig, open_run, run_learning,
};

/// A temporary folder.
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

/// Few games at depth 1.
fn tiny() -> LearnConfig {
    let quick = LearnConfig::quick("test");
    let self_play =
        SelfPlayConfig { min_random_plies: 10, max_random_plies: 44, depth: 1, exact_empties: 8 };
    let plan = |q_ratio| Plan { games: 1_500, self_play, q_ratio, replay_generations: 1 };
    LearnConfig {
        plans: vec![plan(0.0), plan(0.3)],
        gate_pairs: 40,
        gate_depth: 2,
        gate_exact_empties: 6,
        probcut_positions: 10,
        probcut_depth: 2,
        cg_iterations: 6,
        ..quick
    }
}

/// Runs to the end, or until this many progress reports.
fn learn(folder: &Path, threads: usize, steps: Option<usize>) -> LearningHistory {
    let job = open_run(folder, &tiny(), Some(5)).unwrap();
    let stop = CancellationToken::default();
    let threads = Threads::new(NonZeroUsize::new(threads).unwrap());
    let mut reports = 0;
    let mut report = |_: &_| {
        reports += 1;
        if Some(reports) == steps {
            stop.cancel();
        }
    };
    run_learning(job, &threads, &stop, &mut report).unwrap()
}

fn weights(folder: &Path, name: &str) -> Weights {
    Weights::read(&fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn learns_from_zero_weights_and_resumes_deterministically() {
    let (whole, parts) = (Folder::new("whole"), Folder::new("parts"));
    let learned = learn(&whole.0, 2, None);
    let [first, second] = &learned.generations[..] else {
        panic!("two generations, not {learned:?}");
    };
    assert!(first.score > 0.55 && first.accepted, "beats zero weights: {first:?}");
    assert!(first.held_out < first.held_out_best, "the error decreases: {first:?}");
    assert!(second.held_out < second.held_out_best, "the error decreases further: {second:?}");
    let report = fs::read_to_string(whole.0.join("report.md")).unwrap();
    assert!(report.contains("| 2 | 1,500 | 1 | 8 |"), "{report}");

    // Interrupted within self-play, regression and the gating match.
    for steps in [3, 20, 30, 60] {
        let so_far = learn(&parts.0, 1, Some(steps));
        assert!(so_far.generations.len() < 2, "{steps} steps do not finish the run");
    }
    learn(&parts.0, 1, None);
    for name in ["generation-1.weights", "generation-2.weights", BEST_WEIGHTS] {
        let (whole, parts) = (weights(&whole.0, name), weights(&parts.0, name));
        assert!(whole.parameters() == parts.parameters(), "{name} differs");
        assert_eq!(whole.probcut(), parts.probcut(), "{name}");
    }
}

#[test]
fn rejects_invalid_runs() {
    let folder = Folder::new("wrong");
    learn(&folder.0, 2, Some(1));
    let other_seed = open_run(&folder.0, &tiny(), Some(6)).unwrap_err().to_string();
    assert!(other_seed.contains("seed 5, not 6"), "{other_seed}");
    let nothing = LearnConfig { plans: Vec::new(), ..tiny() };
    let no_plan = open_run(&folder.0, &nothing, None).unwrap_err().to_string();
    assert!(no_plan.contains("plans is 0; expected at least 1"), "{no_plan}");
}
