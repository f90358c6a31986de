use std::fmt;

use thiserror::Error;

/// A location in a reader's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// In text; columns count characters.
    Text {
        /// Pv, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// A byte offset in a binary file, from 0.
    Byte(usize),
}

impl Location {
    /// The location at byte `offset` of `text`.
    pub fn in_text(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::Text {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// A parse error: location, what was found there, what was expected.
///
/// ```
/// use tablero_core::ReadError;
/// let error = ReadError::at("depth=x", 6, "a number");
/// assert_eq!(error.to_string(), "line 1, column 7: found `x`, expected a number");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{location}: found {found}, expected {expected}")]
pub struct ReadError {
    /// The location.
    pub location: Location,
    /// The offending input, in words.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl ReadError {
    /// An error at byte `offset` of `text`; `found` quotes the text there.
    pub fn at(text: &str, offset: usize, expected: impl Into<String>) -> Self {
        Self {
            location: Location::in_text(text, offset),
            found: quote(text.get(offset..).unwrap_or("")),
            expected: expected.into(),
        }
    }

    /// An error at byte `offset` of a binary file.
    pub fn at_byte(offset: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { location: Location::Byte(offset), found: found.into(), expected: expected.into() }
    }

    /// The same error relative to `outer`, which contains this error's text at byte `offset`.
    pub fn within(mut self, outer: &str, offset: usize) -> Self {
        let Location::Text { line: outer_line, column: outer_column } =
            Location::in_text(outer, offset)
        else {
            return self;
        };
        if let Location::Text { line, column } = &mut self.location {
            if *line == 1 {
                *column += outer_column - 1;
            }
            *line += outer_line - 1;
        }
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// The first word of `rest`, quoted and shortened for an error message.
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
    // Invisible characters are escaped, quotes are not.
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
    fn messages_have_location_and_quote() {
        let error = ReadError::at("one\ntwo thrée four", 8, "a number");
        assert_eq!(error.to_string(), "line 2, column 5: found `thrée`, expected a number");
        let error = ReadError::at("x", 1, "more");
        assert_eq!(
            error.to_string(),
            "line 1, column 2: found the end of the input, expected more"
        );
    }

    #[test]
    fn locations_translate_to_the_outer_text() {
        let inner = ReadError::at("e9", 1, "a row 1-8");
        assert_eq!(
            inner.within("d3\nmove e9", 8).to_string(),
            "line 2, column 7: found `9`, expected a row 1-8"
        );
    }
}
