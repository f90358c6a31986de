use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Batch, CancellationToken, Executor, JobError, Log, Output, Work};

/// Runs a list of tasks and delivers their outputs in the order of the list, however many run at once. With a
/// log, a resumed run first replays the outputs of earlier runs.
pub struct Runner<'a> {
    executor: &'a dyn Executor,
    cancel: &'a CancellationToken,
    log: Option<Log>,
}

/// Why [`Runner::run`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// All tasks are completed.
    Completed,
    /// The receiver of the outputs broke off.
    Break,
    /// Cancelled; a runner with the same log resumes from here.
    Cancelled,
}

/// A line of the log.
#[derive(Serialize, Deserialize)]
struct Entry<T> {
    index: usize,
    output: T,
}

impl<'a> Runner<'a> {
    /// Runs tasks on `executor` until cancelled.
    pub const fn new(executor: &'a dyn Executor, cancel: &'a CancellationToken) -> Self {
        Self { executor, cancel, log: None }
    }

    /// Appends outputs to `log` and replays those that it already has. A log belongs to one list of tasks.
    #[must_use]
    pub fn with_log(mut self, log: Log) -> Self {
        self.log = Some(log);
        self
    }

    /// The number of outputs in the log.
    pub fn logged(&self) -> usize {
        self.log.as_ref().map_or(0, Log::len)
    }

    /// Runs the tasks; calls `each` with the index and output of every task, in order, until it breaks. The
    /// first failing task of the list ends the run with its error.
    pub fn run<W: Work>(
        &mut self,
        work: &W,
        tasks: &[W::Task],
        mut each: impl FnMut(usize, W::Output) -> ControlFlow<()>,
    ) -> Result<RunEnd, JobError> {
        let batch = Batch::new(work, tasks, self.cancel);
        self.run_batch(batch, &mut Receiver { kind: W::KIND, each: &mut each })
    }

    /// The loop, not generic: compiled once for all kinds of work.
    fn run_batch(&mut self, batch: Batch<'_>, sink: &mut dyn Sink) -> Result<RunEnd, JobError> {
        let (done, tasks) = (self.logged(), batch.len());
        if let Some(log) = &self.log
            && sink.replay(log, tasks)?.is_break()
        {
            return Ok(RunEnd::Break);
        }
        let mut buffer = ReorderBuffer { next: done, waiting: BTreeMap::new() };
        let (mut end, log) = (Ok(RunEnd::Cancelled), &mut self.log);
        self.executor.execute(&batch.skip(done), &mut |index, output| {
            match buffer.add(done + index, output, sink, log.as_mut()) {
                Ok(ControlFlow::Continue(())) => return ControlFlow::Continue(()),
                Ok(ControlFlow::Break(())) => end = Ok(RunEnd::Break),
                Err(error) => end = Err(error),
            }
            ControlFlow::Break(())
        })?;
        match end {
            Ok(RunEnd::Cancelled) if buffer.next == tasks => Ok(RunEnd::Completed),
            end => end,
        }
    }
}

/// Receives outputs of an erased type.
trait Sink {
    /// Appends the output of a task to `log` and delivers it.
    fn take(
        &mut self,
        index: usize,
        output: Result<Output, String>,
        log: Option<&mut Log>,
    ) -> Result<ControlFlow<()>, JobError>;

    /// Delivers the outputs in a log of at most `tasks` tasks.
    fn replay(&mut self, log: &Log, tasks: usize) -> Result<ControlFlow<()>, JobError>;
}

/// Delivers outputs of type `T` to `each`.
struct Receiver<'a, T> {
    kind: &'static str,
    each: &'a mut dyn FnMut(usize, T) -> ControlFlow<()>,
}

impl<T: Serialize + DeserializeOwned + 'static> Sink for Receiver<'_, T> {
    fn take(
        &mut self,
        index: usize,
        output: Result<Output, String>,
        log: Option<&mut Log>,
    ) -> Result<ControlFlow<()>, JobError> {
        let kind = self.kind;
        let output: T =
            output.and_then(value).map_err(|problem| JobError::Task { index, kind, problem })?;
        if let Some(log) = log {
            log.append(&Entry { index, output: &output })?;
        }
        Ok((self.each)(index, output))
    }

