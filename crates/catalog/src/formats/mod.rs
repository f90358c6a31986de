//! The file formats of each game.
//!
//! Whatever a file holds, games or only positions, comes out as [`Record`]s: a position is a record
//! without moves. What a format knows beyond that (scores of moves, best moves) is in the tags.

mod chess;
mod common;
mod othello;
mod shobu;
mod tictactoe;

use std::path::Path;

use tablero_core::{Notation, ReadError, Record};
use thiserror::Error;

/// The formats that a game's files come in.
pub trait Formats: Notation {
    /// All of them; the first is the one to write if nothing else is asked for.
    fn formats() -> &'static [FileFormat<Self>];
}

/// A way to write games or positions to a file.
pub struct FileFormat<G: Notation> {
    /// The name, as in `--to NAME`.
    pub name: &'static str,
    /// Extensions of such files, lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// What it holds, in a sentence.
    pub about: &'static str,
    /// Whether input has the signs of this format. Must be quick, and certain enough that an error
    /// of [`read`](Self::read) is what the user wants to see.
    pub recognises: fn(&Input<'_>) -> bool,
    /// Reads everything in a file.
    pub read: fn(&Input<'_>) -> Result<Vec<Record<G>>, ReadError>,
    /// Writes everything to a file, and beside it what belongs to it.
    pub write: fn(&[Record<G>]) -> Written,
}

/// What a reader gets.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// Where it came from, if from a file: some formats keep names in a file beside it.
    pub path: Option<&'a Path>,
}

/// A file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its extension, if it is not the file that was asked for but one beside it.
    pub beside: Option<&'static str>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What a writer gives: the file, and others beside it.
pub type Written = Result<Vec<Output>, WriteError>;

/// Records that a format cannot hold.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct WriteError(pub String);

impl<'a> Input<'a> {
    /// Pasted text.
    pub const fn text(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), path: None }
    }

    /// The file's extension in lower case.
    pub fn extension(&self) -> Option<String> {
        Some(self.path?.extension()?.to_string_lossy().to_lowercase())
    }

    /// The content as text, or where it stops being text.
    pub fn as_text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            ReadError::at_byte(at, format!("byte {:#04x}", self.bytes[at]), "text in UTF-8")
        })
    }
}

impl Output {
    fn only(text: String) -> Vec<Self> {
        vec![Self { beside: None, bytes: text.into_bytes() }]
    }
}
