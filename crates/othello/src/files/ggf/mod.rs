//! Generic Game Format (GGF): games with players, clocks and values, as exchanged by Othello servers
//! and programs:
//!
//! ```text
//! (;GM[Othello]PC[here]PB[Ann]PW[Bob]TY[8]RE[+12.000]BO[8 -------- ... *]B[f5//1.23]W[d6/-2.00/3.5];)
//! ```
//!
//! A move may have a value in discs, for the player who made it, and a time in seconds. A result is
//! black's margin, with `:r` for resignation, `:t` for time, `:s` for a mutually agreed score. A file
//! may hold many games; server archives precede them by the number of games of their match
//! (`2 (;...;)(;...;)` is a pair with the same opening).
//!
//! Site, date, ratings and clock map to the PGN tags of the same meaning; other properties keep their
//! own names. Half a disc in a result, from games with komi, is rounded up. Dropped on writing:
//! comments, glyphs, variations, values not in discs, fractions of a millisecond, and endings without
//! a letter.

use std::time::Duration;

use tablero_core::{
    Ending, ForFirst, ForMover, Game, GameEnd, GameType, Notation, Outcome, Ply, ReadError, Record,
    Scanner, Side, StandardRules, Value, excerpt, strip_bom,
};

use super::{RecordBuilder, WriteError, replay};
use crate::Othello;

const FORMAT: &str = "a GGF file";
/// Properties stored as tags, with the tag names.
const TAGS: [(&str, &str); 7] = [
    ("PC", "Site"),
    ("DT", "Date"),
    ("EV", "Event"),
    ("RO", "Round"),
    ("RB", "BlackElo"),
    ("RW", "WhiteElo"),
    ("TI", "TimeControl"),
];
/// Properties stored in fields of the record.
const FIELDS: [&str; 7] = ["GM", "PB", "PW", "RE", "BO", "B", "W"];
const FLAGS: [(&str, Ending); 3] =
    [("r", Ending::Resigned), ("t", Ending::Time), ("s", Ending::Agreed)];

/// Iterates over the games of a text. After an error, reading resumes at the next `(;GM[`.
pub fn read(text: &str) -> impl Iterator<Item = Result<Record<Othello>, ReadError>> + '_ {
    let mut scan = Scanner::new(strip_bom(text));
    std::iter::from_fn(move || {
        scan.skip_blanks();
        if scan.at_end() {
            return None;
        }
        scan.mark();
        let before = scan.clone();
        let game = properties(&mut scan).and_then(|properties| record_of(&scan, &properties));
        if game.is_err() {
            // From the start of the game: an unclosed value may have swallowed the next one.
            scan = before;
            skip_game(&mut scan);
        }
        Some(game)
    })
}

/// Skips to the start of the next game.
fn skip_game(scan: &mut Scanner<'_>) {
    scan.take_while(|c| c.is_ascii_digit() || c.is_whitespace());
    scan.bump();
    while !scan.at_end() && !is_game_start(scan.rest()) {
        scan.bump();
        scan.take_while(|c| c != '(');
    }
}

/// Whether `text` starts with `(;GM[`, the start of every game. A bare `(;` may be part of a name.
fn is_game_start(text: &str) -> bool {
    let properties = text.strip_prefix("(;");
    properties.is_some_and(|properties| properties.trim_start().starts_with("GM["))
}

/// `NAME[value]`.
struct Property<'a> {
    name: &'a str,
    /// Raw text, escapes included.
    value: &'a str,
    /// Byte offset of the value.
    offset: usize,
}

impl Property<'_> {
    /// An error located at the value.
    fn error(&self, scan: &Scanner<'_>, expected: &str) -> ReadError {
        scan.within(ReadError::at(self.value, 0, expected), self.offset)
    }
}

/// Reads one game up to its `;)`.
fn properties<'a>(scan: &mut Scanner<'a>) -> Result<Vec<Property<'a>>, ReadError> {
    scan.take_while(|c| c.is_ascii_digit());
    scan.skip_blanks();
    let start = scan.offset();
    if !(scan.eat('(') && scan.eat(';')) {
        return Err(scan.error_at(start, "`(;` at the start of a game"));
    }
    let mut properties = Vec::new();
    loop {
        scan.skip_blanks();
        let start = scan.offset();
        if scan.eat(';') {
            return if scan.eat(')') {
                Ok(properties)
            } else {
                Err(scan.error_at(start, "`;)` at the end of the game"))
            };
        }
        let name = scan.take_while(is_name);
        if name.is_empty() || !scan.eat('[') {
            return Err(scan.error_at(start, "a property such as `B[f5]`, or `;)`"));
        }
        let offset = scan.offset();
        let value = value(scan)?;
        properties.push(Property { name, value, offset });
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads a value up to and including its closing bracket, which must come before the next game.
fn value<'a>(scan: &mut Scanner<'a>) -> Result<&'a str, ReadError> {
    let start = scan.offset();
    loop {
        let end = scan.offset();
        match scan.bump() {
            Some('(') if is_game_start(&scan.text()[end..]) => {
                return Err(scan.error_at(start, "a value that ends with `]`"));
            }
            Some(']') => return Ok(&scan.text()[start..end]),
            Some('\\') => drop(scan.bump()),
            Some(_) => {}
            None => return Err(scan.error_at(start, "a value that ends with `]`")),
        }
    }
}

