//! Workers in threads and in processes, and tasks that misbehave on request.
#![allow(dead_code, unused_imports, clippy::print_stderr)]

pub(crate) mod server;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tablero_cluster::{
    Access, Cluster, ClusterError, JetStreamExecutor, NoFiles, Run, Settings, TaskKinds, Worker,
    WorkerStats,
};
use tablero_jobs::{Batch, CancellationToken, Executor, JobError, Output, Threads, Work};

pub(crate) use server::{Server, folder, wait_until};

/// Environment variables of a worker process.
const URL: &str = "TABLERO_TEST_URL";
const THREADS: &str = "TABLERO_TEST_THREADS";

impl Server {
    pub(crate) fn cluster(&self, settings: &Settings) -> Cluster {
        connect(&self.url(), settings).expect("a connection")
    }

    pub(crate) fn executor(&self, run: &str, settings: &Settings) -> JetStreamExecutor {
        let (run, local) = (Run::new(run, "identity"), Threads::new(NonZeroUsize::MIN));
        JetStreamExecutor::new(self.cluster(settings), kinds(), run, local)
    }

    /// A worker in a thread of this process.
    pub(crate) fn worker(&self, settings: &Settings) -> WorkerThread {
        let stop = CancellationToken::default();
        let (cluster, flag) = (self.cluster(settings), stop.clone());
        let cache = self.folder().join("cache");
        let worker = Worker::new(cluster, kinds(), NonZeroUsize::MIN, &cache).unwrap();
        WorkerThread { stop, thread: thread::spawn(move || worker.run(&flag)) }
    }

    /// A worker in its own process: this test program, started again.
    pub(crate) fn worker_process(&self) -> WorkerProcess {
        self.worker_process_with(1)
    }

    /// As [`worker_process`](Self::worker_process), with several threads.
    pub(crate) fn worker_process_with(&self, threads: usize) -> WorkerProcess {
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker_process", "--ignored", "--nocapture"])
            .env(URL, self.url())
            .env(THREADS, threads.to_string())
            .stdout(Stdio::null())
            .spawn();
        WorkerProcess(process.unwrap())
    }
}

/// The main function of [`Server::worker_process`].
pub(crate) fn run_worker_process() {
    let Ok(url) = std::env::var(URL) else { return };
    let cluster = connect(&url, &short_ack_wait()).unwrap();
    let cache = folder(&format!("cache-{}", std::process::id()));
    let threads = std::env::var(THREADS).unwrap().parse().unwrap();
    let worker = Worker::new(cluster, kinds(), threads, &cache).unwrap();
    let end = worker.run(&CancellationToken::default());
    panic!("the worker ended unasked: {end:?}");
}

pub(crate) struct WorkerProcess(Child);

