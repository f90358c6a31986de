//! Reading lines: with editing and history on a terminal, plain otherwise.

use std::io::{self, BufRead, IsTerminal, StdinLock, Write};

use anyhow::Context;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::out;

pub(super) enum LineReader {
    Editor(Box<DefaultEditor>),
    Plain(StdinLock<'static>),
}

impl LineReader {
    /// An editor if both standard streams are a terminal.
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(match io::stdin().is_terminal() && io::stdout().is_terminal() {
            true => {
                Self::Editor(Box::new(DefaultEditor::new().context("cannot use the terminal")?))
            }
            false => Self::Plain(io::stdin().lock()),
        })
    }

    /// The next line; none at the end of the input or after Ctrl-C.
    pub(super) fn read(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        match self {
            Self::Editor(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    editor.add_history_entry(&line).context("cannot extend the history")?;
                    Ok(Some(line))
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                Err(error) => Err(error).context("cannot read from the terminal"),
            },
            Self::Plain(input) => {
                out::raw(prompt);
                io::stdout().flush()?;
                // Invalid UTF-8 is not a move either: the parser reports it, and the game continues.
                let mut line = Vec::new();
                let count =
                    input.read_until(b'\n', &mut line).context("cannot read standard input")?;
                if count == 0 {
                    out::line("");
                }
                Ok((count > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
            }
        }
    }
}
