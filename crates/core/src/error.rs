use std::fmt;

use thiserror::Error;

/// Where in its input a reader stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In text; both count from 1, columns in characters.
    Text {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// In a binary file: the byte's offset, from 0.
    Byte(usize),
}

impl Place {
    /// The place `offset` bytes into `text`.
    pub fn in_text(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::Text {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// Input that a reader could not understand: where, what stood there, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: found {found}, expected {expected}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What stood there, as a person would say it.
    pub found: String,
    /// What would have been right.
    pub expected: String,
}

impl ReadError {
    /// An error at `offset` bytes into `text`; `found` is quoted from there.
    pub fn at(text: &str, offset: usize, expected: impl Into<String>) -> Self {
        Self {
            place: Place::in_text(text, offset),
            found: quote(text.get(offset..).unwrap_or("")),
            expected: expected.into(),
        }
    }

    /// An error at byte `offset` of a binary file.
    pub fn at_byte(offset: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { place: Place::Byte(offset), found: found.into(), expected: expected.into() }
    }

    /// The same error seen from `outer`, in which this error's text starts at byte `offset`.
    pub fn within(mut self, outer: &str, offset: usize) -> Self {
        let Place::Text { line: outer_line, column: outer_column } = Place::in_text(outer, offset)
        else {
            return self;
        };
        if let Place::Text { line, column } = &mut self.place {
            if *line == 1 {
                *column += outer_column - 1;
            }
            *line += outer_line - 1;
        }
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// The start of `rest` up to the next blank, short enough for an error message.
fn quote(rest: &str) -> String {
    const LONGEST: usize = 24;
    let Some(first) = rest.chars().next() else {
        return "the end of the input".into();
    };
    if first == '\n' || first == '\r' {
        return "the end of the line".into();
    }
    if first.is_whitespace() {
        return "a blank".into();
    }
    // Characters that cannot be seen are shown by their codes; quotes are left as they are.
    let show = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    let mut word = rest.chars().take_while(|c| !c.is_whitespace());
    let shown: String = word.by_ref().take(LONGEST).map(show).collect();
    let more = if word.next().is_some() { "…" } else { "" };
    format!("`{shown}{more}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_and_what() {
        let error = ReadError::at("one\ntwo thrée four", 8, "a number");
        assert_eq!(error.to_string(), "line 2, column 5: found `thrée`, expected a number");
        let error = ReadError::at("x", 1, "more");
        assert_eq!(
            error.to_string(),
            "line 1, column 2: found the end of the input, expected more"
        );
    }

    #[test]
    fn moves_into_the_outer_text() {
        let inner = ReadError::at("e9", 1, "a row 1-8");
        assert_eq!(
            inner.within("d3\nmove e9", 8).to_string(),
            "line 2, column 7: found `9`, expected a row 1-8"
        );
    }
}