impl WorkerProcess {
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Sends `STOP` or `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) struct WorkerThread {
    pub(crate) stop: CancellationToken,
    thread: JoinHandle<Result<WorkerStats, ClusterError>>,
}

impl WorkerThread {
    /// Requests a stop and waits for it.
    pub(crate) fn stop(self) -> WorkerStats {
        self.stop.cancel();
        self.thread.join().unwrap().unwrap()
    }

    /// Waits for a worker that ends on its own.
    pub(crate) fn join(self) -> Result<WorkerStats, ClusterError> {
        self.thread.join().unwrap()
    }
}

pub(crate) fn connect(url: &str, settings: &Settings) -> Result<Cluster, ClusterError> {
    Cluster::connect(
        &Access::new(url)?,
        settings.clone(),
        Arc::new(|text: &str| eprintln!("{text}")),
    )
}

/// Default settings with a short `ack_wait`, so that redelivery is quick.
pub(crate) fn short_ack_wait() -> Settings {
    Settings { ack_wait: Duration::from_millis(1200), ..Settings::default() }
}

/// A task that sleeps, and may misbehave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SleepTask {
    pub(crate) number: u64,
    pub(crate) millis: u64,
    #[serde(default)]
    pub(crate) fault: Option<Fault>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Fault {
    /// Aborts the process.
    Abort,
    Panic,
    /// Hangs the first time, when this directory does not exist yet.
    HangOnce(PathBuf),
    /// An output of this many bytes.
    LargeOutput(usize),
}

pub(crate) struct SleepWork;

impl Work for SleepWork {
    const KIND: &'static str = "sleep";
    type Task = SleepTask;
    type Output = String;

    fn run(&self, task: &SleepTask) -> Result<String, String> {
        thread::sleep(Duration::from_millis(task.millis));
        match &task.fault {
            Some(Fault::Abort) => std::process::abort(),
            Some(Fault::Panic) => panic!("task {} panics", task.number),
            Some(Fault::HangOnce(mark)) if fs::create_dir(mark).is_ok() => loop {
                thread::sleep(Duration::from_secs(1));
            },
            Some(Fault::LargeOutput(bytes)) => Ok("x".repeat(*bytes)),
            _ => Ok(format!("{} squared is {}", task.number, task.number * task.number)),
        }
    }
}

pub(crate) fn kinds() -> TaskKinds {
    TaskKinds::default().with(NoFiles(SleepWork))
}

/// `count` tasks of `millis` each.
pub(crate) fn sleep_tasks(count: u64, millis: u64) -> Vec<SleepTask> {
    (0..count).map(|number| SleepTask { number, millis, fault: None }).collect()
}

/// The outputs of an executor; asserts that there is exactly one per task.
pub(crate) fn outputs(
    executor: &dyn Executor,
    tasks: &[SleepTask],
) -> Result<Vec<Result<String, String>>, JobError> {
    let mut outputs: Vec<Option<Result<String, String>>> = vec![None; tasks.len()];
    run(executor, tasks, &CancellationToken::default(), &mut |index, output| {
        assert!(outputs[index].replace(output).is_none(), "output {index} came twice");
        ControlFlow::Continue(())
    })?;
    Ok(outputs.into_iter().map(|output| output.expect("an output for every task")).collect())
}

pub(crate) fn run(
    executor: &dyn Executor,
    tasks: &[SleepTask],
    stop: &CancellationToken,
    done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
) -> Result<(), JobError> {
    let batch = Batch::new(&SleepWork, tasks, stop);
    executor.execute(&batch, &mut |index, output| done(index, output.map(text)))
}

/// An output as JSON, whether local or remote.
pub(crate) fn text(output: Output) -> String {
    match output {
        Output::Json(text) => text,
        Output::Value(value) => {
            serde_json::to_string(value.downcast_ref::<String>().unwrap()).unwrap()
        }
    }
}

/// The outputs of tasks without faults.
pub(crate) fn expected(tasks: &[SleepTask]) -> Vec<Result<String, String>> {
    let output = |task: &SleepTask| {
        format!("\"{0} squared is {1}\"", task.number, task.number * task.number)
    };
    tasks.iter().map(|task| Ok(output(task))).collect()
}

/// The number of finished tasks so far, and the thread that returns all outputs.
pub(crate) type Background = (Arc<Mutex<usize>>, JoinHandle<Vec<Result<String, String>>>);

/// Runs tasks in a thread, so that the test can inject faults meanwhile.
pub(crate) fn in_background(executor: JetStreamExecutor, tasks: Vec<SleepTask>) -> Background {
    let count = Arc::new(Mutex::new(0));
    let finished = count.clone();
    let thread = thread::spawn(move || {
        let mut outputs: Vec<Option<Result<String, String>>> = vec![None; tasks.len()];
        run(&executor, &tasks, &CancellationToken::default(), &mut |index, output| {
            assert!(outputs[index].replace(output).is_none(), "output {index} came twice");
            *finished.lock().unwrap() += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        outputs.into_iter().map(|output| output.expect("an output for every task")).collect()
    });
    (count, thread)
}
