//! Lines from engines and GUIs, bounded in length so that no peer can exhaust the memory.

use std::fmt;
use std::io::{BufRead, Read};

/// Maximum length of a line in bytes, without its line break. The longest useful ones are `position` commands:
/// a game of a thousand moves has about 10 KiB.
pub(crate) const MAX_LINE: usize = 64 << 10;

/// A line exceeds [`MAX_LINE`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineTooLong;

impl fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "longer than {} KiB", MAX_LINE >> 10)
    }
}

/// The next line, with invalid UTF-8 replaced; `None` at the end of input or on an I/O error. Of a line that is
/// too long, only the beginning is consumed.
pub(crate) fn read_line(input: &mut impl BufRead) -> Option<Result<String, LineTooLong>> {
    let mut bytes = Vec::new();
    let with_line_break = MAX_LINE as u64 + 2;
    let count = input.take(with_line_break).read_until(b'\n', &mut bytes).ok()?;
    if count == 0 {
        return None;
    }
    let breaks = bytes.iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
    let line = &bytes[..count - breaks];
    if line.len() > MAX_LINE {
        return Some(Err(LineTooLong));
    }
    Some(Ok(String::from_utf8_lossy(line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<Result<String, LineTooLong>> {
        std::iter::from_fn(|| read_line(&mut input)).collect()
    }

    #[test]
    fn lines_are_read_with_any_line_break() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(lines(b"a\r\n\nb\xff"), [text("a"), text(""), text("b\u{fffd}")]);
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn lines_are_bounded() {
        let longest = "x".repeat(MAX_LINE);
        for line_break in ["", "\n", "\r\n"] {
            let input = format!("{longest}{line_break}");
            assert_eq!(lines(input.as_bytes()), [Ok(longest.clone())]);
            let input = format!("{longest}x{line_break}");
            assert_eq!(lines(input.as_bytes())[0], Err(LineTooLong));
        }
        assert_eq!(
            read_line(&mut std::io::BufReader::new(std::io::repeat(0))),
            Some(Err(LineTooLong))
        );
    }
}
