//! Fault injection with a real server: after each fault every output arrives exactly once, and is correct.

mod common;

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use common::{
    Fault, Server, SleepTask, expected, in_background, outputs, run, short_ack_wait, sleep_tasks,
    wait_until,
};
use tablero_cluster::{ClusterError, Settings};
use tablero_jobs::{CancellationToken, Threads};

/// Not a test: the worker process of other tests.
#[test]
#[ignore = "started by other tests"]
fn worker_process() {
    common::run_worker_process();
}

#[test]
fn outputs_are_the_same_on_threads_and_on_workers() {
    let Some(server) = Server::start("same") else { return };
    let tasks = sleep_tasks(300, 1);
    let _workers = [(); 3].map(|()| server.worker_process());
    let executor = server.executor("same", &short_ack_wait());
    let on_workers = outputs(&executor, &tasks).unwrap();
    for count in [1, 2] {
        let threads = Threads::new(count.try_into().unwrap());
        assert_eq!(outputs(&threads, &tasks).unwrap(), on_workers);
    }
    let twice = outputs(&executor, &tasks).unwrap();
    assert_eq!(twice, on_workers, "the same tasks again in the same run");
    let status = server.cluster(&short_ack_wait()).status().unwrap();
    assert_eq!((status.queued, status.dead_letters), (0, 0), "nothing is left");
    // A slow worker may have lost a task to another, which then ran twice.
    assert!(status.workers.iter().map(|worker| worker.tasks).sum::<u64>() >= 600);
    assert_eq!(status.runs[0].name, "same");
}

#[test]
fn tasks_of_a_killed_worker_are_redelivered() {
    let Some(server) = Server::start("kill-worker") else { return };
    let tasks = sleep_tasks(30, 60);
    let (mut first, second) = (server.worker_process(), server.worker_process());
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    wait_until("some tasks are done", || *finished.lock().unwrap() > 5);
    first.kill();
    assert_eq!(running.join().unwrap(), expected(&tasks));
    drop(second);
}

#[test]
fn a_run_survives_a_killed_server() {
    let Some(mut server) = Server::start("kill-server") else { return };
    let tasks = sleep_tasks(60, 20);
    let worker = server.worker(&short_ack_wait());
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    for round in [10, 30] {
        wait_until("some tasks are done", || *finished.lock().unwrap() > round);
        server.kill();
        thread::sleep(Duration::from_millis(300));
        server.restart();
    }
    assert_eq!(running.join().unwrap(), expected(&tasks));
    assert!(worker.stop().tasks >= 60);
}

#[test]
fn a_run_survives_a_server_that_lost_its_disk() {
    let Some(mut server) = Server::start("lose-disk") else { return };
    let tasks = sleep_tasks(40, 20);
    let worker = server.worker(&short_ack_wait());
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    wait_until("some tasks are done", || *finished.lock().unwrap() > 5);
    server.kill();
    server.lose_disk();
    server.restart();
    assert_eq!(running.join().unwrap(), expected(&tasks));
    worker.stop();
}

#[test]
fn tasks_of_a_frozen_worker_are_redelivered() {
    let Some(server) = Server::start("hang") else { return };
    let tasks = sleep_tasks(30, 40);
    let (frozen, live) = (server.worker_process(), server.worker_process());
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    wait_until("some tasks are done", || *finished.lock().unwrap() > 5);
    frozen.signal("STOP");
    wait_until("the other worker has done all", || *finished.lock().unwrap() == tasks.len());
    frozen.signal("CONT");
    assert_eq!(running.join().unwrap(), expected(&tasks));
    drop(live);
}

#[test]
fn a_hung_task_ends_its_worker_and_is_redelivered() {
    let Some(server) = Server::start("hung-task") else { return };
    let mut tasks = sleep_tasks(6, 5);
    tasks[2].fault = Some(Fault::HangOnce(server.folder().join("hung")));
    let settings = Settings { task_timeout: Duration::from_millis(800), ..short_ack_wait() };
    let patient = Settings { task_timeout: Duration::from_secs(60), ..short_ack_wait() };
    let first = server.worker(&settings);
    let (_, running) = in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    let end = first.join();
    assert!(matches!(end, Err(ClusterError::TaskTimeout(_))), "{end:?}");
    let second = server.worker(&patient);
    assert_eq!(running.join().unwrap(), expected(&tasks));
    second.stop();
}

/// A task that crashes every worker takes no others along: neither those queued in the same process nor
/// those running beside it, however often it happens.
#[test]
fn a_poison_task_is_dead_lettered() {
    let Some(server) = Server::start("poison") else { return };
    // The others are long enough that each crash hits one per thread.
    let mut tasks = sleep_tasks(12, 100);
    let (abort, panic) = (3, 5);
    (tasks[abort].fault, tasks[abort].millis) = (Some(Fault::Abort), 50);
    tasks[panic].fault = Some(Fault::Panic);
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    let mut workers = vec![server.worker_process_with(4)];
    wait_until("all are done or dead-lettered", || {
        if !workers.last_mut().unwrap().is_alive() {
            workers.push(server.worker_process_with(4));
        }
        *finished.lock().unwrap() == tasks.len()
    });
    let outputs = running.join().unwrap();
    for (index, (output, expected)) in outputs.iter().zip(expected(&tasks)).enumerate() {
        match output {
            Err(error) if index == abort => assert!(error.contains("3 workers crashed"), "{error}"),
            Err(error) if index == panic => assert!(error.contains("panicked: task 5"), "{error}"),
            output => assert_eq!(*output, expected),
        }
    }
    let status = server.cluster(&short_ack_wait()).status().unwrap();
    assert_eq!(status.dead_letters, 2, "{:?}", status.recent_dead_letters);
    assert!(status.recent_dead_letters.iter().any(|letter| letter.task.contains("Abort")));
    assert_eq!(status.queued, 0);
}