/// Removes the backslashes that escape `]` and `\`.
fn unescape(value: &str) -> String {
    let mut out = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.next_if(|next| c == '\\' && matches!(next, ']' | '\\'));
        out.push(escaped.unwrap_or(c));
    }
    out
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

/// Builds the record from its properties.
fn record_of(
    scan: &Scanner<'_>,
    properties: &[Property<'_>],
) -> Result<Record<Othello>, ReadError> {
    let find = |name| properties.iter().find(|property| property.name == name);
    if let Some(game) = find("GM").filter(|game| !game.value.eq_ignore_ascii_case("othello")) {
        return Err(game.error(scan, "a game of Othello"));
    }
    if let Some(kind) = find("TY").filter(|kind| !is_standard_type(kind.value)) {
        return Err(kind.error(scan, "standard Othello on 8x8 squares, `8`"));
    }
    let start = match find("BO") {
        Some(board) => parse_board(board.value).map_err(|e| scan.within(e, board.offset))?,
        None => Othello::start(StandardRules),
    };
    let mut game = RecordBuilder::new(start);
    for property in properties {
        read_property(&mut game, property).map_err(|e| scan.within(e, property.offset))?;
    }
    game.record.end = match find("RE").filter(|result| !is_unknown(result.value)) {
        None => game.end_by_rules(),
        Some(result) => {
            let end = parse_result(result.value, game.end_by_rules());
            Some(end.map_err(|e| scan.within(e, result.offset))?)
        }
    };
    Ok(game.record)
}

/// Plays a move property, or stores any other in the record.
fn read_property(game: &mut RecordBuilder, property: &Property<'_>) -> Result<(), ReadError> {
    let Property { name, value, .. } = *property;
    match name {
        "B" => return play(game, Side::First, value),
        "W" => return play(game, Side::Second, value),
        "PB" => game.record.players[0] = unescape(value),
        "PW" => game.record.players[1] = unescape(value),
        "GM" | "RE" | "BO" => {}
        "TY" if value == "8" => {}
        _ => {
            let known = TAGS.iter().find(|(short, _)| *short == name);
            let name = known.map_or(name, |(_, long)| long);
            game.record.tags.push((name.into(), unescape(value)));
        }
    }
    Ok(())
}

/// Whether a game type is standard Othello: the board size (0 from some programs), surrounded by
/// letters (synchro, komi, random start, preferred colour) and the number of random discs. The letter
/// `a` is anti-Othello.
fn is_standard_type(kind: &str) -> bool {
    let from_size = kind.trim_start_matches(|c: char| !c.is_ascii_digit());
    let size = from_size.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    ["", "0", "8"].contains(&size) && !kind.contains(['a', 'A'])
}

/// Parses the board size, the squares and the side to move.
fn parse_board(value: &str) -> Result<Othello, ReadError> {
    let mut scan = Scanner::new(value);
    scan.skip_blanks();
    let start = scan.offset();
    if scan.word() != "8" {
        return Err(scan.error_at(start, "`8`, for a board of 8x8 squares"));
    }
    let offset = scan.offset();
    Othello::parse_position(scan.rest(), StandardRules).map_err(|e| e.within(value, offset))
}

/// Plays `move/value/time`.
fn play(game: &mut RecordBuilder, side: Side, text: &str) -> Result<(), ReadError> {
    let (name, rest) = text.split_once('/').unwrap_or((text, ""));
    let (value, time) = rest.split_once('/').unwrap_or((rest, ""));
    let value_at = name.len() + 1;
    let time_at = value_at + value.len() + 1;

    game.play_implied_pass(name.trim());
    let mover = game.position.side();
    if mover != side {
        let expected = format!("a move of {}", Othello::SIDES[mover.index()]);
        return Err(ReadError::at(text, 0, expected));
    }
    game.play_text(name)?;
    let Some(ply) = game.record.plies.last_mut() else {
        return Ok(());
    };
    if !value.trim().is_empty() {
        let value = parse_discs(value.trim())
            .ok_or_else(|| ReadError::at(text, value_at, "a value in discs, `-2.50`"))?;
        ply.value = Some(ForMover(value).for_first(side));
    }
    if !time.trim().is_empty() {
        let time = parse_seconds(time.trim())
            .ok_or_else(|| ReadError::at(text, time_at, "a time in seconds, `1.25`"))?;
        ply.time = Some(time);
    }
    Ok(())
}

fn parse_discs(text: &str) -> Option<Value> {
    Value::from_text(text).filter(|value| matches!(value, Value::Centi(_)))
}

fn parse_seconds(text: &str) -> Option<Duration> {
    let milliseconds = (text.parse::<f64>().ok()? * 1000.0).round();
    (0.0..1e15).contains(&milliseconds).then(|| Duration::from_millis(milliseconds as u64))
}

fn is_unknown(result: &str) -> bool {
    matches!(result.trim(), "" | "?")
}

/// Parses a result; without a letter, the game was played out if the board agrees.
fn parse_result(result: &str, on_board: Option<GameEnd>) -> Result<GameEnd, ReadError> {
    let (margin, flag) = match result.split_once(':') {
        Some((margin, flag)) => (margin, Some(flag)),
        None => (result, None),
    };
    let outcome = parse_margin(margin.trim())
        .ok_or_else(|| ReadError::at(result, 0, "black's margin in discs, `+12.00`"))?;
    let ending = match flag {
        None => {
            on_board.filter(|end| end.outcome == outcome).map_or(Ending::Unknown, |end| end.ending)
        }
        Some(flag) => FLAGS
            .iter()
            .find(|(letter, _)| flag.trim().eq_ignore_ascii_case(letter))
            .map(|(_, ending)| *ending)
            .ok_or_else(|| ReadError::at(result, margin.len() + 1, "`r`, `t` or `s`"))?,
    };
    Ok(GameEnd { outcome, ending })
}

fn parse_margin(margin: &str) -> Option<Outcome> {
    let margin: f64 = margin.parse().ok()?;
    // Rounded away from zero: half a disc wins.
    let discs = margin.abs().ceil();
    (discs <= 1000.0).then(|| {
        let sign = if margin < 0.0 { -1 } else { 1 };
        Outcome::by_margin(ForFirst(sign * discs as i16))
    })
}

/// Writes a game on one line, newline included.
pub fn write(record: &Record<Othello>) -> Result<String, WriteError> {
    let game = replay(record, FORMAT)?;
    let mut text = String::from("(;");
    let mut put = |name: &str, value: &str| text += &format!("{name}[{value}]");
    put("GM", "Othello");
    // Server files have site and date before the players, everything else after them.
    let is_before_players = |tag: &&(String, String)| ["Site", "Date"].contains(&tag.0.as_str());
    let before = record.tags.iter().take_while(is_before_players).count();
    for (name, value) in &record.tags[..before] {
        put(property_of(name, value)?, &escape(value));
    }
    put("PB", &escape(&record.players[0]));
    put("PW", &escape(&record.players[1]));
    for (name, value) in &record.tags[before..] {
        put(property_of(name, value)?, &escape(value));
    }
    if record.tag("TY").is_none() {
        put("TY", "8");
    }
    put("RE", &result_text(record.end));
    put("BO", &board_text(&record.start));
    for (ply, position) in record.plies.iter().zip(game.positions()) {
        let side = position.side();
        put(["B", "W"][side.index()], &move_text(ply, side));
    }
    text += ";)\n";
    Ok(text)
}

/// The property name of a tag.
fn property_of<'a>(tag: &'a str, value: &str) -> Result<&'a str, WriteError> {
    let known = TAGS.iter().find(|(_, long)| *long == tag);
    let name = known.map_or(tag, |(short, _)| short);
    let is_valid = !name.is_empty() && name.chars().all(is_name) && !FIELDS.contains(&name);
    if is_valid && (name != "TY" || is_standard_type(value)) {
        return Ok(name);
    }
    Err(WriteError::new(FORMAT, format!("the tag {} = {}", excerpt(tag), excerpt(value))))
}

