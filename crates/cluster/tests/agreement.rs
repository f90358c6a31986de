//! What coordinator and workers must agree on: versions, kinds of tasks, files.

mod common;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{
    Server, connect, expected, in_background, outputs, short_ack_wait, sleep_tasks, text,
    wait_until,
};
use tablero_cluster::{
    Access, Cluster, Files, JetStreamExecutor, Run, Settings, TaskError, TaskKind, TaskKinds,
    Worker,
};
use tablero_jobs::{Batch, CancellationToken, Executor, Output, Threads, Work};

#[test]
#[ignore = "started by other tests"]
fn worker_process() {
    common::run_worker_process();
}

/// A connection, and its log.
fn logging(server: &Server, settings: Settings) -> (Cluster, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let log = move |text: &str| sink.lock().unwrap().push(text.to_owned());
    let access = Access::new(&server.url()).unwrap();
    (Cluster::connect(&access, settings, Arc::new(log)).unwrap(), lines)
}

fn contains(lines: &Arc<Mutex<Vec<String>>>, text: &str) -> bool {
    lines.lock().unwrap().iter().any(|line| line.contains(text))
}

/// A worker of another version takes no tasks; both worker and coordinator log why.
#[test]
fn versions_do_not_mix() {
    let Some(server) = Server::start("version") else { return };
    let tasks = sleep_tasks(5, 1);
    let newer = Settings { version: "9.9.9".into(), ..short_ack_wait() };
    let (cluster, coordinator_log) = logging(&server, short_ack_wait());
    let local = Threads::new(NonZeroUsize::MIN);
    let executor = JetStreamExecutor::new(cluster, common::kinds(), Run::new("run", "x"), local);
    let (_, running) = in_background(executor, tasks.clone());
    wait_until("the run is published", || {
        let runs = server.cluster(&short_ack_wait()).status().unwrap().runs;
        runs.first().is_some_and(|run| run.state == "running")
    });
    let (cluster, worker_log) = logging(&server, newer);
    let cache = server.folder().join("cache-9");
    let worker = Worker::new(cluster, common::kinds(), NonZeroUsize::MIN, &cache).unwrap();
    let stop = CancellationToken::default();
    let other_version = thread::spawn({
        let stop = stop.clone();
        move || worker.run(&stop)
    });
    wait_until("both have logged it", || {
        contains(&worker_log, "this is version 9.9.9")
            && contains(&coordinator_log, "all workers have version 9.9.9")
    });
    let same_version = server.worker(&short_ack_wait());
    assert_eq!(running.join().unwrap(), expected(&tasks));
    assert_eq!(same_version.stop().tasks, 5);
    stop.cancel();
    assert_eq!(other_version.join().unwrap().unwrap().tasks, 0);
}

/// Reads the file that a task names.
struct ReadFile {
    reads: Arc<AtomicUsize>,
    is_refused: bool,
}

impl TaskKind for ReadFile {
    fn name(&self) -> &'static str {
        "read"
    }

    fn files(&self, task: &str) -> Result<Vec<String>, String> {
        let task: (String, u64) = serde_json::from_str(task).map_err(|error| error.to_string())?;
        Ok(vec![task.0])
    }

    fn run(&self, task: &str, files: &Files) -> Result<String, TaskError> {
        if self.is_refused {
            return Err(TaskError::Refused("not here".into()));
        }
        let (name, number): (String, u64) = serde_json::from_str(task).unwrap();
        let path = files.get(&name).ok_or_else(|| TaskError::Failed("no file".into()))?;
        assert_ne!(path, &PathBuf::from(&name), "the worker's own copy");
        self.reads.fetch_add(1, Ordering::Relaxed);
        let text =
            fs::read_to_string(path).map_err(|error| TaskError::Failed(error.to_string()))?;
        Ok(serde_json::to_string(&format!("{text} {number}")).unwrap())
    }
}

/// The coordinator's side of [`ReadFile`], which never runs locally.
struct RemoteRead;

impl Work for RemoteRead {
    const KIND: &'static str = "read";
    type Task = (String, u64);
    type Output = String;

    fn run(&self, _: &(String, u64)) -> Result<String, String> {
        Err("not here".into())
    }
}

fn read_all(url: &str, run: &str, tasks: &[(String, u64)]) -> Vec<Result<String, String>> {
    let kinds = TaskKinds::default().with(ReadFile { reads: Arc::default(), is_refused: false });
    let local = Threads::new(NonZeroUsize::MIN);
    let cluster = connect(url, &short_ack_wait()).unwrap();
    let executor = JetStreamExecutor::new(cluster, kinds, Run::new(run, "x"), local);
    let mut outputs = vec![Err("none".into()); tasks.len()];
    let stop = CancellationToken::default();
    let mut keep = |index: usize, output: Result<Output, String>| {
        outputs[index] = output.map(text);
        std::ops::ControlFlow::Continue(())
    };
    executor.execute(&Batch::new(&RemoteRead, tasks, &stop), &mut keep).unwrap();
    outputs
}