#[test]
fn a_coordinator_waits_for_a_full_queue() {
    let Some(server) = Server::start("full") else { return };
    let settings = Settings { max_queued: 2, ..short_ack_wait() };
    let tasks = sleep_tasks(20, 5);
    // Another run's task fills half of the queue, and no worker takes it.
    let other = Settings { version: "other".into(), ..settings.clone() };
    let (_, waiting) = in_background(server.executor("other", &other), sleep_tasks(1, 0));
    wait_until("it is queued", || server.cluster(&settings).status().unwrap().queued == 1);
    let worker = server.worker(&settings);
    let ours = outputs(&server.executor("run", &settings), &tasks).unwrap();
    assert_eq!(ours, expected(&tasks));
    worker.stop();
    let late = server.worker(&other);
    assert_eq!(waiting.join().unwrap(), expected(&sleep_tasks(1, 0)));
    late.stop();
}

#[test]
fn a_slow_worker_does_not_block_a_run() {
    let Some(server) = Server::start("slow") else { return };
    let tasks = sleep_tasks(40, 25);
    let (slow, fast) = (server.worker_process(), server.worker(&short_ack_wait()));
    let (finished, running) =
        in_background(server.executor("run", &short_ack_wait()), tasks.clone());
    // Frozen most of the time: a fifth of the speed, but alive.
    while *finished.lock().unwrap() < tasks.len() {
        slow.signal("STOP");
        thread::sleep(Duration::from_millis(80));
        slow.signal("CONT");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.join().unwrap(), expected(&tasks));
    fast.stop();
}

/// A resumed run gets the outputs that workers reported in the meantime.
#[test]
fn a_stopped_run_resumes() {
    let Some(server) = Server::start("resume") else { return };
    let tasks = sleep_tasks(40, 25);
    let (stop, mut first) = (CancellationToken::default(), Vec::new());
    let worker = server.worker(&short_ack_wait());
    run(&server.executor("run", &short_ack_wait()), &tasks, &stop, &mut |index, output| {
        first.push((index, output));
        if first.len() == 10 {
            stop.cancel();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(first.len() < tasks.len());
    // The rest, as a job would resume from its log.
    let rest: Vec<SleepTask> = tasks
        .iter()
        .enumerate()
        .filter(|(index, _)| first.iter().all(|(done, _)| done != index))
        .map(|(_, task)| task.clone())
        .collect();
    let second = outputs(&server.executor("run", &short_ack_wait()), &rest).unwrap();
    assert_eq!(second, expected(&rest));
    let stats = worker.stop();
    // At most the batches in flight at the stop have run twice.
    assert!(stats.tasks < 60, "{stats:?}");
    // Another run does not see these outputs.
    let worker = server.worker(&short_ack_wait());
    let other = outputs(&server.executor("another", &short_ack_wait()), &tasks[..3]).unwrap();
    assert_eq!(other, expected(&tasks[..3]));
    assert_eq!(worker.stop().tasks, 3);
}

/// A draining worker finishes the running task, not the rest of its batch.
#[test]
fn a_draining_worker_gives_back_the_rest_of_its_batch() {
    let Some(server) = Server::start("drain-rest") else { return };
    let settings = Settings { ack_wait: Duration::from_secs(300), ..short_ack_wait() };
    let executor = server.executor("run", &settings);
    let first = server.worker(&settings);
    // Short tasks make the next batches large.
    outputs(&executor, &sleep_tasks(200, 1)).unwrap();
    let mut tasks = sleep_tasks(150, 2);
    tasks[0].millis = 3000;
    let (_, running) = in_background(executor, tasks.clone());
    thread::sleep(Duration::from_millis(500));
    let stats = first.stop();
    assert!(stats.tasks <= 201, "{stats:?}");
    let second = server.worker(&settings);
    assert_eq!(running.join().unwrap(), expected(&tasks));
    assert!(second.stop().tasks >= 149);
}

/// With a long `ack_wait`, only giving it back makes the redelivery immediate.
#[test]
fn a_draining_worker_gives_back_its_prefetched_batches() {
    let Some(server) = Server::start("drain") else { return };
    let settings = Settings { ack_wait: Duration::from_secs(300), ..short_ack_wait() };
    let tasks = sleep_tasks(30, 30);
    let first = server.worker(&settings);
    let (finished, running) = in_background(server.executor("run", &settings), tasks.clone());
    wait_until("some tasks are done", || *finished.lock().unwrap() > 3);
    assert!(first.stop().tasks < tasks.len() as u64);
    let second = server.worker(&settings);
    assert_eq!(running.join().unwrap(), expected(&tasks));
    second.stop();
}

#[test]
fn outputs_larger_than_a_message_arrive() {
    let Some(server) = Server::start("large") else { return };
    let mut tasks = sleep_tasks(6, 0);
    for task in &mut tasks {
        task.fault = Some(Fault::LargeOutput(600_000));
    }
    tasks[4].fault = Some(Fault::LargeOutput(3_000_000));
    let worker = server.worker(&short_ack_wait());
    let outputs = outputs(&server.executor("run", &short_ack_wait()), &tasks).unwrap();
    for (index, output) in outputs.iter().enumerate() {
        match index {
            4 => assert!(output.as_ref().unwrap_err().contains("too large"), "{output:?}"),
            _ => assert_eq!(output.as_ref().unwrap().len(), 600_002),
        }
    }
    worker.stop();
}
