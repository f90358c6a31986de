//! WTHOR: the binary tournament archives published by the French Othello federation. One `.wtb` file
//! per year, plus one `.jou` file with all player names and one `.trn` file with all tournament names.
//!
//! A game stores the indices of its tournament and players, black's final disc count (empty squares
//! count for the winner), black's theoretical score (perfect play from a given number of empties) and
//! up to 60 moves without passes. In a [`Record`] these become the tags `Event`,
//! [`THEORETICAL_SCORE`] and, if the moves do not lead to the stated score (a few games are
//! incomplete), [`BLACK_DISCS`]; `Date` is the year of the file.
//!
//! Dropped on writing: all other tags, dates other than the archive's year, times, values, comments,
//! glyphs, variations, a final pass, and the kind of ending. The format has no unknown score: an
//! incomplete game gets black's discs on the board.

mod names;

pub use names::{Date, Names, read_players, read_tournaments, write_players, write_tournaments};

use names::{HEADER_SIZE, Header, NameTable, name, records};
use tablero_core::{Outcome, ReadError, Record, Records, Side, excerpt};

use super::{RecordBuilder, WriteError, replay, require_standard_start};
use crate::{Othello, Square};

/// The tag with black's score under perfect play, and the number of empties it was solved from:
/// `40 at 24 empties`.
pub const THEORETICAL_SCORE: &str = "TheoreticalScore";
/// The tag with the file's disc count for black, if the moves do not lead to it.
pub const BLACK_DISCS: &str = "BlackDiscs";

const FORMAT: &str = "a WTHOR file";
/// Size of a game record, and offset of the moves in it.
const GAME_SIZE: usize = 68;
const MOVES_OFFSET: usize = 8;

/// The games of one `.wtb` file.
#[derive(Clone, PartialEq, Debug)]
pub struct Archive {
    /// Creation date of the file.
    pub created: Date,
    /// The year in which the games were played; 0 if unknown.
    pub year: u16,
    /// The number of empties from which theoretical scores were solved; 0 if there are none.
    pub depth: u8,
    /// The games; those that could not be read are skipped.
    pub games: Records<Record<Othello>>,
}

/// Reads a `.wtb` file.
pub fn read(bytes: &[u8], names: &Names) -> Result<Archive, ReadError> {
    let Header { created, year, depth, .. } = Header::read(bytes)?;
    Ok(Archive { created, year, depth, games: games(bytes, names)?.collect() })
}

/// Iterates over the games of a `.wtb` file.
pub fn games<'a>(
    bytes: &'a [u8],
    names: &'a Names,
) -> Result<impl Iterator<Item = Result<Record<Othello>, ReadError>> + 'a, ReadError> {
    let header = Header::read(bytes)?;
    if !matches!(header.size, 0 | 8) {
        let found = format!("a board of size {}", header.size);
        return Err(ReadError::at_byte(12, found, "size 8 (or 0, the same)"));
    }
    if header.kind != 0 {
        let found = match header.kind {
            1 => "a file of solitaires".into(),
            kind => format!("a file of kind {kind}"),
        };
        return Err(ReadError::at_byte(13, found, "a file of games, kind 0"));
    }
    if header.games == 0 {
        return Err(ReadError::at_byte(4, "a file of 0 games", "at least one game"));
    }
    let records = records(bytes, header.games as usize, GAME_SIZE);
    Ok(records.map(move |record| {
        record.and_then(|(offset, game)| read_game(game, offset, &header, names))
    }))
}

fn read_game(
    bytes: &[u8],
    offset: usize,
    header: &Header,
    names: &Names,
) -> Result<Record<Othello>, ReadError> {
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let player = |at| name(&names.players, number(at), offset + at);
    let mut game = RecordBuilder::standard();
    read_moves(&mut game, &bytes[MOVES_OFFSET..], offset + MOVES_OFFSET)?;
    let end = game.end_by_rules();
    let mut record = game.record;
    record.end = end;
    record.players = [player(2)?.into(), player(4)?.into()];

    let event = name(&names.tournaments, number(0), offset)?;
    if !event.is_empty() {
        record.set_tag("Event", event);
    }
    if header.year != 0 {
        record.set_tag("Date", format!("{:04}.??.??", header.year));
    }
    let (black, theoretical) = (bytes[6], bytes[7]);
    if black > 64 || theoretical > 64 {
        let (at, discs) = if black > 64 { (6, black) } else { (7, theoretical) };
        let found = format!("{discs} discs");
        return Err(ReadError::at_byte(offset + at, found, "at most 64"));
    }
    if end.map(|end| black_discs(end.outcome)) != Some(black) {
        record.set_tag(BLACK_DISCS, black.to_string());
    }
    if header.depth > 0 || theoretical > 0 {
        let value = format!("{theoretical} at {} empties", header.depth);
        record.set_tag(THEORETICAL_SCORE, value);
    }
    Ok(record)
}

