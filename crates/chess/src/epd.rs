//! Extended position description (EPD): one position per line with operations, as in test suites and
//! opening books: `r1b1k2r/... w kq - bm Qg6; id "WAC.001";`
//!
//! ```
//! use tablero_chess::{ChessRules, epd};
//! let text = "# mate in one\n6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8; id \"back rank\";\n";
//! let entries = epd::read(text, ChessRules::Standard).collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(entries[0].text("id"), Some("back rank"));
//! assert_eq!(entries[0].moves("bm")?.len(), 1);
//! assert_eq!(entries[0].to_string(), "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"back rank\";");
//! # Ok::<(), tablero_core::ReadError>(())
//! ```

use std::fmt;

use tablero_core::{Notation as _, ReadError, Scanner, read_lines, strip_bom};

use crate::fen::{self, Setup};
use crate::{Chess, ChessRules, Move};

/// A position and its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The position; its counters come from the operations `hmvc` and `fmvn`.
    pub position: Chess,
    /// All other operations, in file order.
    pub operations: Vec<Operation>,
}

/// An operation: an opcode and its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// `bm` best moves, `am` moves to avoid, `id` the position's name, `ce` centipawn evaluation,
    /// `acd` analysis depth, `c0` to `c9` comments, and so on.
    pub opcode: String,
    /// The operands; the moves of `bm` and `am` are legal.
    pub operands: Vec<Operand>,
}

/// An operand of an [`Operation`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A move or number, without blanks.
    Word(String),
    /// Any text, in double quotes.
    Text(String),
}

/// Iterates over the entries, one per line; blank lines and lines that start with `#` are skipped. An
/// invalid line yields an error and does not end the iteration.
pub fn read(text: &str, rules: ChessRules) -> impl Iterator<Item = Result<Entry, ReadError>> + '_ {
    read_lines(strip_bom(text), move |line| {
        let has_entry = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        has_entry.then(|| Entry::parse(line, rules)).transpose()
    })
}

/// Writes the entries, one per line.
pub fn write<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    entries.into_iter().map(|entry| format!("{entry}\n")).collect()
}

impl Entry {
    /// Parses one line. Counters are also accepted in FEN's place.
    pub fn parse(line: &str, rules: ChessRules) -> Result<Self, ReadError> {
        let mut scan = Scanner::new(line);
        let setup = Setup::read(&mut scan, rules)?;
        let (mut clock, mut number) = (0, 1);
        scan.skip_blanks();
        if scan.peek().is_some_and(|c| c.is_ascii_digit()) {
            (clock, number) = read_counters(&mut scan)?;
        }
        let mut position = setup.finish(line, rules)?;
        let mut operations = Vec::new();
        loop {
            scan.take_while(|c| c.is_whitespace() || c == ';');
            if scan.at_end() {
                break;
            }
            match scan.take_while(|c| !c.is_whitespace() && c != ';') {
                "hmvc" => clock = read_counter_operand(&mut scan)?,
                "fmvn" => number = read_counter_operand(&mut scan)?,
                opcode => operations.push(read_operation(&mut scan, opcode, &position)?),
            }
        }
        position.set_counters(clock, number);
        Ok(Self { position, operations })
    }

    /// The operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// The first operand of operation `opcode`.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        self.operation(opcode)?.operands.first().map(Operand::as_str)
    }

    /// The operands of operation `opcode` as moves of this position; empty without the operation.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, ReadError> {
        let operands = self.operation(opcode).map_or(&[][..], |operation| &operation.operands);
        operands.iter().map(|operand| self.position.parse_move(operand.as_str())).collect()
    }
}

impl Operand {
    /// The operand, without quotes.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Word(value) | Self::Text(value) => value,
        }
    }
}

fn read_counters(scan: &mut Scanner<'_>) -> Result<(u16, u16), ReadError> {
    let clock = fen::read_counter(scan, "the half-move clock: a number")?;
    scan.skip_blanks();
    let number = fen::read_counter(scan, "the full-move number: 1 to 65535")?;
    Ok((clock, number))
}

fn read_counter_operand(scan: &mut Scanner<'_>) -> Result<u16, ReadError> {
    scan.skip_blanks();
    let value = fen::read_counter(scan, "a number 0 to 65535")?;
    scan.skip_blanks();
    if scan.at_end() || scan.eat(';') {
        return Ok(value);
    }
    Err(scan.error("`;` after the number"))
}

fn read_operation(
    scan: &mut Scanner<'_>,
    opcode: &str,
    position: &Chess,
) -> Result<Operation, ReadError> {
    let starts_well = opcode.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || !opcode.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let start = scan.offset() - opcode.len();
        return Err(scan.error_at(start, "an operation such as bm, am, id or c0"));
    }
    let mut operands = Vec::new();
    loop {
        scan.skip_blanks();
        if scan.at_end() || scan.eat(';') {
            return Ok(Operation { opcode: opcode.into(), operands });
        }
        let start = scan.offset();
        let operand = read_operand(scan)?;
        operands.push(match opcode {
            "bm" | "am" => {
                let m = position.parse_move(operand.as_str());
                let m = m.map_err(|error| error.within(scan.text(), start))?;
                Operand::Word(position.move_text(m))
            }
            _ => operand,
        });
    }
}

fn read_operand(scan: &mut Scanner<'_>) -> Result<Operand, ReadError> {
    if !scan.eat('"') {
        let word = scan.take_while(|c| !c.is_whitespace() && c != ';');
        return Ok(Operand::Word(word.into()));
    }
    let start = scan.offset() - 1;
    let mut text = String::new();
    loop {
        match scan.bump() {
            Some('"') => return Ok(Operand::Text(text)),
            // Only quotes and backslashes are escaped.
            Some('\\') if matches!(scan.peek(), Some('"' | '\\')) => text.extend(scan.bump()),
            Some(other) => text.push(other),
            None => return Err(scan.error_at(start, "a text that ends with `\"`")),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fen::board_fields(&self.position))?;
        for operation in &self.operations {
            write!(f, " {operation}")?;
        }
        if self.position.halfmove_clock() != 0 {
            write!(f, " hmvc {};", self.position.halfmove_clock())?;
        }
        if self.position.move_number() != 1 {
            write!(f, " fmvn {};", self.position.move_number())?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            write!(f, " {operand}")?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => {
                // A line end would break the entry.
                let text = text.replace('\n', " ");
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}
