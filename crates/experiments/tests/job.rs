//! A cancelled and resumed experiment has the same results as an uninterrupted one.

use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::Value;
use tablero_core::Permissions;
use tablero_experiments::{ExperimentConfig, find, report, run_experiment_job};
use tablero_jobs::{CancellationToken, Progress, Status, Store, Threads};

fn config(name: &str) -> ExperimentConfig {
    let mut experiment = find(name).expect("an experiment");
    for plan in &mut experiment.searches {
        plan.depth.quick = 2;
    }
    ExperimentConfig { name: name.into(), quick: true, out: None, experiment }
}

/// Runs a new job, cancelling it every `steps` steps; returns results, report and number of runs.
fn run(store: &Store, threads: usize, steps: u64) -> (Value, String, usize) {
    let config = config("unicen");
    let id = config.create_job(store).expect("a job").id().to_owned();
    let threads = Threads::new(NonZeroUsize::new(threads).expect("some"));
    let mut furthest = 0;
    for runs in 1..100 {
        let (stop, before) = (CancellationToken::default(), furthest);
        let mut on_progress = |progress: &Progress| {
            // A resumed run first reports what earlier ones did.
            furthest = furthest.max(progress.done);
            if furthest >= steps.saturating_add(before) {
                stop.cancel();
            }
        };
        let job = store.open(&id).expect("the job");
        let results = run_experiment_job(job, Permissions::NONE, &threads, &stop, &mut on_progress)
            .expect("no failure");
        let state = store.open(&id).expect("the job").state().expect("a state").status;
        assert_eq!(state, if results.is_some() { Status::Finished } else { Status::Stopped });
        if let Some(results) = results {
            let page = report(&config.experiment, &results).page;
            return (timeless(serde_json::to_value(results).expect("data")), page, runs);
        }
    }
    panic!("the job does not finish")
}

/// Removes times, which differ from run to run.
fn timeless(mut results: Value) -> Value {
    match &mut results {
        Value::Object(entries) => {
            entries.retain(|name, _| name != "seconds" && name != "nps");
            let is_time =
                |value: &&mut Value| value.as_str().is_some_and(|what| what.contains("seconds"));
            if entries.get_mut("description").as_ref().is_some_and(is_time) {
                entries.remove("measured");
            }
            entries.values_mut().for_each(|value| *value = timeless(value.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = timeless(value.take())),
        _ => {}
    }
    results
}

#[test]
fn results_do_not_depend_on_interruptions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("experiment-job");
    let _ = std::fs::remove_dir_all(&folder);
    let store = Store::in_folder(&folder);
    tablero_registry::install(tablero_catalog::games());
    let (through, page, runs) = run(&store, 2, u64::MAX);
    assert_eq!(runs, 1);
    // More than the steps of all matches but the last, which a resumed job replays.
    let (resumed, _, runs) = run(&store, 1, 18);
    assert!(runs > 2, "{runs}");
    assert_eq!(resumed, through);
    for part in ["# The three levels", "| depth | minimax |", "](search-nodes.svg)", "hard – easy"]
    {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert_eq!(through["matches"][0]["pairs"].as_array().map(Vec::len), Some(3));
}
