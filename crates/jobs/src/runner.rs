use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Batch, Executor, JobError, Log, Output, Stop, Work};

/// Runs the tasks of a list and hands over their outputs in the order of the list, however many run
/// at once; with a log, outputs of earlier runs come from there.
pub struct Runner<'a> {
    executor: &'a dyn Executor,
    stop: &'a Stop,
    log: Option<Log>,
}

/// Why [`Runner::run`] came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All tasks are done.
    Done,
    /// Whoever got the outputs wanted no more.
    Enough,
    /// Stopped on request; a runner with the same log goes on from here.
    Stopped,
}

/// A line of the log.
#[derive(Serialize, Deserialize)]
struct Entry<T> {
    index: usize,
    output: T,
}

impl<'a> Runner<'a> {
    /// Runs tasks there until asked to stop.
    pub const fn new(executor: &'a dyn Executor, stop: &'a Stop) -> Self {
        Self { executor, stop, log: None }
    }

    /// Keeps outputs in `log`, and takes from it those that are there already. A log belongs to one
    /// list of tasks.
    #[must_use]
    pub fn with_log(mut self, log: Log) -> Self {
        self.log = Some(log);
        self
    }

    /// How many outputs will come from the log.
    pub fn done_before(&self) -> usize {
        self.log.as_ref().map_or(0, Log::len)
    }

    /// Runs the tasks; `each` gets every output with the index of its task, in order, until it
    /// breaks. The first task in the list that fails ends the run with its error.
    pub fn run<W: Work>(
        &mut self,
        work: &W,
        tasks: &[W::Task],
        mut each: impl FnMut(usize, W::Output) -> ControlFlow<()>,
    ) -> Result<Ended, JobError> {
        let batch = Batch::new(work, tasks, self.stop);
        self.run_batch(batch, &mut Receiver { kind: W::KIND, each: &mut each })
    }

    /// The loop, compiled once for all kinds of work.
    fn run_batch(&mut self, batch: Batch<'_>, sink: &mut dyn Sink) -> Result<Ended, JobError> {
        let (done, tasks) = (self.done_before(), batch.len());
        if let Some(log) = &self.log
            && sink.replay(log, tasks)?.is_break()
        {
            return Ok(Ended::Enough);
        }
        let mut line = InOrder { next: done, waiting: BTreeMap::new() };
        let (mut end, log) = (Ok(Ended::Stopped), &mut self.log);
        self.executor.execute(&batch.skip(done), &mut |index, output| {
            match line.add(done + index, output, sink, log.as_mut()) {
                Ok(ControlFlow::Continue(())) => return ControlFlow::Continue(()),
                Ok(ControlFlow::Break(())) => end = Ok(Ended::Enough),
                Err(error) => end = Err(error),
            }
            ControlFlow::Break(())
        })?;
        match end {
            Ok(Ended::Stopped) if line.next == tasks => Ok(Ended::Done),
            end => end,
        }
    }
}

/// Where outputs go; whoever fills it need not know their type.
trait Sink {
    /// Takes the output of a task, after `log` has kept it.
    fn take(
        &mut self,
        index: usize,
        output: Result<Output, String>,
        log: Option<&mut Log>,
    ) -> Result<ControlFlow<()>, JobError>;

    /// Takes the outputs that a log of up to so many tasks holds.
    fn replay(&mut self, log: &Log, tasks: usize) -> Result<ControlFlow<()>, JobError>;
}

/// Hands outputs of type `T` to `each`.
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

/// An output as what it is.
fn value<T: DeserializeOwned + 'static>(output: Output) -> Result<T, String> {
    match output {
        Output::Value(value) => match value.downcast() {
            Ok(value) => Ok(*value),
            Err(_) => Err("the executor gave an output of another kind of work".into()),
        },
        Output::Text(text) => {
            serde_json::from_str(&text).map_err(|error| format!("unreadable output: {error}"))
        }
    }
}

/// Outputs that came before their turn wait for it.
struct InOrder {
    next: usize,
    waiting: BTreeMap<usize, Result<Output, String>>,
}

impl InOrder {
    /// Adds an output and hands over all whose turn has come.
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

/// Does a task given as text: what a worker in another process does.
pub fn run_text<W: Work>(work: &W, task: &str) -> Result<String, String> {
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

    /// Squares numbers, late ones quickly; fails on 13 and panics on 66.
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

    fn collect(runner: &mut Runner<'_>, tasks: &[u64]) -> (Vec<u64>, Result<Ended, JobError>) {
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
            let (executor, stop) = (threads(count), Stop::default());
            let (outputs, end) = collect(&mut Runner::new(&executor, &stop), &tasks);
            assert_eq!(end.unwrap(), Ended::Done);
            assert!(outputs.iter().zip(&tasks).all(|(output, task)| *output == task * task));
            assert_eq!(outputs.len(), tasks.len());
        }
        let (executor, stop) = (threads(2), Stop::default());
        assert_eq!(collect(&mut Runner::new(&executor, &stop), &[]).1.unwrap(), Ended::Done);
    }

