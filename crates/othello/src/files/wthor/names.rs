//! The header shared by all WTHOR files, and the two name lists.

use std::collections::HashMap;

use tablero_core::{ReadError, excerpt};

use super::FORMAT;
use crate::files::WriteError;

/// Size of the header.
pub(super) const HEADER_SIZE: usize = 16;
/// Sizes of player and tournament names, including the terminating NUL.
const PLAYER_SIZE: usize = 20;
const TOURNAMENT_SIZE: usize = 26;
/// The placeholder for an unknown name.
const UNKNOWN: &str = "???";

/// The creation date of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
}

/// The names that games refer to by index. One pair of lists serves the files of all years. If a list
/// is empty, games are read without those names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Players, from the `.jou` file.
    pub players: Vec<String>,
    /// Tournaments, from the `.trn` file.
    pub tournaments: Vec<String>,
}

/// Reads the names of a `.jou` file.
pub fn read_players(bytes: &[u8]) -> Result<Vec<String>, ReadError> {
    read_names(bytes, PLAYER_SIZE)
}

/// Reads the names of a `.trn` file.
pub fn read_tournaments(bytes: &[u8]) -> Result<Vec<String>, ReadError> {
    read_names(bytes, TOURNAMENT_SIZE)
}

/// Writes a `.jou` file.
pub fn write_players(names: &[String], created: Date) -> Result<Vec<u8>, WriteError> {
    write_names(names, created, PLAYER_SIZE)
}

/// Writes a `.trn` file.
pub fn write_tournaments(names: &[String], created: Date) -> Result<Vec<u8>, WriteError> {
    write_names(names, created, TOURNAMENT_SIZE)
}

/// The first 16 bytes of every file.
#[derive(Clone, Copy, Default)]
pub(super) struct Header {
    pub(super) created: Date,
    /// Games in the file.
    pub(super) games: u32,
    /// Names in the file.
    pub(super) names: u16,
    /// The year in which the games were played.
    pub(super) year: u16,
    /// Board size; 0 means 8.
    pub(super) size: u8,
    /// 0 for games, 1 for solitaires.
    pub(super) kind: u8,
    /// The number of empties from which theoretical scores were solved.
    pub(super) depth: u8,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let Some(header) = bytes.first_chunk::<HEADER_SIZE>() else {
            let found = format!("{} bytes", bytes.len());
            return Err(ReadError::at_byte(0, found, "a header of 16 bytes"));
        };
        let two = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        Ok(Self {
            created: Date {
                year: 100 * u16::from(header[0]) + u16::from(header[1]),
                month: header[2],
                day: header[3],
            },
            games: u32::from(two(6)) << 16 | u32::from(two(4)),
            names: two(8),
            year: two(10),
            size: header[12],
            kind: header[13],
            depth: header[14],
        })
    }

    pub(super) fn write(&self) -> Result<Vec<u8>, WriteError> {
        let Date { year, month, day } = self.created;
        let Ok(century) = u8::try_from(year / 100) else {
            return Err(WriteError::new(FORMAT, format!("a file made in the year {year}")));
        };
        let mut bytes = vec![century, (year % 100) as u8, month, day];
        bytes.extend(self.games.to_le_bytes());
        bytes.extend(self.names.to_le_bytes());
        bytes.extend(self.year.to_le_bytes());
        bytes.extend([self.size, self.kind, self.depth, 0]);
        Ok(bytes)
    }
}

/// The records of `length` bytes after the header, each with its offset; then an error if the file is not
/// as long as its header announces.
pub(super) fn records(
    bytes: &[u8],
    count: usize,
    length: usize,
) -> impl Iterator<Item = Result<(usize, &[u8]), ReadError>> {
    let body = bytes.get(HEADER_SIZE..).unwrap_or_default();
    let whole = body.chunks_exact(length).take(count);
    let rest = HEADER_SIZE + whole.len() * length;
    let mismatch = (Some(body.len()) != count.checked_mul(length)).then(|| {
        let found = format!("{} bytes after record {}", bytes.len() - rest, whole.len());
        let expected = format!("{length} bytes for each of the {count} records it announces");
        Err(ReadError::at_byte(rest, found, expected))
    });
    let offsets = (HEADER_SIZE..).step_by(length);
    offsets.zip(whole).map(Ok).chain(mismatch)
}

