//! Load balancing: a worker must not hold tasks that it has not started while others are idle.

// The throughput measurement prints its result.
#![allow(clippy::print_stderr)]

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::{
    Background, Server, SleepTask, expected, in_background, outputs, short_ack_wait, sleep_tasks,
    wait_until,
};

/// Not a test: the worker process of other tests.
#[test]
#[ignore = "started by other tests"]
fn worker_process() {
    common::run_worker_process();
}

/// The long task. If the others waited for it, they would take as long.
const LONG: Duration = Duration::from_secs(10);

/// A list whose first task is long, after one of short tasks, so that batches are large.
fn start_list_with_a_long_task(server: &Server) -> (Vec<SleepTask>, Background) {
    let executor = server.executor("run", &short_ack_wait());
    outputs(&executor, &sleep_tasks(200, 1)).unwrap();
    let mut tasks = sleep_tasks(150, 2);
    tasks[0].millis = LONG.as_millis() as u64;
    (tasks.clone(), in_background(executor, tasks))
}

/// The time until all tasks but the long one are done.
fn time_of_short_tasks(tasks: &[SleepTask], running: Background) -> Duration {
    let start = Instant::now();
    let (finished, running) = running;
    wait_until("all but the long task are done", || *finished.lock().unwrap() >= tasks.len() - 1);
    let time = start.elapsed();
    assert_eq!(running.join().unwrap(), expected(tasks));
    eprintln!("short tasks done after {time:.1?}");
    time
}

/// Both the rest of the batch that contains the long task and the prefetched batch move to idle workers.
#[test]
fn unstarted_tasks_of_a_busy_worker_move_to_idle_workers() {
    let Some(server) = Server::start("idle-workers") else { return };
    let busy = server.worker(&short_ack_wait());
    let (tasks, running) = start_list_with_a_long_task(&server);
    thread::sleep(Duration::from_millis(300));
    let idle = [(); 2].map(|()| server.worker(&short_ack_wait()));
    assert!(time_of_short_tasks(&tasks, running) < LONG);
    let stats = idle.map(|worker| worker.stop().tasks);
    assert!(stats.iter().all(|&tasks| tasks > 0), "{stats:?}");
    assert_eq!(busy.stop().tasks + stats.iter().sum::<u64>(), 350, "no task ran twice");
}

/// The rest of a batch also moves to idle threads of the same worker.
#[test]
fn unstarted_tasks_of_a_batch_move_to_idle_threads() {
    let Some(server) = Server::start("idle-threads") else { return };
    let _worker = server.worker_process_with(2);
    let (tasks, running) = start_list_with_a_long_task(&server);
    assert!(time_of_short_tasks(&tasks, running) < LONG);
}

/// Prints the throughput of short tasks: `cargo nextest run -p tablero-cluster --run-ignored all throughput
/// --no-capture`.
#[test]
#[ignore = "a measurement"]
fn throughput_of_short_tasks() {
    let Some(server) = Server::start("throughput") else { return };
    let _workers = [(); 2].map(|()| server.worker_process());
    let executor = server.executor("run", &short_ack_wait());
    outputs(&executor, &sleep_tasks(500, 1)).unwrap();
    for (count, millis) in [(4000, 1), (2000, 2), (400, 20), (60, 200), (12, 1000)] {
        let mut tasks = sleep_tasks(count, millis);
        let mut times: Vec<f64> = (0..3)
            .map(|round| {
                tasks.iter_mut().for_each(|task| task.number += 1_000_000 * (round + 1));
                let start = Instant::now();
                outputs(&executor, &tasks).unwrap();
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let ideal = (count * millis) as f64 / 2000.0;
        eprintln!(
            "{count} tasks of {millis} ms: {:.2} s, {:.0} % of ideal",
            times[1],
            100.0 * ideal / times[1]
        );
    }
}
