//! The only place that writes to standard output and standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

/// A mistake of the caller's: exit status 2 instead of 1.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Work that the user stopped before its end: exit status 130, as of a program that Ctrl-C ended.
#[derive(Debug)]
struct Interrupted(String);

impl Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Interrupted {}

/// The end of work that the user stopped; `how_to_go_on` is what to tell.
pub(crate) fn interrupted(how_to_go_on: impl Display) -> anyhow::Error {
    Interrupted(how_to_go_on.to_string()).into()
}

/// An error that says: what you asked for cannot be understood.
pub(crate) fn usage(message: impl Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}

/// Prints a result line.
pub(crate) fn line(text: impl Display) {
    stop_if_nobody_reads(writeln!(anstream::stdout().lock(), "{text}"));
}

/// Prints a result that brings its own line ends.
pub(crate) fn raw(text: impl Display) {
    stop_if_nobody_reads(write!(anstream::stdout().lock(), "{text}"));
}

/// Prints a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) {
    // Our own types always serialise: no maps with odd keys, no failing fields.
    line(serde_json::to_string(value).expect("plain data"));
}

/// Tells the user what goes on, on standard error.
pub(crate) fn note(text: impl Display) {
    // If nobody listens there is nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says what went wrong, and gives the exit status for it.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    if let Some(Interrupted(how_to_go_on)) = error.downcast_ref() {
        note(how_to_go_on);
        return ExitCode::from(130);
    }
    let red = anstyle::AnsiColor::Red.on_default().bold();
    note(format_args!("{red}error:{red:#} {error:#}"));
    ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
}

/// A closed pipe (`tablero ... | head`) is the reader's wish to stop, not a failure.
fn stop_if_nobody_reads(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            note(format_args!("error: cannot write to standard output: {error}"));
            std::process::exit(1);
        }
    }
}

/// Prints a file's content as it is.
pub(crate) fn bytes(content: &[u8]) -> anyhow::Result<()> {
    stop_if_nobody_reads(io::stdout().lock().write_all(content));
    Ok(())
}

/// Standard output for an engine protocol, which needs its lines as they come and in plain text.
pub(crate) fn protocol() -> impl Write {
    io::stdout()
}
