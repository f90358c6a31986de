//! All output to standard output and standard error, and exit statuses.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

/// Wrong usage: exit status 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Work interrupted by Ctrl-C: exit status 130.
#[derive(Debug)]
struct Interrupted(String);

impl Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Interrupted {}

/// The error of interrupted work; the message says how to resume it.
pub(crate) fn interrupted(message: impl Display) -> anyhow::Error {
    Interrupted(message.to_string()).into()
}

/// A usage error.
pub(crate) fn usage(message: impl Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}

/// Prints a result line.
pub(crate) fn line(text: impl Display) {
    exit_on_error(writeln!(anstream::stdout().lock(), "{text}"));
}

/// Prints text without adding a newline.
pub(crate) fn raw(text: impl Display) {
    exit_on_error(write!(anstream::stdout().lock(), "{text}"));
}

/// Prints a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) {
    // Our types always serialize: no maps with non-string keys, no failing fields.
    line(serde_json::to_string(value).expect("plain data"));
}

/// Prints a message to standard error.
pub(crate) fn note(text: impl Display) {
    // There is nowhere to report that standard error is closed.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints a warning to standard error.
pub(crate) fn warning(text: impl Display) {
    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    note(format_args!("{yellow}warning:{yellow:#} {text}"));
}

/// Prints an error and returns its exit status.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    if let Some(Interrupted(message)) = error.downcast_ref() {
        note(message);
        return ExitCode::from(130);
    }
    let red = anstyle::AnsiColor::Red.on_default().bold();
    note(format_args!("{red}error:{red:#} {error:#}"));
    ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
}

/// Exits if standard output fails; a closed pipe (`tablero ... | head`) is a success.
fn exit_on_error(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            note(format_args!("error: cannot write to standard output: {error}"));
            std::process::exit(1);
        }
    }
}

/// Writes raw bytes to standard output.
pub(crate) fn bytes(content: &[u8]) -> anyhow::Result<()> {
    exit_on_error(io::stdout().lock().write_all(content));
    Ok(())
}

/// Unstyled standard output, for engine protocols.
pub(crate) fn protocol() -> impl Write {
    io::stdout()
}
