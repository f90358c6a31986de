use std::io::{BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use super::EngineCommand;
use crate::lines::{LineTooLong, read_line};

/// Output lines to buffer; an engine that prints more blocks.
const MAX_BUFFERED_LINES: usize = 256;
/// How long an engine may take to exit after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(2);

/// A running engine process, killed on drop.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    /// Ends after a line that is too long.
    lines: Receiver<Result<String, LineTooLong>>,
    /// Reads standard error; returns its last line.
    stderr: Option<JoinHandle<String>>,
}

impl Process {
    pub(crate) fn start(command: &EngineCommand) -> Result<Self, String> {
        let cannot_start = |error| format!("cannot be started: {error}");
        let mut child = std_command(command).spawn().map_err(cannot_start)?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let (sender, lines) = sync_channel(MAX_BUFFERED_LINES);
        // From here on, dropping it ends the child.
        let mut process = Self { input: child.stdin.take(), child, lines, stderr: None };
        if let Some(output) = output {
            let read = move || {
                for line in lines_of(output) {
                    let is_last = line.is_err();
                    if sender.send(line).is_err() || is_last {
                        return;
                    }
                }
            };
            Builder::new().spawn(read).map_err(cannot_start)?;
        }
        if let Some(errors) = errors {
            let is_not_blank = |line: &String| !line.trim().is_empty();
            let read =
                move || lines_of(errors).flatten().filter(is_not_blank).last().unwrap_or_default();
            process.stderr = Some(Builder::new().spawn(read).map_err(cannot_start)?);
        }
        Ok(process)
    }

    /// Sends one line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), String> {
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()).is_ok(),
            None => false,
        };
        if sent { Ok(()) } else { Err(self.exit_reason()) }
    }

    /// The next line, if it arrives within `wait`.
    pub(crate) fn receive(&mut self, wait: Duration) -> Result<Option<String>, String> {
        match self.lines.recv_timeout(wait) {
            Ok(Ok(line)) => Ok(Some(line)),
            Ok(Err(too_long)) => Err(format!("sent a line {too_long}")),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.exit_reason()),
        }
    }

    /// Reads lines until `accept` returns a value for one.
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

    /// Describes how a silent process ended.
    fn exit_reason(&mut self) -> String {
        let how = match self.wait_for_exit() {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".into(),
        };
        let is_closed = |reader: &mut JoinHandle<String>| {
            poll_until(|| reader.is_finished().then_some(())).is_some()
        };
        match self.stderr.take_if(is_closed).and_then(|reader| reader.join().ok()) {
            Some(words) if !words.is_empty() => format!("{how}, stderr: `{words}`"),
            _ => how,
        }
    }

    /// Kills the process group: the program may be a script that started the engine. The standard library has no
    /// call for it.
    #[cfg(unix)]
    fn kill_group(&self) {
        let kill = format!("kill -9 -{}", self.child.id());
        let _ = Command::new("/bin/sh").args(["-c", &kill]).stderr(Stdio::null()).status();
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}

    fn wait_for_exit(&mut self) -> Option<ExitStatus> {
        poll_until(|| self.child.try_wait().ok().flatten())
    }
}

/// Polls until there is a value, at most for [`EXIT_TIMEOUT`].
fn poll_until<T>(mut poll: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + EXIT_TIMEOUT;
    loop {
        let answer = poll();
        if answer.is_some() || Instant::now() >= end {
            return answer;
        }
        sleep(POLL);
    }
}

impl Drop for Process {
    /// Sends `quit`, then kills the process if it does not exit. Leaves no zombie.
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            // All protocols have `quit`. Writing fails if the process is gone.
            let _ = writeln!(input, "quit");
        }
        if self.wait_for_exit().is_none() {
            self.kill_group();
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn std_command(command: &EngineCommand) -> Command {
    let mut builder = Command::new(&command.program);
    builder
        .args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A group of its own: Ctrl-C must not reach the engine, whose player decides when it ends.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut builder, 0);
    builder
}

fn lines_of(input: impl Read) -> impl Iterator<Item = Result<String, LineTooLong>> {
    let mut input = BufReader::new(input);
    std::iter::from_fn(move || read_line(&mut input))
}