/// Files are stored by hash: changed content is another file.
#[test]
fn files_are_sent_with_tasks_and_cached() {
    let Some(server) = Server::start("files") else { return };
    let file = server.folder().join("weights.txt");
    let name = file.to_string_lossy().into_owned();
    let tasks: Vec<_> = (0..20).map(|number| (name.clone(), number)).collect();
    let cache = server.folder().join("own-cache");
    let reads = Arc::<AtomicUsize>::default();
    let kinds = TaskKinds::default().with(ReadFile { reads: reads.clone(), is_refused: false });
    let worker =
        Worker::new(server.cluster(&short_ack_wait()), kinds, NonZeroUsize::MIN, &cache).unwrap();
    let stop = CancellationToken::default();
    let working = thread::spawn({
        let stop = stop.clone();
        move || worker.run(&stop)
    });
    for content in ["first", "second"] {
        fs::write(&file, content).unwrap();
        let outputs = read_all(&server.url(), content, &tasks);
        for (number, output) in outputs.into_iter().enumerate() {
            assert_eq!(output, Ok(format!("\"{content} {number}\"")));
        }
    }
    assert_eq!(reads.load(Ordering::Relaxed), 40);
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "each is downloaded once");
    stop.cancel();
    working.join().unwrap().unwrap();
}

/// A server that restarts without its disk gets the files again, too.
#[test]
fn lost_files_are_uploaded_again() {
    let Some(mut server) = Server::start("files-lost") else { return };
    let file = server.folder().join("weights.txt");
    fs::write(&file, "words").unwrap();
    let task = (file.to_string_lossy().into_owned(), 7);
    let url = server.url();
    let reading = thread::spawn(move || read_all(&url, "lost", &[task]));
    wait_until("it is queued", || server.cluster(&short_ack_wait()).status().unwrap().queued == 1);
    server.kill();
    server.lose_disk();
    server.restart();
    let kinds = TaskKinds::default().with(ReadFile { reads: Arc::default(), is_refused: false });
    let (cluster, cache) = (server.cluster(&short_ack_wait()), server.folder().join("new-cache"));
    let worker = Worker::new(cluster, kinds, NonZeroUsize::MIN, &cache).unwrap();
    let stop = CancellationToken::default();
    let working = thread::spawn({
        let stop = stop.clone();
        move || worker.run(&stop)
    });
    assert_eq!(reading.join().unwrap(), [Ok("\"words 7\"".into())]);
    stop.cancel();
    working.join().unwrap().unwrap();
}

/// A task that every worker rejects is dead-lettered with the reason; one that only some reject runs elsewhere.
#[test]
fn a_task_that_every_worker_rejects_is_dead_lettered() {
    let Some(server) = Server::start("refuse") else { return };
    let file = server.folder().join("weights.txt");
    fs::write(&file, "words").unwrap();
    let task = (file.to_string_lossy().into_owned(), 7);
    let start = |is_refused: bool, settings: Settings| {
        let kinds = TaskKinds::default().with(ReadFile { reads: Arc::default(), is_refused });
        let cache = server.folder().join("cache");
        let worker =
            Worker::new(server.cluster(&settings), kinds, NonZeroUsize::MIN, &cache).unwrap();
        let stop = CancellationToken::default();
        let flag = stop.clone();
        (stop, thread::spawn(move || worker.run(&flag)))
    };
    let impatient = Settings { max_attempts: 2, ..short_ack_wait() };
    let (stop, refusing) = start(true, impatient);
    let outputs = read_all(&server.url(), "refused", std::slice::from_ref(&task));
    assert_eq!(outputs, [Err("rejected by every worker: not here".into())]);
    let status = server.cluster(&short_ack_wait()).status().unwrap();
    assert_eq!(status.dead_letters, 1);
    stop.cancel();
    refusing.join().unwrap().unwrap();
    // Runs again once a worker accepts it.
    let (stop, accepting) = start(false, short_ack_wait());
    assert_eq!(read_all(&server.url(), "refused", &[task]), [Ok("\"words 7\"".into())]);
    stop.cancel();
    accepting.join().unwrap().unwrap();
}

/// Kinds that workers do not know run on local threads.
#[test]
fn unknown_kinds_run_locally() {
    let Some(server) = Server::start("here") else { return };
    let local = Threads::new(NonZeroUsize::MIN);
    let cluster = server.cluster(&short_ack_wait());
    let executor =
        JetStreamExecutor::new(cluster, TaskKinds::default(), Run::new("run", "x"), local);
    let tasks = sleep_tasks(3, 0);
    assert_eq!(outputs(&executor, &tasks).unwrap(), expected(&tasks));
}
