//! Everything that can go wrong on the way, with a real server: after each fault every output is there
//! exactly once, and is what it would have been.

mod common;

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use common::{
    Server, Toil, Trouble, expected, in_background, outputs, quick, run, toil, wait_until,
};
use tablero_cluster::{ClusterError, Settings};
use tablero_jobs::{Stop, Threads};

/// Not a test: what other tests start as a process.
#[test]
#[ignore = "other tests start it"]
fn worker_process() {
    common::be_a_worker_process();
}

#[test]
fn a_thread_two_threads_and_three_workers_give_the_same() {
    let Some(server) = Server::start("same") else { return };
    let tasks = toil(300, 1);
    let _workers = [(); 3].map(|()| server.worker_process());
    let executor = server.executor("same", &quick());
    let on_workers = outputs(&executor, &tasks).unwrap();
    for count in [1, 2] {
        let threads = Threads::new(count.try_into().unwrap());
        assert_eq!(outputs(&threads, &tasks).unwrap(), on_workers);
    }
    let twice = outputs(&executor, &tasks).unwrap();
    assert_eq!(twice, on_workers, "the same tasks again, in the same run");
    let status = server.cluster(&quick()).status().unwrap();
    assert_eq!((status.queued, status.failures), (0, 0), "nothing is left behind");
    // A worker that was slow for a moment may have lost a task to another.
    assert!(status.workers.iter().map(|worker| worker.tasks).sum::<u64>() >= 600);
    assert_eq!(status.runs[0].name, "same");
}

#[test]
fn a_worker_is_killed_in_the_middle_of_a_task() {
    let Some(server) = Server::start("kill-worker") else { return };
    let tasks = toil(30, 60);
    let (mut first, second) = (server.worker_process(), server.worker_process());
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    wait_until("some are done", || *seen.lock().unwrap() > 5);
    first.kill();
    assert_eq!(running.join().unwrap(), expected(&tasks));
    drop(second);
}

#[test]
fn the_server_is_killed_and_comes_back() {
    let Some(mut server) = Server::start("kill-server") else { return };
    let tasks = toil(60, 20);
    let worker = server.worker(&quick());
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    for round in [10, 30] {
        wait_until("some are done", || *seen.lock().unwrap() > round);
        server.kill();
        thread::sleep(Duration::from_millis(300));
        server.begin();
    }
    assert_eq!(running.join().unwrap(), expected(&tasks));
    assert!(worker.end().tasks >= 60);
}

#[test]
fn the_server_comes_back_without_its_disk() {
    let Some(mut server) = Server::start("lose-disk") else { return };
    let tasks = toil(40, 20);
    let worker = server.worker(&quick());
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    wait_until("some are done", || *seen.lock().unwrap() > 5);
    server.kill();
    server.lose_disk();
    server.begin();
    assert_eq!(running.join().unwrap(), expected(&tasks));
    worker.end();
}

#[test]
fn a_worker_that_hangs_loses_its_tasks_to_others() {
    let Some(server) = Server::start("hang") else { return };
    let tasks = toil(30, 40);
    let (hanging, quick_one) = (server.worker_process(), server.worker_process());
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    wait_until("some are done", || *seen.lock().unwrap() > 5);
    hanging.signal("STOP");
    wait_until("the others have done it", || *seen.lock().unwrap() == tasks.len());
    hanging.signal("CONT");
    assert_eq!(running.join().unwrap(), expected(&tasks));
    drop(quick_one);
}

#[test]
fn a_task_that_hangs_ends_its_worker_and_is_given_to_another() {
    let Some(server) = Server::start("hung-task") else { return };
    let mut tasks = toil(6, 5);
    tasks[2].trouble = Some(Trouble::HangOnce(server.folder().join("mark")));
    let settings = Settings { task_limit: Duration::from_millis(800), ..quick() };
    let patient = Settings { task_limit: Duration::from_secs(60), ..quick() };
    let first = server.worker(&settings);
    let (_, running) = in_background(server.executor("run", &quick()), tasks.clone());
    let end = first.wait();
    assert!(matches!(end, Err(ClusterError::Hung(_))), "{end:?}");
    let second = server.worker(&patient);
    assert_eq!(running.join().unwrap(), expected(&tasks));
    second.end();
}