fn result_text(end: Option<GameEnd>) -> String {
    let Some(GameEnd { outcome, ending }) = end else {
        return "?".into();
    };
    let mut text = format!("{:+}.000", outcome.margin().0);
    if let Some((letter, _)) = FLAGS.iter().find(|(_, flagged)| *flagged == ending) {
        text.push(':');
        text += letter;
    }
    text
}

fn board_text(position: &Othello) -> String {
    let text = position.position_text().replace('X', "*");
    let mut out = String::from("8 ");
    for (square, letter) in text.chars().filter(|c| *c != ' ').enumerate() {
        if square > 0 && square % 8 == 0 {
            out.push(' ');
        }
        out.push(letter);
    }
    out
}

fn move_text(ply: &Ply<Othello>, side: Side) -> String {
    let name = if ply.m.is_pass() { "PA".into() } else { ply.m.to_string() };
    let value = match ply.value.map(|value| value.for_mover(side)) {
        Some(ForMover(value @ Value::Centi(_))) => value.to_string(),
        _ => String::new(),
    };
    let time = ply.time.map_or_else(String::new, seconds_text);
    let text = format!("{name}/{}/{time}", value.trim_start_matches('+'));
    text.trim_end_matches('/').into()
}

/// Seconds with two decimals, or three if needed.
fn seconds_text(time: Duration) -> String {
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.strip_suffix('0').map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests;
