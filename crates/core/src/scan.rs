use crate::{LocalizedString, Location, ReadError};

/// A cursor over text, the basis of all text readers.
///
/// ```
/// use tablero_core::Scanner;
/// let mut scan = Scanner::new("  depth=4");
/// scan.skip_blanks();
/// assert_eq!(scan.take_while(char::is_alphabetic), "depth");
/// assert!(scan.eat('='));
/// assert_eq!(scan.rest(), "4");
/// assert_eq!(scan.error("a letter").to_string(), "line 1, column 9: found `4`, expected a letter");
/// ```
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    offset: usize,
    /// An offset and its location: lines are counted from here.
    mark: (usize, Location),
}

impl<'a> Scanner<'a> {
    /// A cursor at the start of `text`.
    pub const fn new(text: &'a str) -> Self {
        Self { text, offset: 0, mark: (0, Location::START) }
    }

    /// The current byte offset.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The whole text.
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// The remaining text.
    pub fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Whether nothing remains.
    pub fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The next character, without consuming it.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes the next character.
    pub fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.offset += next.len_utf8();
        Some(next)
    }

    /// Consumes `wanted` if it is next.
    pub fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.offset += wanted.len_utf8();
        }
        found
    }

    /// Consumes characters while they are `wanted`.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.offset += end;
        &rest[..end]
    }

    /// Consumes the next `len` bytes, which must end at a character boundary.
    pub fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.offset += len;
        taken
    }

    /// Consumes the text up to the next whitespace.
    pub fn word(&mut self) -> &'a str {
        self.take_while(|c| !c.is_whitespace())
    }

    /// Consumes the rest of the line and the line end.
    pub fn line(&mut self) -> &'a str {
        let line = self.take_while(|c| c != '\n');
        self.eat('\n');
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Consumes whitespace.
    pub fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// An error at the current offset.
    pub fn error(&self, expected: impl Into<LocalizedString>) -> ReadError {
        self.error_at(self.offset, expected)
    }

    /// An error at an earlier offset, such as the start of an invalid word.
    pub fn error_at(&self, offset: usize, expected: impl Into<LocalizedString>) -> ReadError {
        let rest = self.text.get(offset..).unwrap_or("");
        self.within(ReadError::at(rest, 0, expected), offset)
    }

    /// An error of the part of the text that starts at `offset`.
    pub fn within(&self, error: ReadError, offset: usize) -> ReadError {
        error.starting_at(self.location(offset))
    }

    /// Counts lines from the current offset on. A reader that continues after errors calls it at each game:
    /// otherwise every error would count the lines of the whole file before it.
    pub fn mark(&mut self) {
        self.mark = (self.offset, self.location(self.offset));
    }

    fn location(&self, offset: usize) -> Location {
        let (mark, location) = self.mark;
        match self.text.get(mark..offset) {
            Some(text) => location.after(text),
            None => Location::in_text(self.text, offset),
        }
    }
}
