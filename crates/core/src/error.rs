use std::fmt;

use thiserror::Error;

use crate::{Localized, LocalizedString};

/// A location in a reader's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// In text; columns count characters.
    Text {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// A byte offset in a binary file, from 0.
    Byte(usize),
}

impl Location {
    /// The start of a text.
    pub const START: Self = Self::Text { line: 1, column: 1 };

    /// The location at byte `offset` of `text`.
    pub fn in_text(text: &str, offset: usize) -> Self {
        Self::START.after(text.get(..offset).unwrap_or(text))
    }

    /// The location after `text`, which starts here.
    #[must_use]
    pub fn after(self, text: &str) -> Self {
        let Self::Text { line, column } = self else { return self };
        match text.rfind('\n') {
            None => Self::Text { line, column: column + text.chars().count() },
            Some(newline) => Self::Text {
                line: line + text.matches('\n').count(),
                column: text[newline + 1..].chars().count() + 1,
            },
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
    pub found: LocalizedString,
    /// What was expected.
    pub expected: LocalizedString,
}

impl ReadError {
    /// An error at byte `offset` of `text`; `found` quotes the text there.
    pub fn at(text: &str, offset: usize, expected: impl Into<LocalizedString>) -> Self {
        Self {
            location: Location::in_text(text, offset),
            found: quote(text.get(offset..).unwrap_or("")),
            expected: expected.into(),
        }
    }

    /// An error at byte `offset` of a binary file.
    pub fn at_byte(
        offset: usize,
        found: impl Into<LocalizedString>,
        expected: impl Into<LocalizedString>,
    ) -> Self {
        Self { location: Location::Byte(offset), found: found.into(), expected: expected.into() }
    }

    /// The same error relative to `outer`, which contains this error's text at byte `offset`.
    pub fn within(self, outer: &str, offset: usize) -> Self {
        self.starting_at(Location::in_text(outer, offset))
    }

    /// The same error relative to an outer text, in which this error's text starts at `start`.
    pub fn starting_at(mut self, start: Location) -> Self {
        if let (Location::Text { line, column }, Location::Text { line: first, column: indent }) =
            (&mut self.location, start)
        {
            if *line == 1 {
                *column += indent - 1;
            }
            *line += first - 1;
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
fn quote(rest: &str) -> LocalizedString {
    const LONGEST: usize = 24;
    let Some(first) = rest.chars().next() else {
        return Localized::new("the end of the input", "el final del texto").into();
    };
    if first == '\n' || first == '\r' {
        return Localized::new("the end of the line", "el final de la línea").into();
    }
    if first.is_whitespace() {
        return Localized::new("a blank", "un espacio").into();
    }
    // Invisible characters are escaped, quotes are not.
    let show = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    let mut word = rest.chars().take_while(|c| !c.is_whitespace());
    let shown: String = word.by_ref().take(LONGEST).map(show).collect();
    let more = if word.next().is_some() { "…" } else { "" };
    format!("`{shown}{more}`").into()
}

/// A text of the input, shortened to about 80 characters for an error message: long ones lose their
/// middle, control characters are escaped.
///
/// ```
/// use tablero_core::excerpt;
/// assert_eq!(excerpt("kind = \"x\""), "kind = \"x\"");
/// let long = excerpt(&format!("string {}, expected a number", "9".repeat(200_000)));
/// assert!(long.chars().count() <= 80);
/// assert!(long.starts_with("string 999") && long.ends_with("9, expected a number"));
/// ```
pub fn excerpt(text: &str) -> String {
    const HEAD: usize = 39;
    const TAIL: usize = 40;
    let show = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    if text.chars().nth(HEAD + TAIL + 1).is_none() {
        return text.chars().map(show).collect();
    }
    let head: String = text.chars().take(HEAD).map(show).collect();
    let tail = text.char_indices().rev().nth(TAIL - 1).map_or("", |(start, _)| &text[start..]);
    format!("{head}…{}", tail.chars().map(show).collect::<String>())
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
