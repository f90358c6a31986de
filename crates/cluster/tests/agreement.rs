//! What coordinators and workers must agree on: versions, kinds of tasks, files.

mod common;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Server, connect, expected, in_background, outputs, quick, text, toil, wait_until};
use tablero_cluster::{
    Access, Cluster, Files, JetStream, Kinds, Run, Settings, TaskError, TaskKind, Worker,
};
use tablero_jobs::{Batch, Executor, Output, Stop, Threads, Work};

#[test]
#[ignore = "other tests start it"]
fn worker_process() {
    common::be_a_worker_process();
}

/// A connection whose notes are kept.
fn noting(server: &Server, settings: Settings) -> (Cluster, Arc<Mutex<Vec<String>>>) {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let keep = notes.clone();
    let tell = move |text: &str| keep.lock().unwrap().push(text.to_owned());
    let access = Access::new(&server.url()).unwrap();
    (Cluster::connect(&access, settings, Arc::new(tell)).unwrap(), notes)
}

fn has(notes: &Arc<Mutex<Vec<String>>>, text: &str) -> bool {
    notes.lock().unwrap().iter().any(|note| note.contains(text))
}

/// A worker of another version takes nothing and says why; so does whoever waits for workers.
#[test]
fn versions_do_not_mix() {
    let Some(server) = Server::start("version") else { return };
    let tasks = toil(5, 1);
    let newer = Settings { version: "9.9.9".into(), ..quick() };
    let (cluster, notes) = noting(&server, quick());
    let here = Threads::new(NonZeroUsize::MIN);
    let executor = JetStream::new(cluster, common::kinds(), Run::new("run", "x"), here);
    let (_, running) = in_background(executor, tasks.clone());
    wait_until("the run is known", || {
        let runs = server.cluster(&quick()).status().unwrap().runs;
        runs.first().is_some_and(|run| run.state == "running")
    });
    let (cluster, worker_notes) = noting(&server, newer);
    let cache = server.folder().join("cache-9");
    let worker = Worker::new(cluster, common::kinds(), NonZeroUsize::MIN, &cache).unwrap();
    let stop = Stop::default();
    let strange = thread::spawn({
        let stop = stop.clone();
        move || worker.run(&stop)
    });
    wait_until("both have said it", || {
        has(&worker_notes, "this is version 9.9.9")
            && has(&notes, "the workers there have version 9.9.9")
    });
    let right = server.worker(&quick());
    assert_eq!(running.join().unwrap(), expected(&tasks));
    assert_eq!(right.end().tasks, 5);
    stop.request();
    assert_eq!(strange.join().unwrap().unwrap().tasks, 0);
}

/// Tells what is in the file that a task names.
struct ReadFile {
    fetched: Arc<AtomicUsize>,
    refuses: bool,
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
        if self.refuses {
            return Err(TaskError::Refused("not here".into()));
        }
        let (name, number): (String, u64) = serde_json::from_str(task).unwrap();
        let path = files.get(&name).ok_or_else(|| TaskError::Failed("no file".into()))?;
        assert_ne!(path, &PathBuf::from(&name), "the worker's own copy");
        self.fetched.fetch_add(1, Ordering::Relaxed);
        let text =
            fs::read_to_string(path).map_err(|error| TaskError::Failed(error.to_string()))?;
        Ok(serde_json::to_string(&format!("{text} {number}")).unwrap())
    }
}

/// Only workers read files.
struct NotHere;

impl Work for NotHere {
    const KIND: &'static str = "read";
    type Task = (String, u64);
    type Output = String;

    fn run(&self, _: &(String, u64)) -> Result<String, String> {
        Err("not here".into())
    }
}

fn read_all(url: &str, run: &str, tasks: &[(String, u64)]) -> Vec<Result<String, String>> {
    let kinds = Kinds::default().with(ReadFile { fetched: Arc::default(), refuses: false });
    let here = Threads::new(NonZeroUsize::MIN);
    let executor = JetStream::new(connect(url, &quick()).unwrap(), kinds, Run::new(run, "x"), here);
    let mut outputs = vec![Err("none".into()); tasks.len()];
    let stop = Stop::default();
    let mut keep = |index: usize, output: Result<Output, String>| {
        outputs[index] = output.map(text);
        std::ops::ControlFlow::Continue(())
    };
    executor.execute(&Batch::new(&NotHere, tasks, &stop), &mut keep).unwrap();
    outputs
}