fn read_names(bytes: &[u8], length: usize) -> Result<Vec<String>, ReadError> {
    let header = Header::read(bytes)?;
    let records = records(bytes, usize::from(header.names), length);
    records.map(|record| record.map(|(_, name)| latin1(name))).collect()
}

/// Decodes Latin-1 text up to the first NUL.
fn latin1(bytes: &[u8]) -> String {
    let text = bytes.iter().take_while(|byte| **byte != 0);
    text.map(|byte| char::from(*byte)).collect()
}

fn write_names(names: &[String], created: Date, length: usize) -> Result<Vec<u8>, WriteError> {
    let Ok(count) = u16::try_from(names.len()) else {
        return Err(WriteError::new(FORMAT, format!("{} names", names.len())));
    };
    let header = Header { created, names: count, ..Header::default() };
    let mut bytes = header.write()?;
    for name in names {
        bytes.extend(name_bytes(name, length)?);
    }
    Ok(bytes)
}

fn name_bytes(name: &str, length: usize) -> Result<Vec<u8>, WriteError> {
    let bytes: Option<Vec<u8>> =
        name.chars().map(|c| u8::try_from(c).ok().filter(|byte| *byte != 0)).collect();
    let Some(mut bytes) = bytes.filter(|bytes| bytes.len() < length) else {
        let limit = length - 1;
        let name = excerpt(name);
        let what = format!("the name {name:?} (at most {limit} letters of Latin-1)");
        return Err(WriteError::new(FORMAT, what));
    };
    bytes.resize(length, 0);
    Ok(bytes)
}

/// The name at an index, empty if unknown. An index out of range is an error at byte `offset`.
pub(super) fn name(names: &[String], number: u16, offset: usize) -> Result<&str, ReadError> {
    if names.is_empty() {
        return Ok("");
    }
    match names.get(usize::from(number)) {
        Some(name) if name == UNKNOWN => Ok(""),
        Some(name) => Ok(name),
        None => {
            let expected = format!("a number below {}, as there are names", names.len());
            Err(ReadError::at_byte(offset, format!("name {number}"), expected))
        }
    }
}

/// A list of names that grows while games are written, with a reverse index.
pub(super) struct NameTable<'a> {
    names: &'a mut Vec<String>,
    numbers: HashMap<String, u16>,
    length: usize,
}

impl<'a> NameTable<'a> {
    pub(super) fn of_players(names: &'a mut Vec<String>) -> Self {
        Self::new(names, PLAYER_SIZE)
    }

    pub(super) fn of_tournaments(names: &'a mut Vec<String>) -> Self {
        Self::new(names, TOURNAMENT_SIZE)
    }

    fn new(names: &'a mut Vec<String>, length: usize) -> Self {
        // In reverse, so that the first of equal names wins.
        let numbered = names.iter().cloned().zip(0..=u16::MAX);
        let numbers = numbered.collect::<Vec<_>>().into_iter().rev().collect();
        Self { names, numbers, length }
    }

    /// The index of `name`, which is appended if it is new.
    pub(super) fn number(&mut self, name: &str) -> Result<u16, WriteError> {
        let name = if name.is_empty() { UNKNOWN } else { name };
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        name_bytes(name, self.length)?;
        let number = u16::try_from(self.names.len())
            .ok()
            .filter(|number| *number < u16::MAX)
            .ok_or_else(|| WriteError::new(FORMAT, "more than 65535 names"))?;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        Ok(number)
    }
}
