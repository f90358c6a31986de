use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
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
    /// What it said last on standard error.
    last_words: Arc<Mutex<String>>,
}

impl Process {
    pub(crate) fn start(command: &EngineCommand) -> Result<Self, String> {
        let mut child =
            builder(command).spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let (sender, lines) = sync_channel(MOST_LINES);
        if let Some(output) = child.stdout.take() {
            each_line(output, move |line| sender.send(line).is_ok());
        }
        let last_words = Arc::new(Mutex::new(String::new()));
        if let Some(errors) = child.stderr.take() {
            let last_words = Arc::clone(&last_words);
            each_line(errors, move |line| {
                if let (Ok(mut words), false) = (last_words.lock(), line.trim().is_empty()) {
                    *words = line;
                }
                true
            });
        }
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
        match self.last_words.lock() {
            Ok(words) if !words.is_empty() => format!("{how} saying `{words}`"),
            _ => how,
        }
    }

    fn await_end(&mut self) -> Option<std::process::ExitStatus> {
        let end = Instant::now() + FAREWELL;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            std::thread::sleep(POLL);
        }
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

/// Hands every line of `input` to `take` on a thread of its own, for as long as it wants more.
fn each_line(
    input: impl Read + Send + 'static,
    mut take: impl FnMut(String) -> bool + Send + 'static,
) {
    std::thread::spawn(move || {
        let mut input: Box<dyn BufRead> = Box::new(BufReader::new(input));
        while let Some(line) = read_line(&mut input) {
            if !take(line) {
                break;
            }
        }
    });
}
