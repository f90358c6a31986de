//! A game as a row of the database.
//!
//! Moves are [codes](tablero_core::Trace), one byte each. Players, event, date and result have columns; other tags
//! are packed as pairs of interned names and values. Comments, glyphs and variations, where there are any, are kept
//! as compressed PGN. Times and scores of moves are dropped.

use tablero_core::{
    AnyGame, AnyPly, AnyRecord, Ending, ForFirst, GameEnd, Openings, Outcome, Side, Trace, pgn,
};

use crate::terms::{hash, mix, position_salt, salted_key};
use crate::varint;

/// The number of a game's first positions that can be searched for.
pub(crate) const INDEXED_POSITIONS: usize = 33;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GameResult {
    /// Not recorded, or unfinished.
    #[default]
    Unknown,
    /// The first player won.
    First,
    /// A draw.
    Draw,
    /// The second player won.
    Second,
}

impl GameResult {
    pub(crate) const fn bits(self) -> u8 {
        self as u8
    }

    /// The result in the lowest two bits.
    pub(crate) const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Unknown,
            1 => Self::First,
            2 => Self::Draw,
            _ => Self::Second,
        }
    }

    /// The winner; `None` if nobody won, or nobody knows.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::First => Some(Side::First),
            Self::Second => Some(Side::Second),
            Self::Unknown | Self::Draw => None,
        }
    }

    fn of(outcome: Option<Outcome>) -> Self {
        match outcome.map(Outcome::winner) {
            None => Self::Unknown,
            Some(None) => Self::Draw,
            Some(Some(Side::First)) => Self::First,
            Some(Some(Side::Second)) => Self::Second,
        }
    }
}

/// A game on its way into the database; names are not interned yet.
pub(crate) struct PackedGame {
    pub(crate) game: AnyGame,
    pub(crate) players: [String; 2],
    pub(crate) event: String,
    pub(crate) opening: Option<&'static str>,
    pub(crate) date: Date,
    /// See [`pack_end`].
    pub(crate) end: i64,
    pub(crate) result: GameResult,
    pub(crate) moves: Vec<u8>,
    pub(crate) rules: &'static str,
    /// The starting position, unless it is the standard one.
    pub(crate) start: Option<String>,
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) annotated: Option<Vec<u8>>,
    /// What makes two games the same: moves, players and year.
    pub(crate) fingerprint: u64,
    /// Keys of positions with the move played there, each once.
    pub(crate) positions: Vec<(u64, u16)>,
}

/// A date as far as it is known: 0 where it is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Date {
    pub(crate) year: u16,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Date {
    /// Parses a PGN date, `2024.03.??`, or one that starts with a year.
    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = text.split(['.', '-', '/', ' ']).map(|part| part.parse::<u16>().ok());
        let mut next = |max: u16| parts.next().flatten().filter(|part| *part <= max).unwrap_or(0);
        let year = next(9999);
        let (month, day) = (next(12) as u8, next(31) as u8);
        Self { year, month, day }
    }

    pub(crate) fn to_number(self) -> i64 {
        i64::from(self.year) << 9 | i64::from(self.month) << 5 | i64::from(self.day)
    }

    pub(crate) fn from_number(number: i64) -> Self {
        Self { year: (number >> 9) as u16, month: (number >> 5) as u8 & 15, day: number as u8 & 31 }
    }

    /// As in PGN; empty if nothing is known.
    pub(crate) fn text(self) -> String {
        let part = |part: u8| if part == 0 { "??".into() } else { format!("{part:02}") };
        match self {
            Self { year: 0, .. } => String::new(),
            Self { year, month, day } => format!("{year:04}.{}.{}", part(month), part(day)),
        }
    }
}

/// Packs a record; `None` if a move is not legal.
pub(crate) fn pack(record: AnyRecord) -> Option<PackedGame> {
    let trace = record.start.trace(record.plies.iter().map(|ply| ply.m), INDEXED_POSITIONS)?;
    let annotated = has_annotations(&record).then(|| annotations(&record));
    let rules = record.start.rules();
    let (game, start) = (rules.game(), standard_start(&record));
    let date = record.tag("Date").map(Date::parse).unwrap_or_default();
    let event = record.tag("Event").unwrap_or_default().to_owned();
    let end = record.end;
    let opening = Openings::of(game).of_positions(&trace.positions).map(|opening| opening.name);
    let packed_date = date.text();
    let is_column = |(name, value): &(String, String)| match name.as_str() {
        "Event" => true,
        "Date" => *value == packed_date || date.year == 0,
        _ => false,
    };
    let mut tags = record.tags;
    tags.retain(|tag| !is_column(tag));
    let moves = pack_codes(&trace.codes);
    let fingerprint =
        fingerprint(game, rules.name(), start.as_deref(), &moves, &record.players, date);
    Some(PackedGame {
        game,
        event,
        opening,
        date,
        end: pack_end(end),
        result: GameResult::of(end.map(|end| end.outcome)),
        positions: keyed_positions(position_salt(rules), &trace),
        moves,
        rules: rules.name(),
        start,
        tags,
        annotated,
        fingerprint,
        players: record.players,
    })
}