/// A task that ends every process that tries it does not take others along: neither those that wait in
/// the same process, nor those that were begun beside it, however often that happens.
#[test]
fn a_poisoned_task_is_given_up_and_listed() {
    let Some(server) = Server::start("poison") else { return };
    // The others take so long that each end of a process hits as many of them as it has threads.
    let mut tasks = toil(12, 100);
    let (abort, panic) = (3, 5);
    (tasks[abort].trouble, tasks[abort].millis) = (Some(Trouble::Abort), 50);
    tasks[panic].trouble = Some(Trouble::Panic);
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    let mut workers = vec![server.worker_process_with(4)];
    wait_until("all are done or given up", || {
        if !workers.last_mut().unwrap().is_alive() {
            workers.push(server.worker_process_with(4));
        }
        *seen.lock().unwrap() == tasks.len()
    });
    let outputs = running.join().unwrap();
    for (index, (output, expected)) in outputs.iter().zip(expected(&tasks)).enumerate() {
        match output {
            Err(why) if index == abort => assert!(why.contains("3 workers ended"), "{why}"),
            Err(why) if index == panic => assert!(why.contains("panicked: no way"), "{why}"),
            output => assert_eq!(*output, expected),
        }
    }
    let status = server.cluster(&quick()).status().unwrap();
    assert_eq!(status.failures, 2, "{:?}", status.last_failures);
    assert!(status.last_failures.iter().any(|dead| dead.task.contains("Abort")));
    assert_eq!(status.queued, 0);
}

#[test]
fn a_full_queue_is_waited_for() {
    let Some(server) = Server::start("full") else { return };
    let settings = Settings { queue: 2, ..quick() };
    let tasks = toil(20, 5);
    // Somebody else's task takes half of the room, and nobody there does it.
    let other = Settings { version: "other".into(), ..settings.clone() };
    let (_, waiting) = in_background(server.executor("other", &other), toil(1, 0));
    wait_until("it is queued", || server.cluster(&settings).status().unwrap().queued == 1);
    let worker = server.worker(&settings);
    let ours = outputs(&server.executor("run", &settings), &tasks).unwrap();
    assert_eq!(ours, expected(&tasks));
    worker.end();
    let late = server.worker(&other);
    assert_eq!(waiting.join().unwrap(), expected(&toil(1, 0)));
    late.end();
}

#[test]
fn a_slow_worker_holds_nobody_up_for_long() {
    let Some(server) = Server::start("slow") else { return };
    let tasks = toil(40, 25);
    let (slow, fast) = (server.worker_process(), server.worker(&quick()));
    let (seen, running) = in_background(server.executor("run", &quick()), tasks.clone());
    // Stopped for a moment again and again: a fifth of the speed, but alive.
    while *seen.lock().unwrap() < tasks.len() {
        slow.signal("STOP");
        thread::sleep(Duration::from_millis(80));
        slow.signal("CONT");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.join().unwrap(), expected(&tasks));
    fast.end();
}

/// Stopped, or ended with kill -9: a run that is taken up again has what workers did meanwhile.
#[test]
fn a_run_is_taken_up_where_it_was_left() {
    let Some(server) = Server::start("resume") else { return };
    let tasks = toil(40, 25);
    let (stop, mut first) = (Stop::default(), Vec::new());
    let worker = server.worker(&quick());
    run(&server.executor("run", &quick()), &tasks, &stop, &mut |index, output| {
        first.push((index, output));
        if first.len() == 10 {
            stop.request();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(first.len() < tasks.len());
    // The rest, as a job with a log would ask for it.
    let rest: Vec<Toil> = tasks
        .iter()
        .enumerate()
        .filter(|(index, _)| first.iter().all(|(done, _)| done != index))
        .map(|(_, task)| task.clone())
        .collect();
    let second = outputs(&server.executor("run", &quick()), &rest).unwrap();
    assert_eq!(second, expected(&rest));
    let tally = worker.end();
    // Done twice is at most what was under way when we stopped.
    assert!(tally.tasks < 60, "{tally:?}");
    // Another run has nothing to do with it.
    let worker = server.worker(&quick());
    let other = outputs(&server.executor("another", &quick()), &tasks[..3]).unwrap();
    assert_eq!(other, expected(&tasks[..3]));
    assert_eq!(worker.end().tasks, 3);
}

/// With a long wait for lost workers, what one gives back must come at once.
#[test]
fn a_worker_that_is_stopped_gives_back_what_it_has_not_begun() {
    let Some(server) = Server::start("drain") else { return };
    let settings = Settings { ack_wait: Duration::from_secs(300), ..quick() };
    let tasks = toil(30, 30);
    let first = server.worker(&settings);
    let (seen, running) = in_background(server.executor("run", &settings), tasks.clone());
    wait_until("some are done", || *seen.lock().unwrap() > 3);
    assert!(first.end().tasks < tasks.len() as u64);
    let second = server.worker(&settings);
    assert_eq!(running.join().unwrap(), expected(&tasks));
    second.end();
}

#[test]
fn outputs_that_fill_several_messages_arrive() {
    let Some(server) = Server::start("large") else { return };
    let mut tasks = toil(6, 0);
    for task in &mut tasks {
        task.trouble = Some(Trouble::Large(600_000));
    }
    tasks[4].trouble = Some(Trouble::Large(3_000_000));
    let worker = server.worker(&quick());
    let outputs = outputs(&server.executor("run", &quick()), &tasks).unwrap();
    for (index, output) in outputs.iter().enumerate() {
        match index {
            4 => assert!(output.as_ref().unwrap_err().contains("too large"), "{output:?}"),
            _ => assert_eq!(output.as_ref().unwrap().len(), 600_002),
        }
    }
    worker.end();
}
