use std::io::{BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use super::EngineCommand;
use crate::desk::read_line;

/// Lines of output that may wait for us; an engine that prints more has to wait itself.
const MOST_LINES: usize = 4096;
/// How long an engine may take to end when it is told to.
const FAREWELL: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(2);

/// A running engine. It ends when this is dropped.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Reads standard error; gives what was said last.
    last_words: Option<JoinHandle<String>>,
}

impl Process {
    pub(crate) fn start(command: &EngineCommand) -> Result<Self, String> {
        let mut child =
            builder(command).spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let (sender, lines) = sync_channel(MOST_LINES);
        if let Some(output) = child.stdout.take() {
            spawn(move || lines_of(output).try_for_each(|line| sender.send(line)));
        }
        let last_words = child.stderr.take().map(|errors| {
            let has_words = |line: &String| !line.trim().is_empty();
            spawn(move || lines_of(errors).filter(has_words).last().unwrap_or_default())
        });
        Ok(Self { input: child.stdin.take(), child, lines, last_words })
    }

    /// Sends one line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), String> {
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()).is_ok(),
            None => false,
        };
        if sent { Ok(()) } else { Err(self.how_it_ended()) }
    }

    /// The next line; none if it does not come within `wait`.
    pub(crate) fn receive(&mut self, wait: Duration) -> Result<Option<String>, String> {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.how_it_ended()),
        }
    }

    /// Reads lines until `accept` makes something of one.
    pub(crate) fn wait_for<T>(
        &mut self,
        what: &str,
        wait: Duration,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, String> {
        let end = Instant::now() + wait;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if let Some(line) = self.receive(left)? {
                if let Some(found) = accept(&line) {
                    return Ok(found);
                }
            } else if left.is_zero() {
                return Err(format!("did not send {what} within {:.1} s", wait.as_secs_f64()));
            }
        }
    }

    /// Says how a process ended that does not talk any more.
    fn how_it_ended(&mut self) -> String {
        let how = match self.await_end() {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".into(),
        };
        let has_said = |reader: &mut JoinHandle<String>| {
            patiently(|| reader.is_finished().then_some(())).is_some()
        };
        match self.last_words.take_if(has_said).and_then(|reader| reader.join().ok()) {
            Some(words) if !words.is_empty() => format!("{how} saying `{words}`"),
            _ => how,
        }
    }

    fn await_end(&mut self) -> Option<ExitStatus> {
        patiently(|| self.child.try_wait().ok().flatten())
    }
}

/// Asks again and again, for as long as an engine may take to end.
fn patiently<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + FAREWELL;
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() >= end {
            return answer;
        }
        sleep(POLL);
    }
}

impl Drop for Process {
    /// Asks the engine to end, then ends it. Either way nothing of it is left behind.
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            // All our protocols call it so. If it fails, there is nobody to quit.
            let _ = writeln!(input, "quit");
        }
        if self.await_end().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn builder(command: &EngineCommand) -> Command {
    let mut builder = Command::new(&command.program);
    builder
        .args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Ctrl-C is for us: we may want to finish the game, and then end the engine ourselves.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut builder, 0);
    builder
}

fn lines_of(input: impl Read) -> impl Iterator<Item = String> {
    let mut input = BufReader::new(input);
    std::iter::from_fn(move || read_line(&mut input))
}