/// Files go along with tasks under their hash: what changes between runs is another file.
#[test]
fn files_come_with_tasks_and_are_kept() {
    let Some(server) = Server::start("files") else { return };
    let file = server.folder().join("weights.txt");
    let name = file.to_string_lossy().into_owned();
    let tasks: Vec<_> = (0..20).map(|number| (name.clone(), number)).collect();
    let cache = server.folder().join("own-cache");
    let fetched = Arc::<AtomicUsize>::default();
    let kinds = Kinds::default().with(ReadFile { fetched: fetched.clone(), refuses: false });
    let worker = Worker::new(server.cluster(&quick()), kinds, NonZeroUsize::MIN, &cache).unwrap();
    let stop = Stop::default();
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
    assert_eq!(fetched.load(Ordering::Relaxed), 40);
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "each is fetched once");
    stop.request();
    working.join().unwrap().unwrap();
}

/// A server that comes back without its disk gets the files again, too.
#[test]
fn files_are_sent_again_when_the_server_has_lost_them() {
    let Some(mut server) = Server::start("files-lost") else { return };
    let file = server.folder().join("weights.txt");
    fs::write(&file, "words").unwrap();
    let task = (file.to_string_lossy().into_owned(), 7);
    let url = server.url();
    let reading = thread::spawn(move || read_all(&url, "lost", &[task]));
    wait_until("it is queued", || server.cluster(&quick()).status().unwrap().queued == 1);
    server.kill();
    server.lose_disk();
    server.begin();
    let kinds = Kinds::default().with(ReadFile { fetched: Arc::default(), refuses: false });
    let (cluster, cache) = (server.cluster(&quick()), server.folder().join("new-cache"));
    let worker = Worker::new(cluster, kinds, NonZeroUsize::MIN, &cache).unwrap();
    let stop = Stop::default();
    let working = thread::spawn({
        let stop = stop.clone();
        move || worker.run(&stop)
    });
    assert_eq!(reading.join().unwrap(), [Ok("\"words 7\"".into())]);
    stop.request();
    working.join().unwrap().unwrap();
}

/// What every worker refuses is given up with the reason; what only one refuses is done by another.
#[test]
fn a_worker_may_refuse() {
    let Some(server) = Server::start("refuse") else { return };
    let file = server.folder().join("weights.txt");
    fs::write(&file, "words").unwrap();
    let task = (file.to_string_lossy().into_owned(), 7);
    let start = |refuses: bool, settings: Settings| {
        let kinds = Kinds::default().with(ReadFile { fetched: Arc::default(), refuses });
        let cache = server.folder().join("cache");
        let worker =
            Worker::new(server.cluster(&settings), kinds, NonZeroUsize::MIN, &cache).unwrap();
        let stop = Stop::default();
        let flag = stop.clone();
        (stop, thread::spawn(move || worker.run(&flag)))
    };
    let hasty = Settings { tries: 2, ..quick() };
    let (stop, refusing) = start(true, hasty);
    let outputs = read_all(&server.url(), "refused", std::slice::from_ref(&task));
    assert_eq!(outputs, [Err("no worker will do it: not here".into())]);
    let status = server.cluster(&quick()).status().unwrap();
    assert_eq!(status.failures, 1);
    stop.request();
    refusing.join().unwrap().unwrap();
    // Tried again after a worker that does it has come.
    let (stop, doing) = start(false, quick());
    assert_eq!(read_all(&server.url(), "refused", &[task]), [Ok("\"words 7\"".into())]);
    stop.request();
    doing.join().unwrap().unwrap();
}

/// Kinds that workers do not know are done here.
#[test]
fn what_only_we_know_is_done_here() {
    let Some(server) = Server::start("here") else { return };
    let here = Threads::new(NonZeroUsize::MIN);
    let cluster = server.cluster(&quick());
    let executor = JetStream::new(cluster, Kinds::default(), Run::new("run", "x"), here);
    let tasks = toil(3, 0);
    assert_eq!(outputs(&executor, &tasks).unwrap(), expected(&tasks));
}
