//! Workers in threads and in processes, and tasks that misbehave.
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
    Access, Cluster, ClusterError, JetStream, Kinds, Plain, Run, Settings, Tally, Worker,
};
use tablero_jobs::{Batch, Executor, JobError, Output, Stop, Threads, Work};

pub(crate) use server::{Server, folder, wait_until};

/// What a process of a test is told through its environment.
const URL: &str = "TABLERO_TEST_URL";
const THREADS: &str = "TABLERO_TEST_THREADS";

impl Server {
    pub(crate) fn cluster(&self, settings: &Settings) -> Cluster {
        connect(&self.url(), settings).expect("a connection")
    }

    pub(crate) fn executor(&self, run: &str, settings: &Settings) -> JetStream {
        let (run, here) = (Run::new(run, "identity"), Threads::new(NonZeroUsize::MIN));
        JetStream::new(self.cluster(settings), kinds(), run, here)
    }

    /// A worker in a thread of the test.
    pub(crate) fn worker(&self, settings: &Settings) -> WorkerThread {
        let stop = Stop::default();
        let (cluster, flag) = (self.cluster(settings), stop.clone());
        let cache = self.folder().join("cache");
        let worker = Worker::new(cluster, kinds(), NonZeroUsize::MIN, &cache).unwrap();
        WorkerThread { stop, thread: thread::spawn(move || worker.run(&flag)) }
    }

    /// A worker in a process of its own: this test program, called again.
    pub(crate) fn worker_process(&self) -> WorkerProcess {
        self.worker_process_with(1)
    }

    /// A worker with so many threads in a process of its own.
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

/// What [`Server::worker_process`] runs.
pub(crate) fn be_a_worker_process() {
    let Ok(url) = std::env::var(URL) else { return };
    let cluster = connect(&url, &quick()).unwrap();
    let cache = folder(&format!("cache-{}", std::process::id()));
    let threads = std::env::var(THREADS).unwrap().parse().unwrap();
    let worker = Worker::new(cluster, kinds(), threads, &cache).unwrap();
    let end = worker.run(&Stop::default());
    panic!("a worker that nobody stops: {end:?}");
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

    /// `STOP`, `CONT`.
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
    pub(crate) stop: Stop,
    thread: JoinHandle<Result<Tally, ClusterError>>,
}

impl WorkerThread {
    /// Asks it to stop, and waits.
    pub(crate) fn end(self) -> Tally {
        self.stop.request();
        self.thread.join().unwrap().unwrap()
    }

    /// Waits for a worker that ends by itself.
    pub(crate) fn wait(self) -> Result<Tally, ClusterError> {
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

/// As usual, but a lost worker is missed soon.
pub(crate) fn quick() -> Settings {
    Settings { ack_wait: Duration::from_millis(1200), ..Settings::default() }
}

/// A task that takes its time, and more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Toil {
    pub(crate) number: u64,
    pub(crate) millis: u64,
    #[serde(default)]
    pub(crate) trouble: Option<Trouble>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Trouble {
    /// Ends the process.
    Abort,
    Panic,
    /// The first one to come, as this file tells, stays for ever.
    HangOnce(PathBuf),
    /// An output of so many bytes.
    Large(usize),
}

pub(crate) struct ToilWork;

impl Work for ToilWork {
    const KIND: &'static str = "toil";
    type Task = Toil;
    type Output = String;

    fn run(&self, task: &Toil) -> Result<String, String> {
        thread::sleep(Duration::from_millis(task.millis));
        match &task.trouble {
            Some(Trouble::Abort) => std::process::abort(),
            Some(Trouble::Panic) => panic!("no way with {}", task.number),
            Some(Trouble::HangOnce(mark)) if fs::create_dir(mark).is_ok() => loop {
                thread::sleep(Duration::from_secs(1));
            },
            Some(Trouble::Large(bytes)) => Ok("x".repeat(*bytes)),
            _ => Ok(format!("{} squared is {}", task.number, task.number * task.number)),
        }
    }
}

pub(crate) fn kinds() -> Kinds {
    Kinds::default().with(Plain(ToilWork))
}

/// So many tasks that take so long.
pub(crate) fn toil(count: u64, millis: u64) -> Vec<Toil> {
    (0..count).map(|number| Toil { number, millis, trouble: None }).collect()
}

/// What an executor gives for tasks: one output for each, none twice.
pub(crate) fn outputs(
    executor: &dyn Executor,
    tasks: &[Toil],
) -> Result<Vec<Result<String, String>>, JobError> {
    let mut outputs: Vec<Option<Result<String, String>>> = vec![None; tasks.len()];
    run(executor, tasks, &Stop::default(), &mut |index, output| {
        assert!(outputs[index].replace(output).is_none(), "output {index} came twice");
        ControlFlow::Continue(())
    })?;
    Ok(outputs.into_iter().map(|output| output.expect("an output for every task")).collect())
}

pub(crate) fn run(
    executor: &dyn Executor,
    tasks: &[Toil],
    stop: &Stop,
    done: &mut dyn FnMut(usize, Result<String, String>) -> ControlFlow<()>,
) -> Result<(), JobError> {
    let batch = Batch::new(&ToilWork, tasks, stop);
    executor.execute(&batch, &mut |index, output| done(index, output.map(text)))
}

/// An output as JSON, wherever it comes from.
pub(crate) fn text(output: Output) -> String {
    match output {
        Output::Text(text) => text,
        Output::Value(value) => {
            serde_json::to_string(value.downcast_ref::<String>().unwrap()).unwrap()
        }
    }
}

/// What tasks without trouble give.
pub(crate) fn expected(tasks: &[Toil]) -> Vec<Result<String, String>> {
    let output =
        |task: &Toil| format!("\"{0} squared is {1}\"", task.number, task.number * task.number);
    tasks.iter().map(|task| Ok(output(task))).collect()
}

/// How many tasks are done so far, and the outputs of all in the end.
pub(crate) type Background = (Arc<Mutex<usize>>, JoinHandle<Vec<Result<String, String>>>);

/// Runs tasks in a thread, so that the test can make trouble meanwhile.
pub(crate) fn in_background(executor: JetStream, tasks: Vec<Toil>) -> Background {
    let count = Arc::new(Mutex::new(0));
    let seen = count.clone();
    let thread = thread::spawn(move || {
        let mut outputs: Vec<Option<Result<String, String>>> = vec![None; tasks.len()];
        run(&executor, &tasks, &Stop::default(), &mut |index, output| {
            assert!(outputs[index].replace(output).is_none(), "output {index} came twice");
            *seen.lock().unwrap() += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        outputs.into_iter().map(|output| output.expect("an output for every task")).collect()
    });
    (count, thread)
}