/// The starting position as text, unless it is that of the rules.
fn standard_start(record: &AnyRecord) -> Option<String> {
    let start = &record.start;
    (*start != start.rules().start()).then(|| start.position_text())
}

/// The positions of a trace, repeated ones once.
fn keyed_positions(salt: u64, trace: &Trace) -> Vec<(u64, u16)> {
    let mut positions: Vec<(u64, u16)> = Vec::with_capacity(trace.positions.len());
    for position in &trace.positions {
        let key = salted_key(salt, position.key);
        if positions.iter().all(|(known, _)| *known != key) {
            positions.push((key, position.code.map_or(0, |code| code + 1)));
        }
    }
    positions
}

pub(crate) fn pack_codes(codes: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(codes.len());
    codes.iter().for_each(|code| varint::write(u64::from(*code), &mut bytes));
    bytes
}

pub(crate) fn unpack_codes(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut codes = Vec::with_capacity(bytes.len());
    while !bytes.is_empty() {
        codes.push(varint::read(&mut bytes).ok()?.try_into().ok()?);
    }
    Some(codes)
}

/// Endings in the order of their numbers in the database.
const ENDINGS: [Ending; 10] = {
    use tablero_core::DrawReason::{DeadPosition, MoveLimit, Repetition};
    [
        Ending::Unknown,
        Ending::Played,
        Ending::Drawn(Repetition),
        Ending::Drawn(MoveLimit),
        Ending::Drawn(DeadPosition),
        Ending::Agreed,
        Ending::Resigned,
        Ending::Time,
        Ending::Forfeit,
        Ending::Adjudicated,
    ]
};

/// Result, ending and margin as one number: two bits, four bits, and the rest.
pub(crate) fn pack_end(end: Option<GameEnd>) -> i64 {
    let Some(GameEnd { outcome, ending }) = end else { return 0 };
    let ending = ENDINGS.iter().position(|known| *known == ending).unwrap_or(0) as i64;
    let margin = i64::from(outcome.margin().0.unsigned_abs());
    margin << 6 | ending << 2 | i64::from(GameResult::of(Some(outcome)).bits())
}

pub(crate) fn unpack_end(packed: i64) -> Option<GameEnd> {
    let margin = i16::try_from(packed >> 6).unwrap_or(i16::MAX);
    let outcome = match GameResult::from_bits(packed as u8) {
        GameResult::Unknown => return None,
        GameResult::Draw => Outcome::DRAW,
        GameResult::First => Outcome::by_margin(ForFirst(margin.max(1))),
        GameResult::Second => Outcome::by_margin(ForFirst(-margin.max(1))),
    };
    let ending = ENDINGS.get((packed >> 2 & 15) as usize).copied().unwrap_or(Ending::Unknown);
    Some(GameEnd { outcome, ending })
}

fn fingerprint(
    game: AnyGame,
    rules: &str,
    start: Option<&str>,
    moves: &[u8],
    players: &[String; 2],
    date: Date,
) -> u64 {
    let name = |name: &str| hash(name.trim().to_lowercase().as_bytes());
    let mut fingerprint = mix(hash(game.name().as_bytes()), hash(rules.as_bytes()));
    fingerprint = mix(fingerprint, hash(start.unwrap_or_default().as_bytes()));
    fingerprint = mix(fingerprint, hash(moves));
    fingerprint = mix(fingerprint, name(&players[0]));
    fingerprint = mix(fingerprint, name(&players[1]));
    mix(fingerprint, u64::from(date.year))
}

fn has_annotations(record: &AnyRecord) -> bool {
    let is_annotated = |ply: &AnyPly| {
        !ply.glyphs.is_empty() || !ply.variations.is_empty() || has_words(&ply.comment)
    };
    has_words(&record.comment) || record.plies.iter().any(is_annotated)
}

/// Whether there is more in a comment than commands, `[%clk 0:10:00]`.
fn has_words(comment: &str) -> bool {
    let mut rest = comment;
    while let Some(start) = rest.find("[%") {
        if !rest[..start].trim().is_empty() {
            return true;
        }
        let Some(end) = rest[start..].find(']') else { return true };
        rest = &rest[start + end + 1..];
    }
    !rest.trim().is_empty()
}

/// The whole record as compressed PGN.
fn annotations(record: &AnyRecord) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(pgn::write(record).as_bytes(), 8)
}

/// The most bytes of an annotated game, against files that decompress without end.
const MAX_ANNOTATED_BYTES: usize = 64 << 20;

/// The record of [`annotations`].
pub(crate) fn read_annotations(game: AnyGame, bytes: &[u8]) -> Option<AnyRecord> {
    let text =
        miniz_oxide::inflate::decompress_to_vec_with_limit(bytes, MAX_ANNOTATED_BYTES).ok()?;
    pgn::read_one(game, std::str::from_utf8(&text).ok()?).ok()
}