    fn replay(&mut self, log: &Log, tasks: usize) -> Result<ControlFlow<()>, JobError> {
        for (line, entry) in log.read::<Entry<T>>()?.enumerate() {
            let Entry { index, output } = entry?;
            if index != line || index >= tasks {
                let problem = format!("the log has output {index}, expected {line} of {tasks}");
                return Err(JobError::Executor(problem));
            }
            if (self.each)(index, output).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Restores the type of an output.
fn value<T: DeserializeOwned + 'static>(output: Output) -> Result<T, String> {
    match output {
        Output::Value(value) => match value.downcast() {
            Ok(value) => Ok(*value),
            Err(_) => Err("the executor returned an output of another kind of work".into()),
        },
        Output::Json(text) => {
            serde_json::from_str(&text).map_err(|error| format!("unreadable output: {error}"))
        }
    }
}

/// Holds outputs that arrive before their turn.
struct ReorderBuffer {
    next: usize,
    waiting: BTreeMap<usize, Result<Output, String>>,
}

impl ReorderBuffer {
    /// Adds an output and delivers all that are in order.
    fn add(
        &mut self,
        index: usize,
        output: Result<Output, String>,
        sink: &mut dyn Sink,
        mut log: Option<&mut Log>,
    ) -> Result<ControlFlow<()>, JobError> {
        self.waiting.insert(index, output);
        while let Some(output) = self.waiting.remove(&self.next) {
            self.next += 1;
            if sink.take(self.next - 1, output, log.as_deref_mut())?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Runs a task given as JSON, as a worker in another process does.
pub fn run_json<W: Work>(work: &W, task: &str) -> Result<String, String> {
    let task = serde_json::from_str(task).map_err(|error| format!("unreadable task: {error}"))?;
    let output = work.run(&task)?;
    serde_json::to_string(&output).map_err(|error| format!("unwritable output: {error}"))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::testing::Folder;
    use crate::{OnOutput, Threads};

    /// Squares numbers, out of order; fails on 13 and panics on 66.
    #[derive(Default)]
    struct Square {
        runs: AtomicUsize,
    }

    impl Work for Square {
        const KIND: &'static str = "square";
        type Task = u64;
        type Output = u64;

        fn run(&self, task: &u64) -> Result<u64, String> {
            self.runs.fetch_add(1, Ordering::Relaxed);
            assert_ne!(*task, 66, "sixty-six");
            thread::sleep(Duration::from_micros(500 * (task % 3)));
            if *task == 13 { Err("unlucky".into()) } else { Ok(task * task) }
        }
    }

    const fn threads(count: usize) -> Threads {
        Threads::new(NonZeroUsize::new(count).unwrap())
    }

    fn collect(runner: &mut Runner<'_>, tasks: &[u64]) -> (Vec<u64>, Result<RunEnd, JobError>) {
        let mut outputs = Vec::new();
        let end = runner.run(&Square::default(), tasks, |index, output| {
            assert_eq!(index, outputs.len(), "in order");
            outputs.push(output);
            ControlFlow::Continue(())
        });
        (outputs, end)
    }

    #[test]
    fn any_number_of_threads_gives_the_same_outputs_in_order() {
        let tasks: Vec<u64> = (100..150).collect();
        for count in [1, 2, 7, 100] {
            let (executor, cancel) = (threads(count), CancellationToken::default());
            let (outputs, end) = collect(&mut Runner::new(&executor, &cancel), &tasks);
            assert_eq!(end.unwrap(), RunEnd::Completed);
            assert!(outputs.iter().zip(&tasks).all(|(output, task)| *output == task * task));
            assert_eq!(outputs.len(), tasks.len());
        }
        let (executor, cancel) = (threads(2), CancellationToken::default());
        assert_eq!(
            collect(&mut Runner::new(&executor, &cancel), &[]).1.unwrap(),
            RunEnd::Completed
        );
    }

    #[test]
    fn a_failing_task_ends_the_run_with_its_error() {
        let (executor, cancel) = (threads(3), CancellationToken::default());
        let mut runner = Runner::new(&executor, &cancel);
        let (outputs, end) = collect(&mut runner, &[1, 2, 13, 3, 66]);
        assert_eq!(outputs, [1, 4]);
        assert_eq!(end.unwrap_err().to_string(), "task 2 (square) failed: unlucky");
        let (outputs, end) = collect(&mut runner, &[1, 66]);
        assert_eq!(outputs, [1]);
        let error = end.unwrap_err().to_string();
        assert!(error.contains("panicked") && error.contains("sixty-six"), "{error}");
    }

    #[test]
    fn a_break_ends_the_run() {
        let (executor, cancel) = (threads(2), CancellationToken::default());
        let (work, mut seen) = (Square::default(), 0);
        let tasks: Vec<u64> = (100..1100).collect();
        let end = Runner::new(&executor, &cancel).run(&work, &tasks, |_, _| {
            seen += 1;
            if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((end.unwrap(), seen), (RunEnd::Break, 5));
        assert!(work.runs.into_inner() < 1000);
    }

    /// Cancelled repeatedly, with truncated lines in between, a logged run executes every task once and
    /// delivers every output each time.
    #[test]
    fn a_cancelled_run_resumes() {
        let folder = Folder::new("runner");
        let path = folder.path().join("outputs.jsonl");
        let tasks: Vec<u64> = (200..230).collect();
        let executor = threads(2);
        let mut done = 0;
        for round in 1.. {
            let cancel = CancellationToken::default();
            let mut runner = Runner::new(&executor, &cancel).with_log(Log::open(&path).unwrap());
            assert_eq!(runner.logged(), done);
            let (work, mut outputs) = (Square::default(), Vec::new());
            let end = runner.run(&work, &tasks, |_, output| {
                outputs.push(output);
                if outputs.len() == 7 * round {
                    cancel.cancel();
                }
                ControlFlow::Continue(())
            });
            assert!(outputs.iter().zip(&tasks).all(|(output, task)| *output == task * task));
            assert_eq!(work.runs.into_inner(), outputs.len() - done, "no task runs twice");
            done = outputs.len();
            if end.unwrap() == RunEnd::Completed {
                break;
            }
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.extend(b"{\"index\":");
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(done, tasks.len());
        let cancel = CancellationToken::default();
        let mut runner = Runner::new(&executor, &cancel).with_log(Log::open(&path).unwrap());
        let (_, end) = collect(&mut runner, &tasks[..9]);
        assert!(end.unwrap_err().to_string().contains("expected 9 of 9"));
    }

    /// Runs tasks as JSON, like another machine.
    struct Remote;

    impl Executor for Remote {
        fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            for index in (0..batch.len()).rev() {
                let output = run_json(&Square::default(), &batch.task_json(index)?);
                if done(index, output.map(Output::Json)).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    #[test]
    fn json_and_values_give_the_same_outputs_and_log() {
        let folder = Folder::new("text");
        let tasks: Vec<u64> = (100..120).collect();
        let here = threads(2);
        let run = |executor: &dyn Executor, name: &str| {
            let (path, cancel) = (folder.path().join(name), CancellationToken::default());
            let mut runner = Runner::new(executor, &cancel).with_log(Log::open(&path).unwrap());
            let (outputs, end) = collect(&mut runner, &tasks);
            assert_eq!(end.unwrap(), RunEnd::Completed);
            (outputs, std::fs::read(&path).unwrap())
        };
        assert_eq!(run(&Remote, "remote"), run(&here, "here"));
        let cancel = CancellationToken::default();
        let (_, end) = collect(&mut Runner::new(&Remote, &cancel), &[1, 13]);
        assert_eq!(end.unwrap_err().to_string(), "task 1 (square) failed: unlucky");
    }

    /// Returns outputs of another type.
    struct WrongType(fn() -> Output);

    impl Executor for WrongType {
        fn execute(&self, _: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            let _ = done(0, Ok((self.0)()));
            Ok(())
        }
    }

    #[test]
    fn outputs_of_another_type_are_rejected() {
        let cancel = CancellationToken::default();
        for (output, problem) in [
            (WrongType(|| Output::Value(Box::new("four"))), "an output of another kind of work"),
            (WrongType(|| Output::Json("four".into())), "unreadable output: expected"),
        ] {
            let (_, end) = collect(&mut Runner::new(&output, &cancel), &[2]);
            let error = end.unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    /// A number that cannot be serialized.
    #[derive(Clone, Copy, Deserialize)]
    struct Unserializable(u64);

    impl Serialize for Unserializable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not to be written"))
        }
    }

    struct Double;

    impl Work for Double {
        const KIND: &'static str = "double";
        type Task = Unserializable;
        type Output = Unserializable;

        fn run(&self, task: &Unserializable) -> Result<Unserializable, String> {
            Ok(Unserializable(2 * task.0))
        }
    }

    #[test]
    fn nothing_is_serialized_inside_one_process() {
        let (executor, cancel, mut sum) = (threads(2), CancellationToken::default(), 0);
        let end =
            Runner::new(&executor, &cancel).run(&Double, &[Unserializable(21); 5], |_, output| {
                sum += output.0;
                ControlFlow::Continue(())
            });
        assert_eq!((end.unwrap(), sum), (RunEnd::Completed, 210));
        let end = Runner::new(&Remote, &cancel)
            .run(&Double, &[Unserializable(1)], |_, _| ControlFlow::Continue(()));
        assert!(end.unwrap_err().to_string().contains("not to be written"));
    }
}
