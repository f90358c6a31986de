use std::fmt;
use std::ops::{ControlFlow, Deref, DerefMut};

use thiserror::Error;

use super::{OpenError, OpenResult};
use crate::{AnyRecord, ReadError, Scanner};

/// The most skipped games that are listed; more are counted. A file whose first games are all unreadable is
/// given up after this number.
const MAX_LISTED: usize = 1000;

/// The games or positions of a file: those that could be read, as a slice, and those that were skipped.
///
/// ```
/// use tablero_core::{AnyGame, Input, open_as};
/// use tablero_tictactoe::TicTacToe;
///
/// let text = "x o.. .x. ...\nx o.. .x. ..?\nx ... ... ...\n";
/// let (records, _) = open_as(AnyGame::of::<TicTacToe>(), &Input::text(text), None)?;
/// assert_eq!((records.len(), records.total()), (2, 3));
/// assert_eq!(records.numbered().map(|(number, _)| number).collect::<Vec<_>>(), [1, 3]);
/// assert!(records.skipped()[0].to_string().starts_with("game 2: line 2, column 13: found `?`"));
/// # Ok::<(), tablero_core::OpenError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Records<T = AnyRecord> {
    records: Vec<T>,
    /// The number in the file of each record.
    numbers: Vec<usize>,
    /// The first of the skipped games.
    skipped: Vec<SkippedGame>,
    skipped_count: usize,
}

/// A game or position that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("game {number}: {error}")]
pub struct SkippedGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The parse error, with its location in the file.
    pub error: ReadError,
}

/// A game number that is not in a file, or whose game was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSuchGame {
    /// The file has fewer games.
    OutOfRange {
        /// The number of games in the file.
        total: usize,
    },
    /// The game could not be read; the error if it is listed.
    Skipped(Option<SkippedGame>),
}

impl<T> Records<T> {
    /// The records that could be read.
    pub fn into_vec(self) -> Vec<T> {
        self.records
    }

    /// The skipped games, at most the first 1000.
    pub fn skipped(&self) -> &[SkippedGame] {
        &self.skipped
    }

    /// The number of skipped games.
    pub const fn skipped_count(&self) -> usize {
        self.skipped_count
    }

    /// The number of games in the file, skipped ones included.
    pub fn total(&self) -> usize {
        self.records.len() + self.skipped_count
    }

    /// The records with their numbers in the file, from 1.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &T)> {
        self.numbers.iter().copied().zip(&self.records)
    }

    /// The record with a number in the file, from 1.
    pub fn number(&self, number: usize) -> Result<&T, NoSuchGame> {
        match self.numbers.binary_search(&number) {
            Ok(index) => Ok(&self.records[index]),
            Err(_) if (1..=self.total()).contains(&number) => {
                let skipped = self.skipped.iter().find(|skipped| skipped.number == number);
                Err(NoSuchGame::Skipped(skipped.cloned()))
            }
            Err(_) => Err(NoSuchGame::OutOfRange { total: self.total() }),
        }
    }

    /// The records, each converted by `convert`.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Records<U> {
        let Self { records, numbers, skipped, skipped_count } = self;
        Records {
            records: records.into_iter().map(convert).collect(),
            numbers,
            skipped,
            skipped_count,
        }
    }

    /// Adds the next game of a file; breaks when the file is given up.
    pub(super) fn push(&mut self, game: Result<T, ReadError>) -> ControlFlow<()> {
        let number = self.total() + 1;
        match game {
            Ok(record) => {
                self.records.push(record);
                self.numbers.push(number);
            }
            Err(error) => {
                self.skipped_count += 1;
                if self.skipped.len() < MAX_LISTED {
                    self.skipped.push(SkippedGame { number, error });
                }
                if self.records.is_empty() && self.skipped_count == MAX_LISTED {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The error of a file in which nothing could be read.
    pub(super) fn total_failure(&self) -> Option<&ReadError> {
        self.records
            .is_empty()
            .then(|| self.skipped.first().map(|skipped| &skipped.error))
            .flatten()
    }
}

impl Records {
    /// These records of a file in `format`; the first error if any was skipped.
    pub fn require_all(self, format: &'static str) -> OpenResult {
        match (self.skipped.first(), self.records.first()) {
            (Some(SkippedGame { error, .. }), Some(record)) => {
                let (game, error) = (record.start.game().name(), error.clone());
                Err(OpenError::Malformed { format, game, error })
            }
            _ => Ok((self, format)),
        }
    }
}

impl<T> Deref for Records<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.records
    }
}

impl<T> DerefMut for Records<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.records
    }
}

/// Nothing is skipped.
impl<T> From<Vec<T>> for Records<T> {
    fn from(records: Vec<T>) -> Self {
        let numbers = (1..=records.len()).collect();
        Self { records, numbers, skipped: Vec::new(), skipped_count: 0 }
    }
}

/// Errors become skipped games.
impl<T> FromIterator<Result<T, ReadError>> for Records<T> {
    fn from_iter<I: IntoIterator<Item = Result<T, ReadError>>>(games: I) -> Self {
        let mut all = Self::default();
        for game in games {
            if all.push(game).is_break() {
                break;
            }
        }
        all
    }
}

impl<T> Default for Records<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl fmt::Display for NoSuchGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { total } => write!(f, "the file has games 1 to {total}"),
            Self::Skipped(Some(skipped)) => skipped.fmt(f),
            Self::Skipped(None) => f.write_str("the game could not be read"),
        }
    }
}

impl std::error::Error for NoSuchGame {}

/// Reads one game or position per line; `parse` returns `None` for a line without content.
pub fn read_lines<'a, T>(
    text: &'a str,
    parse: impl Fn(&'a str) -> Result<Option<T>, ReadError> + 'a,
) -> impl Iterator<Item = Result<T, ReadError>> + 'a {
    let mut scan = Scanner::new(text);
    std::iter::from_fn(move || {
        while !scan.at_end() {
            scan.mark();
            let start = scan.offset();
            match parse(scan.line()).transpose() {
                None => {}
                Some(Ok(record)) => return Some(Ok(record)),
                Some(Err(error)) => return Some(Err(scan.within(error, start))),
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Records<u32> {
        let parse = |line: &str| {
            let number = line.trim().parse();
            number.map(Some).map_err(|_| ReadError::at(line, 0, "a number"))
        };
        read_lines(text, parse).collect()
    }

    #[test]
    fn skipped_lines_keep_their_numbers_and_locations() {
        let records = numbers("1\nx\n3\n4\r\n y");
        assert_eq!((&*records, records.total()), (&[1, 3, 4][..], 5));
        assert_eq!(records.number(3), Ok(&3));
        assert_eq!(records.number(6), Err(NoSuchGame::OutOfRange { total: 5 }));
        assert_eq!(
            records.number(2).unwrap_err().to_string(),
            "game 2: line 2, column 1: found `x`, expected a number"
        );
        assert_eq!(
            records.skipped()[1].to_string(),
            "game 5: line 5, column 1: found a blank, expected a number"
        );
    }

    #[test]
    fn many_errors_are_counted_in_linear_time() {
        let text = format!("1\n{}", "x\n".repeat(200_000));
        let records = numbers(&text);
        assert_eq!((records.skipped().len(), records.skipped_count()), (MAX_LISTED, 200_000));
        assert_eq!(numbers(&text[2..]).skipped_count(), MAX_LISTED, "given up");
    }
}