/// Plays the moves, coded as `10 * row + column`, up to the first 0.
fn read_moves(game: &mut RecordBuilder, codes: &[u8], offset: usize) -> Result<(), ReadError> {
    let count = codes.iter().take_while(|code| **code != 0).count();
    let (moves, rest) = codes.split_at(count);
    for (index, &code) in moves.iter().enumerate() {
        let offset = offset + index;
        let square = square_of(code).ok_or_else(|| {
            let expected = "10 * row + column, each from 1 to 8";
            ReadError::at_byte(offset, format!("move {code}"), expected)
        })?;
        game.play_text(&square.to_string())
            .map_err(|error| ReadError::at_byte(offset, error.found, error.expected))?;
    }
    match rest.iter().position(|code| *code != 0) {
        None => Ok(()),
        Some(index) => {
            let found = format!("move {}", rest[index]);
            Err(ReadError::at_byte(offset + count + index, found, "0 after the last move"))
        }
    }
}

fn square_of(code: u8) -> Option<Square> {
    let (row, column) = (code / 10, code % 10);
    let inside = (1..=8).contains(&row) && (1..=8).contains(&column);
    Square::new(8 * row.checked_sub(1)? + column.checked_sub(1)?).filter(|_| inside)
}

fn code_of(square: Square) -> u8 {
    let index = square.index() as u8;
    10 * (index / 8 + 1) + index % 8 + 1
}

/// Black's final disc count out of 64. A margin of 1, from results that only name the winner, is
/// rounded to 2.
fn black_discs(outcome: Outcome) -> u8 {
    let margin = outcome.margin().0.clamp(-64, 64);
    (32 + (margin + margin.signum()) / 2) as u8
}

/// Writes a `.wtb` file. Players and tournaments missing from `names` are appended to it; write them
/// with [`write_players`] and [`write_tournaments`].
pub fn write(archive: &Archive, names: &mut Names) -> Result<Vec<u8>, WriteError> {
    let games = match u32::try_from(archive.games.len()) {
        Ok(games) if games > 0 => games,
        _ => {
            let what = format!("{} games", archive.games.len());
            return Err(WriteError::new(FORMAT, what));
        }
    };
    let header = Header {
        created: archive.created,
        games,
        names: 0,
        year: archive.year,
        size: 8,
        kind: 0,
        depth: archive.depth,
    };
    let mut players = NameTable::of_players(&mut names.players);
    let mut tournaments = NameTable::of_tournaments(&mut names.tournaments);
    let mut bytes = header.write()?;
    for record in archive.games.iter() {
        let tournament = tournaments.number(record.tag("Event").unwrap_or_default())?;
        bytes.extend(tournament.to_le_bytes());
        for player in &record.players {
            bytes.extend(players.number(player)?.to_le_bytes());
        }
        write_game(record, &mut bytes)?;
    }
    debug_assert_eq!(bytes.len(), HEADER_SIZE + GAME_SIZE * archive.games.len());
    Ok(bytes)
}

/// Writes scores and moves.
fn write_game(record: &Record<Othello>, bytes: &mut Vec<u8>) -> Result<(), WriteError> {
    require_standard_start(record, FORMAT)?;
    let game = replay(record, FORMAT)?;
    let black = match (discs_in(record, BLACK_DISCS)?, record.end) {
        (Some(stated), _) => stated,
        (None, Some(end)) => black_discs(end.outcome),
        (None, None) => game.position().discs(Side::First).count_ones() as u8,
    };
    bytes.push(black);
    bytes.push(discs_in(record, THEORETICAL_SCORE)?.unwrap_or(0));
    let mut moves = [0; GAME_SIZE - MOVES_OFFSET];
    let squares = record.plies.iter().map(|ply| ply.m).filter(|m| !m.is_pass());
    for (code, square) in moves.iter_mut().zip(squares) {
        *code = code_of(square);
    }
    bytes.extend(moves);
    Ok(())
}

/// Parses the disc count at the start of a tag.
fn discs_in(record: &Record<Othello>, tag: &str) -> Result<Option<u8>, WriteError> {
    let Some(value) = record.tag(tag) else {
        return Ok(None);
    };
    let number = value.split_whitespace().next().and_then(|word| word.parse().ok());
    match number.filter(|discs| *discs <= 64) {
        Some(discs) => Ok(Some(discs)),
        None => Err(WriteError::new(FORMAT, format!("the tag {tag} = {}", excerpt(value)))),
    }
}

#[cfg(test)]
mod tests;
