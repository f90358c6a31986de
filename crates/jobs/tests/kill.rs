//! A job whose process is killed resumes in another one.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tablero_jobs::{
    CancellationToken, Log, RunEnd, Runner, Status, Store, Threads, Work, read_log,
};

/// The environment variable with the data folder, set for the process to be killed.
const VICTIM: &str = "TABLERO_JOBS_VICTIM";
const TASKS: u64 = 400;

struct Slow;

impl Work for Slow {
    const KIND: &'static str = "slow";
    type Task = u64;
    type Output = u64;

    fn run(&self, task: &u64) -> Result<u64, String> {
        thread::sleep(Duration::from_millis(1));
        Ok(task.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Runs the job `kill-1` and returns the sum of all outputs.
fn work(data: &Path) -> u64 {
    let job = Store::in_folder(data).open("kill-1").unwrap().run().unwrap();
    let (threads, cancel) = (Threads::all_cores(), CancellationToken::default());
    let tasks: Vec<u64> = (0..TASKS).collect();
    let mut runner = Runner::new(&threads, &cancel).with_log(job.log("outputs").unwrap());
    let mut sum = 0u64;
    let end = runner.run(&Slow, &tasks, |_, output| {
        sum = sum.wrapping_add(output);
        ControlFlow::Continue(())
    });
    assert_eq!(end.unwrap(), RunEnd::Completed);
    job.finish(&sum).unwrap();
    sum
}

/// Does nothing except in the process to be killed.
#[test]
fn victim() {
    if let Ok(data) = std::env::var(VICTIM) {
        work(Path::new(&data));
    }
}

#[test]
fn a_killed_job_resumes() {
    let data = std::env::temp_dir().join(format!("tablero-jobs-kill-{}", std::process::id()));
    let store = Store::in_folder(&data);
    let job = store.create("kill", &(), 1).unwrap();
    let log = job.folder().join("outputs.jsonl");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim"])
        .env(VICTIM, &data)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while read_log::<serde_json::Value>(&log).unwrap().count() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "still running");
        thread::sleep(Duration::from_millis(2));
    }
    let refused = store.open("kill-1").unwrap().run().unwrap_err().to_string();
    assert!(refused.contains(&format!("process {}", child.id())), "{refused}");
    child.kill().unwrap();
    child.wait().unwrap();

    assert_eq!(store.open("kill-1").unwrap().state().unwrap().status, Status::Interrupted);
    let before = Log::open(&log).unwrap().len();
    assert!((20..TASKS as usize).contains(&before), "{before}");
    let expected = (0..TASKS).fold(0u64, |sum, task| sum.wrapping_add(Slow.run(&task).unwrap()));
    assert_eq!(work(&data), expected);
    let job = store.open("kill-1").unwrap();
    assert_eq!(job.result::<u64>().unwrap(), Some(expected));
    assert_eq!(Log::open(&log).unwrap().len(), TASKS as usize);
    std::fs::remove_dir_all(&data).unwrap();
}