    #[test]
    fn a_failing_task_ends_the_run_with_its_error() {
        let (executor, stop) = (threads(3), Stop::default());
        let mut runner = Runner::new(&executor, &stop);
        let (outputs, end) = collect(&mut runner, &[1, 2, 13, 3, 66]);
        assert_eq!(outputs, [1, 4]);
        assert_eq!(end.unwrap_err().to_string(), "task 2 (square) failed: unlucky");
        let (outputs, end) = collect(&mut runner, &[1, 66]);
        assert_eq!(outputs, [1]);
        let error = end.unwrap_err().to_string();
        assert!(error.contains("panicked") && error.contains("sixty-six"), "{error}");
    }

    #[test]
    fn enough_is_enough() {
        let (executor, stop) = (threads(2), Stop::default());
        let (work, mut seen) = (Square::default(), 0);
        let tasks: Vec<u64> = (100..1100).collect();
        let end = Runner::new(&executor, &stop).run(&work, &tasks, |_, _| {
            seen += 1;
            if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((end.unwrap(), seen), (Ended::Enough, 5));
        assert!(work.runs.into_inner() < 1000);
    }

    /// Stopped again and again, with torn lines in between, a logged run does every task once and
    /// shows every output each time.
    #[test]
    fn goes_on_where_it_stopped() {
        let folder = Folder::new("runner");
        let path = folder.path().join("outputs.jsonl");
        let tasks: Vec<u64> = (200..230).collect();
        let executor = threads(2);
        let mut done = 0;
        for round in 1.. {
            let stop = Stop::default();
            let mut runner = Runner::new(&executor, &stop).with_log(Log::open(&path).unwrap());
            assert_eq!(runner.done_before(), done);
            let (work, mut outputs) = (Square::default(), Vec::new());
            let end = runner.run(&work, &tasks, |_, output| {
                outputs.push(output);
                if outputs.len() == 7 * round {
                    stop.request();
                }
                ControlFlow::Continue(())
            });
            assert!(outputs.iter().zip(&tasks).all(|(output, task)| *output == task * task));
            assert_eq!(work.runs.into_inner(), outputs.len() - done, "none is done twice");
            done = outputs.len();
            if end.unwrap() == Ended::Done {
                break;
            }
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.extend(b"{\"index\":");
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(done, tasks.len());
        let stop = Stop::default();
        let mut runner = Runner::new(&executor, &stop).with_log(Log::open(&path).unwrap());
        let (_, end) = collect(&mut runner, &tasks[..9]);
        assert!(end.unwrap_err().to_string().contains("expected 9 of 9"));
    }

    /// Like another machine: takes text and gives text.
    struct Elsewhere;

    impl Executor for Elsewhere {
        fn execute(&self, batch: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            for index in (0..batch.len()).rev() {
                let output = run_text(&Square::default(), &batch.text(index)?);
                if done(index, output.map(Output::Text)).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    #[test]
    fn text_and_values_give_the_same_outputs_and_log() {
        let folder = Folder::new("text");
        let tasks: Vec<u64> = (100..120).collect();
        let here = threads(2);
        let run = |executor: &dyn Executor, name: &str| {
            let (path, stop) = (folder.path().join(name), Stop::default());
            let mut runner = Runner::new(executor, &stop).with_log(Log::open(&path).unwrap());
            let (outputs, end) = collect(&mut runner, &tasks);
            assert_eq!(end.unwrap(), Ended::Done);
            (outputs, std::fs::read(&path).unwrap())
        };
        assert_eq!(run(&Elsewhere, "elsewhere"), run(&here, "here"));
        let stop = Stop::default();
        let (_, end) = collect(&mut Runner::new(&Elsewhere, &stop), &[1, 13]);
        assert_eq!(end.unwrap_err().to_string(), "task 1 (square) failed: unlucky");
    }

    /// Gives what is no output of these tasks.
    struct Confused(fn() -> Output);

    impl Executor for Confused {
        fn execute(&self, _: &Batch<'_>, done: &mut OnOutput<'_>) -> Result<(), JobError> {
            let _ = done(0, Ok((self.0)()));
            Ok(())
        }
    }

    #[test]
    fn outputs_of_another_type_are_refused() {
        let stop = Stop::default();
        for (output, problem) in [
            (Confused(|| Output::Value(Box::new("four"))), "an output of another kind of work"),
            (Confused(|| Output::Text("four".into())), "unreadable output: expected"),
        ] {
            let (_, end) = collect(&mut Runner::new(&output, &stop), &[2]);
            let error = end.unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    /// A number that cannot be written.
    #[derive(Clone, Copy, Deserialize)]
    struct Unwritable(u64);

    impl Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not to be written"))
        }
    }

    struct Double;

    impl Work for Double {
        const KIND: &'static str = "double";
        type Task = Unwritable;
        type Output = Unwritable;

        fn run(&self, task: &Unwritable) -> Result<Unwritable, String> {
            Ok(Unwritable(2 * task.0))
        }
    }

    #[test]
    fn nothing_is_written_as_text_inside_one_process() {
        let (executor, stop, mut sum) = (threads(2), Stop::default(), 0);
        let end = Runner::new(&executor, &stop).run(&Double, &[Unwritable(21); 5], |_, output| {
            sum += output.0;
            ControlFlow::Continue(())
        });
        assert_eq!((end.unwrap(), sum), (Ended::Done, 210));
        let end = Runner::new(&Elsewhere, &stop)
            .run(&Double, &[Unwritable(1)], |_, _| ControlFlow::Continue(()));
        assert!(end.unwrap_err().to_string().contains("not to be written"));
    }
}
